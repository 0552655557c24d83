// The numbers of a matrix: a vector this buffer owns, or memory on loan from somebody else (a NumPy array),
// read in place. Moving keeps a loan, `share()` passes it on, a copy always owns its numbers. Writing to lent
// memory copies it first, so the lender's numbers never change; several threads must not do that at once,
// hence `own()` before a parallel loop over something moved in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace mmo {

template <class T>
class Buffer {
 public:
  using value_type = T;

  Buffer() = default;
  Buffer(std::initializer_list<T> values) : own_(values) {}
  Buffer(std::size_t count, T fill) : own_(count, fill) {}
  Buffer(std::vector<T> values) : own_(std::move(values)) {}  // a vector is a buffer: implicit

  Buffer(const Buffer& other) : own_(other.begin(), other.end()) {}
  Buffer& operator=(const Buffer& other) {
    if (this != &other) *this = Buffer(other);
    return *this;
  }
  Buffer(Buffer&&) noexcept = default;
  Buffer& operator=(Buffer&&) noexcept = default;
  ~Buffer() = default;

  // `keeper` keeps the memory alive until the last buffer using it is gone.
  [[nodiscard]] static Buffer lent(std::span<const T> memory, std::shared_ptr<const void> keeper) {
    Buffer out;
    out.lent_ = memory;
    out.keeper_ = std::move(keeper);
    return out;
  }
  [[nodiscard]] bool is_lent() const { return keeper_ != nullptr; }
  // Another buffer on the same loan; a copy if this buffer owns its numbers.
  [[nodiscard]] Buffer share() const { return is_lent() ? lent(lent_, keeper_) : *this; }

  // The vector, copied from the lent memory first if need be.
  std::vector<T>& own() {
    if (is_lent()) [[unlikely]] {
      own_.assign(lent_.begin(), lent_.end());
      lent_ = {};
      keeper_.reset();
    }
    return own_;
  }

  [[nodiscard]] const T* data() const { return is_lent() ? lent_.data() : own_.data(); }
  [[nodiscard]] T* data() { return own().data(); }
  [[nodiscard]] std::size_t size() const { return is_lent() ? lent_.size() : own_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }

  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size(); }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size(); }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& operator[](std::size_t i) { return data()[i]; }
  [[nodiscard]] const T& back() const { return data()[size() - 1]; }

  void reserve(std::size_t count) { own().reserve(count); }
  void resize(std::size_t count) { own().resize(count); }
  void assign(std::size_t count, T fill) { *this = Buffer(count, fill); }
  template <class Iterator>
  void assign(Iterator first, Iterator last) {
    *this = Buffer(std::vector<T>(first, last));
  }
  void clear() { *this = Buffer(); }
  void push_back(T value) { own().push_back(value); }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    own().insert(own_.end(), first, last);
  }

  friend bool operator==(const Buffer& a, const Buffer& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  std::vector<T> own_;
  std::span<const T> lent_;
  std::shared_ptr<const void> keeper_;  // null = the vector holds the numbers
};

}  // namespace mmo
