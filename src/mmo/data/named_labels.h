// Labels that a text file calls by name: numbered as they appear while reading, put into columns at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

class NamedLabels {
 public:
  // The name's number; a new name gets number size().
  std::uint32_t number(std::string_view name);
  [[nodiscard]] const std::string& name(std::uint32_t number) const { return names_[number]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] std::vector<std::string_view> names() const { return {names_.begin(), names_.end()}; }
  [[nodiscard]] std::vector<std::string> sorted_names() const;

 private:
  std::deque<std::string> names_;  // addresses stay: the keys below point into it
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

// Replaces each label by its column, ascending and without repeats; labels whose column is no_label vanish.
[[nodiscard]] LabelMatrix relabel(const LabelMatrix& labels, std::span<const std::uint32_t> column,
                                  std::size_t cols);

}  // namespace mmo
