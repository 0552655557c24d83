// mpirun mmo: the program hands over to mmo-mpi in the same folder, which links MPI; mmo itself needs none.
#pragma once

#include <string>
#include <vector>

namespace mmo::cli {

int run_parallel(const std::vector<std::string>& arguments);

}  // namespace mmo::cli
