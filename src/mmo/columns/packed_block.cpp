#include "mmo/columns/packed_block.h"

namespace mmo {

void pack(const SolvedBlock& block, ByteWriter& out) {
  out.put(block.first);
  out.put(block.count);
  out.put(block.stride);
  out.put_all(block.weights);
  out.put_all(block.dual.duals);
  out.put(block.dual.pull);
  out.put(block.dual.squares);
  out.put(block.dual.loss);
  out.put(block.dual.ridge);
  out.put_all(block.status);
}

SolvedBlock unpack_block(ByteReader& in) {
  SolvedBlock block;
  block.first = in.get<std::size_t>();
  block.count = in.get<std::size_t>();
  block.stride = in.get<std::size_t>();
  in.get_all(block.weights);
  in.get_all(block.dual.duals);
  block.dual.pull = in.get<decltype(block.dual.pull)>();
  block.dual.squares = in.get<DualGroup::PerColumn>();
  block.dual.loss = in.get<DualGroup::PerColumn>();
  block.dual.ridge = in.get<DualGroup::PerColumn>();
  in.get_all(block.status);
  return block;
}

}  // namespace mmo
