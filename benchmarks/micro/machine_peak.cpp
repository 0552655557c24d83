#include "benchmarks/micro/machine_peak.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "benchmarks/micro/measure.h"
#include "mmo/core/simd.h"

namespace mmo::bench {
namespace {

constexpr int tries = 5;            // the best one counts: a yardstick should not be shortened by noise
constexpr std::size_t chains = 12;  // independent multiply-adds that hide the latency of one
constexpr std::size_t rounds = 1 << 20;
constexpr std::size_t copied_floats = std::size_t{1} << 26;  // of one measurement
constexpr std::size_t cached_floats = std::size_t{1} << 16;  // both arrays fit a second-level cache of 512 KB

// Twelve vectors and two constants fit the registers of every instruction set.
MMO_SIMD void multiply_add(float* sums, float factor, float term) {
  Vec8 own[chains];
  for (std::size_t c = 0; c < chains; ++c) own[c] = load8(sums + c * lanes);
  for (std::size_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (std::size_t c = 0; c < chains; ++c) own[c] = own[c] * factor + term;
  }
  for (std::size_t c = 0; c < chains; ++c) store8(sums + c * lanes, own[c]);
}

double measure_gflops() {
  std::array<float, chains * lanes> sums{};
  double best = 0;
  for (int t = 0; t < tries; ++t) {
    const ProcessorClock watch;
    multiply_add(sums.data(), 0.999F, 0.001F);
    benchmark::DoNotOptimize(sums.data());
    best = std::max(best, 2.0 * lanes * chains * rounds / watch.seconds() / 1e9);
  }
  return best;
}

// Copies an array of this size, as often as makes up `copied_floats`.
double measure_copy(std::size_t floats) {
  const std::vector<float> from(floats, 1.0F);
  std::vector<float> to(floats);
  double best = 0;
  for (int t = 0; t < tries; ++t) {
    const ProcessorClock watch;
    for (std::size_t copied = 0; copied < copied_floats; copied += floats) {
      std::memcpy(to.data(), from.data(), floats * sizeof(float));
      benchmark::DoNotOptimize(to.data());
      benchmark::ClobberMemory();
    }
    best = std::max(best, 2.0 * sizeof(float) * copied_floats / watch.seconds() / 1e9);
  }
  return best;
}

}  // namespace

double peak_gflops() {
  static const double value = measure_gflops();
  return value;
}

double copy_gbytes() {
  static const double value = measure_copy(copied_floats);
  return value;
}

double cached_copy_gbytes() {
  static const double value = measure_copy(cached_floats);
  return value;
}

}  // namespace mmo::bench
