// The paper's Table 1 and what it leaves open, on an encoder's features of Reuters-21578 (`mmo paper deep`):
// heads trained by every loss, each judged without a threshold, with one, and (cross-entropy) with one per
// label. Each run is a cell of a JSON file, saved after every run, so a study resumes where it stopped.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mmo/core/progress.h"
#include "mmo/data/dataset.h"

namespace mmo::deep {

struct FrozenStudyOptions {
  int seeds = 10;
  std::vector<std::string> sets{"90", "all", "dropped"};  // see study_set.h
  bool ablations = true;
  std::function<void(const nlohmann::ordered_json&)> save;
  Progress progress;
};

// `train` and `test` are features of all articles of the ModApte split with the same labels. Adds whatever
// `results` lacks.
void run_frozen_study(const Dataset& train, const Dataset& test, const FrozenStudyOptions& options,
                      nlohmann::ordered_json& results);

}  // namespace mmo::deep
