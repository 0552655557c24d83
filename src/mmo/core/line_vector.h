// A vector that starts on a cache line. The rows of a block of columns are 32, 64 or 128 bytes: none of them
// then lies across one line more than it has to, which halves the lines that a product with a sparse X
// touches. It grows by elements that are not set: those who make one write it in full before they read it.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
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
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
  void deallocate(T* memory, std::size_t /*count*/) { ::operator delete(memory, line); }

  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

}  // namespace mmo
