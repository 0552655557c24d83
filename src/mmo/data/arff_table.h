// What the columns of an ARFF file become, from its header and the options: codings, roles, places.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mmo/core/mapped_file.h"
#include "mmo/data/arff_header.h"
#include "mmo/data/load.h"
#include "mmo/data/table.h"

namespace mmo {

constexpr std::uint32_t no_feature = std::numeric_limits<std::uint32_t>::max();

struct TextHash : std::hash<std::string_view> {
  using is_transparent = void;
};

// How the text of an attribute becomes a number.
struct Coding {
  bool free_number = false;    // any number
  std::vector<float> numbers;  // nominal, all values numbers: the allowed ones, ascending
  std::unordered_map<std::string, float, TextHash, std::equal_to<>> categories;  // nominal: value → index
  float left_out = 0;                 // its value in a sparse row that does not mention it
  std::optional<std::uint32_t> text;  // a feature of type string or date: its place among these

  [[nodiscard]] bool allows(float number) const {
    return free_number || number == numbers.front() || number == numbers.back() ||
           std::binary_search(numbers.begin(), numbers.end(), number);
  }
};

struct ArffTable {
  std::vector<Coding> codings;  // one per column
  // Of each column its number among the features if it takes any number, else no_feature: all that most
  // values of a wide sparse file need to know, and small enough to stay in the cache.
  std::vector<std::uint32_t> free_feature;
  Columns columns;
  // Columns that a sparse row can't leave out without a word: their value would not be 0.
  std::vector<std::uint32_t> never_silent;
  std::vector<std::uint32_t> texts;  // the columns of type string or date that are features
};

// Throws DataError for columns that can't have the role they are given.
[[nodiscard]] ArffTable make_arff_table(const ArffHeader& header, const FileContent& content,
                                        const LoadOptions& options);

}  // namespace mmo
