#include "mmo/learn/trees/forest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "mmo/comm/share_rows.h"
#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/learn/trees/bins.h"
#include "mmo/learn/trees/grow_tree.h"
#include "mmo/learn/trees/label_counts.h"
#include "mmo/learn/trees/leaves.h"
#include "mmo/learn/trees/row_keys.h"
#include "mmo/learn/trees/score_rows.h"

namespace mmo {
namespace {

using trees::LabelCells;

constexpr float score_smoothing = 0.02F;
constexpr double weight_steps = 1024;

// What all trees of a forest have in common.
struct Ground {
  const Truth& truth;
  const ForestOptions& options;
  trees::Bins bins;
  std::vector<std::uint64_t> keys;
  std::vector<float> weights;
  std::vector<float> prior;
  LabelCells cells;
  trees::RowVectors vectors;  // the same, for few labels
};

bool some_unknown(const Truth& truth) { return truth.unknown != nullptr && truth.unknown->positives() > 0; }

// As multiples of a power of two near a thousandth of their mean, which makes sums of them exact.
std::vector<float> exact_weights(const Truth& truth) {
  std::vector<float> out(truth.labels->rows, 1.0F);
  if (truth.row_weights.empty()) return out;
  double sum = 0;
  double rows = 0;
  for (const float w : truth.row_weights) {
    sum += w;
    rows += w > 0 ? 1 : 0;
  }
  if (!(sum > 0)) throw DataError("all row weights are 0: give at least one row a weight");
  const auto step = static_cast<float>(std::exp2(std::floor(std::log2(sum / rows))) / weight_steps);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float w = truth.row_weights[i];
    out[i] = w > 0 ? std::max(std::round(w / step), 1.0F) * step : 0;
  }
  return out;
}

// Each label's weighted share of its known cells, smoothed by half a row of each kind.
std::vector<float> label_shares(const Truth& truth, std::span<const float> weights) {
  double total = 0;
  for (const float w : weights) total += w;
  std::vector<double> present(truth.labels->cols, 0.5);
  std::vector<double> known(truth.labels->cols, total + 1);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (const std::uint32_t j : truth.labels->row(i)) present[j] += weights[i];
    if (!some_unknown(truth)) continue;
    for (const std::uint32_t j : truth.unknown->row(i)) known[j] -= weights[i];
  }
  std::vector<float> out(known.size());
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = static_cast<float>(present[j] / known[j]);
  return out;
}

LabelCells make_cells(const Truth& truth, std::span<const float> prior) {
  LabelCells out;
  out.labels = truth.labels->cols;
  const bool unknown = some_unknown(truth);
  for (const float w : truth.label_weights) out.ceiling.push_back(std::sqrt(w));
  const auto add = [&](std::uint32_t j, float y) {
    out.label.push_back(j);
    if (unknown || !out.ceiling.empty())
      out.value.push_back(y * (out.ceiling.empty() ? 1.0F : out.ceiling[j]));
  };
  for (std::size_t i = 0; i < truth.labels->rows; ++i) {
    for (const std::uint32_t j : truth.labels->row(i)) add(j, 1.0F);
    if (unknown) {
      for (const std::uint32_t j : truth.unknown->row(i)) add(j, prior[j]);
    }
    out.offsets.push_back(static_cast<std::uint32_t>(out.label.size()));
  }
  return out;
}

trees::RowVectors make_vectors(const LabelCells& cells) {
  trees::RowVectors out;
  out.width = std::max<std::size_t>(round_up(cells.labels, 8), 8);
  const std::size_t rows = cells.offsets.size() - 1;
  out.values.assign(rows * out.width, 0.0F);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::uint32_t k = cells.offsets[i]; k < cells.offsets[i + 1]; ++k)
      out.values[i * out.width + cells.label[k]] = cells.value.empty() ? 1.0F : cells.value[k];
  }
  out.ceiling = cells.ceiling;
  out.ceiling.resize(out.width, 1.0F);
  return out;
}

// How often a row is drawn: Poisson, the limit of drawing with replacement, from the row's own key.
std::uint32_t times_drawn(std::uint64_t key, std::uint64_t salt, double mean) {
  double u = static_cast<double>(trees::mix_bits(key ^ salt) >> 11U) * 0x1.0p-53;
  double p = std::exp(-mean);
  std::uint32_t times = 0;
  while (u >= p && times < 20) {
    u -= p;
    p *= mean / ++times;
  }
  return times;
}

// The weights of one tree's rows; all of them if none were drawn.
std::vector<float> draw_rows(const Ground& ground, std::uint64_t salt) {
  std::vector<float> out = ground.weights;
  if (!ground.options.bootstrap) return out;
  bool some = false;
  const std::size_t rows = ground.options.rows_per_tree;
  const double mean =
      rows > 0 && rows < out.size() ? static_cast<double>(rows) / static_cast<double>(out.size()) : 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] *= static_cast<float>(times_drawn(ground.keys[i], salt, mean));
    some |= out[i] > 0;
  }
  return some ? out : ground.weights;
}

struct Grown {
  trees::Tree tree;
  trees::Leaves leaves;
};

void pack(const Grown& grown, ByteWriter& out) {
  out.put_all(grown.tree.feature);
  out.put_all(grown.tree.threshold);
  out.put_all(grown.tree.child);
  out.put_all(grown.tree.set);
  out.put_all(grown.tree.set_words);
  out.put_all(grown.leaves.offsets);
  out.put_all(grown.leaves.labels);
  out.put_all(grown.leaves.values);
  out.put_all(grown.leaves.hashes);
}

void unpack(ByteReader& in, Grown& grown) {
  in.get_all(grown.tree.feature);
  in.get_all(grown.tree.threshold);
  in.get_all(grown.tree.child);
  in.get_all(grown.tree.set);
  in.get_all(grown.tree.set_words);
  in.get_all(grown.leaves.offsets);
  in.get_all(grown.leaves.labels);
  in.get_all(grown.leaves.values);
  in.get_all(grown.leaves.hashes);
}

template <class Impurity>
void grow(const Ground& ground, const trees::GrowOptions& options, Impurity& impurity,
          std::span<const float> weights, Random& random, Grown& out) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) rows.push_back(i);
  }
  trees::ShareLeaves shares(ground.truth, weights, ground.prior);
  trees::TreeGrower grower(ground.bins, impurity, options, random, [&](std::span<const std::uint32_t> leaf) {
    shares.add(leaf, out.leaves);
    return out.leaves.close();
  });
  out.tree = grower.grow(std::move(rows));
}

constexpr std::size_t most_trees = 500;
constexpr std::size_t fewest_trees = 100;
constexpr std::size_t most_drawn = 1500000;  // rows times trees

Ground prepare(const Table& table, const Truth& truth, const ForestOptions& options) {
  Ground out{truth,
             options,
             trees::make_bins(table, truth.row_weights),
             trees::row_keys(table, truth),
             exact_weights(truth),
             {},
             {},
             {}};
  out.prior = label_shares(truth, out.weights);
  out.cells = make_cells(truth, out.prior);
  if (out.cells.labels <= trees::RowVectors::most) out.vectors = make_vectors(out.cells);
  return out;
}

}  // namespace

// √columns; a third (up to 8) if there are few.
std::size_t columns_per_split(const ForestOptions& options, std::size_t columns) {
  if (options.columns_per_split > 0) return options.columns_per_split;
  const auto all = static_cast<double>(columns);
  return static_cast<std::size_t>(std::ceil(std::max(std::sqrt(all), std::min(all / 3, 8.0))));
}

void suit_size(ForestOptions& options, std::size_t rows) {
  options.trees = std::clamp(most_drawn / std::max<std::size_t>(rows, 1), fewest_trees, most_trees);
  options.rows_per_tree = std::min(rows, most_drawn / options.trees);
}

Forest fit_forest(const Table& table, const Truth& truth, const ForestOptions& options) {
  const Ground ground = prepare(table, truth, options);
  const std::size_t n = truth.labels->rows;
  trees::GrowOptions grow_options;
  grow_options.columns_per_split = columns_per_split(options, ground.bins.columns.size());
  grow_options.depth = options.depth;
  grow_options.min_leaf = options.min_leaf > 1 ? options.min_leaf : 0;
  grow_options.balance = options.balance;
  grow_options.min_gain =
      -1;  // leaves end up pure anyway: a split that gains nothing may open up one that does
  grow_options.random_cuts = options.cuts == ForestOptions::Cuts::random;
  grow_options.categories = table.categories;

  Forest out;
  if (options.bootstrap) {
    out.in_bag.words_per_tree = (n + 63) / 64;
    out.in_bag.bits.assign(out.in_bag.words_per_tree * options.trees, 0);
  }
  std::vector<Grown> grown(options.trees);
  const auto grow_tree = [&](std::size_t tree) {
    throw_if_cancelled();
    const std::uint64_t salt = trees::mix_bits((options.seed + 1) * 0x9e3779b97f4a7c15ULL + tree);
    const std::vector<float> drawn = draw_rows(ground, salt);
    if (options.bootstrap) {
      std::uint64_t* bits = out.in_bag.bits.data() + tree * out.in_bag.words_per_tree;
      for (std::size_t i = 0; i < n; ++i)
        bits[i / 64] |= static_cast<std::uint64_t>(drawn[i] > 0) << (i % 64);
    }
    Random random(salt);
    if (ground.vectors.width > 0) {
      trees::VectorSums sums(ground.vectors, drawn, drawn);
      grow(ground, grow_options, sums, drawn, random, grown[tree]);
    } else {
      trees::LabelCounts counts(ground.cells, drawn);
      grow(ground, grow_options, counts, drawn, random, grown[tree]);
    }
  };
  const auto bits_of = [&](std::size_t tree) {
    return std::span(out.in_bag.bits).subspan(tree * out.in_bag.words_per_tree, out.in_bag.words_per_tree);
  };
  options.processes->share(options.trees, {grow_tree,
                                           [&](std::size_t tree, ByteWriter& bytes) {
                                             pack(grown[tree], bytes);
                                             bytes.put_all(bits_of(tree));
                                           },
                                           [&](std::size_t tree, ByteReader& bytes) {
                                             unpack(bytes, grown[tree]);
                                             bytes.get_into(bits_of(tree));
                                           }});

  out.scorer.columns = feature_cols(table.values);
  out.scorer.labels = truth.labels->cols;
  out.scorer.categories = table.categories;
  out.scorer.base = ground.prior;
  out.scorer.smoothing = score_smoothing;
  trees::ForestBuilder builder(out.scorer);
  for (Grown& each : grown) {
    builder.add(each.tree, each.leaves);
    each = {};
  }
  return out;
}

void add_out_of_bag(const Forest& forest, const Table& table, std::size_t first, std::size_t last,
                    float* out) {
  const std::size_t labels = forest.scorer.labels;
  const std::size_t step = trees::block_rows(table);
  std::vector<float> sums;
  std::vector<std::uint32_t> trees_of_row;
  const trees::Counts counts = [&](std::size_t tree, std::size_t row) {
    return !forest.in_bag.has(tree, row);
  };
  for (std::size_t from = first; from < last; from += step) {
    const trees::RowBlock block(table, from, std::min(last, from + step));
    sums.assign(block.size() * labels, 0.0F);
    trees_of_row.assign(block.size(), 0);
    trees::add_leaves(forest.scorer, block, from, counts, sums.data(), trees_of_row.data());
    for (std::size_t k = 0; k < block.size(); ++k)
      trees::add_logits(forest.scorer, sums.data() + k * labels, trees_of_row[k],
                        out + (from - first + k) * labels);
  }
}

DenseMatrix out_of_bag(const Forest& forest, const Table& table, Communicator& processes) {
  const std::size_t n = feature_rows(table.values);
  const std::size_t labels = forest.scorer.labels;
  DenseMatrix out(n, labels);
  share_rows(out, trees::block_rows(table), processes, [&](std::size_t first, std::size_t last) {
    add_out_of_bag(forest, table, first, last, out.row(first).data());
  });
  return out;
}

}  // namespace mmo
