// A learner: from rows, labels and folds to scores of rows it has not seen, and to a scorer for new rows. The
// search holds learners of all kinds by this interface and never asks which kind one is.
//
// An abstract class and not a concept: which learners a search holds is known only at run time, there are few
// of them, and one call fits for seconds, so that a virtual call costs nothing.
#pragma once

#include <cstdint>
#include <string>

#include "mmo/core/matrix.h"
#include "mmo/core/table.h"
#include "mmo/learn/scorer.h"

namespace mmo {

// The features as learners may want them; each takes what suits it. Nothing is owned.
struct Views {
  const Features* encoded = nullptr;  // numbers, one-hot columns and words: for linear models
  const Table* table = nullptr;       // numbers and categories as they came: for trees
};

// What held_out() and fit() will take, told before they start.
struct LearnerCost {
  double seconds = 0;
  std::uint64_t bytes = 0;
};

// A learner is made with its views, its problem (rows, labels, folds, weights), its settings and its seed.
class Learner {
 public:
  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual LearnerCost cost() const = 0;
  // n × l logits, each row's by a fit that has not seen it; rows that are never held out keep any number.
  [[nodiscard]] virtual DenseMatrix held_out() = 0;
  // The scorer, fitted on all training rows with what held_out() chose; held_out() comes first.
  [[nodiscard]] virtual Scorer fit() = 0;
};

}  // namespace mmo
