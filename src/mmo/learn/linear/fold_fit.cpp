#include "mmo/learn/linear/fold_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "mmo/columns/packed_block.h"
#include "mmo/core/parallel.h"
#include "mmo/objective/products.h"

namespace mmo {
namespace {

const std::vector<std::uint32_t>& wanted_labels(const Problem& problem, const FitSettings& settings) {
  return settings.labels.empty() ? problem.trainable : settings.labels;
}

// In an order that lets columns of one block take about as many iterations, so that few of them wait for the
// last: labels that a warm start lacks before those that it has, the most frequent first.
std::vector<std::uint32_t> fitted_labels(const Problem& problem, const FitSettings& settings,
                                         const ColumnWeights* warm) {
  std::vector<std::uint32_t> labels = wanted_labels(problem, settings);
  std::vector<char> known(problem.label_count(), 0);
  if (warm != nullptr) {
    for (const std::uint32_t j : warm->labels) known[j] = 1;
  }
  const auto positives = [&](std::uint32_t j) { return problem.rows_of_label.row(j).size(); };
  std::stable_sort(labels.begin(), labels.end(), [&](std::uint32_t a, std::uint32_t b) {
    return known[a] != known[b] ? known[a] < known[b] : positives(a) > positives(b);
  });
  return labels;
}

// One column per label, without the rows of this fold (−1: with all).
void add_columns(const std::vector<std::uint32_t>& labels, const FitSettings& settings, std::int32_t held_out,
                 std::vector<Column>& columns) {
  for (const std::uint32_t j : labels) {
    const LabelCost cost = settings.costs.empty() ? LabelCost{} : settings.costs[j];
    columns.push_back({j, held_out, static_cast<float>(cost.false_negative),
                       static_cast<float>(cost.false_positive), static_cast<float>(settings.ridge)});
  }
}

// A_i of the joint coupling: the summed cost of the row's cells (math.md: A = Σ_j A_j).
std::vector<float> row_costs(const Problem& problem, const FitSettings& settings) {
  if (!needs_row_costs(settings.loss)) return {};
  double base = 0;
  std::vector<double> own(problem.label_count());  // of a negative cell
  std::vector<double> change(problem.label_count());
  for (std::size_t j = 0; j < problem.label_count(); ++j) {
    const LabelCost cost = settings.costs.empty() ? LabelCost{} : settings.costs[j];
    own[j] = std::abs(cost.false_positive);
    base += own[j];
    change[j] = std::abs(cost.false_negative) - own[j];
  }
  std::vector<float> out(problem.rows());
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    double sum = base;
    const auto unknown =
        problem.unknown != nullptr ? problem.unknown->row(i) : std::span<const std::uint32_t>{};
    for (const std::uint32_t j : unknown) sum -= own[j];
    for (const std::uint32_t j : problem.labels->row(i)) {
      if (!std::binary_search(unknown.begin(), unknown.end(), j)) sum += change[j];
    }
    out[i] = static_cast<float>(sum);
  }
  return out;
}

// A label that is not trained scores like the best constant of the training rows. Scores of 0 would drown the
// pooled calibration, the thresholds and the expected counts.
std::vector<std::pair<std::size_t, float>> untrained_scores(const Problem& problem, const ColumnLoss& loss) {
  std::vector<char> trained(problem.label_count(), 0);
  for (const std::uint32_t j : problem.trainable) trained[j] = 1;
  double rows = 0;
  for (std::size_t i = 0; i < problem.rows(); ++i) rows += problem.hold_out.trains(i) ? 1.0 : 0.0;
  std::vector<std::pair<std::size_t, float>> out;
  for (std::size_t j = 0; j < trained.size(); ++j) {
    if (trained[j] != 0) continue;
    double positives = 0;
    for (const std::uint32_t i : problem.rows_of_label.row(j))
      positives += problem.hold_out.trains(i) ? 1.0 : 0.0;
    out.emplace_back(j, best_constant(loss, positives, rows - positives));
  }
  return out;
}

// The geometric mean over the labels of their loss's mean curvature at the best constant score. A quarter of
// it is left, about, once the scores have grown.
double typical_curvature(const Problem& problem, const FitSettings& settings,
                         std::span<const float> row_costs) {
  const auto n = static_cast<double>(problem.rows());
  const double all = std::accumulate(row_costs.begin(), row_costs.end(), 0.0) / n;  // A of the joint loss
  const std::vector<std::uint32_t>& labels = wanted_labels(problem, settings);
  double sum = 0;
  for (const std::uint32_t j : labels) {
    const LabelCost cost = settings.costs.empty() ? LabelCost{} : settings.costs[j];
    const double share = (static_cast<double>(problem.rows_of_label.row(j).size()) + 0.5) / (n + 1);
    const double up = std::abs(cost.false_negative) * share;
    const double down = std::abs(cost.false_positive) * (1 - share);
    constexpr double flat = 1e-9;  // costs of 0
    sum += std::log(std::max(curvature_at_best(settings.loss, up, down, flat, all), flat));
  }
  return 0.25 * std::exp(sum / static_cast<double>(std::max<std::size_t>(labels.size(), 1)));
}

std::optional<Whitening> make_whitening(const MappedProblem& mapped, const FitSettings& settings,
                                        std::span<const float> row_costs) {
  if (!mapped.moments) return std::nullopt;
  return Whitening(*mapped.moments, typical_curvature(*mapped.problem, settings, row_costs), settings.ridge);
}

void add_status(SolveSummary& summary, const std::vector<ColumnStatus>& columns) {
  for (const ColumnStatus& status : columns) {
    ++summary.columns;
    summary.iterations += static_cast<std::size_t>(status.iterations);
    if (status.state != SolverState::converged) ++summary.unfinished;
  }
}

// Column `c` of a (d + 1) × stride block becomes the mean of `count` folds of the label's columns. It stays
// as it is, and the answer is false, where the label has none.
bool set_mean(const ColumnWeights& from, std::uint32_t label, std::size_t fold, std::size_t count,
              LineVector<float>& to, std::size_t stride, std::size_t c) {
  const auto place = std::find(from.labels.begin(), from.labels.end(), label);
  if (place == from.labels.end()) return false;
  for (std::size_t k = 0; k < to.size() / stride; ++k) to[k * stride + c] = 0.0F;
  const float share = 1.0F / static_cast<float>(count);
  for (std::size_t f = fold; f < fold + count; ++f) {
    const std::size_t at = f * from.labels.size() + static_cast<std::size_t>(place - from.labels.begin());
    const std::size_t width = from.blocks.front().count;  // of all but the last
    const SolvedBlock& block = from.blocks[at / width];
    const std::size_t slot = at % width;
    for (std::size_t k = 0; k < to.size() / stride; ++k)
      to[k * stride + c] += share * block.weights[k * block.stride + slot];
  }
  return true;
}

// The columns of a call stand fold by fold, so many in each.
struct ColumnOrder {
  const std::vector<Column>& columns;
  std::size_t per_fold;

  [[nodiscard]] bool meets(const SolvedBlock& block, std::size_t fold) const {
    return fold * per_fold < block.first + block.count && block.first < (fold + 1) * per_fold;
  }
};

// Calls cell(row, slot of the block, label) for all that the block scores: of each row it holds out, in
// order.
template <class Cell>
void for_scored(const std::vector<std::uint32_t>& fold_of_row, const ColumnOrder& order,
                const SolvedBlock& block, const Cell& cell) {
  for (std::size_t i = 0; i < fold_of_row.size(); ++i) {
    const std::size_t fold = fold_of_row[i];
    const std::size_t last = std::min((fold + 1) * order.per_fold, block.first + block.count);
    for (std::size_t at = std::max(fold * order.per_fold, block.first); at < last; ++at)
      cell(i, at - block.first, order.columns[at].label);
  }
}

// Every row's scores by the block's columns without its fold.
void set_scores(const MappedProblem& mapped, const ColumnOrder& order, const SolvedBlock& block,
                DenseMatrix& scores) {
  const std::vector<std::uint32_t>& fold_of_row = mapped.problem->hold_out.fold_of_row();
  const auto* sparse = std::get_if<CsrMatrix>(&mapped.x());
  std::vector<std::uint32_t> rows;  // of sparse features only those scored
  std::vector<std::uint32_t> place(sparse != nullptr ? fold_of_row.size() : 0);
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (!order.meets(block, fold_of_row[i])) continue;
    place[i] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(static_cast<std::uint32_t>(i));
  }
  LineVector<float> z((sparse != nullptr ? rows.size() : fold_of_row.size()) * block.stride);
  if (sparse != nullptr) {
    forward(*sparse, rows, block.weights.data(), block.stride, z.data());
  } else {
    forward(std::get<DenseMatrix>(mapped.x()), block.weights.data(), block.stride, z.data());
  }
  for_scored(fold_of_row, order, block, [&](std::size_t i, std::size_t slot, std::uint32_t label) {
    scores(i, label) = z[(sparse != nullptr ? place[i] : i) * block.stride + slot];
  });
}

void pack_scores(const MappedProblem& mapped, const ColumnOrder& order, const SolvedBlock& block,
                 const DenseMatrix& scores, ByteWriter& out) {
  std::vector<float> cells;
  for_scored(mapped.problem->hold_out.fold_of_row(), order, block,
             [&](std::size_t i, std::size_t, std::uint32_t label) { cells.push_back(scores(i, label)); });
  out.put_all(cells);
}

void unpack_scores(const MappedProblem& mapped, const ColumnOrder& order, const SolvedBlock& block,
                   ByteReader& in, DenseMatrix& scores) {
  std::vector<float> cells;
  in.get_all(cells);
  const float* next = cells.data();
  for_scored(mapped.problem->hold_out.fold_of_row(), order, block,
             [&](std::size_t i, std::size_t, std::uint32_t label) { scores(i, label) = *next++; });
}

}  // namespace

LinearScorer linear_scorer(FeatureMap map, DenseMatrix weights) {
  const std::size_t d = weights.rows - 1;
  LinearScorer out;
  out.map = std::move(map);
  out.bias.assign(weights.values.begin() + static_cast<std::ptrdiff_t>(d * weights.cols),
                  weights.values.end());
  weights.values.resize(d * weights.cols);
  weights.rows = d;
  out.weights = std::move(weights);
  return out;
}

FoldFit fit_folds(const MappedProblem& mapped, const FitSettings& settings, std::size_t folds,
                  const ColumnWeights* warm, const ColumnWeights* fallback) {
  const Problem& problem = *mapped.problem;
  FoldFit fit;
  fit.weights.labels = fitted_labels(problem, settings, warm);
  fit.weights.folds = folds;
  std::vector<Column> columns;
  columns.reserve(fit.weights.labels.size() * folds);
  for (std::size_t f = 0; f < folds; ++f)
    add_columns(fit.weights.labels, settings, static_cast<std::int32_t>(f), columns);
  const std::vector<float> costs = row_costs(problem, settings);
  ColumnData data = mapped.columns();
  data.row_cost = costs;
  const std::optional<Whitening> whitening = make_whitening(mapped, settings, costs);
  data.whitening = whitening ? &*whitening : nullptr;

  fit.scores = DenseMatrix(problem.rows(), problem.label_count());
  for (const auto& [j, score] : untrained_scores(problem, settings.loss)) {
    for (std::size_t i = 0; i < fit.scores.rows; ++i) fit.scores(i, j) = score;
  }
  const std::size_t width = columns_per_block(mapped.x(), settings.loss, warm != nullptr);
  fit.weights.blocks.resize(range_count(columns.size(), width));
  const bool same_columns = warm != nullptr && warm->folds == folds && warm->labels == fit.weights.labels &&
                            warm->blocks.size() == fit.weights.blocks.size();
  ColumnStart start;
  if (same_columns) start.solved = &warm->blocks;
  if (warm != nullptr) {
    start.weights = [&](std::size_t first, std::size_t count, std::size_t stride,
                        LineVector<float>& weights) {
      if (same_columns) {
        weights = warm->blocks[first / width].weights;
        return;
      }
      const auto set = [&](const ColumnWeights& from, std::size_t c) {
        const auto fold = static_cast<std::size_t>(columns[first + c].held_out);
        const bool known = fold < from.folds;
        return set_mean(from, columns[first + c].label, known ? fold : 0, known ? 1 : from.folds, weights,
                        stride, c);
      };
      for (std::size_t c = 0; c < count; ++c) {
        if (!set(*warm, c) && fallback != nullptr) set(*fallback, c);
      }
    };
  }
  const SolverOptions options{.tolerance = settings.tolerance,
                              .keep_duals = settings.keep_duals,
                              .max_iterations = 300,
                              .pairs = settings.pairs,
                              .stop = settings.stop};
  const ColumnBlocks blocks(data, settings.loss, columns, options, start);
  const ColumnOrder order{columns, fit.weights.labels.size()};
  std::vector<SolvedBlock>& solved = fit.weights.blocks;
  problem.processes->share(blocks.count(), {[&](std::size_t b) {
                                              solved[b] = blocks.solve(b);
                                              set_scores(mapped, order, solved[b], fit.scores);
                                            },
                                            [&](std::size_t b, ByteWriter& out) {
                                              pack(solved[b], out);
                                              pack_scores(mapped, order, solved[b], fit.scores, out);
                                            },
                                            [&](std::size_t b, ByteReader& in) {
                                              solved[b] = unpack_block(in);
                                              unpack_scores(mapped, order, solved[b], in, fit.scores);
                                            }});
  for (const SolvedBlock& block : fit.weights.blocks) add_status(fit.summary, block.status);
  return fit;
}

FullFit fit_full(const MappedProblem& mapped, const FitSettings& settings, const ColumnWeights* warm) {
  const Problem& problem = *mapped.problem;
  std::vector<Column> columns;
  add_columns(fitted_labels(problem, settings, warm), settings, problem.hold_out.never_trained(), columns);
  const std::vector<float> costs = row_costs(problem, settings);
  ColumnData data = mapped.columns();
  data.row_cost = costs;
  const std::optional<Whitening> whitening = make_whitening(mapped, settings, costs);
  data.whitening = whitening ? &*whitening : nullptr;

  const std::size_t dimension = feature_cols(mapped.x()) + 1;
  DenseMatrix weights(dimension, problem.label_count());
  FullFit fit;
  ColumnStart start;
  if (warm != nullptr) {
    start.weights = [&](std::size_t first, std::size_t count, std::size_t stride, LineVector<float>& w) {
      for (std::size_t c = 0; c < count; ++c)
        set_mean(*warm, columns[first + c].label, 0, warm->folds, w, stride, c);
    };
  }
  const SolverOptions options{
      .tolerance = settings.tolerance, .max_iterations = 500, .pairs = settings.pairs, .stop = settings.stop};
  const ColumnBlocks blocks(data, settings.loss, columns, options, start, settings.block_columns);
  std::vector<std::vector<ColumnStatus>> status(blocks.count());
  // Calls cell(k, slot of the block, where its k-th weight belongs) for all weights of a block.
  const auto for_weights = [&](std::size_t b, const auto& cell) {
    for (std::size_t k = 0; k < dimension; ++k) {
      for (std::size_t c = 0; c < status[b].size(); ++c)
        cell(k, c, weights(k, columns[b * blocks.width() + c].label));
    }
  };
  problem.processes->share(
      blocks.count(), {[&](std::size_t b) {
                         SolvedBlock block = blocks.solve(b);
                         status[b] = std::move(block.status);
                         for_weights(b, [&](std::size_t k, std::size_t c, float& weight) {
                           weight = block.weights[k * block.stride + c];
                         });
                       },
                       [&](std::size_t b, ByteWriter& out) {
                         std::vector<float> values;
                         for_weights(
                             b, [&](std::size_t, std::size_t, float& weight) { values.push_back(weight); });
                         out.put_all(status[b]);
                         out.put_all(values);
                       },
                       [&](std::size_t b, ByteReader& in) {
                         std::vector<float> values;
                         in.get_all(status[b]);
                         in.get_all(values);
                         const float* next = values.data();
                         for_weights(b, [&](std::size_t, std::size_t, float& weight) { weight = *next++; });
                       }});
  for (const auto& block : status) add_status(fit.summary, block);
  for (const auto& [j, score] : untrained_scores(problem, settings.loss)) weights(dimension - 1, j) = score;
  fit.weights = std::move(weights);
  return fit;
}

}  // namespace mmo
