#include <fmt/format.h>

#include <algorithm>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/product.h"
#include "mmo/learn/kernel/kernel_scores.h"
#include "mmo/model/model.h"

namespace mmo {
namespace {

constexpr std::size_t rows_per_task = 128;                          // fixed: tasks do not depend on threads
constexpr std::size_t predict_block_floats = std::size_t{1} << 24;  // 64 MB of scores at a time

DenseMatrix slice(const DenseMatrix& x, std::size_t first, std::size_t last) {
  DenseMatrix out;
  out.rows = last - first;
  out.cols = x.cols;
  out.values.assign(x.values.begin() + static_cast<std::ptrdiff_t>(first * x.cols),
                    x.values.begin() + static_cast<std::ptrdiff_t>(last * x.cols));
  return out;
}

CsrMatrix slice(const CsrMatrix& x, std::size_t first, std::size_t last) {
  CsrMatrix out;
  out.rows = last - first;
  out.cols = x.cols;
  const auto begin = static_cast<std::ptrdiff_t>(x.offsets[first]);
  const auto end = static_cast<std::ptrdiff_t>(x.offsets[last]);
  out.indices.assign(x.indices.begin() + begin, x.indices.begin() + end);
  out.values.assign(x.values.begin() + begin, x.values.begin() + end);
  for (std::size_t i = first; i < last; ++i) out.offsets.push_back(x.offsets[i + 1] - x.offsets[first]);
  return out;
}

// Of these rows as they left the encoder.
void add_scores(const KernelScorer& scorer, const Features& rows, float* out) {
  add_scores(scorer, std::get<DenseMatrix>(scorer.map.apply(rows)), out);
}

void add_scores(const ForestScorer& scorer, const Features& rows, float* out) {
  const Table table{share(rows), {}};
  add_scores(scorer, table, 0, feature_rows(rows), out);
}

void add_others(const Model& model, const Features& rows, float* out) {
  const std::size_t labels = model.labels();
  for (const WeightedScorer& other : model.others) {
    DenseMatrix scores(feature_rows(rows), labels);
    std::visit([&](const auto& scorer) { add_scores(scorer, rows, scores.values.data()); }, other.scorer);
    for (std::size_t i = 0; i < scores.rows; ++i) {
      for (std::size_t j = 0; j < labels; ++j) out[i * labels + j] += other.weights[j] * scores(i, j);
    }
  }
}

// z = φ(x)·W + b + the others' scores for rows first … last − 1 of x; written to `out`, row by row.
void score_rows(const Model& model, const Features& x, std::size_t first, std::size_t last, float* out) {
  const std::size_t labels = model.labels();
  for (std::size_t i = 0; i < last - first; ++i)
    std::copy(model.bias.begin(), model.bias.end(), out + i * labels);
  const bool mapped_rows = model.feature_map.kind != FeatureMap::Kind::identity;
  if (!mapped_rows)  // the rows need no copy
    std::visit([&](const auto& all) { add_product(all, first, last, model.weights, out); }, x);
  if (!mapped_rows && model.others.empty()) return;
  const Features rows = std::visit([&](const auto& m) { return Features(slice(m, first, last)); }, x);
  add_others(model, rows, out);
  if (!mapped_rows) return;
  const Features mapped = model.feature_map.apply(rows);
  std::visit([&](const auto& part) { add_product(part, 0, last - first, model.weights, out); }, mapped);
}

}  // namespace

void for_each_scored_block(const Model& model, const Features& encoded, std::size_t block_rows,
                           const std::function<void(std::size_t, DenseMatrix&)>& callback) {
  const std::size_t rows = feature_rows(encoded);
  if (feature_cols(encoded) != model.weights.rows) {
    throw ModelError(fmt::format("the model was trained on {} features, the data has {}", model.weights.rows,
                                 feature_cols(encoded)));
  }
  for (std::size_t begin = 0; begin < rows; begin += block_rows) {
    const std::size_t end = std::min(rows, begin + block_rows);
    DenseMatrix scores(end - begin, model.labels());
    parallel_ranges(scores.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
      score_rows(model, encoded, begin + first, begin + last, scores.row(first).data());
    });
    if (model.mix) mix(*model.mix, scores);
    callback(begin, scores);
  }
}

DenseMatrix score(const Model& model, const Features& encoded) {
  DenseMatrix out(0, model.labels());
  for_each_scored_block(model, encoded, std::max<std::size_t>(feature_rows(encoded), 1),
                        [&](std::size_t, DenseMatrix& scores) { out = std::move(scores); });
  return out;
}

LabelMatrix predict(const Model& model, const Features& encoded) {
  LabelMatrix out;
  out.cols = model.labels();
  const std::size_t block_rows = std::max(rows_per_task, predict_block_floats / model.labels());
  for_each_scored_block(model, encoded, block_rows, [&](std::size_t first, const DenseMatrix& scores) {
    LabelMatrix part = decide(model.rule, scores);
    if (first == 0) {
      out = std::move(part);
    } else {
      out.push_rows(part);
    }
  });
  return out;
}

Features prepare(const Model& model, const Dataset& data) {
  if (!model.text) {
    if (data.is_text()) {
      throw ModelError(fmt::format("{}: holds raw text, but the model was trained on {} numeric columns",
                                   data.source, model.encoder.raw_columns));
    }
    return encode(model.encoder, data);
  }
  if (!data.is_text() && data.rows() > 0) {
    throw ModelError(
        data.source +
        ": holds feature columns, but the model was trained on raw text; give a text file, or a CSV "
        "file with --text-column");
  }
  return model.text->transform(data.documents);
}

}  // namespace mmo
