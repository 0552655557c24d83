// An encoder's features of every row, and a network's scores of every row; processes divide the rows among
// themselves, and all of them get the whole result.
#pragma once

#include <span>

#include "deep/net/network.h"
#include "deep/train/inputs.h"
#include "mmo/comm/communicator.h"
#include "mmo/core/matrix.h"
#include "mmo/core/progress.h"

namespace mmo::deep {

// Output row k belongs to rows[k]. Trains nothing; `progress` gets fractions from 0 to 1.
[[nodiscard]] DenseMatrix extract_features(const Encoder& encoder, const Parameters& p, const Inputs& inputs,
                                           std::span<const std::uint32_t> rows, const Progress& progress = {},
                                           Communicator& processes = alone());
[[nodiscard]] DenseMatrix score_rows(const Network& network, const Inputs& inputs,
                                     std::span<const std::uint32_t> rows, const Progress& progress = {},
                                     Communicator& processes = alone());

}  // namespace mmo::deep
