// Several methods on the same data, splits and seeds: mean ± sd over runs, and paired differences from the
// first.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mmo/core/progress.h"
#include "mmo/data/dataset.h"
#include "mmo/metric/metric.h"
#include "mmo/report/significance.h"
#include "mmo/search/train.h"

namespace mmo {

// "auto", "br", "auto[stack=off,loss=hinge]": a method and its settings.
struct MethodSpec {
  std::string text, method;
  std::map<std::string, std::string> settings;
};
[[nodiscard]] MethodSpec parse_method_spec(const std::string& text);
// Separated by commas outside brackets. Throws UsageError if a method is listed twice.
[[nodiscard]] std::vector<MethodSpec> parse_method_list(const std::string& text);

// One training of a comparison, while its model is still around.
struct ComparedRun {
  int run = 0;
  std::size_t metric = 0, method = 0;  // indices into the options
  const Model& model;
  const Dataset& test;
};

struct CompareOptions {
  std::vector<MethodSpec> methods;
  std::vector<Metric> metrics;  // each method is trained for each
  int runs = 10;                // run r has seed r
  double test_share = 0.2;  // without a test set: run r tests on this share, stratified, drawn with seed r
  Effort effort = Effort::standard;
  int folds = 5;
  std::size_t min_positives = 1;
  TextOptions text;
  Progress progress;
  std::function<void(const ComparedRun&)> trained;  // may be empty
};

// What one method reached for one metric.
struct ComparedCell {
  std::vector<double> values;  // test value of each run
  double seconds = 0;          // of training, averaged over runs
  PairedTest against_first;    // this − first method
};

struct Comparison {
  std::vector<std::string> methods, metrics;
  int runs = 0;
  bool same_test = false;                        // a test set was given: runs differ only in their folds
  std::vector<std::vector<ComparedCell>> cells;  // [metric][method]
};

// `test` may be null (see test_share). Throws what train() throws.
[[nodiscard]] Comparison compare(const Dataset& data, const Dataset* test, const CompareOptions& options);

// One training and its value on the test rows.
struct RunValue {
  double value = 0, seconds = 0;
};
[[nodiscard]] RunValue run_method(const Dataset& data, const Dataset& test, const MethodSpec& method,
                                  const Metric& metric, const TrainOptions& base,
                                  const std::function<void(const Model&)>& trained = {});

[[nodiscard]] nlohmann::ordered_json comparison_json(const Comparison& comparison);
[[nodiscard]] std::string comparison_text(const Comparison& comparison);
[[nodiscard]] std::string comparison_markdown(const Comparison& comparison);
[[nodiscard]] std::string comparison_latex(const Comparison& comparison);

}  // namespace mmo
