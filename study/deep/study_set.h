// The versions of a collection that a study trains on.
#pragma once

#include <string>

#include "mmo/data/dataset.h"

namespace mmo::deep {

struct StudySet {
  Dataset train, test;
};

// "90": the labels of both parts and the rows that have one (Reuters: the 90 topics); "all": every training
// label and row; "dropped": as 90, with 20 % of the training positives forgotten (see training_labels).
[[nodiscard]] std::string set_title(const std::string& set);
[[nodiscard]] StudySet make_set(const std::string& name, const Dataset& train, const Dataset& test);
// What a run of this seed may see of them.
[[nodiscard]] LabelMatrix training_labels(const std::string& set, const LabelMatrix& labels,
                                          std::uint64_t seed);

}  // namespace mmo::deep
