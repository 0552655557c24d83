// Loss and gradient per element: the paper's surrogates against plain binary cross-entropy, 10 to 100,000
// labels.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "benchmarks/micro/machine_peak.h"
#include "benchmarks/micro/measure.h"
#include "mmo/core/random.h"
#include "mmo/loss/batch.h"
#include "mmo/loss/column_loss.h"

namespace {

using namespace mmo;

constexpr std::size_t cells = std::size_t{1}
                              << 23;  // of one call, whatever the number of labels: far beyond the caches
constexpr std::size_t labels_per_row = 3;

struct Batch {
  std::size_t rows, labels;
  std::vector<float> scores, gradient;
  LabelMatrix present;

  explicit Batch(std::size_t l) : rows(std::max<std::size_t>(cells / l, 1)), labels(l), gradient(rows * l) {
    Random random(1);
    scores.resize(rows * l);
    for (float& s : scores) s = static_cast<float>(4 * random.uniform() - 2);
    present.cols = l;
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<std::uint32_t> row;
      for (std::size_t k = 0; k < labels_per_row; ++k)
        row.push_back(static_cast<std::uint32_t>(random.below(l)));
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      present.push_row(row);
    }
  }
};

void count(benchmark::State& state, std::size_t elements, double bytes_per_element) {
  const auto all = static_cast<double>(state.iterations()) * static_cast<double>(elements);
  state.counters["ns per element"] =
      benchmark::Counter(all * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["share of copy bandwidth"] =
      benchmark::Counter(all * bytes_per_element / (bench::copy_gbytes() * 1e9), benchmark::Counter::kIsRate);
}

const LabelCost plain{1, 1}, weighted{1.3, 0.7};

// κ = 0 with costs of 1 is binary cross-entropy itself, in our own vector code; κ = 1 is the joint surrogate.
// A call of one follows a call of the other, so that a machine that slows down slows both: "over BCE" of
// `bce` itself differs from 1 by what noise is left.
void loss_and_gradient(benchmark::State& state, double kappa, LabelCost cost) {
  Batch batch(static_cast<std::size_t>(state.range(0)));
  const std::vector<LabelCost> costs(batch.labels, cost), ones(batch.labels, plain);
  ScoreBatch scores;
  scores.rows = batch.rows;
  scores.labels_count = batch.labels;
  scores.scores = batch.scores;
  scores.labels = &batch.present;
  const auto seconds = [&](std::span<const LabelCost> weights, double k) {
    const bench::ProcessorClock clock;
    benchmark::DoNotOptimize(batch_surrogate(scores, weights, k, Reduction::mean, batch.gradient));
    return clock.seconds();
  };
  double own = 0, bce = 0;
  for (auto _ : state) {
    own += seconds(costs, kappa);
    state.PauseTiming();
    bce += seconds(ones, 0);
    state.ResumeTiming();
  }
  count(state, batch.scores.size(), 2 * sizeof(float));
  state.counters["over BCE"] = own / bce;
}

// Binary cross-entropy as a textbook has it: dense targets, the C library's exp and log1p.
void textbook_bce(benchmark::State& state) {
  Batch batch(static_cast<std::size_t>(state.range(0)));
  std::vector<float> targets(batch.scores.size());
  for (std::size_t i = 0; i < batch.rows; ++i) {
    for (const std::uint32_t j : batch.present.row(i)) targets[i * batch.labels + j] = 1;
  }
  for (auto _ : state) {
    double sum = 0;
    for (std::size_t e = 0; e < targets.size(); ++e) {
      const float z = batch.scores[e];
      const float tail = std::exp(-std::fabs(z));
      sum += std::max(z, 0.0F) - targets[e] * z + std::log1p(tail);
      const float p = z >= 0 ? 1 / (1 + tail) : tail / (1 + tail);
      batch.gradient[e] = p - targets[e];
    }
    benchmark::DoNotOptimize(sum);
    benchmark::ClobberMemory();
  }
  count(state, targets.size(), 3 * sizeof(float));
}

// What the linear solver calls for a block of columns.
void column_loss(benchmark::State& state, ColumnLoss::Kind kind) {
  constexpr std::size_t stride = 32;
  constexpr std::size_t rows = cells / stride;
  Batch batch(stride);
  std::vector<std::int8_t> sign(rows * stride, -1);
  for (std::size_t i = 0; i < rows; ++i) {
    for (const std::uint32_t j : batch.present.row(i)) sign[i * stride + j] = 1;
  }
  const std::vector<float> positive(stride, 1.3F), negative(stride, 0.7F), row_cost(rows, 20.0F);
  std::vector<double> value(stride);
  const ColumnCells block{rows,
                          stride,
                          sign.data(),
                          nullptr,
                          positive.data(),
                          negative.data(),
                          kind == ColumnLoss::Kind::joint ? row_cost.data() : nullptr};
  for (auto _ : state) {
    evaluate_loss({.kind = kind, .tau = 0.5F}, block, batch.scores.data(), nullptr, nullptr,
                  batch.gradient.data(), value.data());
    benchmark::DoNotOptimize(value.data());
  }
  count(state, rows * stride, 2 * sizeof(float) + 1);
}

void label_counts(benchmark::internal::Benchmark* b) {
  b->ArgName("labels")->RangeMultiplier(10)->Range(10, 100000)->Unit(benchmark::kMillisecond);
  b->ComputeStatistics("lowest", [](const std::vector<double>& v) { return *std::ranges::min_element(v); });
  b->ComputeStatistics("highest", [](const std::vector<double>& v) { return *std::ranges::max_element(v); });
}

BENCHMARK_CAPTURE(loss_and_gradient, bce, 0.0, plain)->Apply(label_counts);
BENCHMARK_CAPTURE(loss_and_gradient, independent, 0.0, weighted)->Apply(label_counts);
BENCHMARK_CAPTURE(loss_and_gradient, joint, 1.0, weighted)->Apply(label_counts);
BENCHMARK(textbook_bce)->Apply(label_counts);
BENCHMARK_CAPTURE(column_loss, logistic, ColumnLoss::Kind::logistic)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(column_loss, joint, ColumnLoss::Kind::joint)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(column_loss, generalised, ColumnLoss::Kind::generalised)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(column_loss, squared_hinge, ColumnLoss::Kind::squared_hinge)->Unit(benchmark::kMillisecond);

}  // namespace
