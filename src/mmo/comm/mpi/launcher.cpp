#include "mmo/comm/mpi/launcher.h"

#include <array>
#include <cstdlib>
#include <cstring>

namespace mmo {

// Variables that launchers set for each process: Open MPI, MPICH and Intel MPI (PMI), Slurm with PMIx.
bool launched_in_parallel() {
  constexpr std::array sizes{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  for (const char* name : sizes) {
    if (const char* size = std::getenv(name)) return std::strcmp(size, "1") != 0;
  }
  return std::getenv("PMIX_RANK") != nullptr;
}

}  // namespace mmo
