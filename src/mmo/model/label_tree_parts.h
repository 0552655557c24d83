// Label trees as tensors and back.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "mmo/learn/many/label_trees.h"
#include "mmo/model/model_parts.h"

namespace mmo {

// Tensors are called label_trees.…
[[nodiscard]] nlohmann::json save_label_trees(const LabelTrees& trees, PartWriter& out);
// Checks everything that scoring relies on.
[[nodiscard]] LabelTrees load_label_trees(const nlohmann::json& from, const PartReader& in,
                                          std::size_t labels);

}  // namespace mmo
