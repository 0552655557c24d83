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

// Variant and learning rate: what tells a job from the others of its method.
[[nodiscard]] std::string candidate_name(const Job& job);

// Every method at every learning rate of the grid, tuned alike.
[[nodiscard]] std::vector<Job> table_jobs();
// The rows of the paper's table as groups of candidates (of table_jobs) that differ in how they are tuned
// only; in the order of their worth, because a run of each takes an hour.
[[nodiscard]] std::vector<std::vector<Job>> fine_tuning_groups();
// One change of the default at a time, at one learning rate.
[[nodiscard]] std::vector<Job> ablation_jobs();

}  // namespace mmo::deep
