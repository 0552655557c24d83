// A vector that starts on a cache line. The rows of a block of columns are 32, 64 or 128 bytes: none of them
// then lies across one line more than it has to, which halves the lines that a product with a sparse X
// touches.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace mmo {

template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>& /*other*/) {}  // implicit, as allocators must be

  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), line));
  }
  void deallocate(T* memory, std::size_t /*count*/) { ::operator delete(memory, line); }

  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

}  // namespace mmo
