// The processes that mpirun started. Not part of the library `mmo`: programs that run in parallel link the
// target mmo_mpi, which without MMO_MPI refuses to be one of several.
#pragma once

#include "mmo/comm/communicator.h"

namespace mmo {

// All processes of this run; alone(), without touching MPI, unless a launcher started this one. Throws
// UsageError under a launcher if the program was built without MPI: each process would do everything.
[[nodiscard]] Communicator& join_processes();

// How many threads this process may use so that those of one machine don't compete: the machine's cores by
// the processes on it, but never more than the launcher bound this process to.
[[nodiscard]] int threads_per_process();

// Called last, with the program's exit code, which it returns. Not 0: the other processes, which may be
// waiting for this one, are ended too and mpirun returns the code.
int leave_processes(int exit_code);

// Called where an error is about to be reported. A fault that all processes have in common is reported by
// the first, which then ends the others while they wait here; a fault of one process alone by that process.
void let_first_report(const Communicator& processes);

}  // namespace mmo
