// What a run leaves behind: every choice with its out-of-fold value, as JSON in Model::history.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "mmo/cost/lambda_search.h"
#include "mmo/learn/held_out_rows.h"
#include "mmo/learn/linear/choose_map.h"
#include "mmo/learn/linear/l2_path.h"
#include "mmo/learn/linear/minibatch_fit.h"
#include "mmo/metric/metric.h"
#include "mmo/rule/constrained_rule.h"
#include "mmo/rule/fit_rule.h"
#include "mmo/search/prepare_training.h"
#include "mmo/search/recipe.h"
#include "mmo/search/train_options.h"
#include "mmo/stack/fit_mix.h"

namespace mmo {

void record_map(nlohmann::json& history, const ChosenMap& map);
void record_loss(nlohmann::json& history, const std::string& name, const ChosenLoss& loss);
void record_lambda(nlohmann::json& history, const LambdaResult& lambda);
void record_minibatch(nlohmann::json& history, const MiniBatchFit& fit);
void record_constraint(nlohmann::json& history, const Constraint& constraint, const ConstrainedRule& rule);
void record_mix(nlohmann::json& history, const FittedMix& mix);
void record_rule(nlohmann::json& history, const FittedRule& rule);
// The metric of the final decisions on the selection rows, and its standard deviation over folds.
void record_value(nlohmann::json& history, const Metric& metric, const LabelMatrix& predicted,
                  const Truth& truth, const HeldOutRows& held_out, std::size_t folds);
void record_run(nlohmann::json& history, const TrainOptions& options, const Recipe& recipe,
                const Training& training);

}  // namespace mmo
