#include <malloc.h>

#include "cli/program.h"
#include "deep/cli/commands.h"
#include "mmo/comm/mpi/processes.h"

namespace {

// A step allocates and frees the same hundreds of megabytes again and again. By default glibc returns them to
// the system each time, and the pages' first touches cost up to a third of a step.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2'000'000'000);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mmo::deep::cli;  // NOLINT(google-build-using-namespace)
  keep_freed_memory();
  const int code = mmo::cli::run_program(
      {.title = "MMO: networks trained for the metric they are judged by",
       .name = "mmo deep",
       .commands = {add_features, add_train, add_predict, add_evaluate, add_export, add_paper}},
      std::vector<std::string>(argv + 1, argv + argc));
  return mmo::leave_processes(code);
}
