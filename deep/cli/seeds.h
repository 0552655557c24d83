// The outcome of training with one or more seeds: all of it for the report, one network for the model file.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "deep/train/deep_model.h"
#include "deep/train/training.h"
#include "mmo/rule/fit_rule.h"

namespace mmo::deep::cli {

struct Trained {
  DeepModel model;
  Training training;
  FittedRule rule;
};

class Seeds {
 public:
  void add(std::uint64_t seed, Trained trained);

  // The one with the best validation value; the first in a tie.
  [[nodiscard]] const Trained& kept() const { return kept_; }
  [[nodiscard]] std::uint64_t kept_seed() const { return all_[best_].seed; }

  struct One {
    std::uint64_t seed;
    double value;                   // validation, with the fitted rule
    nlohmann::ordered_json result;  // everything
  };
  [[nodiscard]] const std::vector<One>& all() const { return all_; }
  [[nodiscard]] double mean() const;
  [[nodiscard]] double deviation() const;  // of the sample: over n − 1

 private:
  std::vector<One> all_;
  std::size_t best_ = 0;
  Trained kept_;
};

// To standard output, as text or JSON.
void print_seeds(const Seeds& seeds, bool json);

}  // namespace mmo::deep::cli
