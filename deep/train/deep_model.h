// A trained network with everything needed to turn a raw file into labels: one safetensors file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "deep/net/network.h"
#include "mmo/rule/decision_rule.h"

namespace mmo::deep {

struct DeepModel {
  Network network;
  std::string vocabulary;  // text encoders
  std::size_t tokens = 0;  // longest text
  std::vector<std::string> label_names;
  std::string metric;      // what it was trained for
  DecisionRule rule;       // thresholds
  nlohmann::json history;  // settings and epochs, for people
};

void save_deep_model(const DeepModel& model, const std::string& path, bool overwrite);
// Throws ModelError naming what is missing or does not fit.
[[nodiscard]] DeepModel load_deep_model(const std::string& path);

}  // namespace mmo::deep
