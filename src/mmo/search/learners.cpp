#include "mmo/search/learners.h"

#include <algorithm>

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

}  // namespace

Learners make_learners(const Recipe& recipe, const TrainOptions& options,
                       const std::vector<char>& may_predict, const Deadline& deadline) {
  Criterion criterion = make_criterion(recipe, options, may_predict);
  Learners learners;
  learners.push_back(recipe.minibatch != MiniBatch::none
                         ? make_minibatch(recipe, options, std::move(criterion))
                         : make_linear(recipe, options, std::move(criterion), deadline));
  return learners;
}

}  // namespace mmo
