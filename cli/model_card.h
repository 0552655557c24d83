// What `mmo inspect` shows of a model.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "mmo/model/model.h"

namespace mmo::cli {

// Does the file start like a model (safetensors: length of a JSON header, then the header)?
[[nodiscard]] bool is_model_file(const std::string& path);

// `top` > 0 adds the features of largest weight, by size, of every label (of `label` only, unless empty).
[[nodiscard]] nlohmann::ordered_json model_card(const Model& model, std::size_t top,
                                                const std::string& label);
[[nodiscard]] std::string model_card_text(const Model& model, std::size_t top, const std::string& label);

}  // namespace mmo::cli
