// Some rows of a problem as a problem of their own: enough of them to choose by, where all would take too
// long or too much memory.
#pragma once

#include <cstdint>
#include <vector>

#include "mmo/search/problem.h"

namespace mmo {

struct SubProblem {
  Problem problem;  // points to labels and unknown: not copyable
  LabelMatrix labels, unknown;
  Features x;

  // Folds and trainable labels are those of `full`, whatever its rows hold of them.
  SubProblem(const Problem& full, const Features& encoded, const std::vector<std::uint32_t>& rows);
  SubProblem(const SubProblem&) = delete;
  SubProblem& operator=(const SubProblem&) = delete;
  ~SubProblem() = default;
};

// About `count` rows: every so many of each fold, so that folds stay stratified, and at least ten positives
// of every label that has them: without any it could be trained but never predicted. Ascending.
[[nodiscard]] std::vector<std::uint32_t> sample_rows(const Problem& problem, std::size_t count);

}  // namespace mmo
