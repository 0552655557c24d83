// Every λ algorithm on problems whose λ* is known exactly: finite hypothesis sets over small discrete
// distributions, minimised by looking at every hypothesis.
#include "mmo/cost/lambda_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mmo/core/random.h"
#include "mmo/cost/cost.h"

namespace mmo {
namespace {

// E[ℓ_α] and E[ℓ_β] of one hypothesis.
struct Hypothesis {
  double numerator = 0, denominator = 1;
  [[nodiscard]] double metric() const { return numerator / denominator; }
  [[nodiscard]] double linearised(double lambda) const { return lambda * denominator - numerator; }
};

struct FiniteProblem {
  std::vector<Hypothesis> hypotheses;

  [[nodiscard]] double best_metric() const {
    double best = -std::numeric_limits<double>::infinity();
    for (const Hypothesis& h : hypotheses) best = std::max(best, h.metric());
    return best;
  }
  // β_low and β̄ over the hypothesis set.
  [[nodiscard]] double lowest_beta() const {
    return std::min_element(hypotheses.begin(), hypotheses.end(), by_denominator)->denominator;
  }
  [[nodiscard]] double highest_beta() const {
    return std::max_element(hypotheses.begin(), hypotheses.end(), by_denominator)->denominator;
  }
  // The exact minimiser of E[ℓ^λ].
  [[nodiscard]] const Hypothesis& minimiser(double lambda) const {
    return *std::min_element(hypotheses.begin(), hypotheses.end(), [&](const auto& a, const auto& b) {
      return a.linearised(lambda) < b.linearised(lambda);
    });
  }

 private:
  static bool by_denominator(const Hypothesis& a, const Hypothesis& b) {
    return a.denominator < b.denominator;
  }
};

// All 2^points predictions of one label over a distribution of `points` inputs with given posteriors.
FiniteProblem all_predictions(const CountRatio& ratio, const std::vector<double>& mass,
                              const std::vector<double>& posterior) {
  FiniteProblem problem;
  for (std::size_t choice = 0; choice < (std::size_t{1} << mass.size()); ++choice) {
    Counts counts;
    for (std::size_t i = 0; i < mass.size(); ++i) {
      const bool predicted = (choice >> i & 1U) != 0;
      (predicted ? counts.tp : counts.fn) += mass[i] * posterior[i];
      (predicted ? counts.fp : counts.tn) += mass[i] * (1 - posterior[i]);
    }
    problem.hypotheses.push_back({combine(ratio.numerator, counts), combine(ratio.denominator, counts)});
  }
  return problem;
}

FiniteProblem random_problem(const CountRatio& ratio, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> mass(6);
  std::vector<double> posterior(6);
  double total = 0;
  for (double& m : mass) total += m = 0.1 + random.uniform();
  for (double& m : mass) m /= total;
  for (double& p : posterior) p = random.uniform();
  return all_predictions(ratio, mass, posterior);
}

EvaluateLambda exact(const std::vector<FiniteProblem>& problems) {
  return [&problems](const std::vector<double>& lambda) {
    std::vector<LambdaValue> values;
    for (std::size_t k = 0; k < lambda.size(); ++k) {
      const Hypothesis& h = problems[k].minimiser(lambda[k]);
      values.push_back({h.metric(), h.linearised(lambda[k])});
    }
    return values;
  };
}

// Minimises up to `slack`: the worst hypothesis whose E[ℓ^λ] is within slack of the minimum.
EvaluateLambda inexact(const FiniteProblem& problem, double slack) {
  return [&problem, slack](const std::vector<double>& lambda) {
    const double least = problem.minimiser(lambda[0]).linearised(lambda[0]);
    const Hypothesis* worst = nullptr;
    for (const Hypothesis& h : problem.hypotheses) {
      if (h.linearised(lambda[0]) > least + slack) continue;
      if (worst == nullptr || h.metric() < worst->metric()) worst = &h;
    }
    return std::vector<LambdaValue>{{worst->metric(), worst->linearised(lambda[0])}};
  };
}

const std::vector<const char*> metrics{"f1", "f2", "jaccard", "hamming-accuracy",
                                       "(TP+TN)/(TP+2*FP+3*FN+TN)"};

class LambdaAlgorithm : public ::testing::TestWithParam<const char*> {
 protected:
  CountRatio ratio_ = parse_metric(GetParam()).ratio(0);
  Range range_ = value_range(ratio_);
};

INSTANTIATE_TEST_SUITE_P(Metrics, LambdaAlgorithm, ::testing::ValuesIn(metrics),
                         [](const auto& test) { return "metric" + std::to_string(test.index); });

// thm:lambda-star: E*[ℓ^λ] has the sign of λ − λ*. Then thm:rate: |λ − λ*| ≤ ε in ⌈log2(range/ε)⌉ calls.
TEST_P(LambdaAlgorithm, OracleBisectionReachesItsToleranceInThePromisedCalls) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FiniteProblem problem = random_problem(ratio_, seed);
    for (const double tolerance : {0.3, 1e-2, 1e-6}) {
      const OracleResult result = oracle_bisection(
          [&](double lambda) { return problem.minimiser(lambda).linearised(lambda) > 0; }, range_, tolerance);
      EXPECT_LE(std::abs(result.lambda - problem.best_metric()), tolerance);
      EXPECT_EQ(result.calls, static_cast<int>(std::ceil(std::log2((range_.high - range_.low) / tolerance))));
      // E*[ℓ^λ] ≤ ε·β̄.
      EXPECT_LE(problem.minimiser(result.lambda).linearised(result.lambda),
                tolerance * problem.highest_beta() + 1e-15);
    }
  }
}

TEST(OracleBisection, EndsWithoutATolerance) {
  const OracleResult result = oracle_bisection([](double lambda) { return lambda > 0.3; }, {0, 1}, 0);
  EXPECT_NEAR(result.lambda, 0.3, 1e-15);
  EXPECT_LE(result.calls, 64);
}

// thm:algo2, first case: stopping where |Ê[ℓ^λ]| ≤ ε_m gives metric ≥ λ* − 4ε_m/β_low. The minimiser is as
// inexact as the theorem allows (regret up to ε_m).
TEST_P(LambdaAlgorithm, SurrogateBisectionKeepsItsGuarantee) {
  int stopped_early = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const FiniteProblem problem = random_problem(ratio_, seed);
    for (const double eps_m : {0.05, 0.01, 1e-3}) {
      const double eps = eps_m / (2 * problem.highest_beta());
      const LambdaResult result = surrogate_bisection(inexact(problem, eps_m), {range_}, eps, eps_m);
      EXPECT_GE(result.metric[0], problem.best_metric() - 4 * eps_m / problem.lowest_beta() - 1e-12);
      const auto promised =
          static_cast<std::size_t>(std::ceil(std::log2((range_.high - range_.low) / eps))) + 1;
      EXPECT_LE(result.steps.size(), promised);
      EXPECT_EQ(result.lambda[0], result.steps.back().lambda[0]);
      if (std::abs(result.steps.back().values[0].linearised) <= eps_m) ++stopped_early;
    }
  }
  EXPECT_GT(stopped_early, 0);
}

// Second case: with ε_m = 0 only the interval's width ends the search, at its midpoint.
TEST_P(LambdaAlgorithm, SurrogateBisectionEndsAtTheIntervalsMidpoint) {
  const double eps = 1e-3;
  int by_width = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<FiniteProblem> problems{random_problem(ratio_, seed)};
    const LambdaResult result = surrogate_bisection(exact(problems), {range_}, eps, 0);
    EXPECT_LE(std::abs(result.lambda[0] - problems[0].best_metric()), 0.5 * eps + 1e-15);
    if (result.steps.back().values[0].linearised == 0) continue;  // λ* itself was met
    ++by_width;
    EXPECT_EQ(result.steps.size(),
              static_cast<std::size_t>(std::ceil(std::log2((range_.high - range_.low) / eps))) + 1);
  }
  EXPECT_GT(by_width, 0);
}

// Algorithm 3 stops at the first λ with |Ê[ℓ^λ]| ≤ ε_m and at no other.
TEST(SurrogateBisection, StopsAtTheFirstValueWithinItsTolerance) {
  const EvaluateLambda line = [](const std::vector<double>& lambda) {
    return std::vector<LambdaValue>{{.metric = 0, .linearised = lambda[0] - 0.3}};
  };
  for (const double eps_m : {0.1, 0.01, 0.003}) {
    const LambdaResult result = surrogate_bisection(line, {{.low = 0, .high = 1}}, 1e-9, eps_m);
    for (std::size_t k = 0; k + 1 < result.steps.size(); ++k)
      EXPECT_GT(std::abs(result.steps[k].values[0].linearised), eps_m) << k;
    EXPECT_LE(std::abs(result.steps.back().values[0].linearised), eps_m);
  }
}

// thm:algo3: the scan's best is ≥ λ* − 2ε_m/β_low with step ε = ε_m/(2β̄), in range/ε + 1 fits.
TEST_P(LambdaAlgorithm, ScanKeepsItsGuarantee) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FiniteProblem problem = random_problem(ratio_, seed);
    for (const double eps_m : {0.1, 0.02}) {
      const double step = eps_m / (2 * problem.highest_beta());
      const LambdaResult result = lambda_scan(inexact(problem, eps_m), {range_}, step);
      EXPECT_GE(result.metric[0], problem.best_metric() - 2 * eps_m / problem.lowest_beta() - 1e-12);
      EXPECT_LE(static_cast<double>(result.steps.size()), (range_.high - range_.low) / step + 1 + 1e-6);
      EXPECT_EQ(result.steps.front().lambda[0], range_.high);
      EXPECT_LT(result.steps.back().lambda[0] - range_.low, step);
    }
  }
}

// Exact minimisation: monotone after the first step, ends at λ* exactly, superlinearly.
TEST_P(LambdaAlgorithm, DinkelbachIsExactInFewRounds) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<FiniteProblem> problems{random_problem(ratio_, seed)};
    for (const double start : {range_.low, 0.5 * (range_.low + range_.high), range_.high}) {
      const LambdaResult result = dinkelbach(exact(problems), {start}, 1e-12, 50);
      EXPECT_NEAR(result.metric[0], problems[0].best_metric(), 1e-12);
      EXPECT_LE(result.steps.size(), 8U);
      for (std::size_t s = 2; s < result.steps.size(); ++s)
        EXPECT_GE(result.steps[s].lambda[0], result.steps[s - 1].lambda[0] - 1e-12);
    }
  }
}

TEST(Dinkelbach, AnInexactMinimiserCanNotMakeItWorse) {
  const CountRatio f1 = parse_metric("f1").ratio(0);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FiniteProblem problem = random_problem(f1, seed);
    const LambdaResult result = dinkelbach(inexact(problem, 0.05), {0.5}, 1e-9, 6);
    for (const LambdaStep& step : result.steps) EXPECT_GE(result.metric[0], step.values[0].metric);
  }
}

// Macro is the one-label case in every coordinate: searching together equals searching alone.
TEST(Coordinates, AreSearchedIndependently) {
  const CountRatio f1 = parse_metric("f1").ratio(0);
  const CountRatio jaccard = parse_metric("jaccard").ratio(0);
  const std::vector<FiniteProblem> problems{random_problem(f1, 1), random_problem(jaccard, 2),
                                            random_problem(f1, 3)};
  const std::vector<Range> ranges(3, {0, 1});
  const LambdaResult scan = lambda_scan(exact(problems), ranges, 0.02);
  const LambdaResult bisection = surrogate_bisection(exact(problems), ranges, 1e-4, 1e-3);
  const LambdaResult fixed_point = dinkelbach(exact(problems), {0.1, 0.5, 0.9}, 1e-12, 50);
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const std::vector<FiniteProblem> alone{problems[k]};
    const LambdaResult scan_alone = lambda_scan(exact(alone), {{0, 1}}, 0.02);
    EXPECT_EQ(scan.lambda[k], scan_alone.lambda[0]);
    EXPECT_EQ(scan.metric[k], scan_alone.metric[0]);
    const LambdaResult bisection_alone = surrogate_bisection(exact(alone), {{0, 1}}, 1e-4, 1e-3);
    EXPECT_EQ(bisection.lambda[k], bisection_alone.lambda[0]);
    EXPECT_EQ(bisection.metric[k], bisection_alone.metric[0]);
    EXPECT_NEAR(fixed_point.metric[k], problems[k].best_metric(), 1e-12);
  }
}

// Coordinates whose ranges differ: the narrow one waits at its lower end.
TEST(Coordinates, AScanStaysInsideEveryRange) {
  const CountRatio f1 = parse_metric("f1").ratio(0);
  const std::vector<FiniteProblem> problems{random_problem(f1, 4), random_problem(f1, 5)};
  const LambdaResult result = lambda_scan(exact(problems), {{0, 1}, {0.2, 0.5}}, 0.1);
  EXPECT_EQ(result.steps.size(), 11U);
  for (const LambdaStep& step : result.steps) {
    EXPECT_GE(step.lambda[1], 0.2);
    EXPECT_LE(step.lambda[1], 0.5);
  }
}

TEST(Coordinates, AnUndefinedMetricLosesToAnyNumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const EvaluateLambda evaluate = [&](const std::vector<double>& lambda) {
    return std::vector<LambdaValue>{{lambda[0] > 0.5 ? nan : lambda[0], lambda[0] > 0.5 ? nan : -1}};
  };
  EXPECT_DOUBLE_EQ(lambda_scan(evaluate, {{0, 1}}, 0.25).lambda[0], 0.5);
  EXPECT_EQ(dinkelbach(evaluate, {0.9}, 1e-6, 5).steps.size(), 1U);
}

TEST(LambdaScan, AWideRangeGetsAWiderStep) {
  const EvaluateLambda flat = [](const std::vector<double>& lambda) {
    return std::vector<LambdaValue>(lambda.size());
  };
  const LambdaResult wide = lambda_scan(flat, {{-1e6, 1}}, 0.01);
  EXPECT_LE(wide.steps.size(), static_cast<std::size_t>(most_scan_steps) + 1);
  EXPECT_DOUBLE_EQ(wide.step, (1e6 + 1) / most_scan_steps);
  EXPECT_NEAR(wide.steps.back().lambda[0], -1e6, 1e-6);
  EXPECT_EQ(lambda_scan(flat, {{0, 1}}, 0.01).step, 0.01);
}

}  // namespace
}  // namespace mmo
