#include "mmo/objective/dual_group.h"

#include <algorithm>
#include <cassert>

#include "mmo/core/simd.h"
#include "mmo/loss/logistic_loss.h"
#include "mmo/loss/squared_hinge.h"
#include "mmo/objective/row_sums.h"

namespace mmo {
namespace {

// Rows summed in floats before they go to doubles.
constexpr std::size_t run = 64;

// What a pass reads and writes, as pointers.
struct Rows {
  const CsrMatrix* x;
  const float* lengths;
  const std::int8_t* sign;
  const float* row_weight;
  std::size_t columns;
  const float *up, *down, *inverse_up, *inverse_down, *bias_length;
  float *weights, *bias, *pull, *dual;
  const char* is_empty;
  double *loss, *gap, *squares;
};

// What a pass carries from row to row, in V vectors of columns.
template <class Vec, std::size_t V>
struct Carried {
  Vec bias[V], pull[V];
  Vec loss[V] = {}, gap[V] = {};
  Vec squares[V] = {};  // how much ‖w‖² grew
};

template <class Vec, std::size_t V, class Rule>
MMO_INLINE void visit_row(const Rows& r, const Rule& rule, std::size_t i, Carried<Vec, V>& carried) {
  constexpr std::size_t width = width_of<Vec>;
  const std::size_t first = r.x->offsets[i];
  const std::size_t count = r.x->offsets[i + 1] - first;
  const std::uint32_t* index = r.x->indices.data() + first;
  const float* value = r.x->values.data() + first;
  Vec score[V] = {};
  add_weighted_rows<Vec, V>(
      count, index, [value](std::size_t e) MMO_INLINE_LAMBDA { return value[e]; }, r.weights, V * width,
      score);
  const float length = r.lengths[i];
  const float weight = r.row_weight != nullptr ? r.row_weight[i] : 1.0F;
  const float inverse_weight = weight > 0.0F ? 1.0F / weight : 0.0F;
  Vec change[V];
  for (std::size_t v = 0; v < V; ++v) {
    const std::size_t c = v * width;
    const Vec sign = load_bytes<Vec>(r.sign + i * r.columns + c);
    const auto by_sign = [&](const float* up, const float* down) MMO_INLINE_LAMBDA -> Vec {
      return sign > 0.0F ? load_vector<Vec>(up + c) : load_vector<Vec>(down + c);
    };
    const Vec cost = weight * by_sign(r.up, r.down);
    const Vec inverse_cost = inverse_weight * by_sign(r.inverse_up, r.inverse_down);
    const auto open = sign * cost != 0.0F;
    float* dual = r.dual + i * r.columns + c;
    const Vec before = load_vector<Vec>(dual);
    const Vec whole_length = length + load_vector<Vec>(r.bias_length + c);
    const DualStep<Vec> step =
        rule(Vec(sign * (score[v] + carried.bias[v])), cost, inverse_cost, whole_length, before);
    store_vector(dual, Vec(open ? step.dual : before));
    change[v] = open ? sign * step.change : Vec{};
    carried.loss[v] += open ? step.loss : Vec{};
    carried.gap[v] += open ? step.gap : Vec{};
    carried.squares[v] += change[v] * (2.0F * score[v] + length * change[v]);
  }
  add_to_rows<Vec, V>(count, index, value, change, r.weights, V * width);
  for (std::size_t v = 0; v < V; ++v) {
    carried.bias[v] += load_vector<Vec>(r.bias_length + v * width) * change[v];
    carried.pull[v] += change[v];
  }
}

template <class Vec>
MMO_INLINE void move_to(double* total, Vec& sum) {
  for (std::size_t k = 0; k < width_of<Vec>; ++k) total[k] += static_cast<double>(sum[k]);
  sum = Vec{};
}

template <class Vec, std::size_t V, class Rule>
MMO_INLINE void visit_rows(const Rows& r, const Rule& rule, std::span<const std::uint32_t> order) {
  constexpr std::size_t width = width_of<Vec>;
  Carried<Vec, V> carried;
  for (std::size_t v = 0; v < V; ++v) {
    carried.bias[v] = load_vector<Vec>(r.bias + v * width);
    carried.pull[v] = load_vector<Vec>(r.pull + v * width);
  }
  for (std::size_t first = 0; first < order.size(); first += run) {
    for (std::size_t at = first; at < std::min(first + run, order.size()); ++at) {
      if (r.is_empty[order[at]] == 0) visit_row<Vec, V>(r, rule, order[at], carried);
    }
    for (std::size_t v = 0; v < V; ++v) {
      move_to<Vec>(r.loss + v * width, carried.loss[v]);
      move_to<Vec>(r.gap + v * width, carried.gap[v]);
      move_to<Vec>(r.squares + v * width, carried.squares[v]);
    }
  }
  for (std::size_t v = 0; v < V; ++v) {
    store_vector(r.bias + v * width, carried.bias[v]);
    store_vector(r.pull + v * width, carried.pull[v]);
  }
}

template <class Rule>
void visit_in_widest_vectors(const Rows& rows, const Rule& rule, std::span<const std::uint32_t> order) {
  in_widest_vectors([rows, rule, order]<class Widest>() MMO_INLINE_LAMBDA {
    for_column_groups<Widest>(rows.columns, [rows, rule, order]<class Vec, std::size_t V>(std::size_t /*all*/)
                                                MMO_INLINE_LAMBDA { visit_rows<Vec, V>(rows, rule, order); });
  });
}

MMO_SIMD void scaled_rows(const float* from, std::size_t rows, std::size_t columns, const float* factor,
                          float* to) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < columns; ++c) to[i * columns + c] = factor[c] * from[i * columns + c];
  }
}

}  // namespace

std::vector<float> row_lengths(const CsrMatrix& x) {
  std::vector<float> out(x.rows);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (const float v : x.row_values(i)) out[i] += v * v;
  }
  return out;
}

DualGroup::DualGroup(const CsrMatrix& x, std::span<const float> lengths, const ColumnLoss& loss,
                     const ColumnCells& cells, std::span<const float> ridge,
                     std::span<const float> bias_lengths, float* weights)
    : x_(x), lengths_(lengths), cells_(cells), scales_its_dual_(scales_its_dual(loss)), weights_(weights) {
  assert(columns() <= most_columns && has_dual(loss));
  for (std::size_t c = 0; c < columns(); ++c) {
    ridge_[c] = ridge[c];
    bias_length_[c] = bias_lengths[c];
    up_[c] = cells.positive[c] / ridge[c];
    down_[c] = cells.negative[c] / ridge[c];
    inverse_up_[c] = up_[c] > 0 ? 1.0F / up_[c] : 0.0F;
    inverse_down_[c] = down_[c] > 0 ? 1.0F / down_[c] : 0.0F;
  }
  is_empty_.resize(x.rows);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const std::int8_t* sign = cells.sign + i * columns();
    is_empty_[i] =
        static_cast<char>(std::all_of(sign, sign + columns(), [](std::int8_t t) { return t == 0; }));
  }
}

void DualGroup::start() {
  dual_.assign(x_.rows * columns(), scales_its_dual_ ? SquaredHinge::Dual::start : Logistic::Dual::start);
}

// At s·α the dual is ½s²·(‖w‖² + Σα²/(2C)) − s·Σα, up to a constant and the pull, which is almost 0. Where α
// was found, with costs C₀, Σα²/(2C₀) = 2·Σ C₀·ℓ and s = 1 was best: Σα = ‖w‖² + 2·Σ C₀·ℓ.
void DualGroup::start_from(const Solved& solved, const float* weights) {
  assert(scales_its_dual_);
  std::array<float, most_columns> factor{};
  for (std::size_t c = 0; c < columns(); ++c) {
    const double cost_ratio = ridge_[c] / solved.ridge[c];  // C₀/C
    const double curvature = solved.squares[c] + 2 * solved.loss[c] * cost_ratio;
    const double best = curvature > 0 ? (solved.squares[c] + 2 * solved.loss[c]) / curvature : 1.0;
    factor[c] = static_cast<float>(best);
    squares_[c] = best * best * solved.squares[c];
    pull_[c] = factor[c] * solved.pull[c];
  }
  const std::size_t bias = x_.cols * columns();
  scaled_rows(weights, x_.cols, columns(), factor.data(), weights_);
  std::copy_n(weights + bias, columns(), weights_ + bias);
  dual_.resize(x_.rows * columns());
  scaled_rows(solved.duals.data(), x_.rows, columns(), factor.data(), dual_.data());
}

DualGroup::Solved DualGroup::take_solved() {
  return {std::move(dual_), closed_pull_, squares_, loss_, ridge_};
}

void DualGroup::close(std::size_t column) {
  closed_pull_[column] = pull_[column];
  up_[column] = down_[column] = pull_[column] = 0;
}

DualGroup::Progress DualGroup::pass(std::span<const std::uint32_t> order) {
  float* const bias = weights_ + x_.cols * columns();
  for (std::size_t c = 0; c < columns(); ++c) bias[c] += bias_length_[c] * pull_[c];
  PerColumn gap{};
  PerColumn loss{};
  const Rows rows{&x_,
                  lengths_.data(),
                  cells_.sign,
                  cells_.row_weight,
                  columns(),
                  up_.data(),
                  down_.data(),
                  inverse_up_.data(),
                  inverse_down_.data(),
                  bias_length_.data(),
                  weights_,
                  bias,
                  pull_.data(),
                  dual_.data(),
                  is_empty_.data(),
                  loss.data(),
                  gap.data(),
                  squares_.data()};
  if (scales_its_dual_) {
    visit_in_widest_vectors(rows, SquaredHinge::Dual{}, order);
  } else {
    visit_in_widest_vectors(rows, Logistic::Dual{}, order);
  }
  Progress out;
  for (std::size_t c = 0; c < columns(); ++c) {
    const double pull = pull_[c];
    if (up_[c] > 0 || down_[c] > 0) loss_[c] = loss[c];  // a closed column keeps its last one
    out.value[c] = ridge_[c] * (loss[c] + 0.5 * squares_[c]);
    out.gap[c] = ridge_[c] * (gap[c] + 0.5 * bias_length_[c] * pull * pull);
  }
  return out;
}

}  // namespace mmo
