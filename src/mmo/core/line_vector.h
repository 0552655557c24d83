// A vector that starts on a cache line. The rows of a block of columns are 32, 64 or 128 bytes: aligned, none
// straddles more lines than it must, which halves the lines that a product with a sparse X touches. New
// elements are left unset: write the whole vector before reading any of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace mmo {

template <class T>
struct LineAllocator {
  static_assert(sizeof(void*) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);  // so that there is room for the start
  using value_type = T;
  static constexpr std::size_t line = 64;

  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>& /*other*/) {}  // implicit, as allocators must be

  // The pointer to free is stored just before the first element. An aligned `new` would trim both ends of a
  // block, and the next one of that size would not fit in its place.
  [[nodiscard]] T* allocate(std::size_t count) {
    void* const start = ::operator new(count * sizeof(T) + line);
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    auto* const first = static_cast<std::byte*>(start) + (line - address % line);
    std::memcpy(first - sizeof start, &start, sizeof start);
    return reinterpret_cast<T*>(first);
  }
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
  void deallocate(T* memory, std::size_t /*count*/) {
    void* start = nullptr;
    std::memcpy(&start, reinterpret_cast<std::byte*>(memory) - sizeof start, sizeof start);
    ::operator delete(start);
  }

  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

}  // namespace mmo
