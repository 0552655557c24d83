// Feature maps and learners other than the linear one as tensors and back.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mmo/model/model.h"
#include "mmo/model/model_parts.h"

namespace mmo {

// Tensors are called name.…
[[nodiscard]] nlohmann::json save_feature_map(const FeatureMap& map, const std::string& name,
                                              PartWriter& out);
[[nodiscard]] FeatureMap load_feature_map(const nlohmann::json& from, const std::string& name,
                                          const PartReader& in, std::size_t columns);

[[nodiscard]] nlohmann::json save_others(const std::vector<WeightedScorer>& others, PartWriter& out);
// For models whose input stage is loaded; checks everything that scoring relies on.
[[nodiscard]] std::vector<WeightedScorer> load_others(const nlohmann::json& from, const PartReader& in,
                                                      const Model& model);

}  // namespace mmo
