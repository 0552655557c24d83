#include "mmo/search/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>

#include "mmo/core/error.h"
#include "mmo/core/memory.h"
#include "mmo/core/parallel.h"
#include "mmo/learn/held_out_rows.h"
#include "mmo/learn/linear/choose_map.h"
#include "mmo/learn/linear/l2_path.h"
#include "mmo/learn/linear/lambda_fit.h"
#include "mmo/learn/linear/memory.h"
#include "mmo/learn/linear/minibatch_fit.h"
#include "mmo/learn/sub_problem.h"
#include "mmo/rule/fit_rule.h"
#include "mmo/search/estimate.h"
#include "mmo/search/prepare_training.h"
#include "mmo/search/recipe.h"
#include "mmo/search/record.h"
#include "mmo/stack/fit_mix.h"

namespace mmo {
namespace {

using Clock = std::chrono::steady_clock;

// Of a time limit: the rest is the final fit's.
constexpr double searching_share = 0.6;
// Of the machine's memory, unless another limit is given.
constexpr double machine_share = 0.8;

// The state of one run: what the stages hand to each other.
class Run {
 public:
  Run(const Dataset& data, const TrainOptions& options)
      : options_(options), recipe_(make_recipe(options.method, options.effort, options.settings)) {
    if (options.subject_to && (options.settings.contains("rule") || options.settings.contains("min-labels")))
      throw UsageError(
          "a goal subject to a constraint has its own rule; leave out --set rule and min-labels");
    report(options.progress, "features", 0.02);
    prepare_training(data, options, recipe_.impute, training_);
    if (const std::size_t rows = searched_rows(); rows < training_.problem.rows()) take_sample(rows);
    const SearchEstimate estimate = estimate_search(training_.problem, training_.encoded, recipe_, choosers(),
                                                    static_cast<std::size_t>(threads()), problem().rows());
    if (options.memory_limit > 0 && estimate.bytes > options.memory_limit)
      refuse_memory(options.memory_limit, estimate.bytes);
    if (options.estimated) options.estimated(estimate);
  }

  TrainResult go() {
    choose_features();
    if (recipe_.minibatch == MiniBatch::none) {
      choose_losses();
    } else {
      train_minibatch();
    }
    keep_held_out_rows();
    mix_labels();
    choose_rule();
    fit_model();
    return std::move(result_);
  }

 private:
  // What the search sees: all rows, or a sample of them.
  [[nodiscard]] const Problem& problem() const { return sample_ ? sample_->problem : training_.problem; }
  [[nodiscard]] const Features& encoded() const { return sample_ ? sample_->x : training_.encoded; }
  [[nodiscard]] bool sparse() const { return std::holds_alternative<CsrMatrix>(chosen_map_.mapped.x()); }
  [[nodiscard]] std::size_t pairs_kept() const { return sparse() ? 4 : 8; }
  // An iteration is dear on sparse features; of whitened ones a few do.
  [[nodiscard]] double selecting_tolerance() const {
    return !sparse() ? 1e-3 : options_.effort == Effort::quick ? 8e-3 : 4e-3;
  }
  [[nodiscard]] double final_tolerance() const {
    return sparse() ? 1e-3 : chosen_map_.mapped.moments ? 1e-6 : 1e-5;
  }

  // All rows, or as many as fit into the memory that may be used.
  [[nodiscard]] std::size_t searched_rows() const {
    // Mini-batches have no final fit on all rows, and a validation file is small for its purpose.
    if (recipe_.minibatch != MiniBatch::none || options_.valid != nullptr) return problem().rows();
    return rows_within(memory_limit(), problem(), encoded(), recipe_);
  }

  [[nodiscard]] std::uint64_t memory_limit() const {
    if (options_.memory_limit > 0) return options_.memory_limit;
    // What was loaded takes about as much as the numbers that it was turned into.
    const auto loaded = static_cast<double>(feature_bytes(training_.encoded));
    return static_cast<std::uint64_t>(
        std::max(0.0, machine_share * static_cast<double>(physical_memory()) - loaded));
  }

  void take_sample(std::size_t rows) {
    sample_.emplace(training_.problem, training_.encoded, sample_rows(training_.problem, rows));
    result_.model.history["searched_rows"] = problem().rows();
    training_.warnings.push_back(
        fmt::format("to keep below {:.1f} GB of memory the search sees {} of {} rows; the final fit sees all",
                    static_cast<double>(memory_limit()) / (1024.0 * 1024.0 * 1024.0), problem().rows(),
                    training_.problem.rows()));
  }

  void choose_features() {
    report(options_.progress, "feature map", 0.05);
    const bool sparse = std::holds_alternative<CsrMatrix>(encoded());
    chosen_map_ = choose_map(problem(), encoded(), sparse ? recipe_.sparse_maps : recipe_.dense_maps,
                             options_.effort == Effort::quick ? 16 : 32, sparse ? 4 : 8);
    record_map(result_.model.history, chosen_map_);
  }

  // The metric that a quickly fitted rule reaches on the selection rows.
  [[nodiscard]] Criterion criterion() const {
    if (!recipe_.l2_by_metric) return {};
    return [this](const DenseMatrix& scores, const Truth& truth) {
      if (options_.subject_to)
        return constrained_value(options_.metric, *options_.subject_to, scores, truth, training_.may_predict);
      RuleOptions rule;
      rule.kind = resolve_rule(recipe_.rule, options_.metric);
      if (rule.kind == RuleKind::blend) rule.kind = RuleKind::global;
      rule.min_labels = std::max(recipe_.min_labels, 0);
      rule.trainable = training_.may_predict;
      return fit_rule(options_.metric, scores, truth, rule).value;
    };
  }

  void choose_losses() {
    const auto walk = [&](const std::string& name, ColumnLoss loss, const std::vector<double>& rhos,
                          double scale, double progress) {
      if (rhos.empty() || (!losses_.empty() && stop_at(searching_share)())) return;
      report(options_.progress, "L2 path, " + name, progress);
      FitSettings settings;
      settings.loss = loss;
      settings.tolerance = selecting_tolerance();
      settings.memory = pairs_kept();
      PathOptions path;
      path.rhos = rhos;
      path.scale = scale;
      path.choosers = rhos.size() > 1 ? choosers() : Choosers{problem().folds, {}};
      path.calibrate = recipe_.rule != RuleKind::zero;
      path.criterion = criterion();
      // Each loss has its part of the time to search; what did not choose L2 is fitted in the second half of
      // it.
      const double part =
          searching_share / (recipe_.hinge_path.empty() || recipe_.logistic_path.empty() ? 1 : 2);
      const double end = part * static_cast<double>(losses_.size() + 1);
      settings.stop = stop_at(path.choosers.are_all_of(problem()) ? end : end - part / 2);
      path.stop_the_rest = stop_at(end);
      // The calibrated scores of the loss before are this one's, nearly.
      ColumnWeights before;
      if (sparse() && !losses_.empty()) {
        before = calibrated(losses_.back());
        path.start = &before;
      }
      losses_.push_back(walk_l2_path(chosen_map_.mapped, settings, path));
      names_.push_back(name);
    };
    walk("squared hinge", {.kind = ColumnLoss::Kind::squared_hinge}, recipe_.hinge_path, hinge_scale, 0.15);
    walk("logistic", {}, recipe_.logistic_path, 1, 0.45);
    if (cut_short_)
      training_.warnings.emplace_back(
          "the time limit cut the search short: L2 and the scores that the rule is chosen by are rough");
    if (names_.back() == "logistic") refine_logistic();
    for (std::size_t k = 0; k < losses_.size(); ++k)
      record_loss(result_.model.history, names_[k], losses_[k]);
    const auto no_signal = [](const ChosenLoss& loss) { return !loss.calibration.informative; };
    if (std::all_of(losses_.begin(), losses_.end(), no_signal))
      training_.warnings.push_back(
          "held-out scores do not rank positives above negatives: the features carry no signal for these "
          "labels");
    oof_ = losses_[0].scores;
    for (std::size_t k = 1; k < losses_.size(); ++k) {
      for (std::size_t e = 0; e < oof_.values.size(); ++e) oof_.values[e] += losses_[k].scores.values[e];
    }
    const float share = 1.0F / static_cast<float>(losses_.size());
    for (float& z : oof_.values) z *= share;
  }

  // The weights of the calibrated scores; the bias is in the last row.
  static ColumnWeights calibrated(const ChosenLoss& loss) {
    ColumnWeights out = loss.weights;
    for (SolvedBlock& block : out.blocks) {
      for (float& w : block.weights) w *= static_cast<float>(loss.calibration.scale);
      for (std::size_t c = 0; c < block.stride; ++c)
        block.weights[block.weights.size() - block.stride + c] += static_cast<float>(loss.calibration.shift);
    }
    return out;
  }

  // The surrogate's finer choices start from the plain logistic solution at the chosen L2.
  void refine_logistic() {
    ChosenLoss& logistic = losses_.back();
    if (recipe_.joint) logistic.settings.loss = {.kind = ColumnLoss::Kind::joint};
    if (recipe_.tau > 0)
      logistic.settings.loss = {.kind = ColumnLoss::Kind::generalised,
                                .tau = static_cast<float>(recipe_.tau)};
    if (recipe_.lambda == LambdaSearch::none && recipe_.tau == 0 && !recipe_.joint) return;
    report(options_.progress, "lambda", 0.7);
    const LambdaOptions lambda{recipe_.lambda, recipe_.lambda_value, recipe_.lambda_step,
                               recipe_.rule != RuleKind::zero};
    LambdaFit weighted = fit_with_lambda(chosen_map_.mapped, options_.metric, lambda, logistic);
    record_lambda(result_.model.history, weighted.lambda);
    logistic = std::move(weighted.chosen);
  }

  void train_minibatch() {
    if (recipe_.minibatch == MiniBatch::sigmoid_f1 && !problem().row_weights.empty())
      training_.warnings.push_back("sigmoid-f1 is one ratio over a batch: row weights don't reach this loss");
    report(options_.progress, "mini-batches", 0.15);
    MiniBatchFit fit =
        fit_minibatch(chosen_map_.mapped, options_.metric, recipe_.minibatch, options_.seed, criterion());
    record_minibatch(result_.model.history, fit);
    oof_ = std::move(fit.scores);
    minibatch_weights_ = std::move(fit.weights);
  }

  // What follows learns from out-of-fold scores: rows without them (quick effort, a validation file) are left
  // out.
  void keep_held_out_rows() {
    held_out_.emplace(problem());
    DenseMatrix part;
    if (&held_out_->of(oof_, part) == &part) oof_ = std::move(part);
  }

  void mix_labels() {
    if (recipe_.stack && problem().folds < 2)
      training_.warnings.push_back("a validation file leaves no out-of-fold scores to fit the label mix on");
    if (!recipe_.stack || problem().trainable.size() < 2 || problem().label_count() > most_mixed_labels ||
        problem().folds < 2) {
      return;
    }
    report(options_.progress, "label mix", 0.75);
    const Truth truth = held_out_->truth();
    FittedMix fitted =
        fit_mix(oof_, *truth.labels, truth.unknown, truth.row_weights, held_out_->fold_of_row());
    record_mix(result_.model.history, fitted);
    oof_ = std::move(fitted.scores);
    result_.model.mix = std::move(fitted.mix);
  }

  void choose_rule() {
    report(options_.progress, "decision rule", 0.8);
    RuleOptions rule;
    rule.kind = recipe_.rule;
    rule.min_labels = recipe_.min_labels;
    rule.trainable = training_.may_predict;
    const Truth truth = held_out_->truth();
    Model& model = result_.model;
    if (options_.subject_to) {
      model.rule = constrained_rule(*options_.subject_to, truth);
    } else {
      const FittedRule fitted = fit_rule(options_.metric, oof_, truth, rule);
      model.rule = fitted.rule;
      record_rule(model.history, fitted);
    }
    record_value(model.history, options_.metric, decide(model.rule, oof_), truth, *held_out_,
                 problem().folds);
  }

  DecisionRule constrained_rule(const Constraint& constraint, const Truth& truth) {
    ConstrainedOptions rule{held_out_->fold_of_row(), training_.may_predict};
    std::vector<std::uint32_t> parts(oof_.rows);  // of a validation file
    if (problem().folds == 1) {
      for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = static_cast<std::uint32_t>(i % 5);
      rule.fold_of_row = parts;
    }
    const ConstrainedRule fitted = fit_constrained_rule(options_.metric, constraint, oof_, truth, rule);
    record_constraint(result_.model.history, constraint, fitted);
    return fitted.rule;
  }

  // From the sample to all rows. L2 stays what it is, as it does from the folds to all rows: more rows need
  // no more of it.
  void leave_sample() {
    const FeatureMap::Kind kind = chosen_map_.mapped.map.kind;
    chosen_map_.mapped = {};
    held_out_.reset();
    sample_.reset();
    oof_ = {};
    for (ChosenLoss& loss : losses_) loss.scores = {};
    chosen_map_.mapped = map_problem(problem(), encoded(), kind, problem().trainable.size());
  }

  // Both losses share the feature map, so their calibrated mean folds into one W and b.
  void fit_model() {
    report(options_.progress, "final fit", 0.85);
    if (sample_) leave_sample();
    Model& model = result_.model;
    DenseMatrix sum = std::move(minibatch_weights_);
    for (ChosenLoss& loss : losses_) {
      loss.settings.tolerance = final_tolerance();
      loss.settings.stop = [this] { return out_of_time(1); };
      const FullFit full = fit_full(chosen_map_.mapped, loss.settings, &loss.weights);
      if (sum.rows == 0) sum = DenseMatrix(full.weights.rows, full.weights.cols);
      const double share = 1.0 / static_cast<double>(losses_.size());
      const auto scale = static_cast<float>(share * loss.calibration.scale);
      for (std::size_t e = 0; e < sum.values.size(); ++e) sum.values[e] += scale * full.weights.values[e];
      for (std::size_t j = 0; j < sum.cols; ++j)
        sum(sum.rows - 1, j) += static_cast<float>(share * loss.calibration.shift);
      if (full.summary.unfinished > 0) {
        training_.warnings.push_back(fmt::format("{} of {} final fits stopped before full accuracy",
                                                 full.summary.unfinished, full.summary.columns));
      }
    }
    const std::size_t d = sum.rows - 1;
    model.bias.assign(sum.values.begin() + static_cast<std::ptrdiff_t>(d * sum.cols), sum.values.end());
    sum.values.resize(d * sum.cols);
    sum.rows = d;
    model.weights = std::move(sum);
    model.metric = options_.metric;
    model.label_names = training_.label_names;
    model.text = std::move(training_.text);
    model.encoder = std::move(training_.encoder);
    model.feature_map = std::move(chosen_map_.mapped.map);
    record_run(model.history, options_, recipe_, training_);
    result_.warnings = std::move(training_.warnings);
    report(options_.progress, "done", 1.0);
  }

  [[nodiscard]] Choosers choosers() const {
    if (options_.effort == Effort::thorough) return {problem().folds, {}};
    Choosers out = enough_choosers(problem());
    if (recipe_.l2_by_metric) out.labels.clear();  // a metric is that of all labels
    return out;
  }

  // For the solver: true from that share of the time limit on.
  [[nodiscard]] std::function<bool()> stop_at(double share) {
    return [this, share] {
      const bool late = out_of_time(share);
      if (late) cut_short_ = true;
      return late;
    };
  }

  // Is this share of the time limit used up?
  [[nodiscard]] bool out_of_time(double share) const {
    return options_.time_limit > 0 &&
           std::chrono::duration<double>(Clock::now() - start_).count() > share * options_.time_limit;
  }

  const TrainOptions& options_;
  Recipe recipe_;
  Training training_;
  std::optional<SubProblem> sample_;  // where the search does not see all rows
  Clock::time_point start_ = Clock::now();
  std::atomic<bool> cut_short_ = false;  // the search, by the time limit
  ChosenMap chosen_map_;
  std::vector<ChosenLoss> losses_;
  std::vector<std::string> names_;
  DenseMatrix minibatch_weights_;  // (d + 1) × l; empty unless Adam trained
  DenseMatrix oof_;                // out-of-fold logits, through the stages done so far
  std::optional<HeldOutRows> held_out_;
  TrainResult result_;
};

}  // namespace

TrainResult train(const Dataset& data, const TrainOptions& options) { return Run(data, options).go(); }

}  // namespace mmo
