// What each column of a table was read as, for cards and records.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "mmo/data/dataset.h"

namespace mmo {

// [{"name", "kind": text|category|number|date|left out, "categories", "missing", "why"}]; empty where all
// columns are numbers or have no names.
[[nodiscard]] nlohmann::json column_cards(const Dataset& data);
// "title (text), brand (category, 12 values), price (number, 5 % missing), id (left out: …)"
[[nodiscard]] std::string column_cards_text(const nlohmann::json& cards);

}  // namespace mmo
