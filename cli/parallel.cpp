#include "cli/parallel.h"

#include "cli/sibling.h"

namespace mmo::cli {

int run_parallel(const std::vector<std::string>& arguments) {
  return become_sibling("mmo-mpi", arguments,
                        "several processes need a build with MPI: install libopenmpi-dev and build again");
}

}  // namespace mmo::cli
