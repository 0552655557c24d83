#include "cli/deep.h"
#include "cli/parallel.h"
#include "cli/program.h"
#include "mmo/comm/mpi/launcher.h"
#include "mmo/core/descriptor.h"
#include "mmo/core/memory.h"

int main(int argc, char** argv) {
  using namespace mmo::cli;  // NOLINT(google-build-using-namespace)
  mmo::open_standard_streams();
  mmo::keep_freed_memory();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (is_deep(arguments)) return run_deep(arguments);
  if (mmo::launched_in_parallel()) return run_parallel(arguments);
  return run_program(mmo_program(), arguments);
}
