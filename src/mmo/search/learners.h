// From a recipe to the learners that it tries: the one place that knows all kinds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mmo/core/deadline.h"
#include "mmo/learn/learner.h"
#include "mmo/search/recipe.h"
#include "mmo/search/train_options.h"

namespace mmo {

using Learners = std::vector<std::unique_ptr<Learner>>;

// The recipe's, or, where it leaves the choice to the data, those that suit them: words and other sparse
// columns want linear models, tables with many categories no kernel. Rows in groups do, too: a forest's trees
// would see parts of the group that they are judged on.
[[nodiscard]] std::vector<LearnerKind> suitable_learners(const Recipe& recipe, const Dataset& data,
                                                         const LearnerData& all);

// `may_predict`: per label, 0 = never predicted.
[[nodiscard]] Learners make_learners(const std::vector<LearnerKind>& kinds, const Recipe& recipe,
                                     const TrainOptions& options, const std::vector<char>& may_predict,
                                     const Deadline& deadline);

// What limits are counted by.
struct Machine {
  std::uint64_t memory = 0;  // that may be used
  std::size_t threads = 1;
};

// Drops learners, never the first, that a limit on time or memory leaves no room for, with a warning.
void keep_within_limits(const LearnerData& all, const TrainOptions& options, const Machine& machine,
                        Learners& learners, std::vector<std::string>& warnings);

}  // namespace mmo
