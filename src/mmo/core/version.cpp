#include "mmo/core/version.h"

namespace mmo {

std::string version() { return MMO_VERSION; }

}  // namespace mmo
