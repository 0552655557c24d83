// Some rows of a problem as a problem of their own: enough of them to choose by, where all would take too
// long or too much memory.
#pragma once

#include <cstdint>
#include <vector>

#include "mmo/learn/problem.h"

namespace mmo {

struct RowSample {
  std::vector<std::uint32_t> rows;  // ascending
  std::vector<float> weights;       // how many rows each stands for, with mean 1; empty = all alike
};

struct SubProblem {
  Problem problem;  // points to labels and unknown: not copyable
  LabelMatrix labels, unknown;
  Features x;

  // Folds and trainable labels are those of `full`, whatever its rows hold of them.
  SubProblem(const Problem& full, const Features& encoded, const RowSample& sample);
  SubProblem(const SubProblem&) = delete;
  SubProblem& operator=(const SubProblem&) = delete;
  ~SubProblem() = default;
};

// At most about `count` rows: every so many of each fold, so that folds stay stratified, and for labels with
// fewer than ten positives among them more positives, up to ten: without any a label could be trained but
// never predicted. The weights keep every label as frequent as it is.
[[nodiscard]] RowSample sample_rows(const Problem& problem, std::size_t count);

}  // namespace mmo
