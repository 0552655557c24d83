#include "mmo/loss/column_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/loss/softplus.h"

namespace mmo {
namespace {

constexpr std::size_t rows = 70, stride = 16;
constexpr double float_rounding = 3e-6;

struct Cells {
  std::vector<std::int8_t> sign = std::vector<std::int8_t>(rows * stride);
  std::vector<float> row_weight = std::vector<float>(rows), row_cost = std::vector<float>(rows);
  std::vector<float> positive = std::vector<float>(stride), negative = std::vector<float>(stride);
  std::vector<float> z = std::vector<float>(rows * stride), dz = std::vector<float>(rows * stride),
                     step = std::vector<float>(stride);

  Cells() {
    Random random(11);
    for (auto& s : sign) s = static_cast<std::int8_t>(random.below(3)) - 1;
    for (auto& w : row_weight) w = static_cast<float>(0.5 + random.uniform());
    for (auto& a : row_cost) a = static_cast<float>(5 + random.uniform());
    for (auto& a : positive) a = static_cast<float>(0.5 + random.uniform());
    for (auto& b : negative) b = static_cast<float>(0.5 + random.uniform());
    for (auto& v : z) v = static_cast<float>(3 * random.normal());
    for (auto& v : dz) v = static_cast<float>(random.normal());
    for (auto& t : step) t = static_cast<float>(random.uniform());
  }
  [[nodiscard]] ColumnCells view() const {
    return {rows, stride, sign.data(), row_weight.data(), positive.data(), negative.data(), row_cost.data()};
  }
};

// The formulas of column_loss.h in double.
double cell_loss(const ColumnLoss& loss, double t, double w, double row_cost, double z) {
  if (t == 0) return 0;
  switch (loss.kind) {
    case ColumnLoss::Kind::logistic:
      return w * softplus(-t * z);
    case ColumnLoss::Kind::generalised:
      return w * (1 - std::pow(sigmoid(t * z), double{loss.tau})) / loss.tau;
    case ColumnLoss::Kind::joint:
      return w * softplus(-t * z) + 0.5 * loss.kappa * (row_cost - w) * (softplus(z) + softplus(-z));
    case ColumnLoss::Kind::squared_hinge:
      return w * std::pow(std::max(0.0, 1 - t * z), 2);
  }
  return 0;
}

const std::vector<ColumnLoss> losses{{ColumnLoss::Kind::logistic, 0, 1},
                                     {ColumnLoss::Kind::generalised, 0.7F, 1},
                                     {ColumnLoss::Kind::joint, 0, 0.5F},
                                     {ColumnLoss::Kind::squared_hinge, 0, 1}};

TEST(ColumnLoss, ValueAndSlopeFollowTheFormula) {
  const Cells cells;
  for (const ColumnLoss& loss : losses) {
    std::vector<float> slope(rows * stride);
    std::vector<double> value(stride);
    evaluate_loss(loss, cells.view(), cells.z.data(), cells.dz.data(), cells.step.data(), slope.data(),
                  value.data());
    for (std::size_t c = 0; c < stride; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t at = i * stride + c;
        const double t = cells.sign[at];
        const double w = cells.row_weight[i] * (t > 0 ? cells.positive[c] : cells.negative[c]);
        const double cost = cells.row_weight[i] * cells.row_cost[i];
        const double z = cells.z[at] + cells.step[c] * cells.dz[at];
        sum += cell_loss(loss, t, w, cost, z);
        // Central difference; the squared hinge's kink costs at most w·d.
        const double d = 1e-4;
        const double difference =
            (cell_loss(loss, t, w, cost, z + d) - cell_loss(loss, t, w, cost, z - d)) / (2 * d);
        EXPECT_NEAR(slope[at], difference, 1e-3 * std::abs(w) * d + 2e-5);
      }
      EXPECT_NEAR(value[c], sum, float_rounding * rows * 10);
    }
  }
}

TEST(ColumnLoss, CurvatureIsTheSlopesDerivative) {
  const Cells cells;
  for (const ColumnLoss& loss : losses) {
    if (loss.kind == ColumnLoss::Kind::generalised) continue;  // has a stand-in
    std::vector<float> curvature(rows * stride);
    loss_curvature(loss, cells.view(), cells.z.data(), curvature.data());
    for (std::size_t at = 0; at < rows * stride; ++at) {
      const std::size_t i = at / stride;
      const std::size_t c = at % stride;
      const double t = cells.sign[at];
      const double w = cells.row_weight[i] * (t > 0 ? cells.positive[c] : cells.negative[c]);
      const double cost = cells.row_weight[i] * cells.row_cost[i];
      const double d = 1e-4;
      const auto f = [&](double z) { return cell_loss(loss, t, w, cost, z); };
      const double second = (f(cells.z[at] + d) - 2 * f(cells.z[at]) + f(cells.z[at] - d)) / (d * d);
      EXPECT_NEAR(curvature[at], second, 1e-3 * std::abs(second) + 1e-4);
    }
  }
}

TEST(ColumnLoss, ExtremeScoresStayFinite) {
  Cells cells;
  for (std::size_t e = 0; e < cells.z.size(); ++e) cells.z[e] = (e % 2 == 0 ? 1e4F : -1e4F);
  for (const ColumnLoss& loss : losses) {
    std::vector<float> slope(rows * stride);
    std::vector<double> value(stride);
    evaluate_loss(loss, cells.view(), cells.z.data(), nullptr, nullptr, slope.data(), value.data());
    for (const double v : value) EXPECT_TRUE(std::isfinite(v));
    for (const float s : slope) EXPECT_TRUE(std::isfinite(s));
  }
}

}  // namespace
}  // namespace mmo
