#include <omp.h>

#include "mmo/comm/mpi/launcher.h"
#include "mmo/comm/mpi/processes.h"
#include "mmo/core/error.h"

namespace mmo {

Communicator& join_processes() {
  if (launched_in_parallel())
    throw UsageError("this program was built without MPI; install libopenmpi-dev and build it again");
  return alone();
}

int threads_per_process() { return omp_get_num_procs(); }

int leave_processes(int exit_code) { return exit_code; }

void let_first_report(const Communicator& /*processes*/) {}

}  // namespace mmo
