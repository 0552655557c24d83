#include "mmo/model/importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/random.h"
#include "mmo/eval/evaluate.h"

namespace mmo {
namespace {

constexpr std::size_t least_rows = 200;

std::vector<std::uint32_t> random_rows(std::size_t rows, std::size_t most, Random& random) {
  std::vector<std::uint32_t> chosen(rows);
  std::iota(chosen.begin(), chosen.end(), 0U);
  if (rows <= most) return chosen;
  random.shuffle(chosen);
  chosen.resize(most);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Truth truth_of(const Dataset& data) {
  return {&data.y, data.unknown.rows > 0 ? &data.unknown : nullptr, data.row_weights};
}

// softplus(z) − y·z, a cell's log-loss, summed up and divided by the weight of the known cells.
struct Losses {
  double metric = 0, mean = 0;
  std::vector<double> label;
};

double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

Losses losses_of(const Model& model, const Dataset& data) {
  const DenseMatrix scores = score(model, prepare(model, data));
  const std::size_t labels = scores.cols;
  Losses out{evaluate(model.metric, decide(model.rule, scores), truth_of(data)), 0,
             std::vector<double>(labels)};
  std::vector<double> weight(labels);
  std::vector<char> positive(labels);
  std::vector<char> unknown(labels);
  for (std::size_t i = 0; i < scores.rows; ++i) {
    std::fill(positive.begin(), positive.end(), char{0});
    std::fill(unknown.begin(), unknown.end(), char{0});
    for (const std::uint32_t j : data.y.row(i)) positive[j] = 1;
    if (data.unknown.rows > 0) {
      for (const std::uint32_t j : data.unknown.row(i)) unknown[j] = 1;
    }
    const double w = data.row_weights.empty() ? 1 : data.row_weights[i];
    for (std::size_t j = 0; j < labels; ++j) {
      if (unknown[j] != 0) continue;
      const double z = scores(i, j);
      out.label[j] += w * (softplus(z) - (positive[j] != 0 ? z : 0));
      weight[j] += w;
    }
  }
  out.mean = std::accumulate(out.label.begin(), out.label.end(), 0.0) /
             std::accumulate(weight.begin(), weight.end(), 0.0);
  for (std::size_t j = 0; j < labels; ++j) out.label[j] = weight[j] > 0 ? out.label[j] / weight[j] : 0;
  return out;
}

// Row order[i] gets the value that row i had in column k. Each row's columns stay in order.
CsrMatrix with_column_dealt(const CsrMatrix& x, std::size_t k, const std::vector<std::uint32_t>& order) {
  std::vector<float> dealt(x.rows, 0.0F);
  std::vector<char> has(x.rows, 0);
  const auto column = static_cast<std::uint32_t>(k);
  const auto is_column = [&](std::size_t e) { return x.indices[e] == column; };
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
      if (!is_column(e)) continue;
      dealt[order[i]] = x.values[e];
      has[order[i]] = 1;
    }
  }
  CsrMatrix out;
  out.cols = x.cols;
  for (std::size_t i = 0; i < x.rows; ++i) {
    bool waiting = has[i] != 0;
    const auto put_dealt = [&] {
      out.indices.push_back(column);
      out.values.push_back(dealt[i]);
      waiting = false;
    };
    for (std::size_t e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
      if (waiting && x.indices[e] >= column) put_dealt();
      if (is_column(e)) continue;
      out.indices.push_back(x.indices[e]);
      out.values.push_back(x.values[e]);
    }
    if (waiting) put_dealt();
    out.offsets.push_back(out.indices.size());
    ++out.rows;
  }
  return out;
}

// Shuffles the values of one column; columns of prose come after those of x.
Dataset with_column_dealt(const Dataset& data, std::size_t k, const std::vector<std::uint32_t>& order) {
  Dataset out = data;
  const std::size_t numbers = feature_cols(data.x);
  if (k >= numbers) {
    std::vector<std::string>& cells = out.texts[k - numbers].cells;
    for (std::size_t i = 0; i < order.size(); ++i) cells[order[i]] = data.texts[k - numbers].cells[i];
  } else if (const auto* const sparse = std::get_if<CsrMatrix>(&data.x)) {
    out.x = with_column_dealt(*sparse, k, order);
  } else {
    const auto& from = std::get<DenseMatrix>(data.x);
    auto& to = std::get<DenseMatrix>(out.x);
    for (std::size_t i = 0; i < order.size(); ++i) to(order[i], k) = from(i, k);
  }
  return out;
}

// All columns or, if a sparse table has too many, those that most rows have.
std::vector<std::size_t> columns_to_try(const Dataset& data, std::size_t most) {
  std::vector<std::size_t> columns(data.columns());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  if (columns.size() <= most) return columns;
  std::vector<std::size_t> rows(columns.size(), data.rows());
  if (const auto* const sparse = std::get_if<CsrMatrix>(&data.x)) {
    std::fill_n(rows.begin(), sparse->cols, std::size_t{0});
    for (const std::uint32_t k : sparse->indices) ++rows[k];
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [&](std::size_t a, std::size_t b) { return rows[a] > rows[b]; });
  columns.resize(most);
  return columns;
}

std::string column_name(const Dataset& data, std::size_t k) {
  const std::size_t numbers = feature_cols(data.x);
  return k < numbers ? data.feature_name(k) : data.texts[k - numbers].name;
}

ColumnImportance importance_of(const Model& model, const Dataset& data, std::size_t k, const Losses& base,
                               std::size_t repeats, Random random) {
  ColumnImportance out{column_name(data, k), 0, 0, 0, std::vector<double>(model.labels())};
  const auto share = 1.0 / static_cast<double>(repeats);
  std::vector<double> lost;
  std::vector<std::uint32_t> order(data.rows());
  for (std::size_t r = 0; r < repeats; ++r) {
    std::iota(order.begin(), order.end(), 0U);
    random.shuffle(order);
    const Losses dealt = losses_of(model, with_column_dealt(data, k, order));
    lost.push_back(base.metric - dealt.metric);
    out.metric += share * lost.back();
    out.log_loss += share * (dealt.mean - base.mean);
    for (std::size_t j = 0; j < out.label_log_loss.size(); ++j)
      out.label_log_loss[j] += share * (dealt.label[j] - base.label[j]);
  }
  double squares = 0;
  for (const double value : lost) squares += (value - out.metric) * (value - out.metric);
  if (repeats > 1) out.metric_deviation = std::sqrt(squares / static_cast<double>(repeats - 1));
  return out;
}

}  // namespace

Importance permutation_importance(const Model& model, const Dataset& data, const ImportanceOptions& options) {
  if (data.is_text())
    throw DataError(data.source +
                    ": rows are one text each, so there are no columns to compare; --top lists words");
  if (data.rows() < 2)
    throw DataError(data.source + ": it takes at least two rows to shuffle a column's values");
  Random random(options.seed);
  const std::vector<std::size_t> columns = columns_to_try(data, options.most_columns);
  const std::size_t affordable =
      options.most_scored / (std::max<std::size_t>(columns.size(), 1) * options.repeats);
  const std::size_t most = std::min(options.most_rows, std::max(affordable, least_rows));
  const Dataset rows = take_rows(data, random_rows(data.rows(), most, random));
  const Losses base = losses_of(model, rows);
  Importance out{rows.rows(), data.columns(), base.metric, base.mean, {}};
  for (std::size_t c = 0; c < columns.size(); ++c) {
    report(options.progress, "columns", static_cast<double>(c) / static_cast<double>(columns.size()));
    // A separate stream, so that a column's value does not depend on which others are tried.
    out.columns.push_back(
        importance_of(model, rows, columns[c], base, options.repeats, Random(options.seed + 1 + columns[c])));
  }
  std::stable_sort(
      out.columns.begin(), out.columns.end(),
      [](const ColumnImportance& a, const ColumnImportance& b) { return a.log_loss > b.log_loss; });
  return out;
}

}  // namespace mmo
