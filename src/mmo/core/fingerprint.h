// A number that differs for different contents, barring accidents: no protection against forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace mmo {

class Fingerprint {
 public:
  void add(std::span<const std::byte> bytes) {
    add_word(bytes.size());
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      add_word(word);
    }
    std::uint64_t rest = 0;
    if (at < bytes.size()) std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
    add_word(rest);
  }
  template <class Range>
  void add_all(const Range& values) {
    add(std::as_bytes(std::span(std::data(values), std::size(values))));
  }

  [[nodiscard]] std::uint64_t value() const { return state_ ^ (state_ >> 29U); }

 private:
  void add_word(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15ULL;
    state_ ^= state_ >> 32U;
  }

  std::uint64_t state_ = 0x243f6a8885a308d3ULL;
};

}  // namespace mmo
