// Training where labels are so many that scores of every label for every row have no place: label trees that
// give short lists, calibrated and judged on held-out rows.
#pragma once

#include "mmo/core/deadline.h"
#include "mmo/model/model.h"
#include "mmo/search/prepare_training.h"
#include "mmo/search/recipe.h"
#include "mmo/search/train_options.h"

namespace mmo {

// By size, unless the recipe says which way to go. Throws UsageError where it asks for trees beside what they
// can't do.
[[nodiscard]] bool takes_label_trees(const Recipe& recipe, const TrainOptions& options,
                                     const Training& training);

[[nodiscard]] SearchEstimate estimate_label_trees(const TrainOptions& options, const Training& training);

// Feature map, trees, rule and history of a model.
void train_label_trees(const Recipe& recipe, const TrainOptions& options, const Deadline& deadline,
                       Training& training, Model& model);

}  // namespace mmo
