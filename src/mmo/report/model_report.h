// Reports from scores computed by a model, or from what training leaves behind.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "mmo/report/run_report.h"
#include "mmo/search/train.h"

namespace mmo {

// All scores of these rows at once. Throws UsageError if they would not fit into memory.
[[nodiscard]] DenseMatrix report_scores(const Model& model, const Prepared& x);

// Labels of the data that training never saw are never predicted: no score reaches their threshold.
void add_unseen_labels(std::size_t labels, DenseMatrix& scores, DecisionRule& rule);

// Labelled rows, judged by the model's own metric. `about` holds whatever else is known: rows_are, command,
// seed, replicates, examples.
[[nodiscard]] nlohmann::ordered_json judged_report(const Model& model, const Dataset& data,
                                                   ReportInput about);
// The rows that training held out, decided by the rule fitted on them.
[[nodiscard]] nlohmann::ordered_json training_report(const TrainResult& result, const Dataset& data,
                                                     const TrainOptions& options, ReportInput about);
// Only from what training left in the model: choices, no counts.
[[nodiscard]] nlohmann::ordered_json model_report(const Model& model, const std::string& source,
                                                  const std::string& command);

}  // namespace mmo
