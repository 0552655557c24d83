#include "mmo/objective/banded_transpose.h"

#include <algorithm>

#include "mmo/core/simd.h"

namespace mmo {
namespace {

// 2048 rows of 32 slopes take 256 KB: half of a common second-level cache.
constexpr std::size_t band_rows = 2048;

// One band as the kernel sees it.
struct Band {
  const BandedTranspose::Run *first, *last;
  std::uint64_t start;  // of the first run's entries
  const std::uint16_t* row;
  const float* value;
};

// G[k][0..8V) += Σ_i x_ik·R[i][0..8V) over the rows of one band.
template <std::size_t V, bool square>
MMO_INLINE void add_band(const Band& band, const float* r, std::size_t stride, float* g) {
  std::uint64_t e = band.start;
  for (const auto* run = band.first; run != band.last; ++run) {
    float* to = g + run->feature * stride;
    Vec8 sum[V];
    for (std::size_t v = 0; v < V; ++v) sum[v] = load8(to + v * lanes);
    for (; e < run->end; ++e) {
      const float x = square ? band.value[e] * band.value[e] : band.value[e];
      const float* row = r + band.row[e] * stride;
      for (std::size_t v = 0; v < V; ++v) sum[v] += x * load8(row + v * lanes);
    }
    for (std::size_t v = 0; v < V; ++v) store8(to + v * lanes, sum[v]);
  }
}

// One walk over the entries for every 32 columns, and one for what is left.
template <bool square>
MMO_INLINE void add_band(const Band& band, const float* r, std::size_t stride, float* g) {
  std::size_t c = 0;
  for (; c + 4 * lanes <= stride; c += 4 * lanes) add_band<4, square>(band, r + c, stride, g + c);
  const std::size_t left = (stride - c) / lanes;
  if (left == 3) add_band<3, square>(band, r + c, stride, g + c);
  if (left == 2) add_band<2, square>(band, r + c, stride, g + c);
  if (left == 1) add_band<1, square>(band, r + c, stride, g + c);
}

MMO_SIMD void add_plain(const Band& band, const float* r, std::size_t stride, float* g) {
  add_band<false>(band, r, stride, g);
}
MMO_SIMD void add_squared(const Band& band, const float* r, std::size_t stride, float* g) {
  add_band<true>(band, r, stride, g);
}

// The bias: x = 1 in every row.
void add_rows(const float* r, std::size_t rows, std::size_t stride, float* bias) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < stride; ++c) bias[c] += r[i * stride + c];
  }
}

}  // namespace

BandedTranspose::BandedTranspose(const CsrMatrix& x)
    : rows_(x.rows), cols_(x.cols), row_in_band_(x.nonzeros()), values_(x.nonzeros()) {
  std::vector<std::uint64_t> place(cols_);  // counts, then where the feature's next entry goes
  for (std::size_t first = 0; first < rows_; first += band_rows) {
    const std::size_t last = std::min(first + band_rows, rows_);
    std::fill(place.begin(), place.end(), 0);
    for (std::uint64_t e = x.offsets[first]; e < x.offsets[last]; ++e) ++place[x.indices[e]];
    std::uint64_t end = x.offsets[first];
    for (std::size_t k = 0; k < cols_; ++k) {
      const std::uint64_t count = place[k];
      place[k] = end;
      end += count;
      if (count > 0) runs_.push_back({static_cast<std::uint32_t>(k), end});
    }
    for (std::size_t i = first; i < last; ++i) {
      for (std::uint64_t e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
        const std::uint64_t to = place[x.indices[e]]++;
        row_in_band_[to] = static_cast<std::uint16_t>(i - first);
        values_[to] = x.values[e];
      }
    }
    band_ends_.push_back(runs_.size());
  }
}

void BandedTranspose::backward(const float* r, std::size_t stride, float* g) const {
  multiply(false, r, stride, g);
}

void BandedTranspose::backward_squared(const float* r, std::size_t stride, float* g) const {
  multiply(true, r, stride, g);
}

void BandedTranspose::multiply(bool square, const float* r, std::size_t stride, float* g) const {
  std::fill_n(g, (cols_ + 1) * stride, 0.0F);
  const Run* run = runs_.data();
  std::uint64_t start = 0;
  for (std::size_t b = 0; b < band_ends_.size(); ++b) {
    const Run* last = runs_.data() + band_ends_[b];
    const Band band{run, last, start, row_in_band_.data(), values_.data()};
    const float* slopes = r + b * band_rows * stride;
    if (square) {
      add_squared(band, slopes, stride, g);
    } else {
      add_plain(band, slopes, stride, g);
    }
    if (run != last) start = last[-1].end;
    run = last;
  }
  add_rows(r, rows_, stride, g + cols_ * stride);
}

}  // namespace mmo
