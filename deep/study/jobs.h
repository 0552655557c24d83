// Which heads the study trains, and how.
#pragma once

#include <string>
#include <vector>

#include "deep/train/training.h"

namespace mmo::deep {

struct Job {
  std::string method;               // of the table or of the ablation
  std::string target;               // the metric that is trained for
  std::string variant;              // what a candidate is called beside its learning rate
  std::vector<std::string> serves;  // the metrics that choose an epoch and are reported
  bool per_label_threshold = false;
  TrainSettings settings;
};

inline const std::vector<std::string> study_metrics{"micro-f1", "macro-f1", "samples-jaccard"};

// The defaults of `mmo deep` for a metric: loss mmo, λ from decayed counts, shared or per label.
[[nodiscard]] TrainSettings default_settings(const std::string& metric);

// Every method at every learning rate of the grid, tuned alike.
[[nodiscard]] std::vector<Job> table_jobs();
// One change of the default at a time, at one learning rate.
[[nodiscard]] std::vector<Job> ablation_jobs();

}  // namespace mmo::deep
