// A report's JSON written earlier, checked before the page shows it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mmo {

// A report, or what `mmo train --json` prints (then choices, no counts). Throws DataError: not JSON or cut
// short, another program's, of a newer schema, or columns that do not fit each other.
[[nodiscard]] nlohmann::ordered_json read_report(const std::string& path);

}  // namespace mmo
