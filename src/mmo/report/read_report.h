// Reads the JSON of an earlier report, checking it before the page shows it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mmo {

// A report, or the output of `mmo train --json` (then choices, no counts). Throws DataError for text that is
// not JSON or cut short, another program's, of a newer schema, or has columns that do not fit together.
[[nodiscard]] nlohmann::ordered_json read_report(const std::string& path);

}  // namespace mmo
