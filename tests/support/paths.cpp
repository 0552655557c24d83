#include "support/paths.h"

namespace mmo::test {

std::string test_folder() { return MMO_TEST_FOLDER; }
std::string shared_data() { return MMO_TEST_SHARED_DATA; }

}  // namespace mmo::test
