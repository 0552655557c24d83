#include "mmo/stack/label_mix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/parallel.h"
#include "mmo/core/random.h"

namespace mmo {
namespace {

LabelMix random_mix(std::size_t labels, Random& random) {
  LabelMix mix;
  mix.scale = 0.9F;
  mix.shift = -0.2F;
  mix.weights = DenseMatrix(labels, labels);
  for (float& v : mix.weights.values) v = static_cast<float>(random.normal());
  for (std::size_t j = 0; j < labels; ++j) mix.centre.push_back(static_cast<float>(random.uniform()));
  return mix;
}

DenseMatrix random_scores(std::size_t rows, std::size_t labels, Random& random) {
  DenseMatrix z(rows, labels);
  for (float& v : z.values) v = static_cast<float>(3 * random.normal());
  return z;
}

TEST(LabelMix, FollowsItsFormula) {
  Random random(1);
  const std::size_t l = 37;
  const LabelMix stage = random_mix(l, random);
  const DenseMatrix z = random_scores(130, l, random);
  DenseMatrix mixed = z;
  mix(stage, mixed);
  for (std::size_t i = 0; i < z.rows; ++i) {
    for (std::size_t j = 0; j < l; ++j) {
      double expected = double{stage.scale} * z(i, j) + stage.shift;
      for (std::size_t k = 0; k < l; ++k) {
        expected += stage.weights(k, j) * (1 / (1 + std::exp(-double{z(i, k)})) - stage.centre[k]);
      }
      ASSERT_NEAR(mixed(i, j), expected, 1e-4);  // 37 float32 terms of order 1
    }
  }
}

TEST(LabelMix, RowByRowAndAnyThreadsGiveTheSameBits) {
  Random random(2);
  const LabelMix stage = random_mix(19, random);
  const DenseMatrix z = random_scores(201, 19, random);
  DenseMatrix together = z;
  set_threads(1);
  mix(stage, together);
  DenseMatrix threaded = z;
  set_threads(4);
  mix(stage, threaded);
  set_threads(0);
  EXPECT_EQ(threaded.values, together.values);
  DenseMatrix single = z;
  std::vector<float> scratch;
  for (std::size_t i = 0; i < z.rows; ++i) mix_row(stage, single.row(i), scratch);
  EXPECT_EQ(single.values, together.values);
}

TEST(LabelMix, ExtremeScoresStayFinite) {
  Random random(3);
  const LabelMix stage = random_mix(4, random);
  DenseMatrix z(1, 4);
  z.values = {1e4F, -1e4F, 200, -200};
  mix(stage, z);
  for (const float v : z.values) EXPECT_TRUE(std::isfinite(v));
}

}  // namespace
}  // namespace mmo
