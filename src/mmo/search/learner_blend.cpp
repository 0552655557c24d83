#include "mmo/search/learner_blend.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mmo {
namespace {

// scale_j·(map(x)·W + b)_j is linear again.
void add_scorer(LinearScorer&& scorer, const std::vector<float>& scale, Model& model) {
  for (std::size_t k = 0; k < scorer.weights.rows; ++k) {
    for (std::size_t j = 0; j < scale.size(); ++j) scorer.weights(k, j) *= scale[j];
  }
  for (std::size_t j = 0; j < scale.size(); ++j) model.bias[j] += scale[j] * scorer.bias[j];
  model.feature_map = std::move(scorer.map);
  model.weights = std::move(scorer.weights);
}

template <class Other>
void add_scorer(Other&& scorer, const std::vector<float>& scale, Model& model) {
  model.others.push_back({std::forward<Other>(scorer), scale});
}

}  // namespace

void LearnerBlend::add(std::string name, DenseMatrix scores, const Truth& truth) {
  const Calibration calibration = fit_calibration(scores, *truth.labels, truth.unknown, truth.row_weights);
  apply_calibration(calibration, scores);
  names_.push_back(std::move(name));
  calibrations_.push_back(calibration);
  scores_.push_back(std::move(scores));
}

double LearnerBlend::best_log_loss() const {
  double best = std::numeric_limits<double>::infinity();
  for (const Calibration& calibration : calibrations_) best = std::min(best, calibration.log_loss);
  return best;
}

DenseMatrix LearnerBlend::blend(const Truth& truth) {
  blend_ = fit_blend(scores_, *truth.labels, truth.unknown, truth.row_weights);
  DenseMatrix out = blend_scores(blend_, scores_);
  scores_.clear();
  return out;
}

// z_j += w_j·(a·s_j + b), and c_j with the first learner that counts
void LearnerBlend::give(std::size_t learner, Scorer&& scorer, Model& model) const {
  const Calibration& calibration = calibrations_[learner];
  bool first = true;
  for (std::size_t k = 0; k < learner; ++k) first = first && !uses(k);
  std::vector<float> scale(model.labels());
  for (std::size_t j = 0; j < scale.size(); ++j) {
    const double weight = blend_.weights(learner, j);
    scale[j] = static_cast<float>(weight * calibration.scale);
    model.bias[j] += static_cast<float>(weight * calibration.shift) + (first ? blend_.shift[j] : 0.0F);
  }
  std::visit([&](auto&& own) { add_scorer(std::move(own), scale, model); }, std::move(scorer));
}

nlohmann::json LearnerBlend::record() const {
  nlohmann::json out{{"log_loss", blend_.log_loss}, {"learners", nlohmann::json::array()}};
  for (std::size_t k = 0; k < names_.size(); ++k) {
    out["learners"].push_back(
        {{"learner", names_[k]}, {"weight", blend_.pooled[k]}, {"log_loss", calibrations_[k].log_loss}});
  }
  return out;
}

void clear_scores(Model& model, std::size_t features, std::size_t labels) {
  model.feature_map = {};
  model.weights = DenseMatrix(features, labels);
  model.bias.assign(labels, 0.0F);
}

}  // namespace mmo
