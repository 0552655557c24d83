// A model's training record in readable form: what was chosen, and what it is worth.
#pragma once

#include <string>

#include "mmo/model/model.h"

namespace mmo::cli {

// One readable block: the metric and its formula, then every choice with its out-of-fold value.
[[nodiscard]] std::string history_text(const Model& model);

}  // namespace mmo::cli
