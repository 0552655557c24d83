// The processes that mpirun started. Not part of the library `mmo`: programs that run in parallel link the
// target mmo_mpi; built without MMO_MPI, it refuses to run as one of several.
#pragma once

#include "mmo/comm/communicator.h"

namespace mmo {

// All processes of this run; alone(), without touching MPI, unless a launcher started this one. Throws
// UsageError under a launcher if the program was built without MPI: each process would do everything.
[[nodiscard]] Communicator& join_processes();

// How many threads this process may use without competing with the others on its machine: the machine's cores
// divided by its processes, but never more than the launcher bound this process to.
[[nodiscard]] int threads_per_process();

// Called last, with the program's exit code, which it returns. If that is not 0, the other processes, which
// may be waiting for this one, are ended too, and mpirun returns the code.
int leave_processes(int exit_code);

// Called just before an error is reported. An error that all processes share is reported by the first, which
// then ends the others while they wait here; an error of one process alone is reported by that process.
void let_first_report(const Communicator& processes);

}  // namespace mmo
