// Where numbers come from, stated on every generated page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mmo::study {

// {"build", "date", "machine"} of this program, now.
[[nodiscard]] nlohmann::ordered_json provenance();
// "Measured by `command`: mmo 0.1.0 (d61088f), 2026-11-19, AMD EPYC, 2 cores." from such an object.
[[nodiscard]] std::string provenance_text(const nlohmann::ordered_json& made, const std::string& command);

}  // namespace mmo::study
