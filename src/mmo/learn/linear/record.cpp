#include "mmo/learn/linear/record.h"

namespace mmo {

using nlohmann::json;

void record_map(json& history, const ChosenMap& map) {
  json candidates = json::array();
  for (const MapCandidate& c : map.candidates)
    candidates.push_back({{"map", kind_name(c.kind)}, {"log_loss", c.log_loss}});
  history["feature_map"] = {{"chosen", kind_name(map.mapped.map.kind)}, {"candidates", candidates}};
}

void record_loss(json& history, const std::string& name, const ChosenLoss& loss) {
  json path = json::array();
  for (const PathPoint& p : loss.path) {
    path.push_back({{"rho", p.rho},
                    {"l2", p.ridge},
                    {"value", p.value},
                    {"log_loss", p.log_loss},
                    {"iterations", p.summary.columns > 0 ? static_cast<double>(p.summary.iterations) /
                                                               static_cast<double>(p.summary.columns)
                                                         : 0.0},
                    {"columns", p.summary.columns},
                    {"unfinished", p.summary.unfinished}});
  }
  const PathPoint& best = loss.path[loss.best];
  history["losses"].push_back(
      {{"loss", name},
       {"rho", best.rho},
       {"l2", best.ridge},
       {"value", best.value},
       {"calibration", {{"scale", loss.calibration.scale}, {"shift", loss.calibration.shift}}},
       {"path", path}});
}

void record_lambda(json& history, const LambdaResult& lambda) {
  json steps = json::array();
  for (const LambdaStep& step : lambda.steps) {
    json values = json::array();
    for (const LambdaValue& v : step.values) values.push_back(v.metric);
    steps.push_back({{"lambda", step.lambda}, {"metric", values}});
  }
  history["lambda"] = {{"chosen", lambda.lambda}, {"steps", steps}};
  if (lambda.step > 0) history["lambda"]["step"] = lambda.step;
}

void record_minibatch(json& history, const MiniBatchFit& fit) {
  json path = json::array();
  for (const StepPoint& p : fit.path) path.push_back({{"steps", p.steps}, {"value", p.value}});
  history["adam"] = {{"steps", fit.path[fit.best].steps}, {"path", path}};
  if (!fit.lambda.empty()) history["lambda"] = {{"chosen", fit.lambda}, {"steps", json::array()}};
}

}  // namespace mmo
