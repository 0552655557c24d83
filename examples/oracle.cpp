// Algorithm 2 over a trainer of your own: whoever can tell the sign of min_h E[ℓ^λ(h)] finds the best
// achievable metric by bisection. Here the hypotheses are thresholds on one score, and the minimum is found
// by looking at all of them.
#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/cost/cost.h"
#include "mmo/cost/lambda_search.h"

int main() {
  mmo::Random random(2);
  std::vector<std::pair<double, bool>> rows;  // score, present
  for (int i = 0; i < 400; ++i) {
    const double score = random.normal();
    rows.emplace_back(score, score + random.normal() > 1);
  }
  std::sort(rows.begin(), rows.end());
  std::vector<mmo::Counts> hypotheses;  // predicted from row k on
  for (std::size_t k = 0; k <= rows.size(); ++k) {
    mmo::Counts counts;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      (rows[i].second ? (i >= k ? counts.tp : counts.fn) : (i >= k ? counts.fp : counts.tn)) += 1;
    }
    hypotheses.push_back(counts);
  }
  const mmo::CountRatio jaccard = mmo::parse_metric("jaccard").ratio(0);
  const auto minimum_is_positive = [&](double lambda) {
    return std::all_of(hypotheses.begin(), hypotheses.end(), [&](const mmo::Counts& counts) {
      return mmo::linearised_loss(jaccard, lambda, counts) > 0;
    });
  };
  const mmo::OracleResult found = mmo::oracle_bisection(minimum_is_positive, mmo::value_range(jaccard), 1e-4);
  double best = 0;
  for (const mmo::Counts& counts : hypotheses) best = std::max(best, mmo::ratio_value(jaccard, counts, 0));
  fmt::print("λ* = {:.4f} after {} questions; the best Jaccard of all thresholds is {:.4f}\n", found.lambda,
             found.calls, best);
  return std::abs(found.lambda - best) <= 1e-4 ? 0 : 1;
}
