// A solved block as bytes, for other processes.
#pragma once

#include "mmo/comm/bytes.h"
#include "mmo/solver/fit_columns.h"

namespace mmo {

void pack(const SolvedBlock& block, ByteWriter& out);
[[nodiscard]] SolvedBlock unpack_block(ByteReader& in);

}  // namespace mmo
