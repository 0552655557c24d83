// The two products of every iteration, as 10⁹ operations per second and as a share of the core's measured
// peak.
#include <benchmark/benchmark.h>

#include <vector>

#include "benchmarks/micro/machine_peak.h"
#include "mmo/data/generate.h"
#include "mmo/objective/products.h"

namespace {

using namespace mmo;

constexpr std::size_t rows = 10000, columns = 32;

Dataset make_data(std::size_t features, std::size_t nonzeros) {
  GenerateOptions options;
  options.rows = rows;
  options.features = features;
  options.nonzeros_per_row = nonzeros;
  return generate_dataset(options);
}

// What a product touches at least: each stored value (and its index) once, and for a sparse X its row of W
// besides.
double touched(const DenseMatrix& x) { return sizeof(float) * static_cast<double>(x.values.size()); }
double touched(const CsrMatrix& x) {
  return (2.0 + columns) * sizeof(float) * static_cast<double>(x.nonzeros());
}
double stored(const DenseMatrix& x) { return static_cast<double>(x.values.size()); }
double stored(const CsrMatrix& x) { return static_cast<double>(x.nonzeros()); }

enum class Direction { forward, backward };

// Arguments: features, non-zeros a row (0 = dense).
void product(benchmark::State& state, Direction direction) {
  const Dataset data =
      make_data(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const std::size_t dimension = feature_cols(data.x) + 1;
  std::vector<float> w(dimension * columns, 0.1F), z(rows * columns, 0.1F);
  std::visit(
      [&](const auto& x) {
        for (auto _ : state) {
          if (direction == Direction::forward) {
            forward(x, w.data(), columns, z.data());
          } else {
            backward(x, z.data(), columns, w.data());
          }
          benchmark::ClobberMemory();
        }
        const double operations = 2.0 * stored(x) * columns * static_cast<double>(state.iterations());
        state.counters["GFLOP/s"] = benchmark::Counter(operations / 1e9, benchmark::Counter::kIsRate);
        state.counters["GB/s touched"] = benchmark::Counter(
            touched(x) / 1e9 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
        state.counters["share of peak"] =
            benchmark::Counter(operations / (bench::peak_gflops() * 1e9), benchmark::Counter::kIsRate);
      },
      data.x);
}

void shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"features", "nonzeros"})->Unit(benchmark::kMillisecond);
  b->Args({72, 0})->Args({300, 0})->Args({1000, 0})->Args({500, 20})->Args({5000, 20})->Args({100000, 100});
}

BENCHMARK_CAPTURE(product, forward, Direction::forward)->Apply(shapes);
BENCHMARK_CAPTURE(product, backward, Direction::backward)->Apply(shapes);

void core_peak(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(bench::peak_gflops());
  state.counters["GFLOP/s"] = bench::peak_gflops();
  state.counters["copy GB/s"] = bench::copy_gbytes();
  state.counters["cached copy GB/s"] = bench::cached_copy_gbytes();
}
BENCHMARK(core_peak)->Iterations(1);

}  // namespace
