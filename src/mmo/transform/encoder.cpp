#include "mmo/transform/encoder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/transform/cell_check.h"
#include "mmo/transform/column_plan.h"
#include "mmo/transform/one_hot.h"

namespace mmo {
namespace {

constexpr std::size_t block_rows = 4096;

// ---- the file's columns against the model's -------------------------------------------------------------

void check_texts(const Encoder& encoder, const Dataset& data) {
  const auto& words = encoder.sparse->words;
  bool same = words.size() == data.texts.size() && std::holds_alternative<DenseMatrix>(data.x);
  for (std::size_t t = 0; same && t < words.size(); ++t) same = words[t].name == data.texts[t].name;
  if (same) return;
  throw DataError(
      data.source, 0,
      fmt::format("holds {} columns of text, the model was trained on {}; give a file with the same "
                  "columns as the training file",
                  data.texts.size(), words.size()));
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
  if (encoder.sparse) check_texts(encoder, data);
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

MissingFeatures missing_rule(const Encoder& encoder) {
  return encoder.fill.empty() ? MissingFeatures::refuse : MissingFeatures::impute;
}

// Features that keep their columns: moved in or shared by the caller, unknown values replaced here.
Features imputed(const Encoder& encoder, Features x) {
  if (!encoder.fill.empty()) std::visit([&](auto& matrix) { impute(encoder.fill, matrix); }, x);
  return x;
}

// A cell missing from a sparse row is the number 0 or the file's first category.
DenseMatrix all_cells(const Features& x) {
  if (const auto* dense = std::get_if<DenseMatrix>(&x)) return *dense;
  const auto& sparse = std::get<CsrMatrix>(x);
  DenseMatrix out(sparse.rows, sparse.cols);
  for (std::size_t i = 0; i < sparse.rows; ++i) {
    const auto indices = sparse.row_indices(i);
    for (std::size_t p = 0; p < indices.size(); ++p) out(i, indices[p]) = sparse.row_values(i)[p];
  }
  return out;
}

}  // namespace

bool Encoder::identity() const { return fill.empty() && !sparse && !any_nominal(columns); }

bool Encoder::recodes() const { return any_nominal(columns) || !marked.empty(); }

std::vector<std::uint32_t> Encoder::category_counts() const {
  std::vector<std::uint32_t> counts;
  if (!any_nominal(columns)) return counts;
  for (const FeatureInfo& column : columns)
    counts.push_back(static_cast<std::uint32_t>(column.categories.size()));
  return counts;
}

std::size_t Encoder::outputs() const {
  std::size_t count = std::accumulate(marked.begin(), marked.end(), raw_columns);
  for (const FeatureInfo& column : columns) {
    if (column.nominal()) count += column.categories.size() - 1;
  }
  if (!sparse) return count;
  for (const auto& knots : sparse->knots) count += knots.empty() ? 0 : knots.size() - 1;
  for (const WordColumn& text : sparse->words) count += text.words.vocabulary().size();
  return count;
}

std::vector<std::string> Encoder::output_names() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const FeatureInfo& column = columns[k];
    if (sparse && !column.nominal()) {
      for (const float knot : sparse->knots[k]) names.push_back(fmt::format("{}≈{:g}", column.name, knot));
    } else if (!column.nominal()) {
      names.push_back(column.name);
    }
    for (const std::string& category : column.categories) names.push_back(column.name + "=" + category);
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!marked.empty() && marked[k] != 0) names.push_back(columns[k].name + " is missing");
  }
  if (!sparse) return names;
  for (const WordColumn& text : sparse->words) {
    for (const std::string& word : text.words.vocabulary()) names.push_back(text.name + ": " + word);
  }
  return names;
}

InputColumns Encoder::inputs() const {
  InputColumns inputs{columns, {}};
  if (sparse) {
    for (const WordColumn& text : sparse->words) inputs.texts.push_back(text.name);
  }
  return inputs;
}

Features encode(const Encoder& encoder, const Dataset& data) {
  check_columns(encoder, data);
  check_cells(data, missing_rule(encoder));
  if (encoder.sparse) return sparse_rows(encoder, data);
  if (any_nominal(encoder.columns) || !encoder.marked.empty()) return one_hot(encoder, data);
  return imputed(encoder, share(data.x));
}

Features encode(const Encoder& encoder, Dataset&& data) {
  if (encoder.sparse || any_nominal(encoder.columns) || !encoder.marked.empty())
    return encode(encoder, std::as_const(data));
  check_columns(encoder, data);
  check_cells(data, missing_rule(encoder));
  return imputed(encoder, std::move(data.x));
}

Table table_of(const Encoder& encoder, const Dataset& data) {
  Table table{{}, encoder.category_counts()};
  if (table.categories.empty()) {
    table.values = share(data.x);
    return table;
  }
  const ColumnPlan plan(encoder, data);
  DenseMatrix cells = all_cells(data.x);
  const std::span<float> values = cells.values.own();
  for (std::size_t k = 0; k < cells.cols; ++k) {
    if (!plan.nominal(k)) continue;
    for (std::size_t i = 0; i < cells.rows; ++i) {
      float& value = values[i * cells.cols + k];
      if (std::isnan(value)) continue;
      const auto category = plan.category(i, k, value);
      value = category ? static_cast<float>(*category) : std::numeric_limits<float>::quiet_NaN();
    }
  }
  table.values = std::move(cells);
  return table;
}

}  // namespace mmo
