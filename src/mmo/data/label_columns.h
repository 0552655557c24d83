// Which column each label of a file goes to: its own order, or that of the model it is read for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "mmo/data/load.h"

namespace mmo {

inline constexpr std::uint32_t no_label = std::numeric_limits<std::uint32_t>::max();

// "'…'" for messages: cut after 40 bytes, unprintable bytes as \xNN.
[[nodiscard]] std::string shown(std::string_view value);

// Column of each of `names` among `expected`; no_label if the model does not know it.
[[nodiscard]] std::vector<std::uint32_t> label_columns(const std::vector<std::string_view>& names,
                                                       const std::vector<std::string>& expected);

[[nodiscard]] std::string unknown_label_message(std::string_view name);

// The labels a data set for an existing model has: the model's, and behind them those of the file that it
// lacks if these are kept.
[[nodiscard]] std::vector<std::string> labels_for_model(const std::vector<std::string_view>& names,
                                                        const LoadOptions& options);
// Whether a label of the file that the model lacks is an error.
[[nodiscard]] bool refuses_unseen(const LoadOptions& options);

}  // namespace mmo
