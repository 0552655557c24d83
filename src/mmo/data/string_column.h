// A column of a table as texts: every different text once, and each row's number of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct StringColumn {
  static constexpr std::uint32_t missing = std::numeric_limits<std::uint32_t>::max();

  std::string name;
  std::vector<std::string> values;   // in byte order
  std::vector<std::uint32_t> codes;  // per row: its text's place in `values`, or missing

  // How many rows have each value.
  [[nodiscard]] std::vector<std::size_t> counts() const;
  // The first row that has the value.
  [[nodiscard]] std::size_t first_row(std::uint32_t code) const;
};

// Builds string columns from pieces of a file that are read at the same time: each piece numbers the texts
// that it meets.
class StringColumnReader {
 public:
  StringColumnReader(std::size_t pieces, std::size_t columns)
      : numbers_(pieces, std::vector<Numbers>(columns)),
        codes_(pieces, std::vector<std::vector<std::uint32_t>>(columns)) {}

  // The cell of the piece's next row.
  void add(std::size_t piece, std::size_t column, std::string_view cell, bool missing) {
    auto& numbers = numbers_[piece][column];
    codes_[piece][column].push_back(
        missing ? StringColumn::missing
                : numbers.emplace(cell, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  // All pieces together; once per column.
  [[nodiscard]] StringColumn take(std::size_t column, std::string name);

 private:
  using Numbers = std::unordered_map<std::string, std::uint32_t>;
  std::vector<std::vector<Numbers>> numbers_;
  std::vector<std::vector<std::vector<std::uint32_t>>> codes_;
};

}  // namespace mmo
