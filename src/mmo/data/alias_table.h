// Drawing from a fixed distribution in constant time (Walker's alias method).
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "mmo/core/random.h"

namespace mmo {

class AliasTable {
 public:
  AliasTable() = default;  // nothing to draw
  // Probabilities proportional to `weights`: not empty, none negative, not all zero.
  explicit AliasTable(std::span<const double> weights) : keep_(weights.size()), alias_(weights.size()) {
    const double mean =
        std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
    std::vector<std::uint32_t> small;
    std::vector<std::uint32_t> large;
    for (std::uint32_t k = 0; k < weights.size(); ++k) {
      keep_[k] = weights[k] / mean;
      alias_[k] = k;
      (keep_[k] < 1.0 ? small : large).push_back(k);
    }
    // Each item below the mean is filled up by one above it.
    while (!small.empty() && !large.empty()) {
      const std::uint32_t low = small.back();
      const std::uint32_t high = large.back();
      small.pop_back();
      alias_[low] = high;
      keep_[high] -= 1.0 - keep_[low];
      if (keep_[high] < 1.0) {
        large.pop_back();
        small.push_back(high);
      }
    }
  }

  [[nodiscard]] std::uint32_t draw(Random& random) const {
    const auto k = static_cast<std::uint32_t>(random.below(keep_.size()));
    return random.uniform() < keep_[k] ? k : alias_[k];
  }

 private:
  std::vector<double> keep_;  // probability of staying at k; above 1 = always
  std::vector<std::uint32_t> alias_;
};

}  // namespace mmo
