#include "mmo/learn/trees/sort_few.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "mmo/core/random.h"

namespace mmo {
namespace {

TEST(SortFew, IsAStableSort) {
  Random random(1);
  for (std::size_t count = 0; count <= trees::few_bins; ++count) {
    for (const std::size_t values : {2, 10, 256}) {
      std::vector<std::uint8_t> bins(trees::few_bins);
      for (auto& bin : bins) bin = static_cast<std::uint8_t>(random.below(values));
      std::vector<std::uint32_t> order(trees::few_bins), expected(count);
      std::vector<std::uint8_t> sorted(trees::few_bins);
      trees::sort_few(bins.data(), count, order.data(), sorted.data());
      std::iota(expected.begin(), expected.end(), 0U);
      std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return bins[a] < bins[b]; });
      order.resize(count);
      EXPECT_EQ(order, expected);
      for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(sorted[k], bins[expected[k]]);
    }
  }
}

}  // namespace
}  // namespace mmo
