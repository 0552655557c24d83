// The part of the report with one entry per label. Columns rather than objects: a third of the size.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "mmo/report/label_curves.h"
#include "mmo/report/run_report.h"

namespace mmo {

struct LabelColumns {
  std::vector<Counts> counts;                   // of the decisions
  std::vector<Counts> untuned;                  // of score ≥ 0; empty without scores
  std::vector<double> spread;                   // of tuned thresholds; empty without scores
  std::vector<std::vector<CurvePoint>> curves;  // empty without scores
};

// Points on each label's curve: fewer if there are many labels, which keeps the page below a megabyte at
// 5,000.
[[nodiscard]] std::size_t curve_points(std::size_t labels);

[[nodiscard]] nlohmann::ordered_json label_section(const ReportInput& input, const LabelColumns& columns);

}  // namespace mmo
