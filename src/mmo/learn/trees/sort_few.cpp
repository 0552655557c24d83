#include "mmo/learn/trees/sort_few.h"

#include <cstring>

#include "mmo/core/simd.h"

namespace mmo::trees {
namespace {

using Bytes = std::uint8_t __attribute__((vector_size(few_bins)));

constexpr Bytes positions{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                          16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

}  // namespace

// The rank of i is the number of k with bins[k] < bins[i], or equal and k < i: computes all ranks at once.
MMO_SIMD void sort_few(const std::uint8_t* bins, std::size_t count, std::uint32_t* order,
                       std::uint8_t* sorted) {
  Bytes all;
  std::memcpy(&all, bins, sizeof all);
  Bytes ranks{};
  for (std::size_t k = 0; k < count; ++k) {
    const Bytes here = Bytes{} + bins[k];
    const auto at = static_cast<std::uint8_t>(k);
    const Bytes below = static_cast<Bytes>(here < all) |
                        (static_cast<Bytes>(here == all) & static_cast<Bytes>(positions > at));
    ranks -= below;  // a comparison that holds counts as −1
  }
  std::uint8_t rank[few_bins];
  std::memcpy(rank, &ranks, sizeof ranks);
  for (std::uint32_t k = 0; k < count; ++k) {
    order[rank[k]] = k;
    sorted[rank[k]] = bins[k];
  }
}

}  // namespace mmo::trees
