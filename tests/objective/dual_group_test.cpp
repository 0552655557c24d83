#include "mmo/objective/dual_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/loss/softplus.h"
#include "mmo/objective/dual_steps.h"

namespace mmo {
namespace {

const std::vector<double> margins{-60, -9, -1.5, -0.3, 0, 0.2, 0.99, 1.7, 6, 40};
const std::vector<double> costs{1e-4, 0.03, 1, 25, 4000};
const std::vector<double> lengths{0.01, 1, 130};

// One lane of a step, in double.
struct Lane {
  double dual, change, loss, gap;
};
template <class Rule>
Lane step(const Rule& rule, double m, double cost, double q, double dual) {
  const Vec8 zero = {};
  const DualStep<Vec8> out = rule(Vec8(zero + static_cast<float>(m)), Vec8(zero + static_cast<float>(cost)),
                                  Vec8(zero + static_cast<float>(1 / cost)),
                                  Vec8(zero + static_cast<float>(q)), Vec8(zero + static_cast<float>(dual)));
  return {out.dual[3], out.change[3], out.loss[3], out.gap[3]};
}

double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0; }

// What a step minimises over α: ½q·α² + m₀·α + C·ℓ*(−α/C).
double hinge_dual(double alpha, double alone, double cost, double q) {
  return 0.5 * q * alpha * alpha + (alone - 1) * alpha + alpha * alpha / (4 * cost);
}
double logistic_dual(double alpha, double alone, double cost, double q) {
  return 0.5 * q * alpha * alpha + alone * alpha + x_log_x(alpha) + x_log_x(cost - alpha) - x_log_x(cost);
}

template <class Check>
void for_all_cases(const Check& check) {
  for (const double m : margins) {
    for (const double cost : costs) {
      for (const double q : lengths) {
        SCOPED_TRACE(testing::Message() << "m " << m << " cost " << cost << " length " << q);
        check(m, cost, q);
      }
    }
  }
}

TEST(DualSteps, SquaredHingeGoesDownToItsMinimum) {
  for_all_cases([](double m, double cost, double q) {
    for (const double start : {0.0, 0.5 * cost, 3 * cost}) {
      const double alone = m - q * start;
      double alpha = start;
      double value = hinge_dual(alpha, alone, cost, q);
      for (int k = 0; k < 30; ++k) {
        alpha = step(SquaredHingeStep{}, alone + q * alpha, cost, q, alpha).dual;
        const double next = hinge_dual(alpha, alone, cost, q);
        EXPECT_LE(next, value + 1e-4 * (1 + std::abs(value)));
        value = next;
      }
      const double best = std::max(0.0, (1 - alone) / (q + 1 / (2 * cost)));
      EXPECT_NEAR(alpha, best, 1e-4 * (best + (1 + std::abs(alone)) / (q + 1 / (2 * cost))));
    }
  });
}

TEST(DualSteps, LogisticGoesDownToItsMinimum) {
  for_all_cases([](double m, double cost, double q) {
    for (const double start : {40.0, 2.0, -0.4, -12.0}) {
      double y = start;
      const double alone = m - q * cost * sigmoid(-y);
      double value = logistic_dual(cost * sigmoid(-y), alone, cost, q);
      for (int k = 0; k < 30; ++k) {
        const double alpha = cost * sigmoid(-y);
        const Lane lane = step(LogisticStep{}, alone + q * alpha, cost, q, y);
        ASSERT_TRUE(std::isfinite(lane.dual));
        EXPECT_NEAR(lane.change, cost * sigmoid(-lane.dual) - alpha, 1e-5 * cost);
        y = lane.dual;
        const double next = logistic_dual(cost * sigmoid(-y), alone, cost, q);
        // From an α near C, which descent does not come to by itself, two steps may not be enough.
        if (start > 0) {
          EXPECT_LE(next, value + 1e-4 * (1 + std::abs(value)));
        }
        value = next;
      }
      // Margins beyond ±80 are as good as those.
      const double y_best = alone + q * cost * sigmoid(-y);
      EXPECT_NEAR(y, std::clamp(y_best, -80.0, 80.0),
                  1e-2 + 2e-6 * (std::abs(alone) + q * cost));  // of floats
    }
  });
}

// The gap's part of a row by its definition.
TEST(DualSteps, TheGapIsWhatLossAndDualSayOfARow) {
  for_all_cases([](double m, double cost, double q) {
    for (const double share : {0.0, 0.2, 2.5}) {
      const double alpha = share * cost;
      const double loss = cost * std::pow(std::max(0.0, 1 - m), 2);
      const Lane lane = step(SquaredHingeStep{}, m, cost, q, alpha);
      EXPECT_NEAR(lane.loss, loss, 1e-5 * loss);
      EXPECT_NEAR(lane.gap, loss - alpha + alpha * alpha / (4 * cost) + alpha * m,
                  1e-5 * (loss + alpha * (1 + std::abs(m))));
    }
    for (const double y : {-5.0, -0.5, 0.4, 3.0}) {
      const double alpha = cost * sigmoid(-y);
      const double loss = cost * softplus(-m);
      const double gap = loss + alpha * m + x_log_x(alpha) + x_log_x(cost - alpha) - x_log_x(cost);
      const Lane lane = step(LogisticStep{}, m, cost, q, y);
      EXPECT_NEAR(lane.loss, loss, 1e-5 * loss);
      EXPECT_LE(gap, 2 * lane.gap + 1e-5 * (loss + cost));
      EXPECT_GE(lane.gap, 0.0);
    }
    if (std::abs(m) > 10) return;
    for (const double off : {-0.1, 0.1}) {  // near the minimum it is that to second order
      const double y = m + off;
      const double share = sigmoid(-y);
      const double half = 0.5 * cost * off * off * share * (1 - share);
      EXPECT_NEAR(step(LogisticStep{}, m, cost, q, y).gap, half, 0.1 * half + 1e-8 * cost);
    }
  });
}

// A few features, rows with some or none of them.
TEST(DualGroup, PassesBringValueAndDualTogether) {
  CsrMatrix x;
  constexpr std::size_t features = 12;
  x.cols = features;
  std::vector<std::int8_t> sign;
  Random random(3);
  constexpr std::size_t stride = 24;  // the second group has eight columns
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::uint32_t k = 0; k < features && i != 17; ++k) {
      if (random.uniform() < 0.6) continue;
      x.indices.push_back(k);
      x.values.push_back(static_cast<float>(random.normal()));
    }
    x.offsets.push_back(x.indices.size());
    ++x.rows;
    for (std::size_t c = 0; c < stride; ++c)
      sign.push_back(random.uniform() < 0.1 ? 0 : random.uniform() < 0.4 ? 1 : -1);
  }
  const std::vector<float> lengths_of_rows = row_lengths(x);
  const std::vector<float> costs_of_columns(stride, 1.0F);
  const std::vector<float> ridge(stride, 0.5F);
  const std::vector<float> bias_lengths(stride, 4.0F);
  const ColumnCells cells{
      x.rows, stride, sign.data(), nullptr, costs_of_columns.data(), costs_of_columns.data(), nullptr};
  std::vector<std::uint32_t> order(x.rows);
  std::iota(order.begin(), order.end(), 0U);
  for (const auto kind : {ColumnLoss::Kind::squared_hinge, ColumnLoss::Kind::logistic}) {
    std::vector<float> weights((features + 1) * stride);
    for (const std::size_t first : {0U, 16U}) {
      DualGroup group(x, lengths_of_rows, {.kind = kind}, cells, ridge, bias_lengths, first, weights.data());
      EXPECT_EQ(group.columns(), first == 0 ? 16U : 8U);
      group.close(5);
      DualGroup::Progress progress;
      for (int pass = 0; pass < 400; ++pass) {
        random.shuffle(order);
        progress = group.pass(order);
      }
      for (std::size_t c = 0; c < group.columns(); ++c) {
        const std::size_t at = first + c;
        if (c == 5) {
          for (std::size_t k = 0; k <= features; ++k) EXPECT_EQ(weights[k * stride + at], 0.0F);
          continue;
        }
        double value = 0;
        double slope_of_bias = 0;
        for (std::size_t k = 0; k < features; ++k) value += 0.25 * std::pow(weights[k * stride + at], 2);
        for (std::size_t i = 0; i < x.rows; ++i) {
          const double t = sign[i * stride + at];
          if (t == 0) continue;
          double z = weights[features * stride + at];
          for (std::size_t e = 0; e < x.row_indices(i).size(); ++e)
            z += static_cast<double>(x.row_values(i)[e]) * weights[x.row_indices(i)[e] * stride + at];
          const bool hinge = kind == ColumnLoss::Kind::squared_hinge;
          value += hinge ? std::pow(std::max(0.0, 1 - t * z), 2) : softplus(-t * z);
          slope_of_bias -= t * (hinge ? 2 * std::max(0.0, 1 - t * z) : sigmoid(-t * z));
        }
        EXPECT_NEAR(progress.value[c], value, 1e-4 * value);
        EXPECT_LT(progress.gap[c], 1e-5 * value);
        EXPECT_NEAR(slope_of_bias, 0.0, 1e-2);  // of 60 rows: the bias has no ridge
      }
    }
  }
}

}  // namespace
}  // namespace mmo
