// The studies' results as Markdown, made from their JSON alone.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mmo::deep {

[[nodiscard]] std::string study_markdown(const nlohmann::ordered_json& results);

}  // namespace mmo::deep
