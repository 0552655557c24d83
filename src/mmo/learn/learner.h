// A learner: from rows, labels and folds to scores of rows it has not seen, and to a scorer for new rows. The
// search holds learners of all kinds by this interface and never asks which kind one is.
//
// An abstract class and not a concept: which learners a search holds is known only at run time, and a call
// takes long enough to make a virtual one free.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/core/table.h"
#include "mmo/learn/problem.h"
#include "mmo/learn/scorer.h"

namespace mmo {

// The features as learners may want them; each takes what suits it. Nothing is owned.
struct Views {
  const Features* encoded = nullptr;  // numbers, one-hot columns and words: for linear models
  const Table* table = nullptr;       // numbers and categories as they came: for trees
};

// What a learner learns from. Nothing is owned.
struct LearnerData {
  Views views;
  const Problem* problem = nullptr;
};

// What held_out() and fit() will take; the bytes come on top of the features that are there already.
struct LearnerCost {
  double seconds = 0;
  std::uint64_t searching = 0;  // bytes of held_out(), its scores included
  std::uint64_t fitting = 0;    // bytes of fit()
};

// A learner is made of its settings; data come with each call.
class Learner {
 public:
  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  // Of held_out() on so many of the rows, and of fit() on all of them.
  [[nodiscard]] virtual LearnerCost cost(const LearnerData& all, std::size_t searched_rows,
                                         std::size_t threads) const = 0;
  // n × l logits, each row's by a fit that has not seen it; rows that are never held out keep any number.
  [[nodiscard]] virtual DenseMatrix held_out(const LearnerData& searched) = 0;
  // The scorer, fitted on all training rows with what held_out() has chosen. These may be the rows that
  // held_out() saw, or all where it saw a sample (which need not exist any more).
  [[nodiscard]] virtual Scorer fit(const LearnerData& all) = 0;
  // What was chosen and by which held-out values, for people: an object whose entries join the history.
  [[nodiscard]] virtual nlohmann::json record() const { return nlohmann::json::object(); }

  // What users should know about the calls so far; each warning is given once.
  [[nodiscard]] std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

 protected:
  void warn(std::string text) { warnings_.push_back(std::move(text)); }

 private:
  std::vector<std::string> warnings_;
};

}  // namespace mmo
