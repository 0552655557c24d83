// thm:algo2 and thm:algo3 on samples: how often the guarantee holds, by simulation where λ* is known. A
// finite set of hypotheses, so that a uniform deviation ε_m is a known number (Hoeffding, union over
// hypotheses; the linearised loss is linear in λ, so its ends bound all λ between).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/cost/bounds.h"
#include "mmo/cost/cost.h"
#include "mmo/cost/lambda_search.h"

namespace mmo {
namespace {

constexpr std::size_t inputs = 6;
constexpr std::size_t hypotheses = 1U << inputs;  // every subset of inputs is predicted positive
constexpr double delta = 0.1;
constexpr int simulations = 300;

struct World {
  std::vector<double> present;  // P(y = 1 | x), x uniform

  [[nodiscard]] Counts expected(std::size_t h) const {
    Counts c;
    for (std::size_t x = 0; x < inputs; ++x) {
      const double p = present[x] / inputs;
      const double q = (1 - present[x]) / inputs;
      c += ((h >> x) & 1U) != 0 ? Counts{.tp = p, .fp = q} : Counts{.fn = p, .tn = q};
    }
    return c;
  }
};

// Mean counts of m draws for every hypothesis.
std::vector<Counts> sample(const World& world, std::size_t m, Random& random) {
  std::vector<double> positive(inputs), negative(inputs);
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t x = random.below(inputs);
    (random.uniform() < world.present[x] ? positive : negative)[x] += 1.0 / static_cast<double>(m);
  }
  std::vector<Counts> all(hypotheses);
  for (std::size_t h = 0; h < hypotheses; ++h) {
    for (std::size_t x = 0; x < inputs; ++x) {
      all[h] += ((h >> x) & 1U) != 0 ? Counts{.tp = positive[x], .fp = negative[x]}
                                     : Counts{.fn = positive[x], .tn = negative[x]};
    }
  }
  return all;
}

// ℓ^λ of one row lies in [−2, 2] for F1 and λ in [0, 1]: its mean over m rows is within ε of its expectation
// for all 64 hypotheses and both ends of λ with probability 1 − δ.
double deviation(std::size_t m) {
  return 4 * std::sqrt(std::log(2.0 * 2 * hypotheses / delta) / (2 * static_cast<double>(m)));
}

// The empirical minimiser of ℓ^λ.
std::size_t minimiser(const std::vector<Counts>& counts, const CountRatio& ratio, double lambda) {
  std::size_t best = 0;
  for (std::size_t h = 1; h < counts.size(); ++h) {
    if (linearised_loss(ratio, lambda, counts[h]) < linearised_loss(ratio, lambda, counts[best])) best = h;
  }
  return best;
}

struct Outcome {
  double shortfall = 0;     // metric* − metric of what the search returned
  bool wrong_side = false;  // some Ê > ε at λ < λ*: then E* > 0 was concluded although E* < 0
};

Outcome search(const World& world, std::size_t m, double epsilon, bool scan, Random& random) {
  const CountRatio ratio = parse_metric("f1").ratio(0);
  const std::vector<Counts> counts = sample(world, m, random);
  double best = 0;
  for (std::size_t h = 0; h < hypotheses; ++h)
    best = std::max(best, ratio_value(ratio, world.expected(h), 0));
  Outcome out;
  const EvaluateLambda evaluate = [&](const std::vector<double>& lambda) {
    const std::size_t h = minimiser(counts, ratio, lambda[0]);
    const LambdaValue value{.metric = ratio_value(ratio, counts[h], 0),
                            .linearised = linearised_loss(ratio, lambda[0], counts[h])};
    if (value.linearised > epsilon && lambda[0] < best) out.wrong_side = true;
    return std::vector<LambdaValue>{value};
  };
  const std::vector<Range> range{{.low = 0, .high = 1}};
  const double chosen = scan ? lambda_scan(evaluate, range, 0.02).lambda[0]
                             : surrogate_bisection(evaluate, range, 1e-3, epsilon).lambda[0];
  out.shortfall = best - ratio_value(ratio, world.expected(minimiser(counts, ratio, chosen)), 0);
  return out;
}

struct Rates {
  double within = 0, wrong_side = 0;
};

Rates simulate(std::size_t m, double epsilon, double gap, bool scan) {
  Random random(m + (scan ? 1 : 0));
  Rates rates;
  for (int k = 0; k < simulations; ++k) {
    World world{.present = std::vector<double>(inputs)};
    for (double& p : world.present) p = random.uniform();
    const double low =
        std::max(0.05, 2 * world.expected(0).fn);  // β_low of F1: Ê[ℓ_β] is least with nothing predicted
    const Outcome outcome = search(world, m, epsilon, scan, random);
    rates.within += outcome.shortfall <= gap / low ? 1.0 / simulations : 0;
    rates.wrong_side += outcome.wrong_side ? 1.0 / simulations : 0;
  }
  return rates;
}

TEST(SampledGuarantee, HoldsAtLeastAsOftenAsStated) {
  for (const std::size_t m : {200U, 2000U}) {
    const double epsilon = deviation(m);
    const Rates bisection = simulate(m, epsilon, 4 * epsilon, false);
    const Rates scan = simulate(m, epsilon, 2 * epsilon + 0.02, true);
    EXPECT_GE(bisection.within, 1 - delta) << m;
    EXPECT_GE(scan.within, 1 - delta) << m;
    EXPECT_LE(bisection.wrong_side, delta) << m;
  }
}

// The proofs conclude E* > 0 from Ê > ε_m, ε_m being what the minimiser's excess risk is bounded by. That
// needs a uniform deviation: below it the conclusion is often wrong.
TEST(SampledGuarantee, SignOfTheSampleIsNotThatOfTheExpectationBelowTheDeviation) {
  EXPECT_GT(simulate(200, 0, 1, false).wrong_side, 0.2);
}

}  // namespace
}  // namespace mmo
