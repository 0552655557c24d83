// Stands in for the report's page in a build without Node.js.
#include "mmo/report/report_page.h"

namespace mmo {

std::string_view report_template() { return {}; }

}  // namespace mmo
