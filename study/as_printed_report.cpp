// docs/results_as_printed.md and its plot, from the study's JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mmo/report/significance.h"
#include "study/as_printed.h"
#include "study/paper_table.h"
#include "study/provenance.h"

namespace mmo::study {
namespace {

using nlohmann::ordered_json;

const ordered_json* unit_of(const ordered_json& results, const std::string& set, const std::string& metric) {
  const std::string ratio = metric.substr(metric.find('-') + 1);
  const auto& units = results.at("units");
  if (!units.contains(set) || !units[set].contains(ratio)) return nullptr;
  return &units[set][ratio];
}

std::vector<double> values(const ordered_json& results, const std::string& set, const std::string& metric,
                           const std::string& method) {
  std::vector<double> out;
  const ordered_json* unit = unit_of(results, set, metric);
  if (unit == nullptr) return out;
  for (const ordered_json& run : unit->at("runs")) {
    if (run.at(metric).contains(method)) out.push_back(run[metric][method].get<double>());
  }
  return out;
}

std::string shown(const std::vector<double>& v) {
  return v.empty() ? "" : fmt::format("{:.4f} ± {:.4f}", mean(v), standard_deviation(v));
}

// Compares the paper's printed value with ours: "≈" if they differ by no more than the larger spread.
struct Verdicts {
  int alike = 0, above = 0, below = 0;

  std::string of(double printed, std::optional<double> spread, const std::vector<double>& v) {
    if (v.empty()) return "";
    const double difference = mean(v) - printed;
    const bool near = std::fabs(difference) <= std::max(spread.value_or(0), standard_deviation(v));
    ++(near ? alike : difference > 0 ? above : below);
    return near ? "≈" : fmt::format("{:+.4f}", difference);
  }
  [[nodiscard]] std::string text(const char* name) const {
    return fmt::format("| {} | {} | {} | {} |\n", name, alike, above, below);
  }
};

std::string cells(const ordered_json& results) {
  Verdicts br;
  Verdicts first;
  Verdicts thresholds;
  Verdicts mmo;
  std::string rows;
  int over_first = 0;
  int over_thresholds = 0;
  int compared = 0;
  for (const PaperCell& cell : paper_table()) {
    const auto of = [&](const char* method) { return values(results, cell.set, cell.metric, method); };
    const auto ours = of("MMO");
    if (ours.empty()) continue;
    rows += fmt::format(
        "| {} | {} | {} ({:.4f}, {}) | {} ({:.4f}, {}) | {} ({:.4f}, {}) | {} ({:.4f}, {}) | {} |\n",
        cell.metric, cell.set, shown(of("BR")), cell.binary_relevance,
        br.of(cell.binary_relevance, {}, of("BR")), shown(of("Algorithm 1")), cell.algorithm1,
        first.of(cell.algorithm1, cell.spread.algorithm1, of("Algorithm 1")), shown(of("Macro-Thres")),
        cell.macro_thres, thresholds.of(cell.macro_thres, cell.spread.macro_thres, of("Macro-Thres")),
        shown(ours), cell.mmo, mmo.of(cell.mmo, cell.spread.mmo, ours), shown(of("MMO, joint")));
    ++compared;
    over_first += mean(ours) > mean(of("Algorithm 1")) ? 1 : 0;
    over_thresholds += mean(ours) > mean(of("Macro-Thres")) ? 1 : 0;
  }
  return fmt::format(
             "MMO as printed is above our run of Algorithm 1 in {} of {} cells and above Macro-Thres in {}; "
             "in "
             "the paper in all 24.\n\n| column | as the paper within the spread | above it | below it |\n"
             "| --- | --- | --- | --- |\n",
             over_first, compared, over_thresholds) +
         br.text("BR") + first.text("Algorithm 1") + thresholds.text("Macro-Thres") + mmo.text("MMO") +
         "\nIn brackets: the paper's value, and ours minus it (≈: by no more than the larger of both "
         "standard "
         "deviations).\n\n| metric | set | BR | Algorithm 1 | Macro-Thres | MMO, independent | MMO, joint |\n"
         "| --- | --- | --- | --- | --- | --- | --- |\n" +
         rows + "\n";
}

std::string tau_section(const ordered_json& results) {
  const char* taus[] = {"MMO", "τ = 0.25", "τ = 0.5", "τ = 0.75", "τ = 1", "τ = 2"};
  std::string out =
      "## Other τ\n\nAt the λ that the scan chose at τ = 0, started from a τ = 0 fit.\n\n| metric | set | τ "
      "= 0 "
      "| τ = 0.25 | τ = 0.5 | τ = 0.75 | τ = 1 | τ = 2 |\n| --- | --- | --- | --- | --- | --- | --- | --- "
      "|\n";
  for (const PaperCell& cell : paper_table()) {
    if (values(results, cell.set, cell.metric, "MMO").empty()) continue;
    out += fmt::format("| {} | {} |", cell.metric, cell.set);
    for (const char* tau : taus)
      out += fmt::format(" {} |", shown(values(results, cell.set, cell.metric, tau)));
    out += "\n";
  }
  return out + "\n";
}

std::string search_section(const ordered_json& results) {
  std::string out =
      "## The λ searches\n\nFirst partition, micro metric, λ to the scan's step; each fit is one "
      "training.\n\n"
      "| set | ratio | scan: fits (bound) | bisection: fits (bound: thm:rate and the last midpoint) | "
      "Dinkelbach: fits | λ of "
      "the three "
      "|\n| --- | --- | --- | --- | --- | --- |\n";
  for (const auto& [set, ratios] : results.at("units").items()) {
    for (const auto& [ratio, unit] : ratios.items()) {
      const ordered_json& s = unit.at("searches");
      const auto best =
          std::max_element(s["scan"].begin(), s["scan"].end(), [](const auto& a, const auto& b) {
            return a[1].template get<double>() < b[1].template get<double>();
          });
      out +=
          fmt::format("| {} | {} | {} ({}) | {} ({}) | {} | {:.3f} / {:.3f} / {:.3f} |\n", set, ratio,
                      s["scan"].size(), s["scan bound"].get<int>(), s["bisection"].size(),
                      s["bisection bound"].get<int>() + 1, s["dinkelbach"].size(), (*best)[0].get<double>(),
                      s["bisection"].back()[0].get<double>(), s["dinkelbach"].back()[0].get<double>());
    }
  }
  return out + "\n![λ against the metric and the linearised loss](results_as_printed-lambda.svg)\n";
}

constexpr double panel = 220;
constexpr double margin = 30;

// One polyline of (λ, value) pairs in a panel with its corner at (left, top); values from low to high.
std::string curve(const ordered_json& scan, std::size_t column, double left, double top, const char* colour) {
  double low = 1e300;
  double high = -1e300;
  for (const auto& step : scan) {
    low = std::min(low, step[column].get<double>());
    high = std::max(high, step[column].get<double>());
  }
  std::string points;
  for (const auto& step : scan) {
    const double share = high > low ? (step[column].get<double>() - low) / (high - low) : 0.5;
    points += fmt::format("{:.1f},{:.1f} ", left + panel * step[0].get<double>(), top + panel * (1 - share));
  }
  return fmt::format("<polyline fill=\"none\" stroke=\"{}\" points=\"{}\"/>\n", colour, points) +
         fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" fill=\"{}\">{:.3f} to {:.3f}</text>\n", left,
                     top + panel + (column == 1 ? 14 : 28), colour, low, high);
}

}  // namespace

std::string as_printed_markdown(const ordered_json& results) {
  const ordered_json& s = results.at("settings");
  return fmt::format(
             "# The paper's protocol as printed\n\n{}\n\nAdam, rate 1e-3, batches of 128, weight decay 1e-5, "
             "τ = 0; labels with at least 20 positives; means ± sd over {} random partitions of the training "
             "rows into four fifths to train on and one to choose λ and thresholds by. The paper prints "
             "neither "
             "its epochs (here {}), nor the step of its scan ({:g}), nor the share of the validation part. "
             "Independent and joint coupling; macro metrics are one label at a time, where they are the "
             "same.\n\n",
             provenance_text(results.value("made", ordered_json::object()),
                             "mmo paper --as-printed DATA --out as_printed.json"),
             s["runs"].get<int>(), s["epochs"].get<int>(), s["lambda_step"].get<double>()) +
         cells(results) + tau_section(results) + search_section(results);
}

std::string lambda_curves_svg(const ordered_json& results) {
  std::string body;
  std::size_t column = 0;
  for (const auto& [set, ratios] : results.at("units").items()) {
    std::size_t row = 0;
    for (const auto& [ratio, unit] : ratios.items()) {
      const double left = margin + static_cast<double>(column) * (panel + 2 * margin);
      const double top = margin + static_cast<double>(row++) * (panel + 3 * margin);
      body += fmt::format(
          "<rect x=\"{0:.0f}\" y=\"{1:.0f}\" width=\"{2:.0f}\" height=\"{2:.0f}\" fill=\"none\" "
          "stroke=\"#999\"/>\n<text x=\"{0:.0f}\" y=\"{3:.0f}\">{4}, micro-{5}, λ from 0 to 1</text>\n",
          left, top, panel, top - 8, set, ratio);
      body += curve(unit["searches"]["scan"], 1, left, top, "#1b6ca8");
      body += curve(unit["searches"]["scan"], 2, left, top, "#b5541c");
    }
    ++column;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" "
             "font-family=\"sans-serif\" "
             "font-size=\"12\">\n<title>Validation metric (blue) and linearised loss (brown) of the fit at "
             "each "
             "λ</title>\n",
             static_cast<double>(column) * (panel + 2 * margin) + margin, 2 * (panel + 3 * margin) + margin) +
         body + "</svg>\n";
}

}  // namespace mmo::study
