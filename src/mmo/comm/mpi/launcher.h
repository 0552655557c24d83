// Whether mpirun, mpiexec or srun started this process.
#pragma once

namespace mmo {

[[nodiscard]] bool launched_in_parallel();

}  // namespace mmo
