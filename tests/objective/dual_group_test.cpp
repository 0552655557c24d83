#include "mmo/objective/dual_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/loss/logistic_loss.h"
#include "mmo/loss/softplus.h"
#include "mmo/loss/squared_hinge.h"

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

// A few features, rows with some or none of them, and columns that leave some of them out.
struct Rows {
  static constexpr std::size_t features = 12;
  CsrMatrix x;
  std::size_t columns;
  std::vector<std::int8_t> sign;
  std::vector<float> weight, costs, bias_lengths, lengths;
  std::vector<std::uint32_t> order;
  Random random{3};

  explicit Rows(std::size_t columns_of_group) : columns(columns_of_group) {
    x.cols = features;
    for (std::size_t i = 0; i < 60; ++i) {
      for (std::uint32_t k = 0; k < features && i != 17; ++k) {
        if (random.uniform() < 0.6) continue;
        x.indices.push_back(k);
        x.values.push_back(static_cast<float>(random.normal()));
      }
      x.offsets.push_back(x.indices.size());
      ++x.rows;
      for (std::size_t c = 0; c < columns; ++c)
        sign.push_back(random.uniform() < 0.1 ? 0 : random.uniform() < 0.4 ? 1 : -1);
      weight.push_back(i == 5 ? 0.0F : i % 2 == 0 ? 1.0F : 2.5F);
    }
    costs.assign(columns, 1.0F);
    bias_lengths.assign(columns, 4.0F);
    lengths = row_lengths(x);
    order.resize(x.rows);
    std::iota(order.begin(), order.end(), 0U);
  }
  [[nodiscard]] ColumnCells cells(bool weighted) const {
    return {x.rows,       columns,      sign.data(), weighted ? weight.data() : nullptr,
            costs.data(), costs.data(), nullptr};
  }
  [[nodiscard]] std::vector<float> zeros() const { return std::vector<float>((features + 1) * columns); }
  DualGroup::Progress pass(DualGroup& group) {
    random.shuffle(order);
    return group.pass(order);
  }
};

TEST(DualGroup, PassesBringValueAndDualTogether) {
  for (const std::size_t columns : {8U, 16U, 24U, 32U}) {
    Rows rows(columns);
    const std::vector<float> ridge(columns, 0.5F);
    for (const auto kind : {ColumnLoss::Kind::squared_hinge, ColumnLoss::Kind::logistic}) {
      std::vector<float> weights = rows.zeros();
      DualGroup group(rows.x, rows.lengths, {.kind = kind}, rows.cells(false), ridge, rows.bias_lengths,
                      weights.data());
      EXPECT_EQ(group.columns(), columns);
      group.start();
      group.close(5);
      DualGroup::Progress progress;
      for (int pass = 0; pass < 400; ++pass) progress = rows.pass(group);
      for (std::size_t c = 0; c < columns; ++c) {
        const auto w = [&](std::size_t k) { return static_cast<double>(weights[k * columns + c]); };
        if (c == 5) {
          for (std::size_t k = 0; k <= Rows::features; ++k) EXPECT_EQ(w(k), 0.0);
          continue;
        }
        double value = 0;
        double slope_of_bias = 0;
        for (std::size_t k = 0; k < Rows::features; ++k) value += 0.25 * w(k) * w(k);
        for (std::size_t i = 0; i < rows.x.rows; ++i) {
          const double t = rows.sign[i * columns + c];
          if (t == 0) continue;
          double z = w(Rows::features);
          for (std::size_t e = 0; e < rows.x.row_indices(i).size(); ++e)
            z += static_cast<double>(rows.x.row_values(i)[e]) * w(rows.x.row_indices(i)[e]);
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

// From the duals at another ridge, weights and duals still belong together, and fewer passes lead to the same
// place.
TEST(DualGroup, StartsFromAnotherRidge) {
  constexpr std::size_t columns = 16;
  Rows rows(columns);
  const ColumnLoss hinge{.kind = ColumnLoss::Kind::squared_hinge};
  const std::vector<float> strong(columns, 6.0F);
  const auto passes_needed = [&](DualGroup& group) {
    for (int pass = 1;; ++pass) {
      const DualGroup::Progress progress = rows.pass(group);
      bool done = true;
      for (std::size_t c = 0; c < columns; ++c)
        done = done && (c == 3 || progress.gap[c] < 1e-5 * progress.value[c]);
      if (done || pass == 1000) return pass;
    }
  };
  std::vector<float> before = rows.zeros();
  DualGroup first(rows.x, rows.lengths, hinge, rows.cells(true), strong, rows.bias_lengths, before.data());
  first.start();
  first.close(3);
  passes_needed(first);
  const auto close_all = [](DualGroup& group) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (c != 3) group.close(c);
    }
  };
  close_all(first);
  const DualGroup::Solved solved = first.take_solved();
  for (const float ridge : {2.0F, 20.0F}) {
    const std::vector<float> other(columns, ridge);
    std::vector<float> cold = rows.zeros();
    DualGroup from_nothing(rows.x, rows.lengths, hinge, rows.cells(true), other, rows.bias_lengths,
                           cold.data());
    from_nothing.start();
    from_nothing.close(3);
    const int cold_passes = passes_needed(from_nothing);
    std::vector<float> warm(before.size(), 1e9F);  // written in full
    DualGroup group(rows.x, rows.lengths, hinge, rows.cells(true), other, rows.bias_lengths, warm.data());
    group.start_from(solved, before.data());
    for (std::size_t c = 0; c < columns; ++c) {  // no other factor is better for the dual
      if (c == 3) continue;
      double square = 0;
      double alphas = 0;
      for (std::size_t k = 0; k < Rows::features; ++k)
        square += 0.5 * std::pow(static_cast<double>(before[k * columns + c]), 2);
      for (std::size_t i = 0; i < rows.x.rows; ++i) {
        const double alpha = solved.duals[i * columns + c];
        alphas += alpha;
        if (alpha > 0) square += alpha * alpha * ridge / (4 * static_cast<double>(rows.weight[i]));
      }
      const double factor = static_cast<double>(warm[c]) / static_cast<double>(before[c]);
      const auto dual = [&](double s) { return s * s * square - s * alphas; };
      EXPECT_LT(dual(factor), dual(1.03 * factor));
      EXPECT_LT(dual(factor), dual(0.97 * factor));
    }
    group.close(3);
    EXPECT_LT(passes_needed(group), cold_passes);
    close_all(group);
    const DualGroup::Solved after = group.take_solved();
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t k = 0; k <= Rows::features; ++k)
        EXPECT_NEAR(warm[k * columns + c], cold[k * columns + c], 1e-2);
      if (c == 3) continue;
      double pull = 0;
      for (std::size_t i = 0; i < rows.x.rows; ++i)
        pull += static_cast<double>(rows.sign[i * columns + c]) * after.duals[i * columns + c];
      EXPECT_NEAR(after.pull[c], pull, 1e-4);
      for (std::size_t k = 0; k < Rows::features; ++k) {  // w = Σ α·t·x, still
        double sum = 0;
        for (std::size_t i = 0; i < rows.x.rows; ++i) {
          const auto index = rows.x.row_indices(i);
          const auto at = std::find(index.begin(), index.end(), k);
          if (at == index.end()) continue;
          const double own = rows.x.row_values(i)[static_cast<std::size_t>(at - index.begin())];
          sum += own * rows.sign[i * columns + c] * after.duals[i * columns + c];
        }
        EXPECT_NEAR(warm[k * columns + c], sum, 1e-4);
      }
    }
  }
}

}  // namespace
}  // namespace mmo
