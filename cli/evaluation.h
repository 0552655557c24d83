// What `mmo evaluate` found, as text and as JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mmo/data/dataset.h"
#include "mmo/data/unseen_labels.h"
#include "mmo/eval/evaluate.h"
#include "mmo/eval/ranking_metrics.h"

namespace mmo::cli {

struct MetricLine {
  std::string name;
  double value = 0;
  std::size_t undefined = 0;  // labels or rows whose ratio is 0/0; counted for the standard metrics
  std::optional<Interval> interval;
  bool is_target = false;  // what the model was trained for
};

struct Evaluation {
  std::vector<MetricLine> values;
  std::vector<LabelRow> labels;
  const Dataset* data = nullptr;
  const Metric* target = nullptr;  // the model's own metric; null without a model
  std::string zero_division;
  int replicates = 0;
  UnseenLabelsFound unseen;
  std::vector<RankingValues> ranking;  // with --at
};

[[nodiscard]] nlohmann::ordered_json as_json(const Evaluation& report);
[[nodiscard]] std::string as_text(const Evaluation& report);

}  // namespace mmo::cli
