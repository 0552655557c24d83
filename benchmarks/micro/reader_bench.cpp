// Readers in MB/s (files in the page cache) and prediction in rows per second.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>

#include "mmo/data/generate.h"
#include "mmo/data/load.h"
#include "mmo/model/model.h"

namespace {

using namespace mmo;

GenerateOptions options_of(bool sparse) {
  GenerateOptions options;
  options.rows = sparse ? 50000 : 5000;
  options.features = sparse ? 20000 : 200;
  options.nonzeros_per_row = sparse ? 60 : 0;
  return options;
}

// A generated file that is removed with the benchmark.
class GeneratedFile {
 public:
  GeneratedFile(bool sparse, const std::string& ending)
      : path_(std::filesystem::temp_directory_path() /
              ("mmo_micro_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + (sparse ? "s" : "d") +
               ending)) {
    Dataset data = generate_dataset(options_of(sparse));
    save_dataset(data, path_, {.overwrite = true});
    labels_ = data.labels();
  }
  ~GeneratedFile() {
    std::filesystem::remove(path_);
    std::filesystem::remove(std::filesystem::path(path_).replace_extension(".xml"));
  }
  GeneratedFile(const GeneratedFile&) = delete;
  GeneratedFile& operator=(const GeneratedFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::size_t labels() const { return labels_; }

 private:
  std::string path_;
  std::size_t labels_ = 0;
};

void read(benchmark::State& state, const std::string& ending, bool sparse) {
  const GeneratedFile file(sparse, ending);
  LoadOptions options;
  if (ending == ".csv") options.labels = "last:" + std::to_string(file.labels());
  for (auto _ : state) benchmark::DoNotOptimize(load_dataset(file.path(), options).rows());
  const auto bytes = static_cast<double>(std::filesystem::file_size(file.path()));
  state.counters["MB/s"] =
      benchmark::Counter(bytes * static_cast<double>(state.iterations()) / 1e6, benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(read, svmlight_sparse, ".svm", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, svmlight_dense, ".svm", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, xmc_sparse, ".txt", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, arff_sparse, ".arff", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, arff_dense, ".arff", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, csv_dense, ".csv", false)->Unit(benchmark::kMillisecond);

void predict_rows(benchmark::State& state, bool sparse) {
  GenerateOptions options = options_of(sparse);
  options.labels = static_cast<std::size_t>(state.range(0));
  const Dataset data = generate_dataset(options);
  Model model;
  model.weights = DenseMatrix(options.features, options.labels, 0.01F);
  model.bias.assign(options.labels, -1.0F);
  model.rule.thresholds.assign(options.labels, 0.0F);
  for (auto _ : state) benchmark::DoNotOptimize(predict(model, data.x).rows);
  state.counters["rows/s"] =
      benchmark::Counter(static_cast<double>(options.rows) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(predict_rows, dense, false)
    ->ArgName("labels")
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_rows, sparse, true)
    ->ArgName("labels")
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
