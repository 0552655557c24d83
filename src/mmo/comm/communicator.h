// Processes that train one model together. Every process calls the same functions in the same order; what
// comes back is the same, bit by bit, on all of them.
#pragma once

#include <cstddef>
#include <span>

namespace mmo {

class Communicator {
 public:
  virtual ~Communicator() = default;
  [[nodiscard]] virtual std::size_t rank() const = 0;  // of this process: 0 … size − 1; 0 writes and prints
  [[nodiscard]] virtual std::size_t size() const = 0;
  // Replaces each value by its sum over the processes. Parts that one process each has computed, with zeros
  // elsewhere, are gathered exactly: x + 0 = x.
  virtual void sum(std::span<float> values) = 0;
  virtual void sum(std::span<double> values) = 0;
};

// This process and no other.
[[nodiscard]] Communicator& alone();

// The part of `count` things in a row that falls to this process: parts follow each other in order of rank,
// and differ by one thing at most.
struct Share {
  std::size_t begin = 0;
  std::size_t end = 0;
};
[[nodiscard]] Share share_of(std::size_t count, const Communicator& processes);

}  // namespace mmo
