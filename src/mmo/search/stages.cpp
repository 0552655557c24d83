#include "mmo/search/stages.h"

#include <fmt/format.h>

#include <utility>

#include "mmo/rule/constrained_rule.h"
#include "mmo/rule/fit_rule.h"
#include "mmo/search/record.h"
#include "mmo/stack/fit_mix.h"

namespace mmo {
namespace {

void take_warnings(Learner& learner, std::vector<std::string>& warnings) {
  for (std::string& text : learner.take_warnings()) warnings.push_back(std::move(text));
}

// The rows of a validation file are one fold; a constrained rule is checked on parts of them.
std::vector<std::uint32_t> rule_folds(const HeldOutRows& held_out) {
  if (!held_out.hold_out().is_validation()) return held_out.fold_of_row();
  constexpr std::uint32_t parts = 5;
  std::vector<std::uint32_t> out(held_out.fold_of_row().size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint32_t>(i) % parts;
  return out;
}

}  // namespace

DenseMatrix held_out_scores(const Learners& learners, const LearnerData& searched,
                            const HeldOutRows& held_out, const Progress& progress, LearnerBlend* blend,
                            nlohmann::json& history, std::vector<std::string>& warnings) {
  const Truth truth = held_out.truth();
  DenseMatrix scores;
  for (std::size_t k = 0; k < learners.size(); ++k) {
    Learner& learner = *learners[k];
    if (k > 0)
      report(progress, learner.name(),
             0.5 + 0.2 * static_cast<double>(k) / static_cast<double>(learners.size()),
             blend == nullptr ? "" : fmt::format("best log-loss {:.4f}", blend->best_log_loss()));
    scores = learner.held_out(searched);
    take_warnings(learner, warnings);
    history.update(learner.record());
    DenseMatrix part;
    if (&held_out.of(scores, part) == &part) scores = std::move(part);
    if (blend != nullptr) blend->add(learner.name(), std::move(scores), truth);
  }
  if (blend == nullptr) return scores;
  scores = blend->blend(truth);
  history["blend"] = blend->record();
  return scores;
}

bool mixes(const Recipe& recipe, const Problem& problem) {
  return recipe.stack && problem.label_count() <= most_mixed_labels;
}

std::optional<LabelMix> mix_labels(const Recipe& recipe, const HeldOutRows& held_out, double least_gain,
                                   const Progress& progress, DenseMatrix& scores, nlohmann::json& history,
                                   std::vector<std::string>& warnings) {
  const Problem& problem = held_out.problem();
  if (recipe.stack && problem.hold_out.is_validation())
    warnings.emplace_back("a validation file leaves no out-of-fold scores to fit the label mix on");
  if (!mixes(recipe, problem) || problem.trainable.size() < 2 || problem.hold_out.is_validation())
    return std::nullopt;
  report(progress, "label mix", 0.75);
  const Truth truth = held_out.truth();
  FittedMix fitted = fit_mix(scores, *truth.labels, truth.unknown, truth.row_weights, held_out.fold_of_row(),
                             *problem.processes);
  if (fitted.log_loss_after > (1 - least_gain) * fitted.log_loss_before) return std::nullopt;
  record_mix(history, fitted);
  scores = std::move(fitted.scores);
  return std::move(fitted.mix);
}

DecisionRule choose_rule(const Recipe& recipe, const TrainOptions& options,
                         const std::vector<char>& may_predict, const HeldOutRows& held_out,
                         const DenseMatrix& scores, nlohmann::json& history,
                         std::vector<std::string>& warnings) {
  report(options.progress, "decision rule", 0.8);
  const Truth truth = held_out.truth();
  DecisionRule chosen;
  if (options.subject_to) {
    const std::vector<std::uint32_t> folds = rule_folds(held_out);
    ConstrainedRule fitted = fit_constrained_rule(options.metric, *options.subject_to, scores, truth,
                                                  ConstrainedOptions{folds, may_predict});
    record_constraint(history, *options.subject_to, fitted);
    for (std::string& warning : constraint_warnings(options.metric, *options.subject_to, fitted))
      warnings.push_back(std::move(warning));
    chosen = std::move(fitted.rule);
  } else {
    RuleOptions rule;
    rule.kind = recipe.rule;
    rule.min_labels = recipe.min_labels;
    rule.max_labels = recipe.max_labels;
    rule.trainable = may_predict;
    FittedRule fitted = fit_rule(options.metric, scores, truth, rule);
    record_rule(history, fitted);
    chosen = std::move(fitted.rule);
  }
  record_value(history, options.metric, decide(chosen, scores), held_out);
  return chosen;
}

void fit_all_rows(const Learners& learners, const LearnerData& all, const LearnerBlend* blend, Model& model,
                  std::vector<std::string>& warnings) {
  if (blend == nullptr) {
    auto linear = std::get<LinearScorer>(learners.front()->fit(all));
    take_warnings(*learners.front(), warnings);
    model.feature_map = std::move(linear.map);
    model.weights = std::move(linear.weights);
    model.bias = std::move(linear.bias);
    return;
  }
  clear_scores(model, feature_cols(*all.views.encoded), all.problem->label_count());
  for (std::size_t k = 0; k < learners.size(); ++k) {
    if (!blend->uses(k)) continue;
    blend->give(k, learners[k]->fit(all), model);
    take_warnings(*learners[k], warnings);
  }
}

}  // namespace mmo
