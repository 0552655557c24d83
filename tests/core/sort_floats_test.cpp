#include "mmo/core/sort_floats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "mmo/core/random.h"

namespace mmo {
namespace {

TEST(SortFloats, AgreesWithComparisons) {
  Random random(7);
  for (const std::size_t n : {0, 1, 2, 63, 64, 65, 1000, 70000}) {
    for (const double spread : {1e-30, 1.0, 1e30}) {
      std::vector<float> values(n);
      for (float& v : values) v = static_cast<float>(random.normal() * spread);
      for (std::size_t i = 0; i + 3 < n; i += 5) values[i] = values[i + 3];
      std::vector<float> expected = values;
      std::sort(expected.begin(), expected.end());
      sort_floats(values);
      EXPECT_EQ(values, expected) << n << " values, spread " << spread;
    }
  }
}

TEST(SortFloats, ExtremeAndEqualValues) {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values(50, 3.0F);
  for (const float v : {Limits::max(), Limits::lowest(), Limits::denorm_min(), -Limits::denorm_min(), 0.0F,
                        -0.0F, Limits::infinity(), -Limits::infinity()}) {
    values.insert(values.end(), 3, v);
  }
  std::vector<float> expected = values;
  std::sort(expected.begin(), expected.end());
  sort_floats(values);
  EXPECT_EQ(values, expected);  // −0 equals 0

  std::vector<float> equal(200, -2.5F);
  sort_floats(equal);
  EXPECT_EQ(equal, std::vector<float>(200, -2.5F));
}

}  // namespace
}  // namespace mmo
