#include "mmo/learn/forest_learner.h"

#include <utility>
#include <vector>

#include "mmo/comm/share_rows.h"
#include "mmo/eval/truth_rows.h"
#include "mmo/learn/trees/estimate.h"

namespace mmo {
namespace {

constexpr std::size_t rows_per_task = 128;

}  // namespace

std::string ForestLearner::name() const {
  return options_.cuts == ForestOptions::Cuts::best ? "random forest" : "extra trees";
}

ForestOptions ForestLearner::options_for(const Problem& problem, std::size_t rows) const {
  ForestOptions out = options_;
  out.processes = problem.processes;
  suit_size(out, rows);
  return out;
}

LearnerCost ForestLearner::cost(const LearnerData& all, std::size_t searched_rows,
                                std::size_t threads) const {
  const TreesCost whole =
      estimate(*all.views.table, all.problem->truth(), options_for(*all.problem, searched_rows));
  const double share = static_cast<double>(searched_rows) / static_cast<double>(all.problem->rows());
  const auto searching = static_cast<std::uint64_t>(share * static_cast<double>(whole.bytes));
  // Without a sample the forest that gives held-out scores is the scorer.
  const std::uint64_t fitting = searched_rows < all.problem->rows() ? whole.bytes : 0;
  return {share * whole.seconds / static_cast<double>(threads), searching, fitting};
}

DenseMatrix ForestLearner::held_out(const LearnerData& searched) {
  seen_ = searched.problem;
  if (searched.problem->hold_out.is_validation()) return validation_scores(searched);
  forest_ = fit_forest(*searched.views.table, searched.problem->truth(), options_for(*seen_, seen_->rows()));
  return out_of_bag(forest_, *searched.views.table, *seen_->processes);
}

DenseMatrix ForestLearner::validation_scores(const LearnerData& data) {
  const Table& all = *data.views.table;
  const std::vector<std::uint32_t> rows = data.problem->hold_out.training_rows();
  const TruthRows truth(data.problem->truth(), rows);
  forest_ = fit_forest({take_rows(all.values, rows), all.categories}, truth.truth(),
                       options_for(*data.problem, rows.size()));
  DenseMatrix out(data.problem->rows(), data.problem->label_count());
  share_rows(out, rows_per_task, *data.problem->processes, [&](std::size_t first, std::size_t last) {
    add_scores(forest_.scorer, all, first, last, out.row(first).data());
  });
  return out;
}

Scorer ForestLearner::fit(const LearnerData& all) {
  if (all.problem != seen_)
    forest_ =
        fit_forest(*all.views.table, all.problem->truth(), options_for(*all.problem, all.problem->rows()));
  return std::move(forest_.scorer);
}

}  // namespace mmo
