#include "mmo/learn/trees/boost_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mmo/core/parallel.h"
#include "mmo/core/simd.h"
#include "mmo/learn/trees/row_keys.h"
#include "mmo/learn/trees/score_rows.h"

namespace mmo::trees {
namespace {

constexpr float longest_step = 4;  // of a logit, before the rate
constexpr int constant_steps = 12;

}  // namespace

BoostFit::BoostFit(const BoostGround& ground, std::vector<std::uint32_t> rows, std::uint64_t salt)
    : ground_(ground),
      labels_(ground.truth.labels->cols),
      rows_(std::move(rows)),
      salt_(salt),
      scores_(ground.bins.rows, labels_),
      descent_(ground.bins.rows, labels_),
      curvature_(ground.bins.rows, labels_),
      mean_curvature_(labels_),
      ones_(ground.bins.rows, 1.0F) {
  start();
  vectors_.width = std::max<std::size_t>(round_up(std::min(labels_, ground.options.directions), 8), 8);
  vectors_.values.resize(ground.bins.rows * vectors_.width);
  vectors_.ridge = static_cast<float>(ground.options.ridge);
}

void BoostFit::run(std::size_t rounds) {
  for (std::size_t k = 0; k < rounds; ++k) {
    throw_if_cancelled();
    round();
  }
}

void BoostFit::add_trees(std::size_t count, float share, ForestBuilder& builder) const {
  for (std::size_t k = 0; k < count; ++k) {
    Leaves leaves = grown_[k].leaves;
    for (float& value : leaves.values) value *= share;
    builder.add(grown_[k].tree, leaves);
  }
}

// Each label's best constant, by Newton steps.
void BoostFit::start() {
  base_.assign(labels_, 0.0F);
  std::vector<float> descent(labels_);
  std::vector<float> curvature(labels_);
  for (int attempt = 0; attempt < constant_steps; ++attempt) {
    std::vector<double> slope(labels_, 0.0);
    std::vector<double> bend(labels_, 1e-3);
    for (const std::uint32_t i : rows_) {
      descend(ground_.truth, ground_.options.costs, i, base_.data(), descent.data(), curvature.data());
      for (std::size_t j = 0; j < labels_; ++j) {
        slope[j] += descent[j];
        bend[j] += curvature[j];
      }
    }
    for (std::size_t j = 0; j < labels_; ++j) {
      const double move = std::clamp(slope[j] / bend[j], -2.0, 2.0);
      base_[j] = std::clamp(base_[j] + static_cast<float>(move), -12.0F, 12.0F);
    }
  }
  for (std::size_t i = 0; i < scores_.rows; ++i)
    std::copy(base_.begin(), base_.end(), scores_.row(i).begin());
}

// Every other tree draws its cuts at random: on its own, each kind wins on some data sets.
void BoostFit::round() {
  Random random(mix_bits(salt_ + grown_.size()));
  descend_rows();
  fill_vectors(random);
  VectorSums sums(vectors_, ones_, ground_.weights);
  GrowOptions options = ground_.grow;
  options.random_cuts = grown_.size() % 2 == 1;
  Grown grown;
  TreeGrower grower(ground_.bins, sums, options, random, [&](std::span<const std::uint32_t> leaf) {
    step(leaf, grown.leaves);
    return grown.leaves.close();
  });
  grown.tree = grower.grow(rows_);
  move_scores(grown);
  grown_.push_back(std::move(grown));
}

void BoostFit::descend_rows() {
  std::fill(mean_curvature_.begin(), mean_curvature_.end(), 0.0F);
  float total = 0;
  for (const std::uint32_t i : rows_) {
    descend(ground_.truth, ground_.options.costs, i, scores_.row(i).data(), descent_.row(i).data(),
            curvature_.row(i).data());
    total += ground_.weights[i];
    const auto curvature = curvature_.row(i);
    for (std::size_t j = 0; j < labels_; ++j) mean_curvature_[j] += curvature[j];
  }
  for (float& h : mean_curvature_) h = std::max(h / std::max(total, 1e-6F), 1e-6F);
}

// What the tree sees of the slopes, each label's in units of its own curvature: few labels as they are, many
// as sums with random signs, each label in one of the sums (a random projection for the price of one pass).
void BoostFit::fill_vectors(Random& random) {
  std::vector<float> factor(labels_);
  std::vector<std::uint32_t> place(labels_);
  const bool sketch = labels_ > ground_.options.directions;
  for (std::size_t j = 0; j < labels_; ++j) {
    factor[j] = 1 / std::sqrt(mean_curvature_[j]);
    place[j] = static_cast<std::uint32_t>(j);
    if (!sketch) continue;
    place[j] = static_cast<std::uint32_t>(random.below(ground_.options.directions));
    if ((random.next() >> 63U) != 0) factor[j] = -factor[j];
  }
  for (const std::uint32_t i : rows_) {
    float* out = vectors_.values.data() + i * vectors_.width;
    std::fill(out, out + vectors_.width, 0.0F);
    const auto descent = descent_.row(i);
    for (std::size_t j = 0; j < labels_; ++j) out[place[j]] += factor[j] * descent[j];
  }
}

// A leaf's Newton step for each label: rate·Σ descent / (Σ curvature + ridge·mean curvature).
void BoostFit::step(std::span<const std::uint32_t> rows, Leaves& out) {
  std::vector<float> descent(labels_, 0.0F);
  std::vector<float> curvature(labels_, 0.0F);
  for (const std::uint32_t i : rows) {
    const auto slope = descent_.row(i);
    const auto bend = curvature_.row(i);
    for (std::size_t j = 0; j < labels_; ++j) {
      descent[j] += slope[j];
      curvature[j] += bend[j];
    }
  }
  for (const std::uint32_t j : labels_that_gain(descent, curvature)) {
    const float newton = std::clamp(descent[j] / (curvature[j] + ridge(j)), -longest_step, longest_step);
    if (newton == 0) continue;
    out.labels.push_back(j);
    out.values.push_back(static_cast<float>(ground_.options.rate) * newton);
  }
}

// The labels whose loss falls most, ascending.
std::vector<std::uint32_t> BoostFit::labels_that_gain(std::span<const float> descent,
                                                      std::span<const float> curvature) const {
  std::vector<std::uint32_t> kept(labels_);
  std::iota(kept.begin(), kept.end(), 0U);
  if (labels_ <= ground_.options.labels_per_leaf) return kept;
  std::vector<float> gain(labels_);
  for (std::size_t j = 0; j < labels_; ++j) gain[j] = descent[j] * descent[j] / (curvature[j] + ridge(j));
  const auto middle = kept.begin() + static_cast<std::ptrdiff_t>(ground_.options.labels_per_leaf);
  std::nth_element(kept.begin(), middle, kept.end(),
                   [&](auto a, auto b) { return gain[a] > gain[b] || (gain[a] == gain[b] && a < b); });
  kept.erase(middle, kept.end());
  std::sort(kept.begin(), kept.end());
  return kept;
}

// Adds the tree to the scores of all rows, held-out ones included.
void BoostFit::move_scores(const Grown& grown) {
  ForestScorer one;
  one.columns = ground_.bins.columns.size();
  one.labels = labels_;
  one.categories = ground_.table.categories;
  ForestBuilder(one).add(grown.tree, grown.leaves);
  const std::size_t step = block_rows(ground_.table);
  std::vector<std::uint32_t> counted(step);
  for (std::size_t first = 0; first < scores_.rows; first += step) {
    const RowBlock block(ground_.table, first, std::min(scores_.rows, first + step));
    add_leaves(one, block, first, {}, scores_.row(first).data(), counted.data());
  }
}

}  // namespace mmo::trees
