// Clock and memory of the process that measures itself.
#pragma once

#include <malloc.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string>

namespace mmo::bench {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Processor time of this thread: what a yardstick needs on a machine that others use too.
class ProcessorClock {
 public:
  [[nodiscard]] double seconds() const { return now() - start_; }

 private:
  static double now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  double start_ = now();
};

// Highest resident memory so far, in kB. ru_maxrss would start at the parent's.
inline long peak_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stol(line.substr(6));
  }
  throw std::runtime_error("/proc/self/status has no VmHWM");
}

// Sets the high-water mark back to the memory in use and returns that; what was freed before is not in use.
inline long forget_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  return peak_kb();
}

}  // namespace mmo::bench
