// mpirun mmo: the program hands over to mmo-mpi beside it, which links MPI. So mmo itself needs no MPI.
#pragma once

#include <string>
#include <vector>

namespace mmo::cli {

int run_parallel(const std::vector<std::string>& arguments);

}  // namespace mmo::cli
