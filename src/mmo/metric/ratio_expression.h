// Custom metrics as text: "(3*TP)/(3*TP+FP+2*FN)", "3TP / (3TP + FP + 2FN)", "1 - FP/(FP+TN)".
#pragma once

#include <string>
#include <string_view>

#include "mmo/metric/metric.h"

namespace mmo {

// Grammar (case-insensitive; juxtaposition binds tighter than * and /):
//   sum     = product { (+|-) product }
//   product = factor { (*|/) factor }
//   factor  = { +|- } atom { atom }              "2TP", "-2(TP + FN)"
//   atom    = number | TP | FP | FN | TN | ( sum )
// The result must be a ratio of two linear combinations of the counts; a number may be added to a ratio
// (1 − FP/(FP+TN)) but not to a count, since counts grow with the data and numbers don't.
// Throws UsageError naming the column where it goes wrong.
[[nodiscard]] CountRatio parse_ratio(std::string_view text);

}  // namespace mmo
