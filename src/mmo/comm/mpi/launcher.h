// Whether mpirun, mpiexec or srun started this process as one of several.
#pragma once

namespace mmo {

[[nodiscard]] bool launched_in_parallel();

}  // namespace mmo
