// What the report says about the data: its card, a fingerprint and, only on request, some of its rows.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "mmo/data/dataset.h"
#include "mmo/report/row_errors.h"

namespace mmo {

// FNV-1a over shape, labels, names and features: equal for equal content, whatever the file's format. 16
// hexadecimal digits.
[[nodiscard]] std::string fingerprint(const Dataset& data);
// The data card with its lists of labels shortened.
[[nodiscard]] nlohmann::ordered_json data_section(const Dataset& data);
// Labels of these rows (numbered from 0), true and predicted by number, and the start of the text or the
// features that are not 0.
[[nodiscard]] nlohmann::ordered_json example_rows(const Dataset& data, const LabelMatrix& predicted,
                                                  std::span<const RowErrors> rows);

}  // namespace mmo
