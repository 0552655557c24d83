// Everything the report's page shows about one run, as JSON: counts and curves, never the rows themselves
// unless examples are asked for. web/src/schema.ts explains each entry; schema_version changes with it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "mmo/data/dataset.h"
#include "mmo/eval/evaluate.h"
#include "mmo/metric/metric.h"
#include "mmo/model/model.h"

namespace mmo {

inline constexpr int report_schema = 1;

struct ReportInput {
  const Dataset* data = nullptr;
  Truth truth;
  Metric metric;                           // what is judged
  const LabelMatrix* predicted = nullptr;  // the decisions
  const DenseMatrix* scores = nullptr;     // null: no curves, no thresholds, no baselines
  const Model* model = nullptr;            // null: no thresholds, features or record of the search
  std::string name;                        // shown next to other runs; "" = its method
  std::string rows_are;                    // what the rows were to the model
  std::span<const std::uint32_t>
      fold_of_row;  // tuned baselines leave these out in turn; empty = five folds made here
  std::span<const std::uint32_t> row_numbers;  // of the data in its file, from 0; empty = as they come
  std::vector<std::string> warnings;           // besides those implied by the model and the counts
  std::string command;
  std::uint64_t seed = 0;
  int replicates = 200;      // of the bootstrap
  std::size_t examples = 0;  // worst rows shown with their labels and features; others only by number
};

// Throws UsageError if the metric has coefficients for a different number of labels.
[[nodiscard]] nlohmann::ordered_json run_report(const ReportInput& input);
// Its first entries: format, schema, version, source, command.
[[nodiscard]] nlohmann::ordered_json report_head(const std::string& source, const std::string& command);

}  // namespace mmo
