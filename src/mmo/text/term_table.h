// A set of terms numbered in order of arrival: open addressing over one arena of bytes, no allocation per
// term.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mmo {

class TermTable {
 public:
  static constexpr std::uint32_t absent = UINT32_MAX;

  [[nodiscard]] std::size_t size() const { return terms_.size(); }
  [[nodiscard]] std::string_view term(std::uint32_t id) const {
    return std::string_view(arena_).substr(terms_[id].begin, terms_[id].length);
  }

  // The term's number, or `absent`.
  [[nodiscard]] std::uint32_t find(std::string_view term) const {
    return slots_.empty() ? absent : slots_[slot_of(term, hash(term))];
  }

  // The term's number; a new term gets number size().
  std::uint32_t insert(std::string_view term) {
    if (2 * (terms_.size() + 1) > slots_.size()) grow();
    const std::size_t full_hash = hash(term);
    std::uint32_t& slot = slots_[slot_of(term, full_hash)];
    if (slot == absent) {
      slot = static_cast<std::uint32_t>(terms_.size());
      terms_.push_back({arena_.size(), full_hash, static_cast<std::uint32_t>(term.size())});
      arena_.append(term);
    }
    return slot;
  }

 private:
  struct Term {
    std::uint64_t begin;
    std::uint64_t hash;
    std::uint32_t length;
  };

  static std::size_t hash(std::string_view term) { return std::hash<std::string_view>{}(term); }

  // The slot that holds the term, or the empty one where it belongs (at most half of the slots are full).
  [[nodiscard]] std::size_t slot_of(std::string_view wanted, std::size_t full_hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = full_hash & mask;
    while (slots_[slot] != absent &&
           (terms_[slots_[slot]].hash != full_hash || term(slots_[slot]) != wanted)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  void grow() {
    slots_.assign(slots_.empty() ? 1024 : 2 * slots_.size(), absent);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t id = 0; id < terms_.size(); ++id) {
      std::size_t slot = terms_[id].hash & mask;
      while (slots_[slot] != absent) slot = (slot + 1) & mask;
      slots_[slot] = static_cast<std::uint32_t>(id);
    }
  }

  std::string arena_;
  std::vector<Term> terms_;
  std::vector<std::uint32_t> slots_;  // a power of two of term numbers
};

}  // namespace mmo
