// The stages of a search between the learners' held-out scores and the model, in the order in which train()
// calls them. Each is a function of what the stages before it returned.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mmo/learn/held_out_rows.h"
#include "mmo/learn/learner.h"
#include "mmo/rule/decision_rule.h"
#include "mmo/search/learner_blend.h"
#include "mmo/search/learners.h"
#include "mmo/search/recipe.h"
#include "mmo/search/train_options.h"
#include "mmo/stack/label_mix.h"

namespace mmo {

// Logits of the held-out rows alone: others (quick effort, a validation file) have none, and what follows
// learns from these. `blend` null: there is one learner, and its scores are taken as they are.
[[nodiscard]] DenseMatrix held_out_scores(const Learners& learners, const LearnerData& searched,
                                          const HeldOutRows& held_out, const Progress& progress,
                                          LearnerBlend* blend, nlohmann::json& history,
                                          std::vector<std::string>& warnings);

// Does the recipe mix this problem's labels?
[[nodiscard]] bool mixes(const Recipe& recipe, const Problem& problem);

// Where labels are mixed, `scores` become what the mix makes of them out of fold. A mix that lowers their
// log-loss by less than the share `least_gain` is left out.
[[nodiscard]] std::optional<LabelMix> mix_labels(const Recipe& recipe, const HeldOutRows& held_out,
                                                 double least_gain, const Progress& progress,
                                                 DenseMatrix& scores, nlohmann::json& history,
                                                 std::vector<std::string>& warnings);

[[nodiscard]] DecisionRule choose_rule(const Recipe& recipe, const TrainOptions& options,
                                       const std::vector<char>& may_predict, const HeldOutRows& held_out,
                                       const DenseMatrix& scores, nlohmann::json& history,
                                       std::vector<std::string>& warnings);

// Gives the model the scorers of the learners that count.
void fit_all_rows(const Learners& learners, const LearnerData& all, const LearnerBlend* blend, Model& model,
                  std::vector<std::string>& warnings);

}  // namespace mmo
