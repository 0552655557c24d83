// A solved block as bytes, for other processes.
#pragma once

#include "mmo/columns/fit_columns.h"
#include "mmo/comm/bytes.h"

namespace mmo {

void pack(const SolvedBlock& block, ByteWriter& out);
[[nodiscard]] SolvedBlock unpack_block(ByteReader& in);

}  // namespace mmo
