// docs/results.md from the study's JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "mmo/report/compare.h"
#include "study/ablations.h"
#include "study/paper_study.h"
#include "study/paper_table.h"
#include "study/provenance.h"

namespace mmo::study {
namespace {

using nlohmann::ordered_json;

class StudyReport {
 public:
  explicit StudyReport(const ordered_json& results) : results_(results) {}

  [[nodiscard]] std::string markdown() const {
    std::string out = fmt::format(
        "# Results\n\nPrinted by `mmo paper --report`; not edited by hand. {} {} runs, test values.\n\n"
        "Protocol: labels with at least 20 positives in the whole set; Mulan's split is fixed and run r "
        "draws the "
        "folds with seed r; cal500 has no split, run r draws 400 training and 102 test rows with seed r. "
        "Every "
        "choice of every method comes from out-of-fold scores of the training rows. 0/0 = 0. The paper's "
        "columns "
        "are the means of its Table 2.\n\n",
        provenance_text(results_.value("made", ordered_json::object()), "mmo paper DATA --out paper.json"),
        results_.value("runs", 0));
    out += completeness() + wins() + table2() + other_readings() + ablation_sections() + parts();
    return out;
  }

 private:
  // Which cells of the plan the document lacks: a run may be stopped, and then the page says so.
  [[nodiscard]] std::string completeness() const {
    std::map<std::string, std::pair<std::size_t, std::size_t>> methods;  // missing, planned
    std::size_t missing = 0;
    const std::vector<StudyCell> plan = study_plan();
    for (const StudyCell& cell : plan) {
      const bool lacks = !values(variant_name(cell.variant), cell.set, cell.metric, cell.method);
      auto& [lacking, planned] = methods[cell.method];
      ++planned;
      if (lacks) ++lacking;
      if (lacks) ++missing;
    }
    if (missing == 0) return "";
    std::string out = fmt::format(
        "**Incomplete**: {} of {} planned cells are not computed yet (`make paper` goes on):", missing,
        plan.size());
    for (const auto& [method, count] : methods) {
      if (count.first > 0) out += fmt::format(" `{}` {} of {},", method, count.first, count.second);
    }
    out.back() = '.';
    return out + "\n\n";
  }

  [[nodiscard]] std::optional<std::vector<double>> values(const std::string& variant, const std::string& set,
                                                          const std::string& metric,
                                                          const std::string& method) const {
    const ordered_json* at = &results_;
    for (const std::string& key :
         {std::string("cells"), variant, set, metric, method, std::string("values")}) {
      if (!at->contains(key)) return std::nullopt;
      at = &at->at(key);
    }
    return at->get<std::vector<double>>();
  }

  [[nodiscard]] std::string shown(const std::string& variant, const std::string& set,
                                  const std::string& metric, const std::string& method,
                                  std::optional<double> to_beat) const {
    const auto v = values(variant, set, metric, method);
    if (!v) return "";
    const std::string text = fmt::format("{:.4f} ± {:.4f}", mean(*v), standard_deviation(*v));
    return to_beat && mean(*v) > *to_beat ? "**" + text + "**" : text;
  }

  [[nodiscard]] std::vector<std::string> methods_of(const std::string& variant,
                                                    const std::vector<std::string>& order) const {
    std::vector<std::string> found;
    for (const std::string& method : order) {
      for (const PaperCell& cell : paper_table()) {
        if (!values(variant, cell.set, cell.metric, method)) continue;
        found.push_back(method);
        break;
      }
    }
    return found;
  }

  // How far below the paper's value, compared with how much chance moves the mean of our runs, and what our
  // best method reaches: if all of them stop at the same value, the features limit it, not the search.
  [[nodiscard]] std::string shortfall(const PaperCell& cell, const std::vector<double>& runs) const {
    double best = 0;
    for (const std::string& method : table_methods()) {
      const auto v = values("primary", cell.set, cell.metric, method);
      if (v) best = std::max(best, mean(*v));
    }
    const double standard_error = standard_deviation(runs) / std::sqrt(static_cast<double>(runs.size()));
    return fmt::format("({:+.4f}, standard error {:.4f}; the best of all methods here is at {:+.4f})",
                       mean(runs) - cell.mmo, standard_error, best - cell.mmo);
  }

  static const std::vector<std::string>& table_methods() {
    static const std::vector<std::string> methods{"linear",     "mmo", "koyejo",     "macro-thres",     "br",
                                                  "paper-scan", "ema", "sigmoid-f1", "asl[rule=global]"};
    return methods;
  }

  [[nodiscard]] std::string wins() const {
    const auto [over_mmo, cells] = cells_over_mmo("primary");
    int over_others = 0;
    std::string missed;
    for (const PaperCell& cell : paper_table()) {
      const auto v = values("primary", cell.set, cell.metric, "linear");
      if (!v) continue;
      if (mean(*v) <= cell.mmo) {
        missed +=
            fmt::format("{}{} {} {}", missed.empty() ? "" : ", ", cell.set, cell.metric, shortfall(cell, *v));
      }
      if (mean(*v) > std::max({cell.binary_relevance, cell.algorithm1, cell.macro_thres})) ++over_others;
    }
    return fmt::format(
        "**`linear` against the paper: better than its MMO in {} of {} cells, better than its BR, Algorithm "
        "1 "
        "and "
        "Macro-Thres in {}.** {}\n\n",
        over_mmo, cells, over_others, missed.empty() ? "" : "Not reached: " + missed + ".");
  }

  [[nodiscard]] std::string table2() const {
    const auto methods = methods_of("primary", table_methods());
    std::string out =
        "## The paper's Table 2\n\nBold: above the paper's MMO.\n\n| metric | set | paper: BR / Alg. 1 / "
        "Macro-Thres | paper: MMO |";
    std::string line = "\n| --- | --- | --- | --- |";
    for (const std::string& m : methods) {
      out += fmt::format(" {} |", m);
      line += " --- |";
    }
    out += line + "\n";
    for (const PaperCell& cell : paper_table()) {
      out += fmt::format("| {} | {} | {:.4f} / {:.4f} / {:.4f} | {:.4f} |", cell.metric, cell.set,
                         cell.binary_relevance, cell.algorithm1, cell.macro_thres, cell.mmo);
      for (const std::string& m : methods)
        out += fmt::format(" {} |", shown("primary", cell.set, cell.metric, m, cell.mmo));
      out += "\n";
    }
    return out + "\n";
  }

  [[nodiscard]] std::string other_readings() const {
    std::string out =
        "## Other readings of the protocol\n\nThe paper does not say where \"20 instances\" are counted nor "
        "how "
        "cal500 is split. `linear`; bold: above the paper's MMO.\n\n"
        "| metric | set | paper: MMO | whole set (primary) | counted on the training part | cal500 251/251 "
        "|\n"
        "| --- | --- | --- | --- | --- | --- |\n";
    for (const PaperCell& cell : paper_table()) {
      const std::string counted = shown("train-count", cell.set, cell.metric, "linear", cell.mmo);
      const std::string half = shown("half-split", cell.set, cell.metric, "linear", cell.mmo);
      if (counted.empty() && half.empty()) continue;
      out += fmt::format("| {} | {} | {:.4f} | {} | {} | {} |\n", cell.metric, cell.set, cell.mmo,
                         shown("primary", cell.set, cell.metric, "linear", cell.mmo), counted, half);
    }
    const auto [counted_over, cells] = cells_over_mmo("train-count");
    return out +
           fmt::format(
               "\nCounted on the training part (sets without an own value there have the same labels either "
               "way), `linear` is above the paper's MMO in **{} of {} cells**.\n\n",
               counted_over, cells);
  }

  // In how many cells, and of how many, `linear` beats the paper's MMO under a reading; sets that a reading
  // does not change count with their primary value.
  [[nodiscard]] std::pair<int, int> cells_over_mmo(const std::string& reading) const {
    int over = 0;
    int cells = 0;
    for (const PaperCell& cell : paper_table()) {
      auto v = values(reading, cell.set, cell.metric, "linear");
      if (!v) v = values("primary", cell.set, cell.metric, "linear");
      if (!v) continue;
      ++cells;
      over += mean(*v) > cell.mmo ? 1 : 0;
    }
    return {over, cells};
  }

  [[nodiscard]] std::string ablation_sections() const {
    std::string out;
    for (const VariantInfo& info : paper_variants()) {
      if (info.variant != PaperVariant::few_features && info.variant != PaperVariant::dropped) continue;
      const auto methods = methods_of(info.name, {"koyejo", "mmo", "linear"});
      if (methods.empty()) continue;
      out += fmt::format("## The paper's ablations, linear: {}\n\n| metric | set |", info.meaning);
      std::string line = "\n| --- | --- |";
      for (const std::string& m : methods) {
        out += fmt::format(" {} |", m);
        line += " --- |";
      }
      out += line + "\n";
      for (const PaperCell& cell : paper_table()) {
        if (!values(info.name, cell.set, cell.metric, methods[0])) continue;
        out += fmt::format("| {} | {} |", cell.metric, cell.set);
        for (const std::string& m : methods)
          out += fmt::format(" {} |", shown(info.name, cell.set, cell.metric, m, std::nullopt));
        out += "\n";
      }
      out += "\n";
    }
    return out;
  }

  // Each entry: linear minus linear without that part, and the test of the difference.
  [[nodiscard]] std::string parts() const {
    std::string out =
        "## What each part is worth\n\nTest value of `linear` minus that of `linear` with one part changed: "
        "positive = "
        "the part helps. lambda=dinkelbach adds the weights of λ, which `linear` does not use: there "
        "negative "
        "= they "
        "would help. * p < 0.05, Wilcoxon signed-rank over runs, exact, two-sided.\n\n| metric | set |";
    std::string line = "\n| --- | --- |";
    std::vector<std::string> variants;
    for (const MethodSpec& spec : ablations(false)) {
      if (spec.text == "linear") continue;
      variants.push_back(spec.text);
      out += fmt::format(
          " {} |", spec.text.substr(spec.text.find('[') + 1, spec.text.size() - spec.text.find('[') - 2));
      line += " --- |";
    }
    out += line + "\n";
    bool any = false;
    for (const PaperCell& cell : paper_table()) {
      const auto whole = values("primary", cell.set, cell.metric, "linear");
      std::string row;
      bool found = false;
      for (const std::string& variant : variants) {
        const auto v = values("primary", cell.set, cell.metric, variant);
        if (!whole || !v || v->size() != whole->size()) {
          row += "  |";
          continue;
        }
        found = true;
        const PairedTest test = wilcoxon(*whole, *v);
        row += fmt::format(" {:+.4f}{} |", test.mean_difference, test.p < 0.05 ? " *" : "");
      }
      if (!found) continue;
      any = true;
      out += fmt::format("| {} | {} |{}\n", cell.metric, cell.set, row);
    }
    return any ? out + "\n" : "";
  }

  const ordered_json& results_;
};

}  // namespace

std::string study_markdown(const ordered_json& results) { return StudyReport(results).markdown(); }

}  // namespace mmo::study
