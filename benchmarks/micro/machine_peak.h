// What this core can do at most, measured: the yardsticks of the other micro-benchmarks. Each is measured
// once per process.
#pragma once

namespace mmo::bench {

// float32 multiply-adds in registers, counted as two operations each; 10⁹ per second.
[[nodiscard]] double peak_gflops();
// Bytes read plus bytes written per second, copying arrays far larger than the caches; 10⁹ per second.
[[nodiscard]] double copy_gbytes();
// The same for arrays that stay in the second-level cache.
[[nodiscard]] double cached_copy_gbytes();

}  // namespace mmo::bench
