// A model's card in Markdown, headed by the metadata that the Hugging Face Hub and others read.
#pragma once

#include <string>

#include "mmo/model/model.h"

namespace mmo {

// `name` is what the card calls the model, such as its file's name without the ending.
[[nodiscard]] std::string hub_card(const Model& model, const std::string& name);

}  // namespace mmo
