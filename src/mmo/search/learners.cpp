#include "mmo/search/learners.h"

#include <fmt/format.h>

#include <algorithm>

#include "mmo/learn/boosted_learner.h"
#include "mmo/learn/forest_learner.h"
#include "mmo/learn/kernel/kernel_learner.h"
#include "mmo/learn/linear/linear_learner.h"
#include "mmo/learn/linear/minibatch_learner.h"
#include "mmo/rule/fit_rule.h"

namespace mmo {
namespace {

// The metric that a quickly fitted rule reaches on held-out rows; empty where log-loss decides.
Criterion make_criterion(const Recipe& recipe, const TrainOptions& options,
                         const std::vector<char>& may_predict) {
  if (!recipe.l2_by_metric) return {};
  RuleOptions rule;
  rule.kind = resolve_rule(recipe.rule, options.metric);
  if (rule.kind == RuleKind::blend) rule.kind = RuleKind::global;
  rule.min_labels = std::max(recipe.min_labels, 0);
  rule.trainable = may_predict;
  return [rule, metric = options.metric, constraint = options.subject_to, may_predict](
             const DenseMatrix& scores, const Truth& truth) {
    if (constraint) return constrained_value(metric, *constraint, scores, truth, may_predict);
    return fit_rule(metric, scores, truth, rule).value;
  };
}

std::unique_ptr<Learner> make_linear(const Recipe& recipe, const TrainOptions& options, Criterion criterion,
                                     const Deadline& deadline) {
  LinearOptions own;
  own.dense_maps = recipe.dense_maps;
  own.sparse_maps = recipe.sparse_maps;
  own.logistic_path = recipe.logistic_path;
  own.hinge_path = recipe.hinge_path;
  own.all_choose = options.effort == Effort::thorough;
  if (options.effort == Effort::quick) {
    own.screened_labels = 16;
    own.sparse_tolerance = 8e-3;
  }
  own.calibrate = recipe.rule != RuleKind::zero;
  own.criterion = std::move(criterion);
  own.tau = recipe.tau;
  own.joint = recipe.joint;
  own.lambda = {recipe.lambda, recipe.lambda_value, recipe.lambda_step, own.calibrate};
  own.metric = options.metric;
  return std::make_unique<LinearLearner>(std::move(own), deadline, options.progress);
}

std::unique_ptr<Learner> make_minibatch(const Recipe& recipe, const TrainOptions& options,
                                        Criterion criterion) {
  MiniBatchOptions own;
  own.loss = recipe.minibatch;
  own.dense_maps = recipe.dense_maps;
  own.sparse_maps = recipe.sparse_maps;
  if (options.effort == Effort::quick) own.screened_labels = 16;
  own.criterion = std::move(criterion);
  own.metric = options.metric;
  own.seed = options.seed;
  return std::make_unique<MiniBatchLearner>(std::move(own), options.progress);
}

void add_forests(const TrainOptions& options, Learners& learners) {
  ForestOptions own;
  own.seed = options.seed;
  for (const auto cuts : {ForestOptions::Cuts::best, ForestOptions::Cuts::random}) {
    own.cuts = cuts;
    learners.push_back(std::make_unique<ForestLearner>(own));
  }
}

}  // namespace

std::vector<LearnerKind> suitable_learners(const Recipe& recipe, const Dataset& data,
                                           const LearnerData& all) {
  if (!recipe.menu) return recipe.learners;
  // Words and sparse files have no dense table.
  const bool tabular = std::holds_alternative<DenseMatrix>(all.views.table->values);
  if (!tabular || !data.groups.empty()) return {LearnerKind::linear};
  std::vector<LearnerKind> kinds = recipe.learners;
  const Features& encoded = *all.views.encoded;
  constexpr std::size_t most_cells = 20'000'000;  // that a kernel's rows may become: 80 MB
  const bool too_wide = feature_rows(encoded) * feature_cols(encoded) > most_cells;
  if (std::holds_alternative<CsrMatrix>(encoded) && too_wide) std::erase(kinds, LearnerKind::kernel);
  return kinds;
}

Learners make_learners(const std::vector<LearnerKind>& kinds, const Recipe& recipe,
                       const TrainOptions& options, const std::vector<char>& may_predict,
                       const Deadline& deadline) {
  Learners learners;
  for (const LearnerKind kind : kinds) {
    switch (kind) {
      case LearnerKind::linear: {
        Criterion criterion = make_criterion(recipe, options, may_predict);
        learners.push_back(recipe.minibatch != MiniBatch::none
                               ? make_minibatch(recipe, options, std::move(criterion))
                               : make_linear(recipe, options, std::move(criterion), deadline));
        break;
      }
      case LearnerKind::kernel:
        learners.push_back(std::make_unique<KernelLearner>());
        break;
      case LearnerKind::forest:
        add_forests(options, learners);
        break;
      case LearnerKind::boosted: {
        BoostOptions own;
        own.seed = options.seed;
        learners.push_back(std::make_unique<BoostedLearner>(own));
        break;
      }
    }
  }
  return learners;
}

void keep_within_limits(const LearnerData& all, const TrainOptions& options, const Machine& machine,
                        Learners& learners, std::vector<std::string>& warnings) {
  constexpr double share_of_time = 0.2;  // for one learner; the first has most of the rest
  constexpr double usual_seconds = 40;   // of one thread, where the menu is ours and nobody set a limit
  const auto too_much = [&](const std::unique_ptr<Learner>& learner) {
    const LearnerCost cost = learner->cost(all, all.problem->rows(), machine.threads);
    const bool slow = options.time_limit > 0 && cost.seconds > share_of_time * options.time_limit;
    const bool long_by_default = options.time_limit == 0 && options.method == "auto" &&
                                 !options.settings.contains("learners") &&
                                 learner->cost(all, all.problem->rows(), 1).seconds > usual_seconds;
    if (long_by_default) {
      warnings.push_back(
          fmt::format("{} would take long on a table of this size and is left out; --set learners names it",
                      learner->name()));
      return true;
    }
    const bool large = std::max(cost.searching, cost.fitting) > machine.memory / 2;
    if (slow || large) {
      warnings.push_back(
          fmt::format("{} would take about {:.0f} s and {:.0f} MB: left out, to stay within --{}",
                      learner->name(), cost.seconds, static_cast<double>(cost.searching) / (1024.0 * 1024.0),
                      slow ? "time-limit" : "memory"));
    }
    return slow || large;
  };
  learners.erase(std::remove_if(learners.begin() + 1, learners.end(), too_much), learners.end());
}

}  // namespace mmo
