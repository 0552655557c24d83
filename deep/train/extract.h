// An encoder's features of every row, and a network's scores of every row.
#pragma once

#include <span>

#include "deep/net/network.h"
#include "deep/train/inputs.h"
#include "mmo/core/matrix.h"
#include "mmo/core/progress.h"

namespace mmo::deep {

// Output row k belongs to rows[k]. Nothing is trained; `progress` hears fractions from 0 to 1.
[[nodiscard]] DenseMatrix extract_features(const Encoder& encoder, const Parameters& p, const Inputs& inputs,
                                           std::span<const std::uint32_t> rows,
                                           const Progress& progress = {});
[[nodiscard]] DenseMatrix score_rows(const Network& network, const Inputs& inputs,
                                     std::span<const std::uint32_t> rows, const Progress& progress = {});

}  // namespace mmo::deep
