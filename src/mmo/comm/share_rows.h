// Computes the rows of a matrix, each on one process and thread.
#pragma once

#include <cstddef>
#include <functional>

#include "mmo/comm/communicator.h"
#include "mmo/core/matrix.h"

namespace mmo {

// `fill` computes rows first … last − 1 of `out`, at most `rows_per_task` at a time.
void share_rows(DenseMatrix& out, std::size_t rows_per_task, Communicator& processes,
                const std::function<void(std::size_t first, std::size_t last)>& fill);

}  // namespace mmo
