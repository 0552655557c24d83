#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/transform/cell_check.h"
#include "mmo/transform/column_plan.h"
#include "mmo/transform/encoder.h"

namespace mmo {
namespace {

constexpr std::size_t most_dense_categories = 256;
constexpr std::size_t most_knots = 9;
// Per column; the rarer ones count as missing.
constexpr std::size_t most_categories = 10000;
constexpr std::size_t fewest_rows = 2;  // for a category mixed with words, as for a word

// Mean of the known values of each numeric column (0 if none is known); −1 for nominal ones.
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
  // Row by row: each column is summed in the same order for any number of threads.
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

std::vector<float> known_values(const Features& x, std::size_t k) {
  std::vector<float> values;
  if (const auto* dense = std::get_if<DenseMatrix>(&x)) {
    for (std::size_t i = 0; i < dense->rows; ++i) {
      if (!std::isnan((*dense)(i, k))) values.push_back((*dense)(i, k));
    }
    std::sort(values.begin(), values.end());
  }
  return values;
}

bool has_missing(const Features& x, std::size_t k) {
  if (const auto* dense = std::get_if<DenseMatrix>(&x)) {
    for (std::size_t i = 0; i < dense->rows; ++i) {
      if (std::isnan((*dense)(i, k))) return true;
    }
    return false;
  }
  const auto& sparse = std::get<CsrMatrix>(x);
  for (std::size_t p = 0; p < sparse.indices.size(); ++p) {
    if (sparse.indices[p] == k && std::isnan(sparse.values[p])) return true;
  }
  return false;
}

bool any_missing(const Features& x) {
  return std::visit(
      [](const auto& matrix) {
        return std::any_of(matrix.values.begin(), matrix.values.end(), [](float v) { return std::isnan(v); });
      },
      x);
}

// Numbers alone with no gaps stay as they are. A sparse column's median is nearly always the 0 that its rows
// leave out.
void mark_missing(const Dataset& data, Encoder& encoder) {
  const bool gaps = any_missing(data.x);
  if (!gaps && !any_nominal(data.features) && data.texts.empty()) return;
  for (std::size_t k = 0; k < encoder.raw_columns; ++k) {
    const bool nominal = k < data.features.size() && data.features[k].nominal();
    const std::vector<float> known = known_values(data.x, k);
    encoder.fill.push_back(nominal ? -1.0F : known.empty() ? 0.0F : known[known.size() / 2]);
    if (gaps) encoder.marked.push_back(!nominal && has_missing(data.x, k) ? 1 : 0);
  }
  if (std::find(encoder.marked.begin(), encoder.marked.end(), 1) == encoder.marked.end())
    encoder.marked.clear();
}

std::size_t one_hot_outputs(const Dataset& data) {
  std::size_t count = 0;
  for (const FeatureInfo& column : data.features) count += column.categories.size();
  return count;
}

// Quantiles of the known values, duplicates removed.
std::vector<float> quantile_knots(const std::vector<float>& sorted) {
  if (sorted.empty()) return {0.0F};
  std::vector<float> knots;
  for (std::size_t q = 0; q < most_knots; ++q)
    knots.push_back(sorted[(sorted.size() - 1) * q / (most_knots - 1)]);
  knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
  return knots;
}

SparseLayout fit_sparse_layout(const Dataset& data, const TextOptions& text) {
  SparseLayout layout;
  for (std::size_t k = 0; k < feature_cols(data.x); ++k) {
    const bool nominal = k < data.features.size() && data.features[k].nominal();
    layout.knots.push_back(nominal ? std::vector<float>{} : quantile_knots(known_values(data.x, k)));
  }
  for (const TextColumn& column : data.texts) {
    try {
      layout.words.push_back({column.name, Vectorizer::fit(column.cells, text)});
    } catch (const DataError& error) {
      throw DataError(
          data.source, 0,
          fmt::format("column \"{0}\": {1}; leave it out by --drop {0}", column.name, error.what()));
    }
  }
  return layout;
}

// Categories of a single row say nothing about other rows.
void keep_frequent_categories(const Dataset& data, Encoder& encoder, std::vector<std::string>* notes) {
  for (std::size_t k = 0; k < encoder.columns.size(); ++k) {
    FeatureInfo& column = encoder.columns[k];
    if (!column.nominal()) continue;
    std::vector<std::size_t> count(column.categories.size(), 0);
    for (const float value : known_values(data.x, k)) ++count[static_cast<std::size_t>(value)];
    std::vector<std::size_t> kept;
    for (std::size_t c = 0; c < count.size(); ++c) {
      if (count[c] >= fewest_rows) kept.push_back(c);
    }
    if (kept.empty()) kept.push_back(0);
    if (kept.size() > most_categories) {
      std::stable_sort(kept.begin(), kept.end(),
                       [&](std::size_t a, std::size_t b) { return count[a] > count[b]; });
      if (notes != nullptr) {
        notes->push_back(
            fmt::format("column \"{}\" has {} categories in more than one row: the {} most frequent "
                        "are kept, the others count as missing",
                        column.name, kept.size(), most_categories));
      }
      kept.resize(most_categories);
      std::sort(kept.begin(), kept.end());
    }
    std::vector<std::string> names;
    for (const std::size_t c : kept) names.push_back(std::move(column.categories[c]));
    column.categories = std::move(names);
  }
}

}  // namespace

Encoder fit_encoder(const Dataset& data, MissingFeatures missing, const TextOptions& text,
                    std::vector<std::string>* notes) {
  check_cells(data, missing);
  Encoder encoder;
  encoder.columns = data.features;
  encoder.raw_columns = feature_cols(data.x);
  if (missing == MissingFeatures::impute) encoder.fill = column_fill(data);
  if (missing == MissingFeatures::mark) mark_missing(data, encoder);
  const bool dense = std::holds_alternative<DenseMatrix>(data.x);
  if (!data.texts.empty() || (dense && one_hot_outputs(data) > most_dense_categories)) {
    encoder.sparse = fit_sparse_layout(data, text);
    if (encoder.fill.empty()) encoder.fill.assign(encoder.raw_columns, 0.0F);
    keep_frequent_categories(data, encoder, notes);
  }
  return encoder;
}

}  // namespace mmo
