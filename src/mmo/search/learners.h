// From a recipe to the learners that it tries: the one place that knows all kinds.
#pragma once

#include <memory>
#include <vector>

#include "mmo/core/deadline.h"
#include "mmo/learn/learner.h"
#include "mmo/search/recipe.h"
#include "mmo/search/train_options.h"

namespace mmo {

using Learners = std::vector<std::unique_ptr<Learner>>;

// `may_predict`: per label, 0 = never predicted.
[[nodiscard]] Learners make_learners(const Recipe& recipe, const TrainOptions& options,
                                     const std::vector<char>& may_predict, const Deadline& deadline);

}  // namespace mmo
