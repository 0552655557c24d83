#include "study/ablations.h"

#include <gtest/gtest.h>

namespace mmo::study {
namespace {

// Every ablation must be a recipe that can be made.
TEST(Ablations, AreAllKnownSettings) {
  for (const bool sparse : {false, true}) {
    const auto list = ablations(sparse);
    EXPECT_EQ(list[0].text, "linear");
    EXPECT_GE(list.size(), 8U);
  }
}

}  // namespace
}  // namespace mmo::study
