// The versions of a collection the study trains on.
#pragma once

#include <string>

#include "mmo/data/dataset.h"

namespace mmo::deep {

struct StudySet {
  Dataset train, test;
};

// "90": the labels in both parts and the rows with one of them (Reuters: the 90 topics); "all": all training
// labels and rows; "dropped": as 90, with 20 % of the training positives forgotten (training_labels).
[[nodiscard]] std::string set_title(const std::string& set);
[[nodiscard]] StudySet make_set(const std::string& name, const Dataset& train, const Dataset& test);
// What a run with this seed may see of them.
[[nodiscard]] LabelMatrix training_labels(const std::string& set, const LabelMatrix& labels,
                                          std::uint64_t seed);

}  // namespace mmo::deep
