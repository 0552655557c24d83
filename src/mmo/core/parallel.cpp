#include "mmo/core/parallel.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/one_thread.h"

namespace mmo {
namespace {
std::atomic<int> configured_threads{0};
std::atomic<bool> cancel_requested{false};
thread_local bool one_thread = false;
}  // namespace

OneThread::OneThread() : before_(std::exchange(one_thread, true)) {}
OneThread::~OneThread() { one_thread = before_; }

void set_threads(int count) { configured_threads = std::max(count, 0); }

int threads() {
  const int configured = configured_threads;
  return configured > 0 ? configured : omp_get_num_procs();
}

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& task) {
  const int team =
      one_thread || omp_in_parallel() != 0 ? 1 : static_cast<int>(std::min<std::size_t>(threads(), count));
  if (team <= 1) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  std::exception_ptr first;
  std::mutex guard;
  std::atomic<std::size_t> lowest_failed{count};
#pragma omp parallel for schedule(dynamic, 1) num_threads(team)
  for (std::size_t i = 0; i < count; ++i) {
    if (i > lowest_failed) continue;
    try {
      task(i);
    } catch (...) {
      const std::lock_guard lock(guard);
      if (i < lowest_failed) {
        lowest_failed = i;
        first = std::current_exception();
      }
    }
  }
  if (first) std::rethrow_exception(first);
}

void parallel_ranges(std::size_t count, std::size_t length,
                     const std::function<void(std::size_t, std::size_t)>& task) {
  parallel_for(range_count(count, length), [&](std::size_t k) {
    throw_if_cancelled();
    task(k * length, std::min(count, (k + 1) * length));
  });
}

void request_cancel() noexcept { cancel_requested = true; }
void clear_cancel() noexcept { cancel_requested = false; }
void throw_if_cancelled() {
  if (cancel_requested) throw Interrupted();
}

}  // namespace mmo
