// A time limit, counted from construction.
#pragma once

#include <chrono>

namespace mmo {

class Deadline {
 public:
  explicit Deadline(double seconds = 0) : seconds_(seconds) {}  // 0 = no limit

  // Is this share of the time used up?
  [[nodiscard]] bool passed(double share = 1) const {
    return seconds_ > 0 && std::chrono::duration<double>(Clock::now() - start_).count() > share * seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace mmo
