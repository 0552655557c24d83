#include "mmo/columns/fit_columns.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>
#include <variant>

#include "mmo/core/parallel.h"
#include "mmo/core/simd.h"
#include "mmo/objective/column_block.h"
#include "mmo/solver/dual_descent.h"
#include "mmo/solver/lbfgs.h"

namespace mmo {
namespace {

// A column that all rows pull the same way may have no finite solution: its constant is its solution.
bool is_one_sided(const ColumnLoss& loss, double up, double down) {
  return needs_two_sides(loss) && (up == 0 || down == 0);
}

// Do a sparse column's vectors dominate the work, with few non-zeros per row and feature?
bool vectors_outweigh(const CsrMatrix& x, std::size_t nonzeros_per_cell) {
  return x.nonzeros() < nonzeros_per_cell * (x.rows + x.cols);
}

// Dual descent takes about as many passes as L-BFGS takes iterations, but moves no vectors except the weights
// and can't start from given ones. That pays for the squared hinge, and for the logistic loss if no start
// would save most of the iterations, or if vectors dominate the work.
bool descends_in_the_dual(const Features& features, const ColumnLoss& loss, bool has_start) {
  const auto* x = std::get_if<CsrMatrix>(&features);
  if (x == nullptr || x->rows == 0) return false;
  return has_dual(loss) && (scales_its_dual(loss) || !has_start || vectors_outweigh(*x, 8));
}

}  // namespace

std::size_t columns_per_block(const Features& x, const ColumnLoss& loss, bool has_start) {
  if (descends_in_the_dual(x, loss, has_start)) return DualGroup::most_columns;
  const auto* const sparse = std::get_if<CsrMatrix>(&x);
  return feature_rows(x) + feature_cols(x) > 16384 || (sparse != nullptr && vectors_outweigh(*sparse, 16))
             ? 16
             : 32;
}

namespace {

// What all blocks have in common.
struct Call {
  const ColumnData& data;
  const ColumnLoss& loss;
  const SolverOptions& options;
  const ColumnStart& start;
  std::size_t width;
  std::span<const float> lengths;  // of the rows; empty: no dual descent
  float mean_length;
};

// Columns without a finite solution get their constants; the rest keep their weights.
std::vector<ColumnStatus> set_constants(const Call& call, const CellBlock::Sides& sides, SolvedBlock& block) {
  const auto& [up, down] = sides;
  const std::size_t bias = block.weights.size() - block.stride;  // where the last row starts
  std::vector<float> constants(block.count);
  for (std::size_t c = 0; c < block.count; ++c) constants[c] = best_constant(call.loss, up[c], down[c]);
  std::copy(constants.begin(), constants.end(), block.weights.data() + bias);
  if (call.start.weights && call.lengths.empty())
    call.start.weights(block.first, block.count, block.stride, block.weights);
  std::vector<ColumnStatus> status(block.count);
  for (std::size_t c = 0; c < block.count; ++c) {
    if (!is_one_sided(call.loss, up[c], down[c])) continue;
    status[c].state = SolverState::converged;
    for (std::size_t k = c; k < block.weights.size(); k += block.stride) block.weights[k] = 0.0F;
    block.weights[bias + c] = constants[c];
  }
  return status;
}

std::vector<float> ridges(std::span<const Column> columns, std::size_t stride) {
  std::vector<float> out(stride, 1.0F);
  for (std::size_t c = 0; c < columns.size(); ++c) out[c] = columns[c].ridge;
  return out;
}

// For the bias in dual descent, see DualGroup. Takes the loss's curvature by the bias at the best constant.
std::vector<float> bias_lengths(const Call& call, const CellBlock::Sides& sides,
                                std::span<const float> ridge) {
  const auto& [up, down] = sides;
  std::vector<float> out(ridge.size(), call.mean_length);
  for (std::size_t c = 0; c < out.size(); ++c) {
    const double curvature = curvature_at_best(call.loss, up[c], down[c]);
    if (curvature > 0) out[c] = std::max(out[c], static_cast<float>(ridge[c] / curvature));
  }
  return out;
}

bool is_solved(const SolvedBlock& block) {
  return std::all_of(block.status.begin(), block.status.end(),
                     [](const ColumnStatus& own) { return own.state == SolverState::converged; });
}

// The same columns solved at another ridge, with their duals; null if there are none.
const SolvedBlock* solved_before(const Call& call, const SolvedBlock& block) {
  if (call.start.solved == nullptr || call.lengths.empty() || !scales_its_dual(call.loss)) return nullptr;
  const SolvedBlock& before = (*call.start.solved)[block.first / call.width];
  return before.dual.duals.empty() ? nullptr : &before;
}

void descend(const Call& call, const CellBlock& cells, const CellBlock::Sides& sides,
             std::span<const Column> columns, const SolvedBlock* before, SolvedBlock& block) {
  const auto& x = std::get<CsrMatrix>(*call.data.x);
  const std::vector<float> ridge = ridges(columns, block.stride);
  const std::vector<float> biases = bias_lengths(call, sides, ridge);
  DualGroup group(x, call.lengths, call.loss, cells.cells(), ridge, biases, block.weights.data());
  if (before != nullptr) {
    group.start_from(before->dual, before->weights.data());
  } else {
    group.start();
  }
  descend_dual(group, call.options, block.status, before != nullptr);
  if (call.options.keep_duals && scales_its_dual(call.loss) && is_solved(block))
    block.dual = group.take_solved();
}

void minimise(const Call& call, CellBlock cells, std::span<const Column> columns, SolvedBlock& block) {
  ColumnBlock objective(call.data, call.loss, std::move(cells));
  minimise_columns(objective, ridges(columns, block.stride), block.weights, call.options, block.status);
}

// Solves some slots of a block, as a separate block.
void minimise_slots(const Call& call, std::span<const Column> columns, std::span<const std::size_t> slots,
                    SolvedBlock& block) {
  std::vector<Column> taken;
  SolvedBlock own;
  own.count = slots.size();
  for (const std::size_t slot : slots) {
    taken.push_back(columns[slot]);
    own.status.push_back(block.status[slot]);
  }
  CellBlock cells(call.data, taken);
  own.stride = cells.stride();
  const std::size_t dimension = block.weights.size() / block.stride;
  own.weights.assign(dimension * own.stride, 0.0F);
  for (std::size_t k = 0; k < dimension; ++k) {
    for (std::size_t c = 0; c < slots.size(); ++c)
      own.weights[k * own.stride + c] = block.weights[k * block.stride + slots[c]];
  }
  minimise(call, std::move(cells), taken, own);
  for (std::size_t c = 0; c < slots.size(); ++c) {
    block.status[slots[c]] = own.status[c];
    for (std::size_t k = 0; k < dimension; ++k)
      block.weights[k * block.stride + slots[c]] = own.weights[k * own.stride + c];
  }
}

bool is_late(const Call& call) { return call.options.stop && call.options.stop(); }

// The columns that dual descent left open, eight at a time: there are few, and L-BFGS takes many vectors.
void minimise_open(const Call& call, std::span<const Column> columns, SolvedBlock& block) {
  std::vector<std::size_t> open;
  for (std::size_t c = 0; c < block.count; ++c) {
    if (block.status[c].state == SolverState::converged) continue;
    open.push_back(c);
    if (std::isfinite(block.status[c].value)) continue;  // else start over
    for (std::size_t at = c; at < block.weights.size(); at += block.stride) block.weights[at] = 0.0F;
  }
  for (std::size_t first = 0; first < open.size() && !is_late(call); first += lanes)
    minimise_slots(call, columns, std::span(open).subspan(first, std::min(lanes, open.size() - first)),
                   block);
}

// Out of time: columns that dual descent has not reached end where they would have started. (Those with at
// least one pass keep its result.)
void start_unvisited(const Call& call, SolvedBlock& block) {
  if (!call.start.weights) return;
  LineVector<float> started = block.weights;
  call.start.weights(block.first, block.count, block.stride, started);
  for (std::size_t c = 0; c < block.count; ++c) {
    if (block.status[c].state == SolverState::converged || block.status[c].iterations > 0) continue;
    for (std::size_t at = c; at < started.size(); at += block.stride) block.weights[at] = started[at];
  }
}

void solve_block(const Call& call, std::span<const Column> columns, SolvedBlock& block) {
  CellBlock cells(call.data, columns);
  block.stride = cells.stride();
  const SolvedBlock* const before = solved_before(call, block);
  block.weights.resize((feature_cols(*call.data.x) + 1) * block.stride);
  if (before == nullptr) std::fill(block.weights.begin(), block.weights.end(), 0.0F);
  const CellBlock::Sides sides = cells.sides();
  block.status = set_constants(call, sides, block);
  if (is_solved(block)) return;
  if (call.lengths.empty()) {
    if (!is_late(call))
      minimise(call, std::move(cells), columns, block);  // even the first evaluation may take too long
    return;
  }
  descend(call, cells, sides, columns, before, block);
  if (is_solved(block)) return;
  if (is_late(call)) return start_unvisited(call, block);
  minimise_open(call, columns, block);
}

}  // namespace

ColumnBlocks::ColumnBlocks(const ColumnData& data, const ColumnLoss& loss, std::span<const Column> columns,
                           const SolverOptions& options, const ColumnStart& start, std::size_t width)
    : data_(data), loss_(loss), columns_(columns), options_(options), start_(start), width_(width) {
  const bool has_start = static_cast<bool>(start.weights);
  if (width_ == 0) width_ = columns_per_block(*data.x, loss, has_start);
  assert(width_ % lanes == 0 && width_ <= DualGroup::most_columns);
  if (options.dual_passes == 0 || !descends_in_the_dual(*data.x, loss, has_start)) return;
  lengths_ = row_lengths(std::get<CsrMatrix>(*data.x));
  // Products of longer rows would overflow a float.
  if (std::any_of(lengths_.begin(), lengths_.end(), [](float length) { return !(length < 1e30F); }))
    lengths_.clear();
  const double sum = std::accumulate(lengths_.begin(), lengths_.end(), 0.0);
  if (sum > 0) mean_length_ = static_cast<float>(sum / static_cast<double>(lengths_.size()));
}

SolvedBlock ColumnBlocks::solve(std::size_t b) const {
  SolvedBlock block;
  block.first = b * width_;
  block.count = std::min(width_, columns_.size() - block.first);
  solve_block({data_, loss_, options_, start_, width_, lengths_, mean_length_},
              columns_.subspan(block.first, block.count), block);
  return block;
}

void fit_columns(const ColumnData& data, const ColumnLoss& loss, std::span<const Column> columns,
                 const SolverOptions& options, const ColumnStart& start,
                 const std::function<void(SolvedBlock&&)>& finish, std::size_t width) {
  const ColumnBlocks blocks(data, loss, columns, options, start, width);
  parallel_for(blocks.count(), [&](std::size_t b) { finish(blocks.solve(b)); });
}

}  // namespace mmo
