#include "mmo/solver/adam.h"

#include <gtest/gtest.h>

#include <numeric>

namespace mmo {
namespace {

// Mean over rows of ½(w₀ − a_i)², which is least at the mean of a; w₁ is a bias that nothing pulls.
struct Parabola {
  std::vector<float> a{1, 2, 3, 6};
  std::vector<int> seen = std::vector<int>(4);

  [[nodiscard]] static std::size_t biases() { return 1; }
  double gradient(std::span<const std::uint32_t> rows, const std::vector<float>& w, std::vector<float>& g) {
    double value = 0;
    g.assign(2, 0.0F);
    for (const std::uint32_t i : rows) {
      ++seen[i];
      const float away = w[0] - a[i];
      value += 0.5 * away * away / static_cast<double>(rows.size());
      g[0] += away / static_cast<float>(rows.size());
    }
    return value;
  }
};

const std::vector<std::uint32_t> all{0, 1, 2, 3};

TEST(Adam, EndsWhereTheMeanIsLeast) {
  Parabola f;
  std::vector<float> w{-4, 5};
  AdamOptions options;
  options.learning_rate = 0.05;
  options.weight_decay = 0;
  options.steps = 2000;
  options.batch = 4;
  const AdamStatus status = minimise_adam(f, all, options, {}, w);
  EXPECT_NEAR(w[0], 3, 1e-3);
  EXPECT_EQ(w[1], 5);
  EXPECT_EQ(status.steps, 2000U);
  EXPECT_NEAR(status.value, 0.5 * (4 + 1 + 0 + 9) / 4, 1e-3);
}

// Two steps against the formula, by hand: g₁ = 2, decay .5·w.
TEST(Adam, StepsAreThePapers) {
  AdamOptions options;
  options.learning_rate = 0.1;
  options.weight_decay = 0.5;
  AdamState state(2, options);
  std::vector<float> w{1, 1};
  double m = 0;
  double v = 0;
  double expected = 1;
  for (int t = 1; t <= 2; ++t) {
    const double g = 2.0 * t + 0.5 * expected;
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    expected -= 0.1 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
    state.step({2.0F * static_cast<float>(t), 0.0F}, 1, w);
    EXPECT_NEAR(w[0], expected, 1e-5) << t;
    EXPECT_EQ(w[1], 1) << "a bias has no weight decay";
  }
}

TEST(Adam, EveryPassSeesEveryRowOnceAndReportsWhereAsked) {
  Parabola f;
  std::vector<float> w{0, 0};
  AdamOptions options;
  options.batch = 3;
  options.steps = 6;  // three passes
  options.report_at = {2, 5};
  std::vector<std::size_t> reported;
  minimise_adam(f, all, options, [&](std::size_t step, const auto&) { reported.push_back(step); }, w);
  EXPECT_EQ(f.seen, (std::vector<int>{3, 3, 3, 3}));
  EXPECT_EQ(reported, (std::vector<std::size_t>{2, 5}));
}

}  // namespace
}  // namespace mmo
