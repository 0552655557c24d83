// What the linear learners chose, as JSON for the model's history.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "mmo/cost/lambda_search.h"
#include "mmo/learn/linear/choose_map.h"
#include "mmo/learn/linear/l2_path.h"
#include "mmo/learn/linear/minibatch_fit.h"

namespace mmo {

void record_map(nlohmann::json& history, const ChosenMap& map);
void record_loss(nlohmann::json& history, const std::string& name, const ChosenLoss& loss);
void record_lambda(nlohmann::json& history, const LambdaResult& lambda);
void record_minibatch(nlohmann::json& history, const MiniBatchFit& fit);

}  // namespace mmo
