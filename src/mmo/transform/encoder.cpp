#include "mmo/transform/encoder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <span>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"

namespace mmo {
namespace {

constexpr std::size_t block_rows = 4096;

// ---- what a file's columns mean to the model ------------------------------------------------------------

// Where each raw column goes: its first output, and for nominal columns the output offset of each of the
// file's own categories (files may list the categories in another order).
struct Plan {
  std::vector<std::uint32_t> first_output;           // raw columns + 1
  std::vector<std::vector<std::uint32_t>> category;  // empty = numeric
  std::vector<std::uint32_t> nominal;                // the nominal columns
};

bool any_nominal(const std::vector<FeatureInfo>& columns) {
  return std::any_of(columns.begin(), columns.end(), [](const FeatureInfo& c) { return c.nominal(); });
}

std::string column_name(const std::vector<FeatureInfo>& columns, std::size_t k) {
  return k < columns.size() ? fmt::format("column {} (\"{}\")", k + 1, columns[k].name)
                            : fmt::format("column {}", k + 1);
}

void check_columns(const Encoder& encoder, const Dataset& data) {
  const std::size_t found = feature_cols(data.x);
  if (found != encoder.raw_columns) {
    throw DataError(
        data.source, 0,
        fmt::format("has {} feature columns, the model was trained on {}; give a file with the same "
                    "columns as the training file",
                    found, encoder.raw_columns));
  }
  if (encoder.columns.empty() || data.features.empty()) {
    if (any_nominal(encoder.columns) || any_nominal(data.features)) {
      throw DataError(data.source, 0,
                      "the model and the file do not agree on which columns are nominal; give a file in the "
                      "training file's format, with its column header");
    }
    return;
  }
  for (std::size_t k = 0; k < found; ++k) {
    const FeatureInfo& wanted = encoder.columns[k];
    const FeatureInfo& given = data.features[k];
    if (wanted.name != given.name) {
      throw DataError(data.source, 0,
                      fmt::format("column {} is \"{}\" but the model was trained with \"{}\" there; give the "
                                  "training file's columns in its order",
                                  k + 1, given.name, wanted.name));
    }
    if (wanted.nominal() != given.nominal()) {
      throw DataError(data.source, 0,
                      fmt::format("{} is {} but the model was trained on {} values; declare it as in the "
                                  "training file",
                                  column_name(data.features, k), given.nominal() ? "nominal" : "numeric",
                                  wanted.nominal() ? "nominal" : "numeric"));
    }
  }
}

// A category of the file that the model does not know is an error only if a row has it.
constexpr std::uint32_t unknown_category = UINT32_MAX;

Plan make_plan(const Encoder& encoder, const Dataset& data) {
  Plan plan;
  plan.first_output.reserve(encoder.raw_columns + 1);
  plan.category.resize(encoder.raw_columns);
  std::uint32_t output = 0;
  for (std::size_t k = 0; k < encoder.raw_columns; ++k) {
    plan.first_output.push_back(output);
    const bool nominal = k < encoder.columns.size() && encoder.columns[k].nominal();
    if (!nominal) {
      ++output;
      continue;
    }
    const auto& known = encoder.columns[k].categories;
    for (const std::string& name : data.features[k].categories) {
      const auto at = std::find(known.begin(), known.end(), name);
      plan.category[k].push_back(at == known.end() ? unknown_category
                                                   : static_cast<std::uint32_t>(at - known.begin()));
    }
    plan.nominal.push_back(static_cast<std::uint32_t>(k));
    output += static_cast<std::uint32_t>(known.size());
  }
  plan.first_output.push_back(output);
  return plan;
}

// ---- values ---------------------------------------------------------------------------------------------

// Throws for the first cell, in row order, that is infinite or (when refusing) unknown.
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
    return !std::isfinite(value) && !(std::isnan(value) && missing_ == MissingFeatures::impute);
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

// Mean of the known values of each numeric column (0 when none is known); −1 for nominal ones.
std::vector<float> column_fill(const Dataset& data) {
  const std::size_t rows = feature_rows(data.x);
  const std::size_t cols = feature_cols(data.x);
  std::vector<double> sum(cols, 0.0);
  std::vector<std::size_t> known(cols, rows);
  const auto add = [&](std::size_t k, float value) {
    if (std::isnan(value))
      --known[k];
    else
      sum[k] += static_cast<double>(value);
  };
  // Row by row: each column's sum is taken in the same order whatever the threads.
  for (std::size_t i = 0; i < rows; ++i) {
    if (const auto* dense = std::get_if<DenseMatrix>(&data.x)) {
      for (std::size_t k = 0; k < cols; ++k) add(k, (*dense)(i, k));
    } else {
      const CsrMatrix& sparse = std::get<CsrMatrix>(data.x);
      for (std::size_t p = 0; p < sparse.row_indices(i).size(); ++p) {
        add(sparse.row_indices(i)[p], sparse.row_values(i)[p]);
      }
    }
  }
  std::vector<float> fill(cols);
  for (std::size_t k = 0; k < cols; ++k) {
    const bool nominal = k < data.features.size() && data.features[k].nominal();
    fill[k] =
        nominal ? -1.0F : static_cast<float>(known[k] > 0 ? sum[k] / static_cast<double>(known[k]) : 0.0);
  }
  return fill;
}

void impute(std::span<const float> fill, DenseMatrix& x) {
  x.values.own();
  parallel_ranges(x.rows, block_rows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < x.cols; ++k) {
        if (std::isnan(x(i, k))) x(i, k) = fill[k];
      }
    }
  });
}

void impute(std::span<const float> fill, CsrMatrix& x) {
  const std::span<float> values = x.values.own();
  const std::span<const std::uint32_t> columns = std::as_const(x.indices);
  parallel_ranges(values.size(), block_rows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      if (std::isnan(values[p])) values[p] = fill[columns[p]];
    }
  });
}

// ---- one-hot --------------------------------------------------------------------------------------------

class OneHot {
 public:
  OneHot(const Encoder& encoder, const Dataset& data)
      : encoder_(encoder), data_(data), plan_(make_plan(encoder, data)) {}

  [[nodiscard]] Features apply(const DenseMatrix& x) const {
    DenseMatrix out(x.rows, plan_.first_output.back());
    parallel_ranges(x.rows, block_rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t k = 0; k < x.cols; ++k) {
          emit(i, k, x(i, k), [&](std::uint32_t output, float value) { out(i, output) = value; });
        }
      }
    });
    return out;
  }

  [[nodiscard]] Features apply(const CsrMatrix& x) const {
    CsrMatrix out;
    out.rows = x.rows;
    out.cols = plan_.first_output.back();
    out.offsets.reserve(x.rows + 1);
    out.indices.reserve(x.nonzeros() + x.rows * plan_.nominal.size());
    out.values.reserve(x.nonzeros() + x.rows * plan_.nominal.size());
    const auto push = [&](std::uint32_t output, float value) {
      out.indices.push_back(output);
      out.values.push_back(value);
    };
    for (std::size_t i = 0; i < x.rows; ++i) {
      const auto indices = x.row_indices(i);
      const auto values = x.row_values(i);
      std::size_t p = 0;
      // The row's own cells up to (and with) each nominal column; a nominal cell left out is category 0.
      for (const std::uint32_t column : plan_.nominal) {
        for (; p < indices.size() && indices[p] < column; ++p) emit(i, indices[p], values[p], push);
        const bool present = p < indices.size() && indices[p] == column;
        emit(i, column, present ? values[p] : 0.0F, push);
        if (present) ++p;
      }
      for (; p < indices.size(); ++p) emit(i, indices[p], values[p], push);
      out.offsets.push_back(out.indices.size());
    }
    return out;
  }

 private:
  // Calls put(output, value) for the non-zero outputs of one cell.
  template <class Put>
  void emit(std::size_t row, std::size_t column, float value, const Put& put) const {
    const auto& category = plan_.category[column];
    const std::uint32_t first = plan_.first_output[column];
    if (category.empty()) {
      put(first, std::isnan(value) ? encoder_.fill[column] : value);
      return;
    }
    if (std::isnan(value)) return;  // an unknown category: all zeros
    const bool valid =
        value >= 0.0F && value < static_cast<float>(category.size()) && value == std::floor(value);
    const std::uint32_t known = valid ? category[static_cast<std::size_t>(value)] : unknown_category;
    if (known == unknown_category) {
      const std::string shown =
          valid ? "\"" + data_.features[column].categories[static_cast<std::size_t>(value)] + "\""
                : fmt::format("number {}", value);
      throw DataError(
          data_.source, 0,
          fmt::format("row {}, {}: the model does not know the category {}; use one of the "
                      "training file's, or leave the value missing and train with --set missing=impute",
                      row + 1, column_name(data_.features, column), shown));
    }
    put(first + known, 1.0F);
  }

  const Encoder& encoder_;
  const Dataset& data_;
  Plan plan_;
};

MissingFeatures missing_rule(const Encoder& encoder) {
  return encoder.fill.empty() ? MissingFeatures::refuse : MissingFeatures::impute;
}

// Features that keep their columns: moved in or shared by the caller, unknown values replaced here.
Features imputed(const Encoder& encoder, Features x) {
  if (!encoder.fill.empty()) std::visit([&](auto& matrix) { impute(encoder.fill, matrix); }, x);
  return x;
}

}  // namespace

bool Encoder::identity() const { return fill.empty() && !any_nominal(columns); }

std::size_t Encoder::outputs() const {
  std::size_t count = raw_columns;
  for (const FeatureInfo& column : columns) {
    if (column.nominal()) count += column.categories.size() - 1;
  }
  return count;
}

std::vector<std::string> Encoder::output_names() const {
  std::vector<std::string> names;
  for (const FeatureInfo& column : columns) {
    if (!column.nominal()) names.push_back(column.name);
    for (const std::string& category : column.categories) names.push_back(column.name + "=" + category);
  }
  return names;
}

Encoder fit_encoder(const Dataset& data, MissingFeatures missing) {
  CellCheck(data, missing).run();
  Encoder encoder;
  encoder.columns = data.features;
  encoder.raw_columns = feature_cols(data.x);
  if (missing == MissingFeatures::impute) encoder.fill = column_fill(data);
  return encoder;
}

Features encode(const Encoder& encoder, const Dataset& data) {
  check_columns(encoder, data);
  CellCheck(data, missing_rule(encoder)).run();
  if (!any_nominal(encoder.columns)) return imputed(encoder, share(data.x));
  const OneHot one_hot(encoder, data);
  return std::visit([&](const auto& x) { return one_hot.apply(x); }, data.x);
}

Features encode(const Encoder& encoder, Dataset&& data) {
  if (any_nominal(encoder.columns)) return encode(encoder, std::as_const(data));
  check_columns(encoder, data);
  CellCheck(data, missing_rule(encoder)).run();
  return imputed(encoder, std::move(data.x));
}

}  // namespace mmo
