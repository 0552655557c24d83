// Several learners' scores as one: each calibrated on held-out rows, then blended by held-out log-loss.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mmo/calibrate/blend.h"
#include "mmo/calibrate/calibration.h"
#include "mmo/eval/evaluate.h"
#include "mmo/learn/scorer.h"
#include "mmo/model/model.h"

namespace mmo {

class LearnerBlend {
 public:
  // Held-out scores of the next learner, and the truth of their rows.
  void add(std::string name, DenseMatrix scores, const Truth& truth);
  // Of the learners so far, each alone.
  [[nodiscard]] double best_log_loss() const;
  // The blend's held-out logits; the learners' own are gone then.
  [[nodiscard]] DenseMatrix blend(const Truth& truth);
  [[nodiscard]] bool uses(std::size_t learner) const { return blend_.uses(learner); }
  // Adds a learner's scorer, weighted, to a model whose scores were 0 before the first one.
  void give(std::size_t learner, Scorer&& scorer, Model& model) const;
  // Names, log-losses alone and weights.
  [[nodiscard]] nlohmann::json record() const;

 private:
  std::vector<std::string> names_;
  std::vector<Calibration> calibrations_;
  std::vector<DenseMatrix> scores_;
  Blend blend_;
};

// Scores of 0 for everything.
void clear_scores(Model& model, std::size_t features, std::size_t labels);

}  // namespace mmo
