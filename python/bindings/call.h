// How Python calls into the core: the GIL is released, the number of threads is the caller's, and Ctrl-C
// stops the work and leaves nothing broken.
#pragma once

#include <nanobind/nanobind.h>

#include <csignal>

#include "mmo/core/parallel.h"

namespace mmo::python {

// Restores the core's number of threads. Results don't depend on it, so calls from several Python threads may
// overwrite each other's.
class ThreadCount {
 public:
  explicit ThreadCount(int count) { set_threads(count); }
  ~ThreadCount() { set_threads(0); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;
};

// While it lives, SIGINT also sets the core's cancel flag, which long loops poll; Python's own handler runs
// first and notes the signal, so that nothing is lost. Only Python's main thread handles signals.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  bool active_ = false;
};

// Runs work() without the GIL. `threads` 0 = one per core.
template <class Work>
auto run(int threads, const Work& work) {
  const ThreadCount count(threads);
  const InterruptGuard guard;
  const nanobind::gil_scoped_release release;
  return work();
}

}  // namespace mmo::python
