// Finding λ* = the best achievable metric value (paper, Section 5 and Appendix app:algo). Algorithms see only
// the outcome of a λ: the metric of the surrogate's minimiser there and its linearised loss. Coordinates are
// independent: one for micro and samples, one per label for macro (the paper's case l = 1 per label).
#pragma once

#include <functional>
#include <vector>

#include "mmo/metric/metric.h"

namespace mmo {

// How λ reaches training.
enum class LambdaSearch {
  none,        // plain losses: λ only sets thresholds
  fixed,       // a given λ
  dinkelbach,  // λ ← metric of the current minimiser, until it settles
  scan,        // Algorithms 1/4: a grid from λ_max down, the best by the metric at threshold 0
  bisect,      // Algorithm 3: bisection on the sign of the linearised loss
};

struct LambdaValue {
  double metric = 0;      // L̂(ĥ_λ)
  double linearised = 0;  // Ê[ℓ^λ(ĥ_λ)] = λ·Ê[ℓ_β] − Ê[ℓ_α]
};
using EvaluateLambda = std::function<std::vector<LambdaValue>(const std::vector<double>&)>;

struct LambdaStep {
  std::vector<double> lambda;
  std::vector<LambdaValue> values;
};

struct LambdaResult {
  std::vector<double> lambda;     // the choice
  std::vector<double> metric;     // its metric
  std::vector<LambdaStep> steps;  // everything tried, in order
  double step = 0;                // a scan's step: as asked for, or wider
};

// Algorithm 2 (alg:binary-search-oracle): `positive(λ)` says whether E*[ℓ^λ] > 0. Returns λ with
// |λ − λ*| ≤ tolerance after ⌈log2((high − low)/tolerance)⌉ calls (thm:rate).
struct OracleResult {
  double lambda = 0;
  int calls = 0;
};
[[nodiscard]] OracleResult oracle_bisection(const std::function<bool(double)>& positive, Range range,
                                            double tolerance);

// Algorithm 3 (alg:binary-search-surrogate): stops a coordinate when |Ê[ℓ^λ]| ≤ eps_m or its interval is ≤
// eps.
[[nodiscard]] LambdaResult surrogate_bisection(const EvaluateLambda& evaluate,
                                               const std::vector<Range>& ranges, double eps, double eps_m);

// Algorithms 1 and 4 (alg:cv-main, alg:binary-search-cv-formal): a scan from the top down, best metric wins.
// Ranges must be finite; the step is widened if it would take more than most_scan_steps.
inline constexpr int most_scan_steps = 1000;
[[nodiscard]] LambdaResult lambda_scan(const EvaluateLambda& evaluate, const std::vector<Range>& ranges,
                                       double step);

// Dinkelbach: λ ← metric of the current minimiser, until no coordinate moves by more than `tolerance`. Keeps
// the best metric seen, so inexact minimisation can't make it worse.
[[nodiscard]] LambdaResult dinkelbach(const EvaluateLambda& evaluate, std::vector<double> start,
                                      double tolerance, int max_rounds);

}  // namespace mmo
