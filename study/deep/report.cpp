#include "study/deep/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "deep/train/defaults.h"
#include "mmo/report/significance.h"
#include "study/deep/jobs.h"
#include "study/deep/study_set.h"
#include "study/provenance.h"

namespace mmo::deep {
namespace {

using nlohmann::ordered_json;

// The test values of one row and metric by seed, for the candidate (learning rate, variant) with the best
// mean validation value.
struct Choice {
  std::map<std::string, double> test;
  double validation = 0;
};

std::optional<Choice> choose(const ordered_json& method, const std::string& metric, const std::string& rule) {
  std::optional<Choice> best;
  for (const auto& [candidate, seeds] : method.items()) {
    Choice choice;
    std::vector<double> validation;
    for (const auto& [seed, cell] : seeds.items()) {
      const bool finished = cell.value("finished", true);  // a fine-tuning run's cell grows with every epoch
      if (!finished || !cell.contains(metric) || !cell[metric].contains(rule)) continue;
      choice.test[seed] = cell[metric][rule]["test"].get<double>();
      validation.push_back(cell[metric][rule].value("validation", 0.0));  // not in values from a report
    }
    if (choice.test.empty()) continue;
    choice.validation = mean(validation);
    if (!best || choice.validation > best->validation) best = choice;
  }
  return best;
}

std::string shown(const std::optional<Choice>& choice) {
  if (!choice) return "";
  std::vector<double> test;
  for (const auto& [seed, value] : choice->test) test.push_back(value);
  if (test.size() == 1) return fmt::format("{:.4f}", test[0]);
  return fmt::format("{:.4f} ± {:.4f}", mean(test), standard_deviation(test));
}

struct Row {
  std::string title, method, rule;
};
const std::vector<Row> table_rows{{"BCE", "BCE", "@0"},
                                  {"Algorithm 1 (BCE + one threshold)", "BCE", "+G"},
                                  {"Macro-Thres (BCE + one per label)", "BCE", "+P"},
                                  {"SigmoidF1", "SigmoidF1", "@0"},
                                  {"SigmoidF1 + one threshold", "SigmoidF1", "+G"},
                                  {"ASL", "ASL", "@0"},
                                  {"ASL + one threshold", "ASL", "+G"},
                                  {"MMO, the paper's λ", "MMO, the paper's λ", "@0"},
                                  {"MMO, the paper's λ, + one threshold", "MMO, the paper's λ", "+G"},
                                  {"MMO", "MMO", "@0"},
                                  {"MMO + one threshold", "MMO", "+G"}};

std::string header() {
  std::string head = "| method |";
  std::string line = "| --- |";
  for (const std::string& metric : study_metrics) {
    head += fmt::format(" {} |", metric);
    line += " --- |";
  }
  return fmt::format("{}\n{}\n", head, line);
}

std::string main_table(const ordered_json& methods) {
  std::string out = header();
  for (const Row& row : table_rows) {
    if (!methods.contains(row.method)) continue;
    out += fmt::format("| {} |", row.title);
    for (const std::string& metric : study_metrics)
      out += fmt::format(" {} |", shown(choose(methods[row.method], metric, row.rule)));
    out += "\n";
  }
  return out;
}

// The values of the seeds they share.
std::pair<std::vector<double>, std::vector<double>> paired(const std::optional<Choice>& a,
                                                           const std::optional<Choice>& b) {
  std::pair<std::vector<double>, std::vector<double>> out;
  if (!a || !b) return out;
  for (const auto& [seed, value] : a->test) {
    const auto other = b->test.find(seed);
    if (other == b->test.end()) continue;
    out.first.push_back(value);
    out.second.push_back(other->second);
  }
  return out;
}

// MMO as `mmo deep train` leaves it, against every other row: mean difference and exact signed-rank test.
std::string comparison(const ordered_json& methods) {
  if (!methods.contains("MMO")) return "";
  std::string out = header();
  std::vector<std::optional<Choice>> ours;
  for (const std::string& metric : study_metrics) {
    const bool zero = default_rule(default_settings(metric)) == RuleKind::zero;
    ours.push_back(choose(methods["MMO"], metric, zero ? "@0" : "+G"));
  }
  for (const Row& row : table_rows) {
    if (row.method == "MMO" || !methods.contains(row.method)) continue;
    out += fmt::format("| {} |", row.title);
    for (std::size_t k = 0; k < study_metrics.size(); ++k) {
      const auto [own, other] = paired(ours[k], choose(methods[row.method], study_metrics[k], row.rule));
      if (own.empty()) {
        out += " |";
        continue;
      }
      const PairedTest test = wilcoxon(own, other);
      out += fmt::format(" {:+.4f}", test.mean_difference);
      out += own.size() > 1 ? fmt::format(" (p = {:.3f}) |", test.p) : " |";
    }
    out += "\n";
  }
  return out;
}

std::string ablation_table(const ordered_json& methods) {
  std::string out =
      "| change | micro-f1 @0 | micro-f1 +G | macro-f1 @0 | macro-f1 +G |\n| --- | --- | --- | --- | --- |\n";
  for (const auto& [name, method] : methods.items()) {
    out += fmt::format("| {} |", name);
    for (const char* metric : {"micro-f1", "macro-f1"}) {
      for (const char* rule : {"@0", "+G"}) out += fmt::format(" {} |", shown(choose(method, metric, rule)));
    }
    out += "\n";
  }
  return out;
}

std::size_t seeds_of(const ordered_json& methods) {
  std::size_t most = 0;
  for (const auto& [name, method] : methods.items()) {
    for (const auto& [candidate, seeds] : method.items()) most = std::max(most, seeds.size());
  }
  return most;
}

std::string part(const ordered_json& results, const char* kind, const std::string& set,
                 const ordered_json& methods) {
  const ordered_json& sizes = results["sets"][set];
  std::string out =
      fmt::format("\n## {}: {}\n\n{} training and {} test rows, {} labels, {} features; seeds: {}.\n\n", kind,
                  set_title(set), sizes["train_rows"].get<int>(), sizes["test_rows"].get<int>(),
                  sizes["labels"].get<int>(), sizes["features"].get<int>(), seeds_of(methods));
  out += main_table(methods);
  const std::string against = comparison(methods);
  if (!against.empty())
    out +=
        "\nMMO as `mmo deep train` ends it (macro-F1: as it is; else with one threshold) minus each row, and "
        "the "
        "two-sided p of the exact signed-rank test, over the seeds that both have:\n\n" +
        against;
  return out;
}

}  // namespace

std::string study_markdown(const ordered_json& results) {
  std::string out = fmt::format(
      "# Networks: the paper's Table 1 on {}\n\n"
      "Printed by `mmo paper deep --report`. {} AdamW, batch 32; 15 % of the training rows, drawn anew for "
      "each "
      "seed, choose; the test rows are always the same. Test values, mean ± sd over seeds. Every method is "
      "judged as it is (\"@0\" in the "
      "ablations) and with one threshold for all labels from the validation rows (\"+G\").\n",
      results.value("title", "Reuters-21578"),
      study::provenance_text(results.value("made", ordered_json::object()),
                             "mmo paper deep DATA --out FILE"));
  if (results.contains("fine_tuned")) {
    for (const auto& [set, methods] : results["fine_tuned"].items()) {
      const ordered_json& how = results.at("fine_tuning").at(set);
      const auto epochs = how.at("epochs").get<std::size_t>();
      out += part(results, "Fine-tuned", set, methods);
      out += fmt::format(
          "\nThe head is trained on the frozen features first, as below; its best candidate goes on for {} "
          "{} "
          "together with the encoder, whose rate rises to {:g} and falls to 0 along lines.\n",
          epochs, epochs == 1 ? "epoch" : "epochs", how.at("rate").get<double>());
    }
  }
  if (results.contains("table")) {
    for (const auto& [set, methods] : results["table"].items())
      out += part(results, "Frozen features", set, methods);
    out +=
        "\nLinear heads on the frozen encoder's features (mean of the last layer's tokens, standardised), 25 "
        "epochs; the learning rate (1e-3, 3e-3), the epoch and ASL's focusing (the authors' 4/1/.05, or "
        "2/0/0) "
        "are chosen by validation for each method alike; biases start at the log-odds.\n";
  }
  if (results.contains("ablation")) {
    for (const auto& [set, methods] : results["ablation"].items()) {
      out += fmt::format(
          "\n## Ablations on frozen features, {}\n\nOne change of MMO's default at a time; learning rate "
          "1e-3, "
          "{} seeds.\n\n",
          set_title(set), seeds_of(methods));
      out += ablation_table(methods);
    }
  }
  return out;
}

}  // namespace mmo::deep
