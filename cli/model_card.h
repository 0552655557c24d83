// What `mmo inspect` shows about a model.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "mmo/model/model.h"

namespace mmo::cli {

// Does the file start like a model (safetensors: length of a JSON header, then the header)?
[[nodiscard]] bool is_model_file(const std::string& path);

// Throws UsageError for a name the model does not have.
[[nodiscard]] std::size_t label_number(const Model& model, const std::string& name);

// Throws UsageError if the two were given in the wrong order.
void refuse_swapped(const std::string& model, const std::string& data);

// `top` > 0 adds every label's features of largest weight, by size.
[[nodiscard]] nlohmann::ordered_json model_card(const Model& model, std::size_t top);
[[nodiscard]] std::string model_card_text(const Model& model, std::size_t top);

// A single label: its threshold, bias and `top` heaviest features (0 = ten). Throws UsageError for a name the
// model does not have.
[[nodiscard]] nlohmann::ordered_json label_card(const Model& model, const std::string& label,
                                                std::size_t top);
[[nodiscard]] std::string label_card_text(const Model& model, const std::string& label, std::size_t top);

}  // namespace mmo::cli
