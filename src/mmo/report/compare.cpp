#include "mmo/report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "mmo/core/error.h"
#include "mmo/eval/evaluate.h"
#include "mmo/model/model.h"
#include "mmo/split/split.h"

namespace mmo {

MethodSpec parse_method_spec(const std::string& text) {
  MethodSpec spec{text, text, {}};
  const std::size_t open = text.find('[');
  if (open != std::string::npos) {
    if (text.back() != ']' || open == 0)
      throw UsageError(fmt::format("method '{}': write name[key=value,key=value]", text));
    spec.method = text.substr(0, open);
    std::string rest = text.substr(open + 1, text.size() - open - 2) + ",";
    for (std::size_t comma = rest.find(','); comma != std::string::npos; comma = rest.find(',')) {
      const std::string setting = rest.substr(0, comma);
      rest.erase(0, comma + 1);
      const std::size_t equals = setting.find('=');
      if (equals == std::string::npos || equals == 0)
        throw UsageError(fmt::format("method '{}': '{}' is not key=value", text, setting));
      spec.settings[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
  }
  const auto known = known_methods();
  if (std::none_of(known.begin(), known.end(), [&](const MethodInfo& m) { return m.name == spec.method; })) {
    std::string names;
    for (const MethodInfo& m : known) names += (names.empty() ? "" : ", ") + m.name;
    throw UsageError(fmt::format("unknown method '{}'; choose one of {}", spec.method, names));
  }
  return spec;
}

std::vector<MethodSpec> parse_method_list(const std::string& text) {
  std::vector<MethodSpec> methods;
  std::string current;
  int depth = 0;
  for (const char c : text + ",") {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth <= 0) {
      if (current.empty()) throw UsageError(fmt::format("methods '{}': an empty name", text));
      MethodSpec next = parse_method_spec(current);
      if (std::any_of(methods.begin(), methods.end(), [&](const MethodSpec& m) {
            return m.method == next.method && m.settings == next.settings;
          }))
        throw UsageError(fmt::format("methods '{}': '{}' is there twice; name each once", text, current));
      methods.push_back(std::move(next));
      current.clear();
    } else {
      current += c;
    }
  }
  if (!current.empty()) throw UsageError(fmt::format("methods '{}': a [ without a ]", text));
  return methods;
}

RunValue run_method(const Dataset& data, const Dataset& test, const MethodSpec& method, const Metric& metric,
                    const TrainOptions& base, const std::function<void(const Model&)>& trained) {
  TrainOptions options = base;
  options.method = method.method;
  options.settings = method.settings;
  options.metric = metric;
  const auto start = std::chrono::steady_clock::now();
  const Model model = train(data, options).model;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  LabelMatrix predicted = predict(model, prepare(model, test));
  predicted.cols = test.labels();  // labels that only the test file has count as missed
  const Truth truth{&test.y, test.unknown.rows > 0 ? &test.unknown : nullptr, test.row_weights, {}};
  if (trained) trained(model);
  return {evaluate(metric, predicted, truth), taken.count()};
}

Comparison compare(const Dataset& data, const Dataset* test, const CompareOptions& options) {
  Comparison out;
  out.runs = options.runs;
  out.same_test = test != nullptr;
  for (const MethodSpec& m : options.methods) out.methods.push_back(m.text);
  for (const Metric& m : options.metrics) out.metrics.push_back(m.name);
  out.cells.assign(out.metrics.size(), std::vector<ComparedCell>(out.methods.size()));
  const std::size_t trainings =
      out.metrics.size() * out.methods.size() * static_cast<std::size_t>(options.runs);
  std::size_t done = 0;
  TrainOptions base;
  base.effort = options.effort;
  base.folds = options.folds;
  base.min_positives = options.min_positives;
  base.text = options.text;
  for (int run = 0; run < options.runs; ++run) {
    base.seed = static_cast<std::uint64_t>(run);
    Dataset train_part;
    Dataset test_part;
    if (test == nullptr) {
      const Split split = stratified_split(data.y, options.test_share, base.seed, data.groups);
      train_part = take_rows(data, split.train);
      test_part = take_rows(data, split.test);
    }
    const Dataset& train_data = test == nullptr ? train_part : data;
    const Dataset& test_data = test == nullptr ? test_part : *test;
    for (std::size_t m = 0; m < out.metrics.size(); ++m) {
      for (std::size_t k = 0; k < out.methods.size(); ++k) {
        report(options.progress,
               fmt::format("run {} of {}, {}, {}", run + 1, options.runs, out.metrics[m], out.methods[k]),
               static_cast<double>(done) / static_cast<double>(trainings));
        const RunValue result = run_method(train_data, test_data, options.methods[k], options.metrics[m],
                                           base, [&](const Model& model) {
                                             if (options.trained)
                                               options.trained({run, m, k, model, test_data});
                                           });
        out.cells[m][k].values.push_back(result.value);
        out.cells[m][k].seconds += result.seconds / options.runs;
        ++done;
      }
    }
  }
  for (auto& row : out.cells) {
    for (ComparedCell& cell : row) cell.against_first = wilcoxon(cell.values, row[0].values);
  }
  return out;
}

nlohmann::ordered_json comparison_json(const Comparison& comparison) {
  nlohmann::ordered_json out;
  out["runs"] = comparison.runs;
  out["runs_differ_by"] = comparison.same_test ? "folds" : "test part and folds";
  out["test"] = "Wilcoxon signed-rank, exact, two-sided, against the first method";
  for (std::size_t m = 0; m < comparison.metrics.size(); ++m) {
    for (std::size_t k = 0; k < comparison.methods.size(); ++k) {
      const ComparedCell& cell = comparison.cells[m][k];
      nlohmann::ordered_json entry{{"metric", comparison.metrics[m]}, {"method", comparison.methods[k]},
                                   {"mean", mean(cell.values)},       {"sd", standard_deviation(cell.values)},
                                   {"values", cell.values},           {"seconds", cell.seconds}};
      if (k > 0) {
        entry["difference"] = cell.against_first.mean_difference;
        entry["p"] = cell.against_first.p;
      }
      out["results"].push_back(entry);
    }
  }
  return out;
}

}  // namespace mmo
