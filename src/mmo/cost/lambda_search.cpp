#include "mmo/cost/lambda_search.h"

#include <algorithm>
#include <cmath>

namespace mmo {
namespace {

// Records a trial and keeps the best metric of every coordinate; NaN (a 0/0 left out) loses to any number.
void record(LambdaResult& result, const std::vector<double>& lambda, std::vector<LambdaValue> values) {
  const bool first = result.steps.empty();
  if (first) {
    result.lambda = lambda;
    result.metric.resize(lambda.size());
  }
  for (std::size_t k = 0; k < lambda.size(); ++k) {
    if (first || values[k].metric > result.metric[k] || std::isnan(result.metric[k])) {
      result.lambda[k] = lambda[k];
      result.metric[k] = values[k].metric;
    }
  }
  result.steps.push_back({lambda, std::move(values)});
}

}  // namespace

OracleResult oracle_bisection(const std::function<bool(double)>& positive, Range range, double tolerance) {
  OracleResult result;
  double a = range.low;
  double b = range.high;
  result.lambda = 0.5 * (a + b);
  while (b - a > tolerance) {
    result.lambda = 0.5 * (a + b);
    if (result.lambda <= a || result.lambda >= b) break;  // neighbouring doubles
    ++result.calls;
    (positive(result.lambda) ? b : a) = result.lambda;
  }
  return result;
}

LambdaResult surrogate_bisection(const EvaluateLambda& evaluate, const std::vector<Range>& ranges, double eps,
                                 double eps_m) {
  LambdaResult result;
  std::vector<Range> open = ranges;
  std::vector<char> settled(ranges.size(), 0);
  std::vector<double> lambda(ranges.size());
  for (bool active = true; active;) {
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (settled[k] == 0) lambda[k] = 0.5 * (open[k].low + open[k].high);
    }
    std::vector<LambdaValue> values = evaluate(lambda);
    active = false;
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (settled[k] != 0) continue;
      const bool narrow = open[k].high - open[k].low <= eps || lambda[k] <= open[k].low ||
                          lambda[k] >= open[k].high;  // neighbouring doubles have no midpoint
      if (narrow || !(std::abs(values[k].linearised) > eps_m)) {
        settled[k] = 1;
      } else {
        (values[k].linearised > 0 ? open[k].high : open[k].low) = lambda[k];
        active = true;
      }
    }
    record(result, lambda, std::move(values));
  }
  // The algorithm's answer is where it stopped, not the best value it saw.
  result.lambda = lambda;
  for (std::size_t k = 0; k < lambda.size(); ++k) result.metric[k] = result.steps.back().values[k].metric;
  return result;
}

LambdaResult lambda_scan(const EvaluateLambda& evaluate, const std::vector<Range>& ranges, double step) {
  LambdaResult result;
  double widest = 0;
  for (const Range& range : ranges) widest = std::max(widest, range.high - range.low);
  // A metric with a wide range gets a wider step rather than an endless search.
  step = std::max(step, widest / most_scan_steps);
  result.step = step;
  const int steps = static_cast<int>(std::floor(widest / step + 1e-9));
  for (int i = 0; i <= steps; ++i) {
    std::vector<double> lambda(ranges.size());
    for (std::size_t k = 0; k < ranges.size(); ++k)
      lambda[k] = std::max(ranges[k].low, ranges[k].high - i * step);
    record(result, lambda, evaluate(lambda));
  }
  return result;
}

LambdaResult dinkelbach(const EvaluateLambda& evaluate, std::vector<double> start, double tolerance,
                        int max_rounds) {
  LambdaResult result;
  std::vector<double> lambda = std::move(start);
  for (int round = 0; round < max_rounds; ++round) {
    std::vector<LambdaValue> values = evaluate(lambda);
    std::vector<double> next(lambda.size());
    double moved = 0;
    for (std::size_t k = 0; k < lambda.size(); ++k) {
      next[k] = std::isnan(values[k].metric) ? lambda[k] : values[k].metric;
      moved = std::max(moved, std::abs(next[k] - lambda[k]));
    }
    record(result, lambda, std::move(values));
    if (moved <= tolerance) break;
    lambda = std::move(next);
  }
  return result;
}

}  // namespace mmo
