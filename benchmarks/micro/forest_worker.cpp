// One forest beside scikit-learn's (benchmarks/forests.py), one JSON object on standard output:
//   forest_worker TRAIN TEST LABELS KEY=VALUE...
// keys: trees, cuts (best | random), columns, min_leaf, depth, seed, smoothing, threads, scores (a folder:
// logits as raw floats in row order, of the training rows out of bag and of the test rows).
#include <fmt/core.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "benchmarks/micro/measure.h"
#include "mmo/calibrate/calibration.h"
#include "mmo/core/parallel.h"
#include "mmo/data/load.h"
#include "mmo/learn/trees/boosting.h"
#include "mmo/learn/trees/forest.h"

namespace {

using mmo::Dataset;
using mmo::DenseMatrix;
using Settings = std::map<std::string, std::string>;

mmo::Table table_of(const Dataset& data) {
  mmo::Table table;
  table.values = data.x;
  for (const auto& feature : data.features)
    table.categories.push_back(static_cast<std::uint32_t>(feature.categories.size()));
  if (std::none_of(table.categories.begin(), table.categories.end(), [](auto c) { return c > 0; }))
    table.categories.clear();
  return table;
}

mmo::ForestOptions options_of(const Settings& settings) {
  mmo::ForestOptions out;
  for (const auto& [key, value] : settings) {
    if (key == "trees") out.trees = std::stoul(value);
    if (key == "cuts") out.cuts = value == "random" ? mmo::ForestOptions::Cuts::random : out.cuts;
    if (key == "columns") out.columns_per_split = std::stoul(value);
    if (key == "min_leaf") out.min_leaf = std::stod(value);
    if (key == "depth") out.depth = std::stoul(value);
    if (key == "seed") out.seed = std::stoul(value);
  }
  return out;
}

mmo::BoostOptions boost_options_of(const Settings& settings) {
  mmo::BoostOptions out;
  for (const auto& [key, value] : settings) {
    if (key == "rounds") out.rounds = std::stoul(value);
    if (key == "rate") out.rate = std::stod(value);
    if (key == "columns") out.columns_per_split = std::stoul(value);
    if (key == "min_leaf") out.min_leaf = std::stod(value);
    if (key == "depth") out.depth = std::stoul(value);
    if (key == "ridge") out.ridge = std::stod(value);
    if (key == "directions") out.directions = std::stoul(value);
    if (key == "seed") out.seed = std::stoul(value);
  }
  return out;
}

void write_floats(const std::string& path, const DenseMatrix& scores) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(scores.values.data()),
             static_cast<std::streamsize>(scores.values.size() * sizeof(float)));
}

double calibrated_loss(const DenseMatrix& scores, const Dataset& data) {
  return mmo::fit_calibration(scores, data.y, nullptr, {}).log_loss;
}

nlohmann::json measure(const Dataset& train, const Dataset& test, const Settings& settings) {
  const mmo::Table table = table_of(train);
  const mmo::Table test_table = table_of(test);
  mmo::Truth truth;
  truth.labels = &train.y;
  mmo::ForestScorer scorer;
  DenseMatrix held_out;
  double fit = 0;
  double bag = 0;
  const mmo::bench::ProcessorClock fit_clock;
  if (settings.contains("cuts") && settings.at("cuts") == "boosted") {
    std::vector<std::uint32_t> fold_of_row(train.rows());
    for (std::size_t i = 0; i < fold_of_row.size(); ++i) fold_of_row[i] = static_cast<std::uint32_t>(i % 5);
    mmo::Boosted boosted = fit_boosted(table, truth, {fold_of_row, 5}, boost_options_of(settings));
    fit = fit_clock.seconds();
    scorer = std::move(boosted.scorer);
    held_out = std::move(boosted.held_out);
  } else {
    mmo::Forest forest = fit_forest(table, truth, options_of(settings));
    fit = fit_clock.seconds();
    if (settings.contains("smoothing")) forest.scorer.smoothing = std::stof(settings.at("smoothing"));
    const mmo::bench::ProcessorClock bag_clock;
    held_out = out_of_bag(forest, table);
    bag = bag_clock.seconds();
    scorer = std::move(forest.scorer);
  }
  DenseMatrix scores(test.rows(), test.labels());
  const mmo::bench::ProcessorClock predict_clock;
  add_scores(scorer, test_table, 0, test.rows(), scores.values.data());
  const double predict = predict_clock.seconds();
  if (settings.contains("scores")) {
    write_floats(settings.at("scores") + "/out_of_bag.f32", held_out);
    write_floats(settings.at("scores") + "/test.f32", scores);
  }
  return {{"trees", scorer.trees()},
          {"fit_seconds", fit},
          {"out_of_bag_seconds", bag},
          {"predict_seconds", predict},
          {"nodes", scorer.child.size()},
          {"leaves", scorer.leaves()},
          {"bytes", bytes(scorer)},
          {"out_of_bag_loss", calibrated_loss(held_out, train)},
          {"test_loss", calibrated_loss(scores, test)}};
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count < 4) throw std::invalid_argument("usage: forest_worker TRAIN TEST LABELS KEY=VALUE...");
    Settings settings;
    for (int k = 4; k < count; ++k) {
      const std::string setting = arguments[k];
      const auto equals = setting.find('=');
      settings[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
    mmo::set_threads(settings.contains("threads") ? std::stoi(settings["threads"]) : 1);
    mmo::LoadOptions options;
    options.labels = arguments[3];
    const Dataset train = load_dataset(arguments[1], options);
    const Dataset test = load_dataset(arguments[2], options);
    fmt::print("{}\n", measure(train, test, settings).dump());
  } catch (const std::exception& error) {
    fmt::print(stderr, "forest_worker: {}\n", error.what());
    return 1;
  }
  return 0;
}
