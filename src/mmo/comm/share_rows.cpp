#include "mmo/comm/share_rows.h"

#include <algorithm>

#include "mmo/core/parallel.h"

namespace mmo {

void share_rows(DenseMatrix& out, std::size_t rows_per_task, Communicator& processes,
                const std::function<void(std::size_t first, std::size_t last)>& fill) {
  const auto end = [&](std::size_t task) { return std::min(out.rows, (task + 1) * rows_per_task); };
  const auto cells = [&](std::size_t task) {
    const std::size_t first = task * rows_per_task;
    return std::span(out.values.data() + first * out.cols, (end(task) - first) * out.cols);
  };
  processes.share(range_count(out.rows, rows_per_task),
                  {[&](std::size_t task) {
                     throw_if_cancelled();
                     fill(task * rows_per_task, end(task));
                   },
                   [&](std::size_t task, ByteWriter& bytes) { bytes.put_all(cells(task)); },
                   [&](std::size_t task, ByteReader& bytes) { bytes.get_into(cells(task)); }});
}

}  // namespace mmo
