// The record of the search (Model::history), cut down to what the page draws: a value per label becomes its
// lowest, middle and highest.
#pragma once

#include <nlohmann/json.hpp>

namespace mmo {

[[nodiscard]] nlohmann::ordered_json search_record(const nlohmann::json& history);

}  // namespace mmo
