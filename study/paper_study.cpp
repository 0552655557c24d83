#include "study/paper_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "mmo/core/parallel.h"
#include "mmo/core/version.h"
#include "mmo/report/compare.h"
#include "mmo/search/recipe.h"
#include "study/ablations.h"
#include "study/paper_table.h"
#include "study/provenance.h"

namespace mmo::study {
namespace {

using nlohmann::ordered_json;

const std::vector<std::string> sets{"scene", "birds", "emotions", "cal500"};
const std::vector<std::string> metrics{"micro-f1",        "micro-jaccard", "samples-f1",
                                       "samples-jaccard", "macro-f1",      "macro-jaccard"};

// What a cell's values depend on besides data and seeds: the program's version and the method's recipe.
// Values made by a different one are not mixed with new ones.
std::string made_by(const MethodSpec& method) {
  const TrainOptions defaults;
  const Recipe r = make_recipe(method.method, defaults.effort, method.settings);
  const auto numbers = [](const auto& values) {
    std::string out;
    for (const auto v : values) out += fmt::format("{}{:g}", out.empty() ? "" : ",", static_cast<double>(v));
    return out;
  };
  return fmt::format(
      "mmo {}, folds {}, maps {}|{}, L2 {}|{}, by metric {}, lambda {} {:g} {:g}, tau {:g}, joint {}, "
      "minibatch {}, stack {}, rule {}, min labels {}",
      version(), defaults.folds, numbers(r.dense_maps), numbers(r.sparse_maps), numbers(r.logistic_path),
      numbers(r.hinge_path), r.l2_by_metric, static_cast<int>(r.lambda), r.lambda_value, r.lambda_step, r.tau,
      r.joint, static_cast<int>(r.minibatch), r.stack, static_cast<int>(r.rule), r.min_labels);
}

}  // namespace

std::vector<StudyCell> study_plan() {
  std::vector<StudyCell> plan;
  const auto add = [&](PaperVariant variant, const std::vector<std::string>& methods,
                       const std::vector<std::string>& wanted_sets,
                       const std::vector<std::string>& wanted_metrics) {
    for (const std::string& method : methods) {
      for (const std::string& set : wanted_sets) {
        for (const std::string& metric : wanted_metrics) {
          const bool planned = std::any_of(plan.begin(), plan.end(), [&](const StudyCell& c) {
            return c.variant == variant && c.set == set && c.metric == metric && c.method == method;
          });
          if (!planned) plan.push_back({variant, set, metric, method});
        }
      }
    }
  };
  const std::vector<std::string> light{"linear", "mmo", "br", "koyejo", "macro-thres", "paper-scan"};
  add(PaperVariant::primary, light, sets, metrics);
  add(PaperVariant::train_count, {"linear"}, {"birds", "cal500"}, metrics);
  add(PaperVariant::half_split, {"linear"}, {"cal500"}, metrics);
  const std::vector<std::string> three{"micro-f1", "macro-f1", "samples-f1"};
  std::vector<std::string> parts;
  for (const MethodSpec& spec : ablations(false)) parts.push_back(spec.text);
  add(PaperVariant::primary, parts, sets, three);
  const std::vector<std::string> few{"koyejo", "mmo", "linear"};
  add(PaperVariant::few_features, few, sets, three);
  add(PaperVariant::dropped, few, sets, three);
  add(PaperVariant::primary, {"ema", "sigmoid-f1", "asl[rule=global]"},
      {"emotions", "scene", "birds", "cal500"}, metrics);
  return plan;
}

void run_study(const StudyOptions& options, ordered_json& results) {
  results["version"] = version();
  results["made"] = provenance();
  results["runs"] = options.runs;
  const std::vector<StudyCell> plan = study_plan();
  std::map<std::string, PaperSet> loaded;
  std::size_t done = 0;
  for (const StudyCell& cell : plan) {
    ++done;
    if (!options.methods.empty() &&
        std::find(options.methods.begin(), options.methods.end(), cell.method) == options.methods.end())
      continue;
    ordered_json& entry = results["cells"][variant_name(cell.variant)][cell.set][cell.metric][cell.method];
    const auto runs = static_cast<std::size_t>(options.runs);
    const MethodSpec method = parse_method_spec(cell.method);
    const std::string maker = made_by(method);
    const bool current = entry.contains("values") && entry["values"].size() == runs &&
                         entry.value("made_by", std::string()) == maker;
    if (!options.again && current) continue;
    if (!loaded.contains(cell.set)) loaded.emplace(cell.set, PaperSet(options.data, cell.set));
    const Metric metric = parse_metric(cell.metric);
    std::vector<double> values;
    double seconds = 0;
    for (std::size_t run = 0; run < runs; ++run) {
      throw_if_cancelled();
      report(options.progress,
             fmt::format("{}, {}, {}, {}, run {}", variant_name(cell.variant), cell.set, cell.metric,
                         cell.method, run),
             static_cast<double>(done - 1) / static_cast<double>(plan.size()));
      const TrainTestPair data = loaded.at(cell.set).run(cell.variant, run);
      TrainOptions base;
      base.seed = run;
      const RunValue result = run_method(data.train, data.test, method, metric, base);
      values.push_back(result.value);
      seconds += result.seconds / static_cast<double>(runs);
    }
    entry = {{"values", values}, {"seconds", seconds}, {"made_by", maker}};
    if (options.save) options.save(results);
  }
}

}  // namespace mmo::study
