#include "mmo/transform/one_hot.h"

#include <algorithm>
#include <cmath>

#include "mmo/core/parallel.h"
#include "mmo/transform/column_plan.h"

namespace mmo {
namespace {

constexpr std::size_t block_rows = 4096;
constexpr std::uint32_t no_mark = UINT32_MAX;

class OneHot {
 public:
  OneHot(const Encoder& encoder, const Dataset& data) : encoder_(encoder), plan_(encoder, data) {
    std::uint32_t output = 0;
    for (std::size_t k = 0; k < encoder.raw_columns; ++k) {
      first_output_.push_back(output);
      output += plan_.nominal(k) ? static_cast<std::uint32_t>(encoder.columns[k].categories.size()) : 1U;
      if (plan_.nominal(k)) nominal_.push_back(static_cast<std::uint32_t>(k));
    }
    for (std::size_t k = 0; k < encoder.raw_columns; ++k) {
      const bool marked = !encoder.marked.empty() && encoder.marked[k] != 0;
      mark_.push_back(marked ? output++ : no_mark);
    }
    outputs_ = output;
  }

  [[nodiscard]] Features apply(const DenseMatrix& x) const {
    DenseMatrix out(x.rows, outputs_);
    parallel_ranges(x.rows, block_rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto put = [&](std::uint32_t output, float value) { out(i, output) = value; };
        for (std::size_t k = 0; k < x.cols; ++k) {
          emit(i, k, x(i, k), put);
          mark(k, x(i, k), put);
        }
      }
    });
    return out;
  }

  [[nodiscard]] Features apply(const CsrMatrix& x) const {
    CsrMatrix out;
    out.rows = x.rows;
    out.cols = outputs_;
    out.offsets.reserve(x.rows + 1);
    out.indices.reserve(x.nonzeros() + x.rows * nominal_.size());
    out.values.reserve(x.nonzeros() + x.rows * nominal_.size());
    const auto push = [&](std::uint32_t output, float value) {
      out.indices.push_back(output);
      out.values.push_back(value);
    };
    for (std::size_t i = 0; i < x.rows; ++i) {
      const auto indices = x.row_indices(i);
      const auto values = x.row_values(i);
      std::size_t p = 0;
      // The row's own cells up to and including each nominal column; one left out is category 0.
      for (const std::uint32_t column : nominal_) {
        for (; p < indices.size() && indices[p] < column; ++p) emit(i, indices[p], values[p], push);
        const bool present = p < indices.size() && indices[p] == column;
        emit(i, column, present ? values[p] : 0.0F, push);
        if (present) ++p;
      }
      for (; p < indices.size(); ++p) emit(i, indices[p], values[p], push);
      for (p = 0; p < indices.size(); ++p) mark(indices[p], values[p], push);
      out.offsets.push_back(out.indices.size());
    }
    return out;
  }

 private:
  // Calls put(output, value) for the non-zero outputs of one cell.
  template <class Put>
  void emit(std::size_t row, std::size_t column, float value, const Put& put) const {
    const std::uint32_t first = first_output_[column];
    if (!plan_.nominal(column)) {
      put(first, std::isnan(value) ? encoder_.fill[column] : value);
      return;
    }
    if (std::isnan(value)) return;  // an unknown category: all zeros
    if (const auto category = plan_.category(row, column, value)) put(first + *category, 1.0F);
  }

  template <class Put>
  void mark(std::size_t column, float value, const Put& put) const {
    if (mark_[column] != no_mark && std::isnan(value)) put(mark_[column], 1.0F);
  }

  const Encoder& encoder_;
  ColumnPlan plan_;
  std::vector<std::uint32_t> first_output_;  // of each raw column
  std::vector<std::uint32_t> mark_;          // of each raw column: its output, or no_mark
  std::vector<std::uint32_t> nominal_;
  std::size_t outputs_ = 0;
};

}  // namespace

Features one_hot(const Encoder& encoder, const Dataset& data) {
  const OneHot coder(encoder, data);
  return std::visit([&](const auto& x) { return coder.apply(x); }, data.x);
}

}  // namespace mmo
