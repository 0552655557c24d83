// BCE, ASL, sigmoidF1 and the squared hinge: values from their definitions, gradients from finite
// differences, extremes from limits.
#include <gtest/gtest.h>

#include <cmath>

#include "mmo/loss/asl.h"
#include "mmo/loss/sigmoid_f1.h"
#include "mmo/loss/surrogate.h"
#include "support/brute_force.h"
#include "support/finite_difference.h"
#include "support/plain_losses.h"

namespace mmo {
namespace {

constexpr double kGradient = 1e-8;  // see finite_difference.h
constexpr double kValue = 1e-12;    // two algebraically equal forms

std::vector<std::uint8_t> random_present(Random& random, std::size_t size) {
  return as_present(random_label_set(random, size));
}

void expect_gradient(const ScalarField& value, const std::vector<double>& x,
                     const std::vector<double>& gradient) {
  const auto numeric = gradient_of(value, x);
  for (std::size_t j = 0; j < x.size(); ++j)
    EXPECT_NEAR(gradient[j], numeric[j], kGradient * std::max(1.0, std::fabs(numeric[j])));
}

TEST(Bce, DefinitionGradientAndRelationToTheSurrogate) {
  Random random(1);
  const std::size_t l = 9;
  const auto z = random_scores(random, l, 2);
  const auto y = random_present(random, l);
  double expected = 0;
  std::vector<double> half(l);
  for (std::size_t j = 0; j < l; ++j) {
    const double p = 1 / (1 + std::exp(-z[j]));
    expected -= y[j] != 0 ? std::log(p) : std::log(1 - p);
    half[j] = z[j] / 2;
  }
  std::vector<double> gradient(l);
  std::vector<double> curvature(l);
  EXPECT_NEAR(bce(z, y, gradient, curvature), expected, kValue * expected);
  expect_gradient([&](const auto& x) { return bce(x, y); }, z, gradient);
  const std::vector<LabelCost> ones(l, LabelCost{1, 1});
  EXPECT_NEAR(surrogate_independent(half, tight_cells(y, ones), 0), expected, kValue * expected);
  for (std::size_t j = 0; j < l; ++j) {
    const double p = 1 / (1 + std::exp(-z[j]));
    EXPECT_NEAR(curvature[j], p * (1 - p), kValue);
  }
}

TEST(Asl, DefinitionAndGradient) {
  Random random(2);
  for (const AslParameters parameters :
       {AslParameters{}, AslParameters{0, 0, 0}, AslParameters{1, 4, 0}, AslParameters{0.5, 2, 0.2}}) {
    const std::size_t l = 12;
    const auto z = random_scores(random, l, 2);
    const auto y = random_present(random, l);
    double expected = 0;
    for (std::size_t j = 0; j < l; ++j) {
      const double p = 1 / (1 + std::exp(-z[j]));
      const double shifted = std::max(p - parameters.margin, 0.0);
      expected -= y[j] != 0 ? std::pow(1 - p, parameters.gamma_positive) * std::log(p)
                            : std::pow(shifted, parameters.gamma_negative) * std::log(1 - shifted);
    }
    std::vector<double> gradient(l);
    EXPECT_NEAR(asl(z, y, parameters, gradient), expected, kValue * expected);
    expect_gradient([&](const auto& x) { return asl(x, y, parameters); }, z, gradient);
  }
}

TEST(Asl, WithoutFocusingIsBce) {
  Random random(3);
  const auto z = random_scores(random, 8, 3);
  const auto y = random_present(random, 8);
  EXPECT_NEAR(asl(z, y, {0, 0, 0}), bce(z, y), kValue);
}

TEST(Asl, Extremes) {
  const std::vector<double> z = {1e4, -1e4, 1e4, -1e4};
  const std::vector<std::uint8_t> y = {1, 1, 0, 0};
  std::vector<double> gradient(4);
  // A missed positive costs 1e4; a false alarm is clipped at −log(m) by the margin.
  EXPECT_NEAR(asl(z, y, {1, 4, 0.05}, gradient), 1e4 - std::pow(0.95, 4) * std::log(0.05), 1e-9);
  EXPECT_NEAR(gradient[1], -1, kValue);
  for (const double g : gradient) EXPECT_TRUE(std::isfinite(g));
  EXPECT_NEAR(asl(z, y, {1, 4, 0}, gradient), 2e4, 1e-9);
}

TEST(SigmoidF1, DefinitionAndGradient) {
  Random random(4);
  const std::size_t rows = 6;
  const std::size_t labels = 3;
  const auto u = random_scores(random, rows * labels, 1.5);
  const auto y = random_present(random, rows * labels);
  for (const SigmoidF1Parameters parameters :
       {SigmoidF1Parameters{}, SigmoidF1Parameters{2, 0.5, false}, SigmoidF1Parameters{3, -0.5, true}}) {
    const auto f1_of = [&](const std::vector<std::size_t>& chosen) {
      double tp = 0;
      double fp = 0;
      double fn = 0;
      for (const std::size_t cell : chosen) {
        const double s = 1 / (1 + std::exp(-parameters.beta * (u[cell] + parameters.eta)));
        tp += y[cell] * s;
        fp += (1 - y[cell]) * s;
        fn += y[cell] * (1 - s);
      }
      return 2 * tp / (2 * tp + fp + fn);
    };
    std::vector<std::vector<std::size_t>> groups(parameters.micro ? 1 : labels);
    for (std::size_t cell = 0; cell < u.size(); ++cell)
      groups[parameters.micro ? 0 : cell % labels].push_back(cell);
    double expected = 0;
    for (const auto& group : groups) expected += (1 - f1_of(group)) / static_cast<double>(groups.size());
    std::vector<double> gradient(u.size());
    EXPECT_NEAR(sigmoid_f1(labels, u, y, parameters, gradient), expected, kValue);
    expect_gradient([&](const auto& x) { return sigmoid_f1(labels, x, y, parameters); }, u, gradient);
  }
}

TEST(SigmoidF1, ExtremesStayFinite) {
  const std::vector<double> u = {1e4, -1e4, -1e4,
                                 -1e4};  // label 0: hit and correct miss; label 1: nothing at all
  const std::vector<std::uint8_t> y = {1, 0, 0, 0};
  std::vector<double> gradient(4);
  EXPECT_NEAR(sigmoid_f1(2, u, y, {}, gradient), 0.5, kValue);
  for (const double g : gradient) EXPECT_TRUE(std::isfinite(g));
}

TEST(SquaredHinge, DefinitionGradientAndCurvature) {
  Random random(5);
  const std::size_t l = 10;
  const auto h = random_scores(random, l, 1.5);
  const auto y = random_present(random, l);
  const auto costs = random_costs(random, l, -0.5);
  const auto cells = tight_cells(y, costs);
  double expected = 0;
  for (std::size_t j = 0; j < l; ++j) {
    const double cost = y[j] != 0 ? costs[j].false_negative : costs[j].false_positive;
    const double towards = (y[j] != 0 ? 1 : -1) * (cost < 0 ? -1 : 1);
    expected += std::fabs(cost) * std::pow(std::max(0.0, 1 - towards * h[j]), 2);
  }
  std::vector<double> gradient(l);
  std::vector<double> curvature(l);
  EXPECT_NEAR(squared_hinge(h, cells, gradient, curvature), expected, kValue * expected);
  expect_gradient([&](const auto& x) { return squared_hinge(x, cells); }, h, gradient);
  for (std::size_t j = 0; j < l; ++j) {
    const double numeric = derivative(
        [&](const auto& x) {
          squared_hinge(x, cells, gradient);
          return gradient[j];
        },
        h, j);
    EXPECT_NEAR(curvature[j], numeric, kGradient);
  }
  EXPECT_DOUBLE_EQ(squared_hinge(std::vector<double>{-1e4}, std::vector<CellCost>{{.plus = 1, .minus = 0}}),
                   10001.0 * 10001.0);
}

}  // namespace
}  // namespace mmo
