#include <fmt/format.h>

#include <algorithm>

#include "mmo/core/error.h"
#include "mmo/core/lend.h"
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

// Rows first … last − 1 of x.
class RowRange {
 public:
  RowRange(const Prepared& x, std::size_t first, std::size_t last) : x_(x), first_(first), last_(last) {}

  [[nodiscard]] std::size_t count() const { return last_ - first_; }
  void add_linear(const DenseMatrix& weights, float* out) const {
    std::visit([&](const auto& all) { add_product(all, first_, last_, weights, out); }, x_.encoded);
  }
  // Copied at the first call.
  [[nodiscard]] const Features& encoded() {
    if (!encoded_)
      encoded_ = std::visit([&](const auto& all) { return Features(slice(all, first_, last_)); }, x_.encoded);
    return *encoded_;
  }
  void add_scores(const KernelScorer& scorer, bool, float* out) {
    mmo::add_scores(scorer, std::get<DenseMatrix>(scorer.map.apply(encoded())), out);
  }
  void add_scores(const ForestScorer& scorer, bool on_table, float* out) {
    if (on_table) {
      mmo::add_scores(scorer, x_.table, first_, last_, out);
    } else {
      mmo::add_scores(scorer, Table{lend(encoded()), {}}, 0, count(), out);
    }
  }

 private:
  const Prepared& x_;
  std::size_t first_, last_;
  std::optional<Features> encoded_;
};

void add_others(const Model& model, RowRange& rows, float* out) {
  const std::size_t labels = model.labels();
  for (const WeightedScorer& other : model.others) {
    DenseMatrix scores(rows.count(), labels);
    std::visit([&](const auto& scorer) { rows.add_scores(scorer, other.on_table, scores.values.data()); },
               other.scorer);
    for (std::size_t i = 0; i < scores.rows; ++i) {
      for (std::size_t j = 0; j < labels; ++j) out[i * labels + j] += other.weights[j] * scores(i, j);
    }
  }
}

// The rows' features as the model's scorers take them.
Features mapped(const Model& model, RowRange& rows) {
  const Features& encoded = rows.encoded();
  return model.feature_map.kind == FeatureMap::Kind::identity ? encoded : model.feature_map.apply(encoded);
}

void score_listed(const Model& model, RowRange& rows, float* out) {
  ShortLists lists;
  add_short_lists(*model.trees, mapped(model, rows), 0, rows.count(), lists);
  std::fill(out, out + rows.count() * model.labels(), static_cast<float>(-largest_logit));
  for (std::size_t i = 0; i < lists.rows; ++i) {
    for (const auto& [label, score] : lists.row(i)) out[i * model.labels() + label] = score;
  }
}

// z = φ(x)·W + b + the others' scores, written to `out`, row by row.
void score_rows(const Model& model, RowRange rows, float* out) {
  if (model.trees) return score_listed(model, rows, out);
  for (std::size_t i = 0; i < rows.count(); ++i)
    std::copy(model.bias.begin(), model.bias.end(), out + i * model.labels());
  const bool mapped_rows = model.feature_map.kind != FeatureMap::Kind::identity;
  if (!mapped_rows) rows.add_linear(model.weights, out);  // the rows need no copy
  add_others(model, rows, out);
  if (!mapped_rows) return;
  const Features mapped = model.feature_map.apply(rows.encoded());
  std::visit([&](const auto& part) { add_product(part, 0, rows.count(), model.weights, out); }, mapped);
}

void check_columns(const Model& model, const Prepared& x) {
  if (feature_cols(x.encoded) != model.features()) {
    throw ModelError(fmt::format("the model was trained on {} features, the data has {}", model.features(),
                                 feature_cols(x.encoded)));
  }
  if (!model.wants_table()) return;
  if (feature_cols(x.table.values) != model.encoder.raw_columns ||
      feature_rows(x.table.values) != feature_rows(x.encoded) ||
      x.table.categories != model.encoder.category_counts()) {
    throw ModelError(
        "the model's trees want the columns as they are in the file, and encoded features alone don't hold "
        "them; call prepare()");
  }
}

}  // namespace

bool Model::wants_table() const {
  return std::any_of(others.begin(), others.end(), [](const WeightedScorer& o) { return o.on_table; });
}

void for_each_scored_block(const Model& model, const Prepared& x, std::size_t block_rows,
                           const std::function<void(std::size_t, DenseMatrix&)>& callback) {
  const std::size_t rows = feature_rows(x.encoded);
  check_columns(model, x);
  for (std::size_t begin = 0; begin < rows; begin += block_rows) {
    const std::size_t end = std::min(rows, begin + block_rows);
    DenseMatrix scores(end - begin, model.labels());
    parallel_ranges(scores.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
      score_rows(model, {x, begin + first, begin + last}, scores.row(first).data());
    });
    if (model.mix) mix(*model.mix, scores);
    callback(begin, scores);
  }
}

DenseMatrix score(const Model& model, const Prepared& x) {
  DenseMatrix out(0, model.labels());
  for_each_scored_block(model, x, std::max<std::size_t>(feature_rows(x.encoded), 1),
                        [&](std::size_t, DenseMatrix& scores) { out = std::move(scores); });
  return out;
}

void add_short_lists(const Model& model, const Prepared& x, std::size_t first, std::size_t last,
                     ShortLists& out) {
  check_columns(model, x);
  RowRange rows(x, first, last);
  add_short_lists(*model.trees, mapped(model, rows), 0, rows.count(), out);
}

namespace {

LabelMatrix predict_listed(const Model& model, const Prepared& x) {
  constexpr std::size_t block_rows = 8192;
  LabelMatrix out;
  out.cols = model.labels();
  for (std::size_t first = 0; first < feature_rows(x.encoded); first += block_rows) {
    ShortLists lists;
    add_short_lists(model, x, first, std::min(first + block_rows, feature_rows(x.encoded)), lists);
    out.push_rows(decide(model.rule, lists));
  }
  return out;
}

}  // namespace

LabelMatrix predict(const Model& model, const Prepared& x) {
  if (model.trees) return predict_listed(model, x);
  LabelMatrix out;
  out.cols = model.labels();
  const std::size_t block_rows = std::max(rows_per_task, predict_block_floats / model.labels());
  for_each_scored_block(model, x, block_rows, [&](std::size_t first, const DenseMatrix& scores) {
    LabelMatrix part = decide(model.rule, scores);
    if (first == 0) {
      out = std::move(part);
    } else {
      out.push_rows(part);
    }
  });
  return out;
}

Prepared prepare(const Model& model, const Dataset& data) {
  if (!model.text) {
    if (data.is_text()) {
      throw ModelError(fmt::format("{}: holds raw text, but the model was trained on {} numeric columns",
                                   data.source, model.encoder.raw_columns));
    }
    Prepared out(encode(model.encoder, data));
    if (model.wants_table()) out.table = table_of(model.encoder, data);
    return out;
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
