#include "mmo/split/split.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "mmo/core/error.h"
#include "mmo/split/stratify.h"

namespace mmo {
namespace {

// The unit of each row: itself, or its group (numbered by first appearance).
std::vector<std::uint32_t> units_of_rows(std::size_t rows, std::span<const std::string> groups) {
  if (!groups.empty() && groups.size() != rows) {
    throw UsageError(fmt::format("there are {} groups for {} rows; give one per row", groups.size(), rows));
  }
  std::vector<std::uint32_t> unit(rows);
  std::unordered_map<std::string_view, std::uint32_t> number;
  for (std::size_t i = 0; i < rows; ++i) {
    unit[i] = groups.empty()
                  ? static_cast<std::uint32_t>(i)
                  : number.try_emplace(groups[i], static_cast<std::uint32_t>(number.size())).first->second;
  }
  return unit;
}

Units make_units(const LabelMatrix& y, const std::vector<std::uint32_t>& unit_of_row) {
  Units units;
  units.label_count = y.cols;
  const std::size_t count =
      unit_of_row.empty() ? 0 : 1 + *std::max_element(unit_of_row.begin(), unit_of_row.end());
  LabelMatrix members;  // units × rows
  {
    LabelMatrix by_row;
    by_row.cols = count;
    for (const std::uint32_t& unit : unit_of_row) by_row.push_row({&unit, 1});
    members = transpose(by_row);
  }
  std::vector<std::uint32_t> labels;
  for (std::size_t u = 0; u < count; ++u) {
    labels.clear();
    for (const std::uint32_t row : members.row(u))
      labels.insert(labels.end(), y.row(row).begin(), y.row(row).end());
    std::sort(labels.begin(), labels.end());
    for (std::size_t k = 0; k < labels.size();) {
      const std::size_t first = k;
      while (k < labels.size() && labels[k] == labels[first]) ++k;
      units.labels.push_back(labels[first]);
      units.counts.push_back(static_cast<std::uint32_t>(k - first));
    }
    units.offsets.push_back(units.labels.size());
    units.rows.push_back(static_cast<std::uint32_t>(members.row(u).size()));
  }
  return units;
}

std::vector<std::uint32_t> parts_of_rows(const LabelMatrix& y, std::span<const std::size_t> part_rows,
                                         std::uint64_t seed, std::span<const std::string> groups) {
  const std::vector<std::uint32_t> unit_of_row = units_of_rows(y.rows, groups);
  const Units units = make_units(y, unit_of_row);
  if (units.size() < part_rows.size()) {
    throw UsageError(fmt::format("{} {} can't be divided into {} parts; ask for fewer", units.size(),
                                 groups.empty() ? "rows" : "groups", part_rows.size()));
  }
  const std::vector<std::uint32_t> part = stratify(units, part_rows, seed);
  std::vector<std::uint32_t> result(y.rows);
  for (std::size_t i = 0; i < y.rows; ++i) result[i] = part[unit_of_row[i]];
  return result;
}

}  // namespace

std::vector<std::uint32_t> stratified_folds(const LabelMatrix& y, std::size_t folds, std::uint64_t seed,
                                            std::span<const std::string> groups) {
  if (folds < 2) throw UsageError(fmt::format("the number of folds is {}; give at least 2", folds));
  if (folds > y.rows) {
    throw UsageError(fmt::format("{} rows can't be divided into {} folds; ask for fewer", y.rows, folds));
  }
  return parts_of_rows(y, apportion(y.rows, std::vector<double>(folds, 1.0)), seed, groups);
}

Split stratified_split(const LabelMatrix& y, double test_share, std::uint64_t seed,
                       std::span<const std::string> groups) {
  if (!(test_share > 0.0 && test_share < 1.0)) {
    throw UsageError(fmt::format("the test part's share is {}; give a number between 0 and 1", test_share));
  }
  if (y.rows < 2)
    throw UsageError(fmt::format("{} row(s) can't be divided into a training and a test part", y.rows));
  const auto wanted = static_cast<std::size_t>(std::llround(test_share * static_cast<double>(y.rows)));
  const std::size_t test_rows = std::clamp<std::size_t>(wanted, 1, y.rows - 1);
  const std::vector<std::size_t> part_rows{y.rows - test_rows, test_rows};
  return leave_fold_out(parts_of_rows(y, part_rows, seed, groups), 1);
}

Split random_split(std::size_t rows, double test_share, std::uint64_t seed,
                   std::span<const std::string> groups) {
  LabelMatrix unlabelled;
  unlabelled.rows = rows;
  unlabelled.offsets.assign(rows + 1, 0);
  return stratified_split(unlabelled, test_share, seed, groups);
}

Split leave_fold_out(std::span<const std::uint32_t> fold_of_row, std::uint32_t fold) {
  Split split;
  for (std::size_t i = 0; i < fold_of_row.size(); ++i) {
    (fold_of_row[i] == fold ? split.test : split.train).push_back(static_cast<std::uint32_t>(i));
  }
  return split;
}

}  // namespace mmo
