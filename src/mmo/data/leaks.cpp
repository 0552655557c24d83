#include "mmo/data/leaks.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "mmo/core/random.h"
#include "mmo/data/label_columns.h"

namespace mmo {
namespace {

constexpr std::size_t enough_rows = 10;  // on both sides of a label
constexpr std::size_t most_told = 5;

// A set of rows is known by the sum of its rows' keys: equal sums are equal sets but for one chance in 2^64.
std::vector<std::uint64_t> row_keys(std::size_t rows) {
  Random random(0x1eaf);
  std::vector<std::uint64_t> keys(rows);
  for (std::uint64_t& key : keys) key = random.next();
  return keys;
}

// The rows in which a column of two values holds the one that comes second; nothing for other columns.
std::vector<std::optional<std::uint64_t>> column_sums(const DenseMatrix& x,
                                                      const std::vector<std::uint64_t>& keys) {
  struct TwoValues {
    std::uint32_t column;
    float first, second;
    std::uint64_t sum = 0;
  };
  std::vector<TwoValues> left;  // columns that have had at most two values so far
  for (std::uint32_t k = 0; k < x.cols && x.rows > 0; ++k) {
    const float first = x(0, k);
    if (!std::isnan(first)) left.push_back({k, first, first});
  }
  for (std::size_t i = 1; i < x.rows && !left.empty(); ++i) {
    std::erase_if(left, [&](TwoValues& column) {
      const float value = x(i, column.column);
      if (value == column.first) return false;
      if (column.second == column.first && !std::isnan(value)) column.second = value;
      column.sum += keys[i];
      return value != column.second;
    });
  }
  std::vector<std::optional<std::uint64_t>> sums(x.cols);
  for (const TwoValues& column : left) sums[column.column] = column.sum;
  return sums;
}

// The rows in which the column is not 0.
std::vector<std::optional<std::uint64_t>> column_sums(const CsrMatrix& x,
                                                      const std::vector<std::uint64_t>& keys) {
  std::vector<std::optional<std::uint64_t>> sums(x.cols, 0);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const auto columns = x.row_indices(i);
    for (std::size_t p = 0; p < columns.size(); ++p) {
      if (x.row_values(i)[p] != 0) *sums[columns[p]] += keys[i];
    }
  }
  return sums;
}

// Every set of rows that a label splits the data into, and the label.
std::unordered_map<std::uint64_t, std::size_t> label_sums(const LabelMatrix& y,
                                                          const std::vector<std::uint64_t>& keys) {
  std::uint64_t all = 0;
  for (const std::uint64_t key : keys) all += key;
  std::vector<std::uint64_t> sums(y.cols, 0);
  std::vector<std::size_t> positives(y.cols, 0);
  for (std::size_t i = 0; i < y.rows; ++i) {
    for (const std::uint32_t j : y.row(i)) {
      sums[j] += keys[i];
      ++positives[j];
    }
  }
  std::unordered_map<std::uint64_t, std::size_t> labels;
  for (std::size_t j = 0; j < y.cols; ++j) {
    if (positives[j] < enough_rows || y.rows - positives[j] < enough_rows) continue;
    labels.emplace(sums[j], j);
    labels.emplace(all - sums[j], j);
  }
  return labels;
}

}  // namespace

std::vector<std::string> leak_warnings(const Dataset& data) {
  std::vector<std::string> warnings;
  if (data.is_text() || data.rows() < 2 * enough_rows) return warnings;
  const std::vector<std::uint64_t> keys = row_keys(data.rows());
  const auto labels = label_sums(data.y, keys);
  if (labels.empty()) return warnings;
  const auto columns = std::visit([&](const auto& x) { return column_sums(x, keys); }, data.x);
  std::size_t more = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto label = columns[k] ? labels.find(*columns[k]) : labels.end();
    if (label == labels.end()) continue;
    if (warnings.size() == most_told) {
      ++more;
      continue;
    }
    const std::string name = data.feature_name(k);
    warnings.push_back(
        fmt::format("column {} tells in every row whether label {} is there: is it a label itself, or known "
                    "only afterwards? "
                    "--drop {} leaves it out",
                    shown(name), shown(data.label_name(label->second)), name));
  }
  if (more > 0) warnings.push_back(fmt::format("so do {} more columns", more));
  return warnings;
}

}  // namespace mmo
