#include "mmo/report/model_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "mmo/core/error.h"
#include "mmo/core/memory.h"
#include "mmo/data/unseen_labels.h"
#include "mmo/report/report_json.h"
#include "mmo/report/search_record.h"

namespace mmo {
namespace {

using nlohmann::ordered_json;

Truth truth_of(const Dataset& data) {
  Truth truth;
  truth.labels = &data.y;
  truth.unknown = data.unknown.rows > 0 ? &data.unknown : nullptr;
  truth.row_weights = data.row_weights;
  return truth;
}

ordered_json report_scored(const Model& model, const Dataset& data, const DenseMatrix& scores,
                           ReportInput about) {
  const LabelMatrix predicted = decide(model.rule, scores);
  about.data = &data;
  about.metric = model.metric;
  about.predicted = &predicted;
  about.scores = &scores;
  about.model = &model;
  return run_report(about);
}

}  // namespace

DenseMatrix report_scores(const Model& model, const Prepared& x) {
  const double bytes =
      static_cast<double>(feature_rows(x.encoded)) * static_cast<double>(model.labels()) * sizeof(float);
  // Tuning a baseline's thresholds copies four fifths of the scores.
  if (2 * bytes > 0.8 * static_cast<double>(physical_memory())) {
    throw UsageError(
        fmt::format("a report needs the scores of all rows and labels at once: {} rows × {} labels take "
                    "{:.1f} GB, twice; give "
                    "fewer rows (mmo split)",
                    feature_rows(x.encoded), model.labels(), bytes / 1e9));
  }
  return score(model, x);
}

void add_unseen_labels(std::size_t labels, DenseMatrix& scores, DecisionRule& rule) {
  if (labels == scores.cols) return;
  DenseMatrix wider(scores.rows, labels, -static_cast<float>(largest_logit));
  for (std::size_t i = 0; i < scores.rows; ++i) std::ranges::copy(scores.row(i), wider.row(i).begin());
  scores = std::move(wider);
  rule.thresholds.resize(labels, std::numeric_limits<float>::infinity());
}

ordered_json judged_report(const Model& model, const Dataset& data, ReportInput about) {
  about.truth = truth_of(data);
  DenseMatrix scores = report_scores(model, prepare(model, data));
  if (data.labels() == model.labels()) return report_scored(model, data, scores, std::move(about));
  Model wider = model;
  add_unseen_labels(data.labels(), scores, wider.rule);
  about.warnings.push_back(unseen_labels_text(data, model.labels()));
  return report_scored(wider, data, scores, std::move(about));
}

ordered_json training_report(const TrainResult& result, const Dataset& data, const TrainOptions& options,
                             ReportInput about) {
  if (!result.held_out) {
    ordered_json report = model_report(result.model, data.source, about.command);
    report["missing"] = {
        "The search saw a sample of the rows and its scores were not kept: no counts, curves or baselines. "
        "Give "
        "labelled rows to see them: mmo report MODEL DATA."};
    return report;
  }
  const Dataset* valid = options.valid;
  std::vector<std::uint32_t> rows = result.held_out->rows;
  if (valid != nullptr) {
    for (std::uint32_t& row : rows) row -= static_cast<std::uint32_t>(data.rows());
  }
  const Dataset judged = take_rows(valid != nullptr ? *valid : data, rows);
  about.truth = truth_of(judged);
  about.truth.label_weights = options.label_weights;
  about.row_numbers = rows;
  about.fold_of_row = result.held_out->fold_of_row;
  about.rows_are =
      valid != nullptr ? "the validation file" : "training rows, each scored by a fit that had not seen it";
  about.warnings.emplace_back(
      "the decision rule was fitted on these very scores, while tuned baselines never see the rows they "
      "decide: judge "
      "the model on new rows (mmo evaluate MODEL DATA --report FILE)");
  return report_scored(result.model, judged, result.held_out->scores, std::move(about));
}

ordered_json model_report(const Model& model, const std::string& source, const std::string& command) {
  ordered_json report = report_head(source, command);
  report["metric"] = report_metric(model.metric);
  report["search"] = search_record(model.history);
  report["warnings"] = model.history.is_object() ? model.history.value("warnings", nlohmann::json::array())
                                                 : nlohmann::json::array();
  report["missing"] = {
      "The model file holds no scores of labelled rows: no counts, curves or baselines. Give labelled rows "
      "to "
      "see them: mmo report MODEL DATA."};
  return report;
}

}  // namespace mmo
