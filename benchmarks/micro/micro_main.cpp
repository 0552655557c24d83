// mmo_micro: parts of the engine on one core (Google Benchmark's flags apply).
#include <benchmark/benchmark.h>

#include "mmo/core/parallel.h"

int main(int argc, char** argv) {
  mmo::set_threads(1);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
