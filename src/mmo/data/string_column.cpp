#include "mmo/data/string_column.h"

#include <algorithm>

#include "mmo/core/parallel.h"

namespace mmo {

std::vector<std::size_t> StringColumn::counts() const {
  std::vector<std::size_t> count(values.size(), 0);
  for (const std::uint32_t code : codes) {
    if (code != missing) ++count[code];
  }
  return count;
}

std::size_t StringColumn::first_row(std::uint32_t code) const {
  return static_cast<std::size_t>(std::find(codes.begin(), codes.end(), code) - codes.begin());
}

StringColumn StringColumnReader::take(std::size_t column, std::string name) {
  StringColumn out;
  out.name = std::move(name);
  for (const auto& piece : numbers_) {
    for (const auto& [text, number] : piece[column]) out.values.push_back(text);
  }
  std::sort(out.values.begin(), out.values.end());
  out.values.erase(std::unique(out.values.begin(), out.values.end()), out.values.end());
  std::vector<std::size_t> first(numbers_.size() + 1, 0);
  for (std::size_t k = 0; k < numbers_.size(); ++k) first[k + 1] = first[k] + codes_[k][column].size();
  out.codes.resize(first.back());
  parallel_for(numbers_.size(), [&](std::size_t k) {
    std::vector<std::uint32_t> place(numbers_[k][column].size());
    for (const auto& [text, number] : numbers_[k][column]) {
      place[number] = static_cast<std::uint32_t>(
          std::lower_bound(out.values.begin(), out.values.end(), text) - out.values.begin());
    }
    for (std::size_t i = 0; i < codes_[k][column].size(); ++i) {
      const std::uint32_t code = codes_[k][column][i];
      out.codes[first[k] + i] = code == StringColumn::missing ? code : place[code];
    }
    numbers_[k][column] = {};
    codes_[k][column] = {};
  });
  return out;
}

}  // namespace mmo
