#include "mmo/loss/column_loss.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "mmo/core/simd.h"
#include "mmo/loss/generalised_loss.h"
#include "mmo/loss/joint_loss.h"
#include "mmo/loss/logistic_loss.h"
#include "mmo/loss/squared_hinge.h"

namespace mmo {
namespace {

// Float terms are summed in float over this many rows, then added to doubles.
constexpr std::size_t sum_block = 64;

// Calls `use` with the loss's definition.
template <class Use>
MMO_INLINE auto with_definition(const ColumnLoss& loss, const Use& use) {
  switch (loss.kind) {
    case ColumnLoss::Kind::generalised:
      return use(Generalised{loss.tau});
    case ColumnLoss::Kind::joint:
      return use(Joint{loss.kappa});
    case ColumnLoss::Kind::squared_hinge:
      return use(SquaredHinge{});
    default:
      return use(Logistic{});
  }
}

// Runs `body(cell, column, i·stride + c)` over all cells; column sums go through float blocks into doubles.
template <class Body>
MMO_INLINE void for_each_cell(const ColumnCells& cells, double* total, const Body& body) {
  const std::size_t stride = cells.stride;
  // Signs as floats, for a block of rows: with only one type in it, the loop over columns becomes SIMD code
  // of eight lanes, which divide every stride; with bytes in it gcc takes more lanes and leaves the rest to
  // scalar code.
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
#ifndef __clang__
#pragma GCC ivdep
#endif
      for (std::size_t c = 0; c < stride; ++c) {
        const ColumnCell cell{sign[c], row_weight * positive[c], row_weight * negative[c], row_cost};
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
    for_each_cell(cells, value, [&](const ColumnCell& cell, std::size_t, std::size_t at) MMO_INLINE_LAMBDA {
      float v = 0;
      scalar(cell, z[at], v, slope[at]);
      return v;
    });
  } else {
    for_each_cell(cells, value, [&](const ColumnCell& cell, std::size_t c, std::size_t at) MMO_INLINE_LAMBDA {
      float v = 0;
      scalar(cell, z[at] + step[c] * dz[at], v, slope[at]);
      return v;
    });
  }
}

template <class Scalar>
MMO_INLINE void curvature_with(const Scalar& scalar, const ColumnCells& cells, const float* z, float* out) {
  std::vector<double> unused(cells.stride);
  for_each_cell(cells, unused.data(),
                [&](const ColumnCell& cell, std::size_t, std::size_t at) MMO_INLINE_LAMBDA {
                  out[at] = scalar.curvature(cell, z[at]);
                  return 0.0F;
                });
}

}  // namespace

MMO_SIMD void evaluate_loss(const ColumnLoss& loss, const ColumnCells& cells, const float* z, const float* dz,
                            const float* step, float* slope, double* value) {
  with_definition(
      loss, [&](const auto& own) MMO_INLINE_LAMBDA { evaluate_with(own, cells, z, dz, step, slope, value); });
}

MMO_SIMD void loss_curvature(const ColumnLoss& loss, const ColumnCells& cells, const float* z, float* out) {
  with_definition(loss, [&](const auto& own) MMO_INLINE_LAMBDA { curvature_with(own, cells, z, out); });
}

float best_constant(const ColumnLoss& loss, double up, double down) {
  // Half an observation on each side keeps it finite for labels that no row or every row has.
  return static_cast<float>(
      with_definition(loss, [&](const auto& own) { return own.best_constant(up + 0.5, down + 0.5); }));
}

double curvature_at_best(const ColumnLoss& loss, double up, double down, double flat, double row_cost) {
  return with_definition(loss, [&]<class Own>(const Own& own) {
    if constexpr (std::is_same_v<Own, Joint>) {
      return own.curvature_at_best(up, down, flat, row_cost);
    } else {
      return own.curvature_at_best(up, down, flat);
    }
  });
}

double l2_scale(const ColumnLoss& loss) {
  return with_definition(loss, []<class Own>(const Own&) { return Own::l2_scale; });
}
bool needs_two_sides(const ColumnLoss& loss) {
  return with_definition(loss, []<class Own>(const Own&) { return Own::needs_two_sides; });
}
bool needs_row_costs(const ColumnLoss& loss) {
  return with_definition(loss, []<class Own>(const Own&) { return std::is_same_v<Own, Joint>; });
}
bool has_dual(const ColumnLoss& loss) {
  return with_definition(loss, []<class Own>(const Own&) { return Own::has_dual; });
}
bool scales_its_dual(const ColumnLoss& loss) {
  return with_definition(loss, []<class Own>(const Own&) { return Own::scales_its_dual; });
}

}  // namespace mmo
