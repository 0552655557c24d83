// Xᵀ of a sparse X, cut into bands of rows: the form of `backward` that a fit repeats. Within a band a
// feature's entries are contiguous, so its sum over the band is built up in registers from slopes that stay
// in the second-level cache, and G is touched once per band and feature instead of once per entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

class BandedTranspose {
 public:
  explicit BandedTranspose(const CsrMatrix& x);

  // G = (X, 1)ᵀ·R, as backward(x, …) of products.h up to rounding.
  void backward(const float* r, std::size_t stride, float* g) const;
  // The same with x_ik² for x_ik: the diagonal of a Hessian from the curvatures R.
  void backward_squared(const float* r, std::size_t stride, float* g) const;

  // The entries of one feature in one band; they start where the previous run ends.
  struct Run {
    std::uint32_t feature;
    std::uint32_t entries;
  };

 private:
  void multiply(bool square, const float* r, std::size_t stride, float* g) const;

  std::size_t rows_, cols_;
  std::vector<std::uint16_t> row_in_band_;
  std::vector<float> values_;
  std::vector<Run> runs_;
  struct BandEnd {
    std::size_t run;
    std::uint64_t entry;
  };
  std::vector<BandEnd> band_ends_;
};

// Built on first use, by whichever thread that is: columns that dual descent solves never need it.
class LazyTranspose {
 public:
  [[nodiscard]] const BandedTranspose& of(const CsrMatrix& x) const {
    std::call_once(once_, [&] { made_.emplace(x); });
    return *made_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::optional<BandedTranspose> made_;
};

}  // namespace mmo
