// Which heads the study trains, and how.
#pragma once

#include <string>
#include <vector>

#include "deep/train/training.h"

namespace mmo::deep {

struct Job {
  std::string method;               // as in the table or the ablation
  std::string target;               // the metric to train for
  std::string variant;              // a candidate's name, apart from its learning rate
  std::vector<std::string> serves;  // the metrics that choose an epoch and get reported
  bool per_label_threshold = false;
  TrainSettings settings;
};

inline const std::vector<std::string> study_metrics{"micro-f1", "macro-f1", "samples-jaccard"};

// The defaults of `mmo deep` for a metric: loss mmo, λ from decayed counts, shared or per label.
[[nodiscard]] TrainSettings default_settings(const std::string& metric);

// Variant and learning rate: what tells a job apart from the others of its method.
[[nodiscard]] std::string candidate_name(const Job& job);

// Every method at every learning rate of the grid, all tuned the same way.
[[nodiscard]] std::vector<Job> table_jobs();
// The rows of the paper's table as groups of candidates (of table_jobs) that differ only in how they are
// tuned; most important first, because each takes an hour to run.
[[nodiscard]] std::vector<std::vector<Job>> fine_tuning_groups();
// One change from the default at a time, at one learning rate.
[[nodiscard]] std::vector<Job> ablation_jobs();

}  // namespace mmo::deep
