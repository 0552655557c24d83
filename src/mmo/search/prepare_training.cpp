#include "mmo/search/prepare_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "mmo/core/error.h"
#include "mmo/data/column_cards.h"
#include "mmo/data/leaks.h"
#include "mmo/split/split.h"

namespace mmo {
namespace {

void append_rows(LabelMatrix& to, const LabelMatrix& from, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i)
    to.push_row(from.rows > 0 ? from.row(i) : std::span<const std::uint32_t>{});
}

void append_rows(Features& to, const Features& from) {
  if (to.index() != from.index())
    throw UsageError("training and validation file must both be dense or both be sparse");
  if (auto* dense = std::get_if<DenseMatrix>(&to)) {
    const auto& more = std::get<DenseMatrix>(from);
    dense->values.append(more.values.begin(), more.values.end());
    dense->rows += more.rows;
    return;
  }
  auto& sparse = std::get<CsrMatrix>(to);
  const auto& more = std::get<CsrMatrix>(from);
  const std::uint64_t shift = sparse.offsets.back();
  for (std::size_t i = 1; i < more.offsets.size(); ++i) sparse.offsets.push_back(shift + more.offsets[i]);
  sparse.indices.append(more.indices.begin(), more.indices.end());
  sparse.values.append(more.values.begin(), more.values.end());
  sparse.rows += more.rows;
}

// "a, b, c, … (12 in all)"
std::string some_names(const Dataset& data, const std::vector<std::uint32_t>& labels) {
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(labels.size(), 5); ++k)
    text += (k > 0 ? ", " : "") + data.label_name(labels[k]);
  return labels.size() > 5 ? fmt::format("{}, … ({} in all)", text, labels.size()) : text;
}

void fit_features(const Dataset& data, const TrainOptions& options, MissingFeatures missing, Training& out) {
  if (data.is_text()) {
    out.text = Vectorizer::fit(data.documents, options.text);
    if (out.text->vocabulary().empty()) {
      throw DataError(
          data.source +
          ": no word is left after the document-frequency cuts; lower text.min-df or give more documents");
    }
    out.encoded = out.text->transform(data.documents);
    return;
  }
  out.encoder = fit_encoder(data, missing, options.text, &out.warnings);
  out.encoded = encode(out.encoder, data);
  if (feature_cols(out.encoded) == 0)
    throw DataError(data.source + ": no feature columns; every column is a label");
  // Words are for linear models, which then have what stands beside them, too.
  const bool dense = std::holds_alternative<DenseMatrix>(data.x);
  if (dense && data.texts.empty() && out.encoder.recodes()) out.table = table_of(out.encoder, data);
}

// As many folds as asked for, or as there are rows or groups to divide.
std::size_t fold_count(const Dataset& data, int asked, std::vector<std::string>& warnings) {
  const auto folds = static_cast<std::size_t>(std::max(asked, 2));
  const std::set<std::string_view> groups(data.groups.begin(), data.groups.end());
  const std::size_t most = groups.empty() ? data.rows() : groups.size();
  if (most < 2) {
    throw DataError(data.source + (groups.empty() ? ": 1 row; at least two are needed to hold one out"
                                                  : ": all rows are of one group; at least two groups are "
                                                    "needed to hold one out"));
  }
  if (most >= folds) return folds;
  warnings.push_back(fmt::format("{} folds instead of {}: there are no more {}", most, folds,
                                 groups.empty() ? "rows" : "groups"));
  return most;
}

// Folds of the training rows, or one fold made of the validation file's rows.
void make_folds(const Dataset& data, const TrainOptions& options, Training& out) {
  Problem& problem = out.problem;
  if (options.valid == nullptr) {
    const std::size_t folds = fold_count(data, options.folds, out.warnings);
    std::vector<std::uint32_t> fold_of_row = stratified_folds(data.y, folds, options.seed, data.groups);
    problem.hold_out = HoldOut::by_folds(fold_of_row, folds);
    if (options.effort == Effort::quick) {
      // Two at least: the label mix must not see the rows it is applied to.
      const std::size_t enough = std::max<std::size_t>(enough_folds(problem.hold_out), 2);
      problem.hold_out = HoldOut::by_folds(std::move(fold_of_row), enough);
    }
    return;
  }
  const Dataset& valid = *options.valid;
  if (valid.labels() != data.labels()) {
    throw DataError(fmt::format("{}: {} labels, but {} has {}", valid.source, valid.labels(), data.source,
                                data.labels()));
  }
  problem.hold_out = HoldOut::validation(data.rows(), valid.rows());
  append_rows(out.encoded,
              out.text ? Features(out.text->transform(valid.documents)) : encode(out.encoder, valid));
  if (out.table) append_rows(out.table->values, table_of(out.encoder, valid).values);
  append_rows(out.labels, valid.y, valid.rows());
  if (data.unknown.rows > 0 || valid.unknown.rows > 0) {
    if (out.unknown.rows == 0) {
      out.unknown.cols = data.labels();
      append_rows(out.unknown, {}, data.rows());
    }
    append_rows(out.unknown, valid.unknown, valid.rows());
  }
  if (!data.row_weights.empty() || !valid.row_weights.empty()) {
    problem.row_weights.resize(data.rows(), 1.0F);
    if (valid.row_weights.empty()) {
      problem.row_weights.resize(data.rows() + valid.rows(), 1.0F);
    } else {
      problem.row_weights.insert(problem.row_weights.end(), valid.row_weights.begin(),
                                 valid.row_weights.end());
    }
  }
}

void find_trainable_labels(const Dataset& data, const TrainOptions& options, Training& out) {
  // Positives that are known; a label may be marked unknown in rows where the file also lists it.
  std::vector<std::size_t> positive_rows(data.labels());
  std::vector<std::size_t> known_rows(data.labels(), data.rows());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const auto unknown = data.unknown.rows > 0 ? data.unknown.row(i) : std::span<const std::uint32_t>{};
    for (const std::uint32_t j : unknown) --known_rows[j];
    for (const std::uint32_t j : data.y.row(i)) {
      if (!std::binary_search(unknown.begin(), unknown.end(), j)) ++positive_rows[j];
    }
  }
  out.may_predict.assign(data.labels(), 1);
  std::vector<std::uint32_t> absent;
  std::vector<std::uint32_t> rare;
  std::vector<std::uint32_t> always;
  for (std::size_t j = 0; j < data.labels(); ++j) {
    const std::size_t positives = positive_rows[j];
    const auto label = static_cast<std::uint32_t>(j);
    if (positives == 0) {
      absent.push_back(label);
    } else if (positives < options.min_positives) {
      rare.push_back(label);
    } else {
      out.problem.trainable.push_back(label);
      if (positives == known_rows[j]) always.push_back(label);
      continue;
    }
    out.may_predict[j] = 0;
  }
  if (!absent.empty())
    out.warnings.push_back("no training row has these labels, so they are never predicted: " +
                           some_names(data, absent));
  if (!rare.empty()) {
    out.warnings.push_back(fmt::format("fewer than {} positives, never predicted: {}", options.min_positives,
                                       some_names(data, rare)));
  }
  if (!always.empty())
    out.warnings.push_back("every training row has these labels: " + some_names(data, always));
  if (out.problem.trainable.empty()) {
    throw DataError(fmt::format("{}: no label has {} positive row{}; nothing can be trained", data.source,
                                std::max<std::size_t>(options.min_positives, 1),
                                options.min_positives > 1 ? "s" : ""));
  }
}

// Only the proportions of row weights mean anything: a mean of 1 over the training rows keeps L2, shrinkage
// and rank curves where they are without weights.
void normalise_weights(std::size_t training_rows, std::vector<float>& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(training_rows, weights.size()); ++i) sum += weights[i];
  if (!(sum > 0)) return;
  for (float& w : weights) w = static_cast<float>(w * static_cast<double>(training_rows) / sum);
}

}  // namespace

void prepare_training(const Dataset& data, const TrainOptions& options, MissingFeatures missing,
                      Training& out) {
  if (data.labels() == 0) throw DataError(data.source + ": no labels; name them with --labels");
  require_labels(options.metric, data.labels());
  if (options.subject_to) require_labels(options.subject_to->metric, data.labels());
  if (!options.label_weights.empty() && options.label_weights.size() != data.labels()) {
    throw UsageError(
        fmt::format("{} label weights for {} labels", options.label_weights.size(), data.labels()));
  }
  if (const std::string trivial = trivial_answer(options.metric); !trivial.empty() && !options.subject_to) {
    out.warnings.push_back(
        fmt::format("{} is maximised by the trivial answer \"{}\"; name a goal with two sides, such as f1, "
                    "or recall with "
                    "a floor on precision",
                    options.metric.name, trivial));
  }
  out.warnings.insert(out.warnings.end(), data.notes.begin(), data.notes.end());
  for (std::string& leak : leak_warnings(data)) out.warnings.push_back(std::move(leak));
  out.training_rows = data.rows();
  fit_features(data, options, missing, out);
  out.columns = column_cards(data);
  out.labels = data.y;
  out.unknown = data.unknown;
  Problem& problem = out.problem;
  problem.row_weights = data.row_weights;
  problem.label_weights = options.label_weights;
  make_folds(data, options, out);
  normalise_weights(data.rows(), problem.row_weights);
  find_trainable_labels(data, options, out);
  problem.labels = &out.labels;
  problem.rows_of_label = transpose(out.labels);
  if (out.unknown.rows > 0) {
    problem.unknown = &out.unknown;
    problem.unknown_rows_of_label = transpose(out.unknown);
  }
  for (std::size_t j = 0; j < data.labels(); ++j) out.label_names.push_back(data.label_name(j));
}

}  // namespace mmo
