// Processes that train one model together. Every process calls the same functions in the same order; what
// comes back is the same, bit by bit, on all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mmo/comm/bytes.h"

namespace mmo {

// Work cut into tasks that any process may do: `solve` leaves a task's result where the caller wants it,
// `pack` turns it into bytes, `unpack` puts another process's result into the same place. All three are
// called from several threads, for different tasks.
struct SharedTasks {
  std::function<void(std::size_t task)> solve;
  std::function<void(std::size_t task, ByteWriter& out)> pack;
  std::function<void(std::size_t task, ByteReader& in)> unpack;
  bool threads_inside = false;  // solve tasks one at a time, each with all threads
};

class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;
  [[nodiscard]] virtual std::size_t rank() const = 0;  // of this process: 0 … size − 1; 0 writes and prints
  [[nodiscard]] virtual std::size_t size() const = 0;
  // Replaces each value by its sum over the processes. Parts that one process each has computed, zeros
  // elsewhere, are thereby gathered exactly: x + 0 = x.
  virtual void sum(std::span<float> values) = 0;
  virtual void sum(std::span<double> values) = 0;
  // What each process contributes, in order of rank.
  [[nodiscard]] virtual std::vector<Bytes> gather(Bytes own) = 0;

  // Each task is solved by one process; then all of them have all results. An error in any task ends the call
  // on all processes, with the error of the first process that has one, naming its rank.
  virtual void share(std::size_t count, const SharedTasks& tasks);
  // False: share() only solves, and nothing is packed.
  [[nodiscard]] virtual bool shares() const { return size() > 1; }

  // Bytes that this process has received.
  [[nodiscard]] std::uint64_t received() const { return received_; }

 protected:
  void count_received(std::uint64_t bytes) { received_ += bytes; }

 private:
  std::uint64_t calls_ = 0;
  std::uint64_t received_ = 0;
};

// Just this process, with no others.
[[nodiscard]] Communicator& alone();

// This process's share of `count` items: consecutive ranges in order of rank, whose sizes differ by at most
// one.
struct Share {
  std::size_t begin = 0;
  std::size_t end = 0;
};
[[nodiscard]] Share share_of(std::size_t count, const Communicator& processes);

// Runs `work` on every process. An error in one of them becomes an error in all.
void together(Communicator& processes, const std::function<void()>& work);

// One process's opinion, adopted by all: for whatever depends on time, memory or threads.
template <Plain T>
[[nodiscard]] T agree(Communicator& processes, T own) {
  processes.share(1, {[](std::size_t) {}, [&](std::size_t, ByteWriter& out) { out.put(own); },
                      [&](std::size_t, ByteReader& in) { own = in.get<T>(); }});
  return own;
}

// Something all processes must have in common, such as the data: its name in messages, and its value.
struct Alike {
  std::string name, value;
};
// Throws UsageError naming the first process that differs from the first one, and how.
void require_alike(Communicator& processes, std::span<const Alike> things);

}  // namespace mmo
