#include "mmo/transform/cell_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/transform/column_plan.h"

namespace mmo {
namespace {

constexpr std::size_t block_rows = 4096;

class CellCheck {
 public:
  CellCheck(const Dataset& data, MissingFeatures missing) : data_(data), missing_(missing) {}

  void run() const {
    parallel_ranges(feature_rows(data_.x), block_rows, [&](std::size_t begin, std::size_t end) {
      std::visit([&](const auto& x) { check_block(x, begin, end); }, data_.x);
    });
  }

 private:
  [[nodiscard]] bool bad(float value) const {
    return !std::isfinite(value) && !(std::isnan(value) && missing_ != MissingFeatures::refuse);
  }

  static std::size_t column(const DenseMatrix&, std::size_t, std::size_t k) { return k; }
  static std::size_t column(const CsrMatrix& x, std::size_t i, std::size_t k) { return x.row_indices(i)[k]; }
  static std::span<const float> values(const DenseMatrix& x, std::size_t i) { return x.row(i); }
  static std::span<const float> values(const CsrMatrix& x, std::size_t i) { return x.row_values(i); }

  template <class Matrix>
  void check_block(const Matrix& x, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const float> row = values(x, i);
      const auto at = std::find_if(row.begin(), row.end(), [&](float value) { return bad(value); });
      if (at != row.end()) refuse(i, column(x, i, static_cast<std::size_t>(at - row.begin())), *at);
    }
  }

  [[noreturn]] void refuse(std::size_t row, std::size_t col, float value) const {
    const std::string where = fmt::format("row {}, {}", row + 1, column_name(data_.features, col));
    if (std::isnan(value)) {
      throw DataError(
          data_.source, 0,
          fmt::format("{}: the value is missing; fill it in, or train with --set missing=impute", where));
    }
    throw DataError(
        data_.source, 0,
        fmt::format("{}: the value is {} (or too large for single precision); give a finite number", where,
                    value));
  }

  const Dataset& data_;
  MissingFeatures missing_;
};

}  // namespace

void check_cells(const Dataset& data, MissingFeatures missing) { CellCheck(data, missing).run(); }

}  // namespace mmo
