// Plain values as bytes for other processes of the same build: in the order written, without names or types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "mmo/core/error.h"

namespace mmo {

using Bytes = std::vector<std::byte>;

template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

class ByteWriter {
 public:
  explicit ByteWriter(Bytes& out) : out_(out) {}

  void put(const Plain auto& value) { append(&value, sizeof value); }
  // Any contiguous range; its length goes before it.
  template <class Range>
  void put_all(const Range& values) {
    put(static_cast<std::uint64_t>(std::size(values)));
    append(std::data(values), std::size(values) * sizeof(*std::data(values)));
  }

 private:
  void append(const void* from, std::size_t count) {
    if (count == 0) return;
    const std::size_t at = out_.size();
    out_.resize(at + count);
    std::memcpy(out_.data() + at, from, count);
  }

  Bytes& out_;
};

// Throws an internal error if the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> from) : from_(from) {}

  template <Plain T>
  [[nodiscard]] T get() {
    T value;
    take(&value, sizeof value);
    return value;
  }
  template <class Vector>
  void get_all(Vector& values) {
    const auto count = static_cast<std::size_t>(get<std::uint64_t>());
    if (count > from_.size() / sizeof(*std::data(values))) cut_off();
    values.resize(count);
    take(std::data(values), count * sizeof(*std::data(values)));
  }
  // As many as there is room for, which is how many were put.
  template <Plain T>
  void get_into(std::span<T> values) {
    if (get<std::uint64_t>() != values.size()) cut_off();
    take(values.data(), values.size_bytes());
  }
  [[nodiscard]] std::string get_text() {
    std::string text;
    get_all(text);
    return text;
  }
  // The next bytes themselves, which stay where they are.
  [[nodiscard]] std::span<const std::byte> get_part() {
    const auto count = static_cast<std::size_t>(get<std::uint64_t>());
    if (count > from_.size()) cut_off();
    const auto part = from_.first(count);
    from_ = from_.subspan(count);
    return part;
  }

 private:
  [[noreturn]] static void cut_off() {
    throw Error(ExitCode::internal, "a message between processes is cut off");
  }
  void take(void* to, std::size_t count) {
    if (count > from_.size()) cut_off();
    if (count > 0) std::memcpy(to, from_.data(), count);
    from_ = from_.subspan(count);
  }

  std::span<const std::byte> from_;
};

}  // namespace mmo
