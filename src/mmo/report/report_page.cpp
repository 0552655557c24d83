#include "mmo/report/report_page.h"

#include <cassert>

#include "mmo/core/error.h"

namespace mmo {
namespace {

constexpr std::string_view data_mark = "@@MMO_REPORT_DATA@@";

}  // namespace

void require_report_page() {
  if (!report_template().empty()) return;
  throw UsageError(
      "this program was built without Node.js and has no report page: install Node.js with npm, run "
      "'make web' and build again; a report's JSON needs neither (--report FILE.json)");
}

std::string report_text(const nlohmann::ordered_json& run) {
  return run.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string script_json(const nlohmann::ordered_json& value) {
  const std::string json = report_text(value);
  std::string out;
  out.reserve(json.size());
  for (std::size_t k = 0; k < json.size(); ++k) {
    const std::string_view rest = std::string_view(json).substr(k, 3);
    if (json[k] == '<') {
      out += "\\u003c";
    } else if (rest == "\u2028" || rest == "\u2029") {
      out += rest == "\u2028" ? "\\u2028" : "\\u2029";
      k += 2;
    } else {
      out += json[k];
    }
  }
  return out;
}

std::string report_page(const std::vector<nlohmann::ordered_json>& runs) {
  require_report_page();
  const std::string_view page = report_template();
  const std::size_t mark = page.find(data_mark);
  assert(mark != std::string_view::npos);
  std::string out(page.substr(0, mark));
  out += script_json({{"runs", runs}});
  out += page.substr(mark + data_mark.size());
  return out;
}

}  // namespace mmo
