// Where the tests' own files lie, and the public data sets (beside the project, if at all). In a file of
// their own, so that all other tests compile to the same objects in every clone.
#pragma once

#include <string>

namespace mmo::test {

[[nodiscard]] std::string test_folder();
[[nodiscard]] std::string shared_data();

}  // namespace mmo::test
