// Task parallelism with results that do not depend on the number of threads: work is cut into tasks by
// the problem's size alone, each task writes its own output, and sums over tasks are taken in task order.
#pragma once

#include <cstddef>
#include <functional>

namespace mmo {

// Threads used by parallel_for; 0 = one per core. Set once by the program (`--threads`).
void set_threads(int count);
[[nodiscard]] int threads();

// Calls task(0) … task(count − 1), each once, in any order. The exception of the lowest
// failing task is rethrown, whatever the number of threads; tasks above it that have not started are skipped.
// Nested calls run serially.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& task);
// How many ranges of `length` (the last one shorter) make up 0 … count − 1.
[[nodiscard]] constexpr std::size_t range_count(std::size_t count, std::size_t length) {
  return (count + length - 1) / length;
}
// Calls task(first, last) for the ranges of `length` (the last one shorter) that make up 0 … count − 1.
// Polls for Ctrl-C before each.
void parallel_ranges(std::size_t count, std::size_t length,
                     const std::function<void(std::size_t, std::size_t)>& task);

// Ctrl-C and callers that want to stop set this; long loops poll it and throw Interrupted.
void request_cancel() noexcept;
void clear_cancel() noexcept;
void throw_if_cancelled();

}  // namespace mmo
