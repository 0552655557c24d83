#include "mmo/learn/boosted_learner.h"

#include <utility>

#include "mmo/learn/trees/estimate.h"

namespace mmo {

LearnerCost BoostedLearner::cost(const LearnerData& all, std::size_t searched_rows,
                                 std::size_t threads) const {
  const TreesCost whole =
      estimate(*all.views.table, all.problem->truth(), all.problem->hold_out.folds(), options_);
  const double share = static_cast<double>(searched_rows) / static_cast<double>(all.problem->rows());
  return {share * whole.seconds / static_cast<double>(threads),
          static_cast<std::uint64_t>(share * static_cast<double>(whole.bytes)), 0};
}

DenseMatrix BoostedLearner::held_out(const LearnerData& searched) {
  const HoldOut& hold_out = searched.problem->hold_out;
  Boosted boosted = fit_boosted(*searched.views.table, searched.problem->truth(),
                                {hold_out.fold_of_row(), hold_out.folds()}, options_);
  scorer_ = std::move(boosted.scorer);
  record_["boosted"] = {{"rounds", boosted.rounds}};
  return std::move(boosted.held_out);
}

Scorer BoostedLearner::fit(const LearnerData&) { return std::move(scorer_); }

}  // namespace mmo
