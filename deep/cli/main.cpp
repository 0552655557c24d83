#include "cli/program.h"
#include "deep/cli/commands.h"
#include "mmo/comm/mpi/processes.h"
#include "mmo/core/descriptor.h"
#include "mmo/core/memory.h"

int main(int argc, char** argv) {
  using namespace mmo::deep::cli;  // NOLINT(google-build-using-namespace)
  mmo::open_standard_streams();
  mmo::keep_freed_memory(std::uint64_t{1} << 30U);  // a training step takes hundreds of megabytes
  const int code = mmo::cli::run_program(
      {.title = "MMO: networks trained for the metric they are judged by",
       .name = "mmo deep",
       .commands = {add_features, add_train, add_predict, add_evaluate, add_export, add_paper}},
      std::vector<std::string>(argv + 1, argv + argc));
  return mmo::leave_processes(code);
}
