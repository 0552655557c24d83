// The report as one HTML page that works offline: the page built from web/ with the runs' JSON inside.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mmo {

// The page without data; empty when this build was made without Node.js. Generated in the build tree.
[[nodiscard]] std::string_view report_template();

// One run, or several side by side. Throws UsageError if the build has no page.
[[nodiscard]] std::string report_page(const std::vector<nlohmann::ordered_json>& runs);
// Throws whatever report_page() would throw: before the work rather than after it.
void require_report_page();

// As a separate file. Invalid UTF-8 is replaced.
[[nodiscard]] std::string report_text(const nlohmann::ordered_json& run);
// JSON that is safe inside <script>: no "<", no line separators.
[[nodiscard]] std::string script_json(const nlohmann::ordered_json& value);

}  // namespace mmo
