#include "deep/data/label_noise.h"

#include <vector>

#include "mmo/core/random.h"

namespace mmo::deep {

LabelMatrix drop_positives(const LabelMatrix& labels, double share, std::uint64_t seed) {
  Random random(seed);
  LabelMatrix out;
  out.cols = labels.cols;
  std::vector<std::uint32_t> kept;
  for (std::size_t i = 0; i < labels.rows; ++i) {
    kept.clear();
    for (const std::uint32_t j : labels.row(i)) {
      if (random.uniform() >= share) kept.push_back(j);
    }
    out.push_row(kept);
  }
  return out;
}

}  // namespace mmo::deep
