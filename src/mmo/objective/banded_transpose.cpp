#include "mmo/objective/banded_transpose.h"

#include <algorithm>

#include "mmo/core/simd.h"
#include "mmo/objective/row_sums.h"

namespace mmo {
namespace {

// 2048 rows of 32 slopes take 256 KB: half of a common second-level cache.
constexpr std::size_t band_rows = 2048;

// One band as the kernel sees it.
struct Band {
  const BandedTranspose::Run *first, *last;
  const std::uint16_t* row;
  const float* value;
};

// G[k] += Σ_i x_ik·R[i] over the rows of one band.
template <class Widest, bool square>
MMO_INLINE void add_band(const Band& band, const float* r, std::size_t stride, float* g) {
  for_column_groups<Widest>(stride, [&]<class Vec, std::size_t V>(std::size_t c) MMO_INLINE_LAMBDA {
    const std::uint16_t* row = band.row;
    const float* values = band.value;
    for (const auto* run = band.first; run != band.last; ++run) {
      const auto value = [values](std::size_t e)
                             MMO_INLINE_LAMBDA { return square ? values[e] * values[e] : values[e]; };
      float* to = g + run->feature * stride + c;
      sum_rows<Vec, V>(run->entries, row, value, r + c, stride, to, to);
      row += run->entries;
      values += run->entries;
    }
  });
}

template <bool square>
void add_in_widest_vectors(const Band& band, const float* r, std::size_t stride, float* g) {
  in_widest_vectors([=]<class Widest>() MMO_INLINE_LAMBDA { add_band<Widest, square>(band, r, stride, g); });
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
      if (count > 0) runs_.push_back({static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(count)});
    }
    for (std::size_t i = first; i < last; ++i) {
      for (std::uint64_t e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
        const std::uint64_t to = place[x.indices[e]]++;
        row_in_band_[to] = static_cast<std::uint16_t>(i - first);
        values_[to] = x.values[e];
      }
    }
    band_ends_.push_back({runs_.size(), end});
  }
  runs_.shrink_to_fit();
}

void BandedTranspose::backward(const float* r, std::size_t stride, float* g) const {
  multiply(false, r, stride, g);
}

void BandedTranspose::backward_squared(const float* r, std::size_t stride, float* g) const {
  multiply(true, r, stride, g);
}

void BandedTranspose::multiply(bool square, const float* r, std::size_t stride, float* g) const {
  std::fill_n(g, (cols_ + 1) * stride, 0.0F);
  const auto add = square ? add_in_widest_vectors<true> : add_in_widest_vectors<false>;
  BandEnd start{0, 0};
  for (std::size_t b = 0; b < band_ends_.size(); ++b) {
    const Band band{runs_.data() + start.run, runs_.data() + band_ends_[b].run,
                    row_in_band_.data() + start.entry, values_.data() + start.entry};
    add(band, r + b * band_rows * stride, stride, g);
    start = band_ends_[b];
  }
  add_rows(r, rows_, stride, g + cols_ * stride);
}

}  // namespace mmo
