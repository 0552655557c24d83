#include "mmo/core/version.h"

namespace mmo {

std::string version() { return MMO_VERSION; }

std::string source_revision() { return MMO_REVISION; }

}  // namespace mmo
