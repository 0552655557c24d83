// mmo-mpi: what `mmo` becomes when mpirun starts it as one of several processes.
#include "cli/program.h"
#include "mmo/comm/mpi/processes.h"
#include "mmo/core/descriptor.h"
#include "mmo/core/memory.h"

int main(int argc, char** argv) {
  using namespace mmo::cli;  // NOLINT(google-build-using-namespace)
  mmo::open_standard_streams();
  mmo::keep_freed_memory();
  Program program = mmo_program();
  program.processes = &mmo::join_processes();
  program.threads = mmo::threads_per_process();
  program.before_error = [&] { mmo::let_first_report(*program.processes); };
  return mmo::leave_processes(run_program(program, std::vector<std::string>(argv + 1, argv + argc)));
}
