#include "mmo/search/many_labels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/learn/held_out_rows.h"
#include "mmo/learn/linear/choose_map.h"
#include "mmo/learn/linear/record.h"
#include "mmo/learn/many/held_out_lists.h"
#include "mmo/learn/many/list_calibration.h"
#include "mmo/rule/empirical_thresholds.h"
#include "mmo/rule/fit_rule.h"
#include "mmo/search/record.h"

namespace mmo {
namespace {

constexpr float never = std::numeric_limits<float>::infinity();

// What belongs to fits of every label for every row.
std::string in_the_way(const Recipe& recipe, const TrainOptions& options) {
  if (options.subject_to) return "--subject-to";
  if (recipe.minibatch != MiniBatch::none || !recipe.menu) return "this method";
  for (const char* key : {"learners", "loss", "l2", "l2-by", "lambda", "tau", "coupling", "stack"}) {
    if (options.settings.contains(key)) return std::string("--set ") + key;
  }
  if (recipe.lambda != LambdaSearch::none) return "a search for lambda";
  return "";
}

LabelTreesOptions tree_options(const TrainOptions& options) {
  LabelTreesOptions out;
  out.tree.seed = 1 + options.seed * out.count;
  return out;
}

std::size_t searched_folds(const TrainOptions& options, const Training& training) {
  return options.effort == Effort::quick ? 1 : training.problem.hold_out.folds();
}

// A problem of a few labels of all frequencies, for what is one choice for all labels.
struct ChooserProblem {
  Problem problem;
  LabelMatrix labels;

  explicit ChooserProblem(const Problem& all, std::size_t most) {
    constexpr std::size_t least_positives = 5;  // fewer are hardly ever in both parts
    Problem frequent;
    frequent.rows_of_label = all.rows_of_label;
    for (const std::uint32_t j : all.trainable) {
      if (all.rows_of_label.row(j).size() >= least_positives) frequent.trainable.push_back(j);
    }
    if (frequent.trainable.empty()) frequent.trainable = all.trainable;
    labels = take_columns(*all.labels, spread_labels(frequent, most));
    problem.labels = &labels;
    problem.rows_of_label = transpose(labels);
    problem.row_weights = all.row_weights;
    problem.hold_out = all.hold_out;
    for (std::uint32_t j = 0; j < labels.cols; ++j) problem.trainable.push_back(j);
  }
};

CsrMatrix sparse(Features&& x) {
  if (auto* own = std::get_if<CsrMatrix>(&x)) return std::move(*own);
  const auto& dense = std::get<DenseMatrix>(x);
  CsrMatrix out;
  out.rows = dense.rows;
  out.cols = dense.cols;
  for (std::size_t i = 0; i < dense.rows; ++i) {
    for (std::size_t k = 0; k < dense.cols; ++k) {
      if (dense(i, k) == 0) continue;
      out.indices.push_back(static_cast<std::uint32_t>(k));
      out.values.push_back(dense(i, k));
    }
    out.offsets.push_back(out.indices.size());
  }
  return out;
}

// Label trees take rows of about length 1: their L2 is not scaled by the features.
FeatureMap choose_map(const Recipe& recipe, const Training& training, nlohmann::json& history) {
  constexpr std::size_t labels = 32;
  const ChooserProblem chooser(training.problem, labels);
  const bool is_sparse = std::holds_alternative<CsrMatrix>(training.encoded);
  std::vector<FeatureMap::Kind> kinds = is_sparse ? recipe.sparse_maps : recipe.dense_maps;
  if (kinds.size() > 1) std::erase(kinds, FeatureMap::Kind::identity);
  ChosenMap chosen = choose_map(chooser.problem, training.encoded, kinds, labels);
  record_map(history, chosen);
  return std::move(chosen.mapped.map);
}

// Positives by which each label's rule can be judged.
std::vector<std::size_t> judged_positives(const Truth& judged) {
  std::vector<std::size_t> out(judged.labels->cols);
  for (std::size_t i = 0; i < judged.labels->rows; ++i) {
    const auto unknown = judged.unknown->row(i);
    for (const std::uint32_t j : judged.labels->row(i))
      out[j] += std::binary_search(unknown.begin(), unknown.end(), j) ? 0 : 1;
  }
  return out;
}

// Labels that no positive judges take the mean threshold of those with about as many training positives that
// can be judged, or of the rarest such labels.
void fill_thresholds(const Problem& problem, std::span<const std::size_t> positives,
                     std::vector<float>& thresholds) {
  const auto bin_of = [&](std::uint32_t j) {
    return static_cast<std::size_t>(std::log2(static_cast<double>(problem.rows_of_label.row(j).size())));
  };
  struct Bin {
    double sum = 0;
    std::size_t finite = 0, infinite = 0;
  };
  std::vector<Bin> bins(64);
  for (const std::uint32_t j : problem.trainable) {
    if (positives[j] == 0) continue;
    Bin& bin = bins[bin_of(j)];
    const bool finite = std::isfinite(thresholds[j]);
    if (finite) bin.sum += static_cast<double>(thresholds[j]);
    ++(finite ? bin.finite : bin.infinite);
  }
  for (const std::uint32_t j : problem.trainable) {
    if (positives[j] > 0) continue;
    std::size_t at = bin_of(j);
    while (at + 1 < bins.size() && bins[at].finite + bins[at].infinite == 0) ++at;
    const Bin& bin = bins[at];
    thresholds[j] =
        bin.finite > bin.infinite ? static_cast<float>(bin.sum / static_cast<double>(bin.finite)) : never;
  }
}

// A micro average counts every false positive alike, and a rare label's curve, smooth as it must be, promises
// more than it keeps: tens of thousands of such labels add up. They take the threshold that is best for all.
void share_threshold(const Metric& metric, const ShortLists& lists, const Truth& judged,
                     std::span<const std::uint32_t> trainable, std::span<const std::size_t> positives,
                     DecisionRule& rule) {
  constexpr std::size_t enough_positives = 20;
  const float shared = best_global_threshold(metric, lists, judged).threshold;
  for (const std::uint32_t j : trainable) {
    if (positives[j] < enough_positives) rule.thresholds[j] = shared;
  }
}

DecisionRule choose_rule(const Recipe& recipe, const TrainOptions& options, const Training& training,
                         const ShortLists& lists, const HeldOutRows& held_out, const Truth& judged,
                         nlohmann::json& history) {
  RuleOptions rule;
  rule.kind = recipe.rule;
  rule.min_labels = recipe.min_labels;
  rule.max_labels = recipe.max_labels;
  rule.trainable = training.may_predict;
  FittedRule fitted = fit_rule(options.metric, lists, judged, rule);
  const std::vector<std::size_t> positives = judged_positives(judged);
  if (fitted.kind == RuleKind::blend) {
    share_threshold(options.metric, lists, judged, training.problem.trainable, positives, fitted.rule);
  } else if (fitted.kind == RuleKind::curves || fitted.kind == RuleKind::per_label) {
    fill_thresholds(training.problem, positives, fitted.rule.thresholds);
  }
  record_rule(history, fitted);
  record_value(history, options.metric, decide(fitted.rule, lists), held_out);
  return std::move(fitted.rule);
}

std::vector<float> frequencies(const Problem& problem) {
  std::vector<std::size_t> positives;
  for (std::size_t j = 0; j < problem.label_count(); ++j)
    positives.push_back(problem.rows_of_label.row(j).size());
  return log_frequencies(positives);
}

}  // namespace

bool takes_label_trees(const Recipe& recipe, const TrainOptions& options, const Training& training) {
  constexpr std::size_t least_labels = 3000;
  constexpr std::size_t most_cells = std::size_t{1} << 27U;  // of scores and weights
  if (recipe.labels == LabelWay::all) return false;
  const std::string reason = in_the_way(recipe, options);
  if (recipe.labels == LabelWay::tree) {
    if (!reason.empty())
      throw UsageError(reason + " needs scores of every label, which --set labels=tree does not make");
    return true;
  }
  const std::size_t labels = training.problem.label_count();
  const std::size_t cells = labels * (training.problem.rows() + feature_cols(training.encoded));
  return reason.empty() && labels >= least_labels && cells > most_cells;
}

// Counted from a fit's work and leavings: a row meets, for each of its labels, the children of one node on
// every level, and what these learn of its features is kept, once or twice. Measured on package descriptions
// and on a set of the shape of Wiki10-31K.
SearchEstimate estimate_label_trees(const TrainOptions& options, const Training& training) {
  const LabelTreesOptions trees = tree_options(options);
  const Problem& problem = training.problem;
  const std::size_t rows = problem.rows();
  const auto* x = std::get_if<CsrMatrix>(&training.encoded);
  const std::size_t nonzeros = x != nullptr ? x->nonzeros() : rows * feature_cols(training.encoded);
  const double met = static_cast<double>(nonzeros) / static_cast<double>(rows) *
                     static_cast<double>(problem.labels->positives());
  const std::size_t folds = searched_folds(options, training);
  const double fits = static_cast<double>(trees.count * (folds + 1));
  SearchEstimate out;
  out.rows = out.searched_rows = rows;
  constexpr double seconds_per_meeting = 1.6e-7;  // of one thread
  constexpr double seconds_per_label = 3.3e-5;    // to find its neighbours
  out.seconds =
      fits * (seconds_per_meeting * met + seconds_per_label * static_cast<double>(problem.trainable.size())) /
      threads();
  constexpr double bytes_per_meeting = 12;         // of a tree
  constexpr std::uint64_t bytes_per_label = 1500;  // rank curves, thresholds, names
  const std::uint64_t held_out = options.effort == Effort::quick ? rows / 5 : rows;
  out.bytes = 4 * 8 * nonzeros + 5 * held_out * trees.length * sizeof(LabelScore) +
              bytes_per_label * problem.label_count() +
              static_cast<std::uint64_t>(static_cast<double>(trees.count) * bytes_per_meeting * met);
  return out;
}

void train_label_trees(const Recipe& recipe, const TrainOptions& options, const Deadline& deadline,
                       Training& training, Model& model) {
  Problem& problem = training.problem;
  if (options.effort == Effort::quick && !problem.hold_out.is_validation())
    problem.hold_out = HoldOut::by_folds(problem.hold_out.fold_of_row(), 1);
  report(options.progress, "feature map", 0.05);
  model.feature_map = choose_map(recipe, training, model.history);
  const CsrMatrix x = sparse(model.feature_map.apply(training.encoded));
  const LabelTreesOptions trees = tree_options(options);
  report(options.progress, "label trees", 0.1);
  std::size_t folds = problem.hold_out.folds();
  ShortLists lists = held_out_lists(problem, x, trees, [&] { return deadline.passed(0.6); }, folds);
  if (folds < problem.hold_out.folds())
    problem.hold_out = HoldOut::by_folds(problem.hold_out.fold_of_row(), folds);
  {
    report(options.progress, "decision rule", 0.7);
    const HeldOutRows held_out(problem, folds);
    const LabelMatrix unknown = unlearnable_cells(problem, held_out.rows());
    Truth judged = held_out.truth();
    judged.unknown = &unknown;
    const std::vector<float> frequency = frequencies(problem);
    const ListCalibration calibration = fit_list_calibration(lists, judged, frequency);
    apply_calibration(calibration, frequency, lists);
    model.history["label_trees"] = {{"trees", trees.count},
                                    {"list", trees.length},
                                    {"log_loss", calibration.log_loss},
                                    {"calibration", calibration.theta}};
    model.rule = choose_rule(recipe, options, training, lists, held_out, judged, model.history);
    lists = {};
    report(options.progress, "final fit", 0.8);
    model.trees = fit_label_trees(problem, x, problem.hold_out.never_trained(), trees);
    for (std::size_t j = 0; j < problem.label_count(); ++j) {
      model.trees->scale[j] = calibration.scale(frequency[j]);
      model.trees->shift[j] = calibration.shift(frequency[j]);
    }
  }
}

}  // namespace mmo
