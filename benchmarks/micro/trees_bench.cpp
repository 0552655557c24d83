// Seconds per tree against the number of labels, four to a row: they must not grow with it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/learn/trees/boosting.h"
#include "mmo/learn/trees/forest.h"

namespace {

constexpr std::size_t columns = 100;
constexpr std::size_t labels_per_row = 4;

struct Rows {
  mmo::Table table;
  mmo::LabelMatrix labels;

  [[nodiscard]] mmo::Truth truth() const { return {&labels, nullptr, {}, {}}; }
};

// Every label leans on one column.
Rows random_rows(std::size_t rows, std::size_t labels) {
  mmo::Random random(1);
  Rows out;
  mmo::DenseMatrix x(rows, columns);
  out.labels.cols = labels;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::uint32_t> row;
    for (std::size_t k = 0; k < labels_per_row; ++k)
      row.push_back(static_cast<std::uint32_t>(random.below(labels)));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (std::size_t k = 0; k < columns; ++k) x(i, k) = static_cast<float>(random.normal());
    for (const std::uint32_t j : row) x(i, j % columns) += 1.5F;
    out.labels.push_row(row);
  }
  out.table.values = std::move(x);
  return out;
}

void forest(benchmark::State& state, mmo::ForestOptions::Cuts cuts) {
  const Rows rows =
      random_rows(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  mmo::set_threads(1);
  mmo::ForestOptions options;
  options.trees = 20;
  options.cuts = cuts;
  std::uint64_t bytes_of_trees = 0;
  for (auto _ : state) {
    const mmo::Forest forest = fit_forest(rows.table, rows.truth(), options);
    bytes_of_trees = bytes(forest.scorer);
  }
  state.counters["trees/s"] =
      benchmark::Counter(static_cast<double>(options.trees), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["kB/tree"] = static_cast<double>(bytes_of_trees) / 1000 / static_cast<double>(options.trees);
}

void boosted(benchmark::State& state) {
  const Rows rows =
      random_rows(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  mmo::set_threads(1);
  std::vector<std::uint32_t> fold_of_row(rows.labels.rows);
  for (std::size_t i = 0; i < fold_of_row.size(); ++i) fold_of_row[i] = static_cast<std::uint32_t>(i % 5);
  mmo::BoostOptions options;
  options.rounds = 10;
  for (auto _ : state)
    benchmark::DoNotOptimize(fit_boosted(rows.table, rows.truth(), {fold_of_row, 1}, options).rounds);
  state.counters["trees/s"] =
      benchmark::Counter(static_cast<double>(options.rounds), benchmark::Counter::kIsIterationInvariantRate);
}

void sizes(benchmark::internal::Benchmark* bench) {
  for (const int labels : {8, 30, 374, 5000}) bench->Args({5000, labels});
  bench->Args({50000, 20})->ArgNames({"rows", "labels"})->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(forest, best, mmo::ForestOptions::Cuts::best)->Apply(sizes);
BENCHMARK_CAPTURE(forest, random, mmo::ForestOptions::Cuts::random)->Apply(sizes);
BENCHMARK(boosted)->Apply(sizes);

}  // namespace
