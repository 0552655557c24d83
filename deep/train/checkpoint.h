// The state of a training run as one file that appears whole or not at all.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "deep/torch.h"

namespace mmo::deep {

struct Checkpoint {
  std::map<std::string, Tensor> tensors;  // 32-bit floats
  std::vector<double> lambda;             // LambdaTracker's state
  nlohmann::json state;                   // counters and history
  nlohmann::json run;                     // settings and sizes: must match to resume
};

void save_checkpoint(const Checkpoint& checkpoint, const std::string& path);
// Throws ModelError if the file is damaged or belongs to another run (naming the first difference).
[[nodiscard]] Checkpoint load_checkpoint(const std::string& path, const nlohmann::json& run);

}  // namespace mmo::deep
