#include "mmo/learn/linear/minibatch_learner.h"

#include <utility>

#include "mmo/learn/linear/choose_map.h"
#include "mmo/learn/linear/memory.h"
#include "mmo/learn/linear/record.h"

namespace mmo {

MiniBatchLearner::MiniBatchLearner(MiniBatchOptions options, Progress progress)
    : options_(std::move(options)), progress_(std::move(progress)) {}

LearnerCost MiniBatchLearner::cost(const LearnerData& all, std::size_t searched_rows,
                                   std::size_t threads) const {
  const LinearBytes bytes =
      linear_bytes(*all.problem, *all.views.encoded, 1, /*hinge_path=*/false, threads, searched_rows);
  return {0, bytes.searching, bytes.final_fit};
}

DenseMatrix MiniBatchLearner::held_out(const LearnerData& searched) {
  report(progress_, "feature map", 0.05);
  const Features& encoded = *searched.views.encoded;
  const bool sparse = std::holds_alternative<CsrMatrix>(encoded);
  ChosenMap chosen =
      choose_map(*searched.problem, encoded, sparse ? options_.sparse_maps : options_.dense_maps,
                 options_.screened_labels);
  record_map(record_, chosen);
  if (options_.loss == MiniBatch::sigmoid_f1 && !searched.problem->row_weights.empty())
    warn("sigmoid-f1 is one ratio over a batch: row weights don't reach this loss");
  report(progress_, "mini-batches", 0.15);
  MiniBatchFit fit =
      fit_minibatch(chosen.mapped, options_.metric, options_.loss, options_.seed, options_.criterion);
  record_minibatch(record_, fit);
  map_ = std::move(chosen.mapped.map);
  weights_ = std::move(fit.weights);
  return std::move(fit.scores);
}

Scorer MiniBatchLearner::fit(const LearnerData& /*all*/) {
  return linear_scorer(std::move(map_), std::move(weights_));
}

}  // namespace mmo
