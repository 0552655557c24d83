// Metrics with coefficients per label (the paper's full α, β ∈ ℝ^{4l}) from a JSON file:
//   {"average": "macro",                     micro when absent
//    "alpha": [[0.5, 0.5, 0.5, 0.5], …],     one row of four per label (of ŷy, y, ŷ, 1), or one row for all
//    "beta":  [[0, 0.5, 0.5, 1], …]}
// or the same in counts:
//   {"numerator": [{"TP": 2}, …], "denominator": [{"TP": 2, "FP": 1, "FN": 1}, …]}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mmo/metric/metric.h"

namespace mmo {

struct MetricFile {
  std::optional<Average> average;
  std::vector<CountRatio> ratios;
  bool paper_form = false;  // alpha and beta
};

// Throws IoError (no such file) and DataError (naming the file, key and value at fault).
[[nodiscard]] MetricFile read_metric_file(const std::string& path);

// "micro", "macro", "samples" or "instance", "weighted"; empty if it is none of these. Lower case.
[[nodiscard]] std::optional<Average> parse_average(const std::string& name);

}  // namespace mmo
