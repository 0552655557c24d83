// What a run leaves behind: every choice with its out-of-fold value, as JSON in Model::history.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "mmo/learn/held_out_rows.h"
#include "mmo/metric/metric.h"
#include "mmo/rule/constrained_rule.h"
#include "mmo/rule/fit_rule.h"
#include "mmo/search/prepare_training.h"
#include "mmo/search/recipe.h"
#include "mmo/search/train_options.h"
#include "mmo/stack/fit_mix.h"

namespace mmo {

void record_constraint(nlohmann::json& history, const Constraint& constraint, const ConstrainedRule& rule);
void record_mix(nlohmann::json& history, const FittedMix& mix);
void record_rule(nlohmann::json& history, const FittedRule& rule);
// The metric of the final decisions on the held-out rows, and its standard deviation over folds.
void record_value(nlohmann::json& history, const Metric& metric, const LabelMatrix& predicted,
                  const HeldOutRows& held_out);
void record_run(nlohmann::json& history, const TrainOptions& options, const Recipe& recipe,
                const Training& training);

}  // namespace mmo
