// Small charts for a terminal: no colour, at most 80 columns.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "mmo/eval/evaluate.h"

namespace mmo::cli {

struct Bar {
  std::string name, note;
  double value = 0;  // 0 … full
};
// One line per bar, in eighths of a character.
[[nodiscard]] std::string bar_chart(const std::string& title, const std::vector<Bar>& bars, double full);

// Points joined by lines, drawn in Braille dots: 2 × 4 for each character. Empty unless two are finite.
[[nodiscard]] std::string line_chart(const std::string& title, const std::string& x_title,
                                     std::vector<std::pair<double, double>> points);

// Labels grouped by their number of positives, with the mean F1 of each group.
[[nodiscard]] std::string support_chart(const std::vector<LabelRow>& labels);
// How many labels have how many positives.
[[nodiscard]] std::string frequency_chart(const std::vector<std::size_t>& positives);

}  // namespace mmo::cli
