// mmo's side of the comparison with the peers (benchmarks/peers): one measurement, data in memory, one JSON
// object on standard output. Arguments as for benchmarks/peers/worker.py:
//   mmo_worker tolerance FOLDER TARGET                  with which a plain fit has at most this objective
//   mmo_worker time plain FOLDER THREADS [TOLERANCE TARGET]   one plain fit
//   mmo_worker time "METRIC EFFORT" FOLDER THREADS      the whole search
//   mmo_worker load svmlight FOLDER THREADS             reading train.svm
//   mmo_worker growth ROWS FEATURES LABELS NONZEROS     one plain fit of generated data (NONZEROS 0 = dense)
//   mmo_worker generate ROWS FEATURES LABELS NONZEROS FILE   the same data as a file
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/micro/measure.h"
#include "benchmarks/micro/plain_fit.h"
#include "mmo/core/memory.h"
#include "mmo/core/parallel.h"
#include "mmo/data/generate.h"
#include "mmo/data/load.h"
#include "mmo/search/train.h"

namespace {

using mmo::Dataset;
using mmo::bench::forget_peak;
using mmo::bench::objective;
using mmo::bench::peak_kb;
using mmo::bench::plain_fit;
using mmo::bench::PlainFit;
using mmo::bench::Stopwatch;
using nlohmann::json;

// Coarse to fine. Without a target a plain fit has the search's own tolerance.
constexpr double tolerances[] = {3e-2, 2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4,
                                 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 1e-6};
constexpr double selecting_tolerance = 1e-3;
constexpr double target_slack = 1e-6;  // relative; a summed objective in double is exact to far less
constexpr double shortest_timing = 0.2;
constexpr std::size_t warm_up_rows = 64;

// Seconds of one call, averaged over as many as fill a fifth of a second.
template <class Work>
double average_seconds(const Work& work) {
  const Stopwatch watch;
  int calls = 0;
  do {
    work();
    ++calls;
  } while (watch.seconds() < shortest_timing);
  return watch.seconds() / calls;
}

// Memory in use once code and libraries are there: after a fit of a few rows, as in worker.py.
long warm_start_kb(const std::string& folder) {
  {
    const Dataset data = mmo::load_dataset(folder + "/train.npz", {});
    std::vector<std::uint32_t> few(std::min(warm_up_rows, data.rows()));
    std::iota(few.begin(), few.end(), 0U);
    if (plain_fit(take_rows(data, few), selecting_tolerance).trained.empty())
      throw std::runtime_error(folder + ": the first rows have no labels to warm up with");
  }
  return forget_peak();
}

std::size_t nonzeros(const Dataset& data) {
  const auto* sparse = std::get_if<mmo::CsrMatrix>(&data.x);
  return sparse != nullptr ? sparse->nonzeros() : data.rows() * feature_cols(data.x);
}

double iterations_per_label(const PlainFit& fit) {
  return static_cast<double>(fit.iterations) /
         static_cast<double>(std::max<std::size_t>(fit.trained.size(), 1));
}

// Seconds of one fit, which is left in `fit`.
double fit_seconds(const Dataset& data, double tolerance, PlainFit& fit) {
  return average_seconds([&] {
    fit = {};  // its memory is not the next one's
    fit = plain_fit(data, tolerance);
  });
}

bool reaches(double value, double target) { return value <= target * (1 + target_slack); }

// The coarsest that reaches the target, or else the finest. Found in another process than the fit, which
// would otherwise lie in the memory that these leave behind.
json find_tolerance(const std::string& folder, double target) {
  const Dataset data = mmo::load_dataset(folder + "/train.npz", {});
  const auto* const found = std::find_if(
      std::begin(tolerances), std::end(tolerances) - 1,
      [&](double tolerance) { return reaches(objective(plain_fit(data, tolerance), data), target); });
  return {{"tolerance", *found}};
}

json measure_plain(const std::string& folder, double tolerance, double target) {
  const long start = warm_start_kb(folder);
  const Dataset data = mmo::load_dataset(folder + "/train.npz", {});
  PlainFit fit;
  const double fitting = fit_seconds(data, tolerance, fit);
  const long peak = peak_kb();
  const Dataset test = mmo::load_dataset(folder + "/test.npz", {});
  const double predicting = average_seconds([&] {
    if (mmo::predict(fit.model, test.x).rows != test.rows()) throw std::logic_error("rows were lost");
  });
  const double value = objective(fit, data);
  return {{"seconds", {{"fit", fitting}, {"predict", predicting}}},
          {"peak_kb", peak},
          {"start_kb", start},
          {"objective", value},
          {"target", target},
          {"target_reached", target <= 0 || reaches(value, target)},
          {"tolerance", tolerance},
          {"iterations_per_label", iterations_per_label(fit)},
          {"unfinished", fit.unfinished}};
}

// Seconds by stage, from the progress that training reports.
class StageClock {
 public:
  [[nodiscard]] mmo::Progress listener() {
    return [this](const mmo::ProgressEvent& event) {
      close();
      stage_ = event.stage;
    };
  }
  [[nodiscard]] std::map<std::string, double> stages() {
    close();
    return seconds_;
  }

 private:
  void close() {
    seconds_[stage_] += watch_.seconds();
    watch_ = Stopwatch();
  }
  Stopwatch watch_;
  std::string stage_ = "preparation";
  std::map<std::string, double> seconds_;
};

// Of all columns on the L2 paths, which is where most of a search's time goes.
double column_iterations(const json& history) {
  double sum = 0;
  for (const json& loss : history.at("losses")) {
    for (const json& point : loss.at("path"))
      sum += point.at("iterations").get<double>() * point.at("columns").get<double>();
  }
  return sum;
}

json measure_search(const std::string& variant, const std::string& folder) {
  const std::size_t blank = variant.find(' ');
  if (blank == std::string::npos)
    throw std::invalid_argument("write \"METRIC EFFORT\", not '" + variant + "'");
  static const std::map<std::string, mmo::Effort> efforts = {{"quick", mmo::Effort::quick},
                                                             {"standard", mmo::Effort::standard},
                                                             {"thorough", mmo::Effort::thorough}};
  const long start = warm_start_kb(folder);
  const Dataset data = mmo::load_dataset(folder + "/train.npz", {});
  mmo::TrainOptions options;
  options.metric = mmo::parse_metric(variant.substr(0, blank));
  options.effort = efforts.at(variant.substr(blank + 1));
  mmo::TrainResult result;
  std::map<std::string, double> stages;  // of the last run
  const double whole = average_seconds([&] {
    StageClock clock;
    options.progress = clock.listener();
    result = mmo::train(data, options);
    stages = clock.stages();
  });
  const double fit = stages["final fit"];
  const long peak = peak_kb();
  const Dataset test = mmo::load_dataset(folder + "/test.npz", {});
  const double predicting = average_seconds([&] {
    if (mmo::predict(result.model, prepare(result.model, test)).rows != test.rows())
      throw std::logic_error("rows were lost");
  });
  return {{"seconds", {{"fit", fit}, {"search", whole - fit}, {"predict", predicting}}},
          {"stages", stages},
          {"column_iterations", column_iterations(result.model.history)},
          {"nonzeros", nonzeros(data)},
          {"peak_kb", peak},
          {"start_kb", start}};
}

json measure_load(const std::string& folder) {
  const std::string path = folder + "/train.svm";
  const double seconds = average_seconds([&] {
    if (mmo::load_dataset(path, {}).rows() == 0) throw std::runtime_error(path + " has no rows");
  });
  return {{"seconds", {{"load", seconds}}}, {"bytes", std::filesystem::file_size(path)}};
}

mmo::GenerateOptions generate_options(const std::vector<std::string>& arguments) {
  mmo::GenerateOptions options;
  options.rows = std::stoul(arguments.at(2));
  options.features = std::stoul(arguments.at(3));
  options.labels = std::stoul(arguments.at(4));
  options.nonzeros_per_row = std::stoul(arguments.at(5));
  return options;
}

json generate(const std::vector<std::string>& arguments) {
  mmo::save_dataset(mmo::generate_dataset(generate_options(arguments)), arguments.at(6), {});
  return {{"file", arguments.at(6)}};
}

json measure_growth(const std::vector<std::string>& arguments) {
  const mmo::GenerateOptions options = generate_options(arguments);
  mmo::set_threads(1);
  const Dataset data = mmo::generate_dataset(options);
  const long start = forget_peak();
  PlainFit fit;
  const double fitting = fit_seconds(data, selecting_tolerance, fit);
  return {{"seconds", {{"fit", fitting}}},
          {"peak_kb", peak_kb()},
          {"start_kb", start},
          {"nonzeros", nonzeros(data)},
          {"iterations_per_label", iterations_per_label(fit)}};
}

json measure(const std::vector<std::string>& arguments) {
  const std::string& kind = arguments.at(1);
  if (kind == "growth") return measure_growth(arguments);
  if (kind == "generate") return generate(arguments);
  if (kind == "tolerance") return find_tolerance(arguments.at(2), std::stod(arguments.at(3)));
  mmo::set_threads(std::stoi(arguments.at(4)));
  if (kind == "load") return measure_load(arguments.at(3));
  if (kind != "time") throw std::invalid_argument("unknown measurement '" + kind + "'");
  if (arguments.at(2) == "plain") {
    const bool given = arguments.size() > 5;
    return measure_plain(arguments.at(3), given ? std::stod(arguments[5]) : selecting_tolerance,
                         given ? std::stod(arguments.at(6)) : 0.0);
  }
  return measure_search(arguments.at(2), arguments.at(3));
}

}  // namespace

int main(int argc, char** argv) {
  mmo::keep_freed_memory();  // as in the program
  try {
    fmt::print("{}\n", measure({argv, argv + argc}).dump());
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "mmo_worker: {}\n", e.what());
    return 1;
  }
}
