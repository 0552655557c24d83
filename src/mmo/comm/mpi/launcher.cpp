#include "mmo/comm/mpi/launcher.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace mmo {

// Variables that launchers set for each process: Open MPI, MPICH and Intel MPI (PMI), others by PMIx.
bool launched_in_parallel() {
  constexpr std::array variables{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
  return std::any_of(variables.begin(), variables.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace mmo
