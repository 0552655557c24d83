// For work that is one of many threads already.
#pragma once

namespace mmo {

// While it lives, parallel_for runs its tasks one after the other where this thread calls it.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  bool before_;
};

}  // namespace mmo
