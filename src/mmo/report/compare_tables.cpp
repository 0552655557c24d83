// A comparison in readable form: aligned text, Markdown and LaTeX from the same rows.
#include <fmt/format.h>

#include <algorithm>

#include "mmo/report/compare.h"

namespace mmo {
namespace {

constexpr const char* test_note =
    "difference: mean over runs of method − first method; p: Wilcoxon signed-rank, exact, two-sided";

// With a given test set, p covers only the chance in the search, not in the choice of rows.
std::string runs_note(const Comparison& comparison) {
  return fmt::format("{} runs{}; {}", comparison.runs,
                     comparison.same_test ? " that differ only by their folds, not by their rows" : "",
                     test_note);
}

struct Row {
  std::string method, value, difference, p, seconds;
  bool best = false;
};

std::vector<Row> rows_of(const Comparison& comparison, std::size_t metric) {
  const auto& cells = comparison.cells[metric];
  double best = mean(cells[0].values);
  for (const ComparedCell& cell : cells) best = std::max(best, mean(cell.values));
  std::vector<Row> rows;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const ComparedCell& cell = cells[k];
    Row row{comparison.methods[k],
            fmt::format("{:.4f} ± {:.4f}", mean(cell.values), standard_deviation(cell.values)),
            "",
            "",
            fmt::format("{:.2f}", cell.seconds),
            mean(cell.values) == best};
    if (k > 0) {
      row.difference = fmt::format("{:+.4f}", cell.against_first.mean_difference);
      row.p = fmt::format("{:.3f}", cell.against_first.p);
    }
    rows.push_back(row);
  }
  return rows;
}

// The number of characters displayed: bytes that don't continue a UTF-8 sequence.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t to, bool left) {
  const std::string space(to > width(text) ? to - width(text) : 0, ' ');
  return left ? text + space : space + text;
}

std::string latex_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '_' || c == '%' || c == '&' || c == '#') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  std::string out;
  for (std::size_t m = 0; m < comparison.metrics.size(); ++m) {
    std::vector<Row> rows = rows_of(comparison, m);
    rows.insert(rows.begin(), Row{comparison.metrics[m], "mean ± sd", "difference", "p", "seconds", false});
    const auto widest = [&](auto&& field) {
      std::size_t most = 0;
      for (const Row& row : rows) most = std::max(most, width(field(row)));
      return most;
    };
    const std::size_t method = widest([](const Row& r) { return r.method; });
    const std::size_t value = widest([](const Row& r) { return r.value; });
    for (const Row& row : rows) {
      out += fmt::format("{}  {}  {}  {}  {}{}\n", padded(row.method, method, true),
                         padded(row.value, value, false), padded(row.difference, 10, false),
                         padded(row.p, 5, false), padded(row.seconds, 7, false), row.best ? "  best" : "");
    }
    out += "\n";
  }
  return out + runs_note(comparison) + "\n";
}

std::string comparison_markdown(const Comparison& comparison) {
  std::string out;
  for (std::size_t m = 0; m < comparison.metrics.size(); ++m) {
    out += fmt::format("| {} | mean ± sd | difference | p | seconds |\n| --- | --- | --- | --- | --- |\n",
                       comparison.metrics[m]);
    for (const Row& row : rows_of(comparison, m)) {
      out += fmt::format("| {} | {} | {} | {} | {} |\n", row.method,
                         row.best ? "**" + row.value + "**" : row.value, row.difference, row.p, row.seconds);
    }
    out += "\n";
  }
  return out + runs_note(comparison) + "\n";
}

std::string comparison_latex(const Comparison& comparison) {
  std::string out = "\\begin{tabular}{llrrrr}\n";
  out += "metric & method & mean $\\pm$ sd & difference & $p$ & seconds \\\\\n\\hline\n";
  for (std::size_t m = 0; m < comparison.metrics.size(); ++m) {
    for (const Row& row : rows_of(comparison, m)) {
      std::string value = row.value;
      value.replace(value.find("±"), std::string("±").size(), "$\\pm$");
      out += fmt::format("{} & {} & {} & {} & {} & {} \\\\\n", latex_escaped(comparison.metrics[m]),
                         latex_escaped(row.method), row.best ? "\\textbf{" + value + "}" : value,
                         row.difference, row.p, row.seconds);
    }
  }
  return out + "\\end{tabular}\n% " + runs_note(comparison) + "\n";
}

}  // namespace mmo
