// The record of the search (Model::history), reduced to what the page draws: one value per label becomes the
// lowest, middle and highest.
#pragma once

#include <nlohmann/json.hpp>

namespace mmo {

[[nodiscard]] nlohmann::ordered_json search_record(const nlohmann::json& history);

}  // namespace mmo
