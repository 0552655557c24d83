#include "mmo/core/nearest.h"

#include <gtest/gtest.h>

namespace mmo {
namespace {

TEST(Nearest, CountsInsertionsDeletionsAndSubstitutions) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("same", "same"), 0U);
}

TEST(Nearest, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string> known{"metric", "model", "method", "labels"};
  EXPECT_EQ(nearest("metrc", known), "metric");
  EXPECT_EQ(nearest("lables", known), "labels");
  EXPECT_EQ(nearest("quiet", known), "");
  EXPECT_EQ(nearest("x", known), "");
  EXPECT_EQ(nearest("", known), "");
}

}  // namespace
}  // namespace mmo
