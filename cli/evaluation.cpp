#include "cli/evaluation.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/ranking_table.h"
#include "cli/terminal.h"

namespace mmo::cli {
namespace {

constexpr std::size_t worst_labels_shown = 5;

// The labels with the lowest F1 among those with positives.
std::string worst_labels(const Evaluation& report) {
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < report.labels.size(); ++j) {
    if (report.labels[j].support > 0) order.push_back(j);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return report.labels[a].f1 < report.labels[b].f1; });
  order.resize(std::min(order.size(), worst_labels_shown));
  std::vector<std::vector<std::string>> rows{{"worst labels", "positives", "TP", "FP", "FN", "F1"}};
  for (const std::size_t j : order) {
    const LabelRow& row = report.labels[j];
    rows.push_back({report.data->label_name(j), fmt::format("{:g}", row.support),
                    fmt::format("{:g}", row.counts.tp), fmt::format("{:g}", row.counts.fp),
                    fmt::format("{:g}", row.counts.fn), fmt::format("{:.4f}", row.f1)});
  }
  return table(rows);
}

}  // namespace

nlohmann::ordered_json as_json(const Evaluation& report) {
  nlohmann::ordered_json out;
  out["data"] = report.data->source;
  out["rows"] = report.data->rows();
  out["labels"] = report.data->labels();
  if (!report.unseen.names.empty()) {
    out["unseen_labels"] = report.unseen.names;
    out["unseen_rows"] = report.unseen.rows;
  }
  out["zero_division"] = report.zero_division;
  if (report.target != nullptr) out["target"] = report.target->name;
  out["metrics"] = nlohmann::ordered_json::object();
  for (const MetricLine& v : report.values) out["metrics"][v.name] = v.value;
  if (report.replicates > 0) {
    out["intervals"] = {{"coverage", 0.95}, {"replicates", report.replicates}};
    for (const MetricLine& v : report.values) {
      if (v.interval) out["intervals"][v.name] = {v.interval->low, v.interval->high};
    }
  }
  if (!report.ranking.empty()) out["at"] = ranking_json(report.ranking);
  out["per_label"] = nlohmann::ordered_json::array();
  for (std::size_t j = 0; j < report.labels.size(); ++j) {
    const LabelRow& row = report.labels[j];
    out["per_label"].push_back({{"label", report.data->label_name(j)},
                                {"support", row.support},
                                {"predicted", row.predicted},
                                {"tp", row.counts.tp},
                                {"fp", row.counts.fp},
                                {"fn", row.counts.fn},
                                {"tn", row.counts.tn},
                                {"precision", row.precision},
                                {"recall", row.recall},
                                {"f1", row.f1},
                                {"jaccard", row.jaccard}});
  }
  return out;
}

std::string as_text(const Evaluation& report) {
  const auto absent = std::count_if(report.labels.begin(), report.labels.end(),
                                    [](const LabelRow& row) { return row.support <= 0; });
  std::string text =
      fmt::format("{}: {} rows, {} labels", report.data->source, report.data->rows(), report.data->labels());
  if (absent > 0) text += fmt::format(" ({} without positives here)", absent);
  if (!report.unseen.names.empty()) {
    text += fmt::format("; {} of them unseen in training, which macro averages include",
                        report.unseen.names.size());
  }
  text += fmt::format("; 0/0 = {}\n\n", report.zero_division);

  std::vector<std::vector<std::string>> rows{{"metric", "value", "0/0"}};
  if (report.replicates > 0) rows[0].emplace_back("95 % interval");
  for (const MetricLine& v : report.values) {
    rows.push_back({v.name + (v.is_target ? "  <- trained for" : ""), fmt::format("{:.4f}", v.value),
                    v.undefined > 0 ? std::to_string(v.undefined) : ""});
    if (report.replicates > 0) {
      rows.back().push_back(v.interval ? fmt::format("{:.4f} – {:.4f}", v.interval->low, v.interval->high)
                                       : "");
    }
  }
  text += table(rows) + "\n";
  if (!report.ranking.empty()) text += ranking_text(report.ranking) + "\n";
  return text + worst_labels(report);
}

}  // namespace mmo::cli
