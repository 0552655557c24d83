// mmo inspect MODEL --importance DATA
#pragma once

#include <cstddef>
#include <string>

#include "cli/command.h"
#include "mmo/model/model.h"

namespace mmo::cli {

// `label` empty = all of them; `top` = 0: twenty columns.
void print_importance(const Common& common, const Model& model, const std::string& data,
                      const std::string& label, std::size_t top);

}  // namespace mmo::cli
