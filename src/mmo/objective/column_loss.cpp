#include "mmo/objective/column_loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mmo/core/simd.h"
#include "mmo/loss/softplus.h"

namespace mmo {
namespace {

// Sums of float terms are kept in float over this many rows, then added to doubles.
constexpr std::size_t sum_block = 64;

struct Cell {
  float sign, positive, negative, row_cost;  // weights already multiplied by the row's
  // a for t = +1, b for t = −1, 0 for t = 0, without a branch.
  [[nodiscard]] MMO_INLINE float weight() const {
    return 0.5F * sign * ((sign + 1.0F) * positive + (sign - 1.0F) * negative);
  }
};

struct Logistic {
  MMO_INLINE void operator()(const Cell& cell, float z, float& value, float& slope) const {
    float softplus_value = 0;
    float sigmoid_value = 0;
    softplus_sigmoid(-cell.sign * z, softplus_value, sigmoid_value);
    const float weight = cell.weight();
    value = weight * softplus_value;
    slope = -cell.sign * weight * sigmoid_value;
  }
  MMO_INLINE float curvature(const Cell& cell, float z) const {
    float softplus_value = 0;
    float sigmoid_value = 0;
    softplus_sigmoid(z, softplus_value, sigmoid_value);
    return cell.weight() * sigmoid_value * (1.0F - sigmoid_value);
  }
};

struct Joint {
  float kappa;
  // Both sides' weight w + κ·(A_i − w); a cell left out has no own cost and takes no smoothing either.
  MMO_INLINE float both(const Cell& cell) const {
    const float weight = cell.weight();
    return weight + cell.sign * cell.sign * kappa * std::max(cell.row_cost - weight, 0.0F);
  }
  MMO_INLINE void operator()(const Cell& cell, float z, float& value, float& slope) const {
    two_sided_softplus(z, both(cell), cell.sign * cell.weight(), value, slope);
  }
  MMO_INLINE float curvature(const Cell& cell, float z) const {
    float softplus_value = 0;
    float sigmoid_value = 0;
    softplus_sigmoid(z, softplus_value, sigmoid_value);
    return both(cell) * sigmoid_value * (1.0F - sigmoid_value);
  }
};

struct Generalised {
  float tau;
  MMO_INLINE void operator()(const Cell& cell, float z, float& value, float& slope) const {
    float softplus_value = 0;
    float sigmoid_value = 0;
    softplus_sigmoid(-cell.sign * z, softplus_value, sigmoid_value);
    const float weight = cell.weight();
    const float power = fast_exp(-tau * softplus_value);  // σ(t·z)^τ
    value = weight * (1.0F - power) / tau;
    slope = -cell.sign * weight * power * sigmoid_value;
  }
  MMO_INLINE float curvature(const Cell& cell, float z) const { return Logistic{}.curvature(cell, z); }
};

struct SquaredHinge {
  MMO_INLINE void operator()(const Cell& cell, float z, float& value, float& slope) const {
    const float excess = std::max(1.0F - cell.sign * z, 0.0F);
    const float weight = cell.weight();
    value = weight * excess * excess;
    slope = -2.0F * cell.sign * weight * excess;
  }
  MMO_INLINE float curvature(const Cell& cell, float z) const {
    return simd::select(1.0F - cell.sign * z > 0.0F, 2.0F * cell.weight(), 0.0F);
  }
};

// Runs `body(cell, column, i·stride + c)` over all cells; column sums go through float blocks into doubles.
template <class Body>
MMO_INLINE void for_each_cell(const ColumnCells& cells, double* total, const Body& body) {
  const std::size_t stride = cells.stride;
  // Signs as floats, for a block of rows: with one type in it the loop over columns becomes SIMD code of
  // eight lanes, which divide every stride; next to bytes gcc takes more lanes and leaves the rest to scalar
  // code.
  std::vector<float> buffer((sum_block + 1) * stride);
  float* sums = buffer.data();
  float* signs = sums + stride;
  std::fill_n(total, stride, 0.0);
  const float* positive = cells.positive;
  const float* negative = cells.negative;
  for (std::size_t first = 0; first < cells.rows; first += sum_block) {
    std::fill_n(sums, stride, 0.0F);
    const std::size_t last = std::min(first + sum_block, cells.rows);
    const std::int8_t* own = cells.sign + first * stride;
    for (std::size_t e = 0; e < (last - first) * stride; ++e) signs[e] = static_cast<float>(own[e]);
    for (std::size_t i = first; i < last; ++i) {
      const float row_weight = cells.row_weight != nullptr ? cells.row_weight[i] : 1.0F;
      const float row_cost = cells.row_cost != nullptr ? row_weight * cells.row_cost[i] : 0.0F;
      const float* sign = signs + (i - first) * stride;
      const std::size_t start = i * stride;
#pragma GCC ivdep
      for (std::size_t c = 0; c < stride; ++c) {
        const Cell cell{sign[c], row_weight * positive[c], row_weight * negative[c], row_cost};
        sums[c] += body(cell, c, start + c);
      }
    }
    for (std::size_t c = 0; c < stride; ++c) total[c] += static_cast<double>(sums[c]);
  }
}

template <class Scalar>
MMO_INLINE void evaluate_with(const Scalar& scalar, const ColumnCells& cells, const float* z, const float* dz,
                              const float* step, float* slope, double* value) {
  if (dz == nullptr) {
    for_each_cell(cells, value, [&](const Cell& cell, std::size_t, std::size_t at) MMO_INLINE_LAMBDA {
      float v = 0;
      scalar(cell, z[at], v, slope[at]);
      return v;
    });
  } else {
    for_each_cell(cells, value, [&](const Cell& cell, std::size_t c, std::size_t at) MMO_INLINE_LAMBDA {
      float v = 0;
      scalar(cell, z[at] + step[c] * dz[at], v, slope[at]);
      return v;
    });
  }
}

template <class Scalar>
MMO_INLINE void curvature_with(const Scalar& scalar, const ColumnCells& cells, const float* z, float* out) {
  std::vector<double> unused(cells.stride);
  for_each_cell(cells, unused.data(), [&](const Cell& cell, std::size_t, std::size_t at) MMO_INLINE_LAMBDA {
    out[at] = scalar.curvature(cell, z[at]);
    return 0.0F;
  });
}

}  // namespace

MMO_SIMD void evaluate_loss(const ColumnLoss& loss, const ColumnCells& cells, const float* z, const float* dz,
                            const float* step, float* slope, double* value) {
  switch (loss.kind) {
    case ColumnLoss::Kind::logistic:
      return evaluate_with(Logistic{}, cells, z, dz, step, slope, value);
    case ColumnLoss::Kind::generalised:
      return evaluate_with(Generalised{loss.tau}, cells, z, dz, step, slope, value);
    case ColumnLoss::Kind::joint:
      return evaluate_with(Joint{loss.kappa}, cells, z, dz, step, slope, value);
    case ColumnLoss::Kind::squared_hinge:
      return evaluate_with(SquaredHinge{}, cells, z, dz, step, slope, value);
  }
}

MMO_SIMD void loss_curvature(const ColumnLoss& loss, const ColumnCells& cells, const float* z, float* out) {
  switch (loss.kind) {
    case ColumnLoss::Kind::logistic:
      return curvature_with(Logistic{}, cells, z, out);
    case ColumnLoss::Kind::generalised:
      return curvature_with(Generalised{loss.tau}, cells, z, out);
    case ColumnLoss::Kind::joint:
      return curvature_with(Joint{loss.kappa}, cells, z, out);
    case ColumnLoss::Kind::squared_hinge:
      return curvature_with(SquaredHinge{}, cells, z, out);
  }
}

}  // namespace mmo
