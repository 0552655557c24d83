#include "study/as_printed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mmo/core/parallel.h"
#include "mmo/rule/empirical_thresholds.h"
#include "mmo/split/split.h"
#include "mmo/transform/encoder.h"
#include "mmo/transform/feature_map.h"
#include "study/paper_data.h"
#include "study/printed_scan.h"
#include "study/provenance.h"

namespace mmo::study {
namespace {

using nlohmann::ordered_json;

constexpr double validation_share = 0.2;  // the paper does not print it
constexpr double taus[] = {0.25, 0.5, 0.75, 1, 2};
constexpr double sign_tolerance = 1e-3;  // ε_m of the bisection, a practical value like the library's

Partition make_partition(const PaperSet& set, std::uint64_t seed) {
  const TrainTestPair pair = set.run(PaperVariant::primary, seed);
  const Split split = random_split(pair.train.rows(), validation_share, seed);
  const Encoder encoder = fit_encoder(pair.train, MissingFeatures::refuse);
  const Features encoded = encode(encoder, pair.train);
  const FeatureMap map = fit_feature_map(FeatureMap::Kind::standardise, take_rows(encoded, split.train));
  const Features mapped = map.apply(encoded);
  return {.train = {take_rows(mapped, split.train), take_rows(pair.train.y, split.train)},
          .valid = {take_rows(mapped, split.test), take_rows(pair.train.y, split.test)},
          .test = {map.apply(encode(encoder, pair.test)), pair.test.y}};
}

Truth truth_of(const LabelMatrix& y) {
  Truth truth;
  truth.labels = &y;
  return truth;
}

void shift(DenseMatrix& scores, const std::vector<float>& thresholds) {
  for (std::size_t i = 0; i < scores.rows; ++i) {
    for (std::size_t j = 0; j < scores.cols; ++j) scores(i, j) -= thresholds[j];
  }
}

// BR, and its scores with one threshold (Algorithm 1) or one per label (Macro-Thres) from the validation
// part.
ordered_json baselines(const Partition& data, const Metric& metric, const DenseMatrix& valid,
                       const DenseMatrix& test) {
  const auto value_at = [&](const std::vector<float>& thresholds) {
    DenseMatrix shifted = test;
    shift(shifted, thresholds);
    return evaluate(metric, predict_at_zero(shifted), truth_of(data.test.y));
  };
  const Truth truth = truth_of(data.valid.y);
  const std::size_t labels = valid.cols;
  std::vector<float> each;
  for (const LabelThreshold& t : best_label_thresholds(metric, valid, truth)) each.push_back(t.threshold);
  return {{"BR", value_at(std::vector<float>(labels, 0))},
          {"Algorithm 1",
           value_at(std::vector<float>(labels, best_global_threshold(metric, valid, truth).threshold))},
          {"Macro-Thres", value_at(each)}};
}

std::vector<Range> coordinates(const Metric& metric, std::size_t labels) {
  return std::vector<Range>(by_label(metric) ? labels : 1, value_range(metric.ratio(0)));
}

// τ > 0 at the λ that the scan chose at τ = 0, starting from a τ = 0 fit: these losses are not convex.
double at_tau(const Partition& data, const Metric& metric, double tau, const std::vector<double>& lambda,
              PrintedFits& fits, const PrintedOptions& options, std::uint64_t seed) {
  const SurrogateLoss loss{.costs = label_costs(metric, data.train.y.cols, lambda), .tau = tau};
  const double middle = lambda[lambda.size() / 2];
  const PrintedFit fit =
      judge(fit_adam(data.train, loss, options.epochs, seed, fits.at(middle).weights), data);
  return evaluate(metric, fit.test_predicted, truth_of(data.test.y));
}

struct Unit {
  const PaperSet& set;
  std::string ratio;  // f1 or jaccard: their three averages share fits
};

// All methods of one partition: metric → method → test value.
ordered_json run_partition(const Unit& unit, std::uint64_t seed, const PrintedOptions& options) {
  const Partition data = make_partition(unit.set, seed);
  const SurrogateLoss logistic{.costs = std::vector<LabelCost>(data.train.y.cols)};
  const DenseMatrix weights = fit_adam(data.train, logistic, options.epochs, seed);
  const DenseMatrix valid = score(data.valid.x, weights);
  const DenseMatrix test = score(data.test.x, weights);
  const CountRatio ratio = parse_metric(unit.ratio).ratio(0);
  ordered_json out;
  for (const bool joint : {false, true}) {
    PrintedFits fits(data, ratio, joint, options.epochs, seed);
    for (const char* average : {"micro", "samples", "macro"}) {
      const Metric metric = parse_metric(fmt::format("{}-{}", average, unit.ratio));
      if (joint && by_label(metric)) continue;  // macro is l problems of one label: nothing to couple
      ordered_json& cell = out[metric.name];
      if (!joint) cell = baselines(data, metric, valid, test);
      const std::vector<double> lambda =
          lambda_scan(fits.evaluate(metric), coordinates(metric, data.train.y.cols), options.lambda_step)
              .lambda;
      cell[joint ? "MMO, joint" : "MMO"] = fits.test_value(metric, lambda);
      if (lambda.size() == 1) cell[joint ? "λ, joint" : "λ"] = lambda[0];
      for (const double tau : taus) {
        if (!joint)
          cell[fmt::format("τ = {:g}", tau)] = at_tau(data, metric, tau, lambda, fits, options, seed);
      }
    }
  }
  return out;
}

ordered_json steps_json(const LambdaResult& result) {
  ordered_json steps = ordered_json::array();
  for (const LambdaStep& step : result.steps)
    steps.push_back({step.lambda[0], step.values[0].metric, step.values[0].linearised});
  return steps;
}

// [λ, metric, Ê[ℓ^λ]] of every step of every search, micro metric, first partition, validation part.
ordered_json search_steps(const Unit& unit, const PrintedOptions& options) {
  const Partition data = make_partition(unit.set, 0);
  const Metric metric = parse_metric("micro-" + unit.ratio);
  PrintedFits fits(data, metric.ratio(0), false, options.epochs, 0);
  const EvaluateLambda evaluate = fits.evaluate(metric);
  const std::vector<Range> ranges = coordinates(metric, 1);
  const double width = ranges[0].high - ranges[0].low;
  const auto oracle = oracle_bisection([&](double lambda) { return evaluate({lambda})[0].linearised > 0; },
                                       ranges[0], options.lambda_step);
  return {
      {"scan", steps_json(lambda_scan(evaluate, ranges, options.lambda_step))},
      {"bisection", steps_json(surrogate_bisection(evaluate, ranges, options.lambda_step, sign_tolerance))},
      {"dinkelbach", steps_json(dinkelbach(evaluate, {0.5}, options.lambda_step, 50))},
      {"oracle calls", oracle.calls},
      {"bisection bound", std::ceil(std::log2(width / options.lambda_step))},
      {"scan bound", std::floor(width / options.lambda_step) + 1}};
}

}  // namespace

void run_as_printed(const PrintedOptions& options, ordered_json& results) {
  const ordered_json settings{
      {"runs", options.runs}, {"epochs", options.epochs}, {"lambda_step", options.lambda_step}};
  if (!results.contains("settings") || results["settings"] != settings) results = {{"settings", settings}};
  results["made"] = provenance();
  for (const std::string name : {"emotions", "birds", "scene", "cal500"}) {
    const PaperSet set(options.data, name);
    for (const std::string ratio : {"f1", "jaccard"}) {
      ordered_json& unit = results["units"][name][ratio];
      if (!options.again && unit.contains("runs")) continue;
      report(options.progress, fmt::format("{}, {}", name, ratio), 0);
      std::vector<ordered_json> runs(static_cast<std::size_t>(options.runs));
      parallel_for(runs.size(),
                   [&](std::size_t run) { runs[run] = run_partition({set, ratio}, run, options); });
      unit = {{"runs", runs}, {"searches", search_steps({set, ratio}, options)}};
      if (options.save) options.save(results);
    }
  }
}

}  // namespace mmo::study
