#include "mmo/learn/trees/leaves.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "mmo/core/error.h"
#include "mmo/learn/trees/row_keys.h"

namespace mmo::trees {
namespace {
constexpr double share_steps = 4095;
}

std::uint32_t Leaves::close() {
  std::uint64_t hash = 0;
  for (std::size_t k = offsets.back(); k < labels.size(); ++k)
    hash = mix_bits(hash ^ ((std::uint64_t{labels[k]} << 32U) | std::bit_cast<std::uint32_t>(values[k])));
  hashes.push_back(hash);
  offsets.push_back(static_cast<std::uint32_t>(labels.size()));
  return static_cast<std::uint32_t>(offsets.size() - 2);
}

ShareLeaves::ShareLeaves(const Truth& truth, std::span<const float> weights, std::span<const float> prior)
    : truth_(truth),
      weights_(weights),
      prior_(prior),
      present_(truth.labels->cols, 0),
      unknown_(truth.labels->cols, 0),
      seen_(truth.labels->cols, 0) {}

void ShareLeaves::count(const LabelMatrix& cells, std::span<const std::uint32_t> rows,
                        std::vector<double>& counts) {
  for (const std::uint32_t i : rows) {
    for (const std::uint32_t j : cells.row(i)) {
      counts[j] += weights_[i];
      if (seen_[j] == 0) labels_.push_back(j);
      seen_[j] = 1;
    }
  }
}

void ShareLeaves::add(std::span<const std::uint32_t> rows, Leaves& out) {
  labels_.clear();
  double total = 0;
  for (const std::uint32_t i : rows) total += weights_[i];
  count(*truth_.labels, rows, present_);
  if (truth_.unknown != nullptr && truth_.unknown->rows > 0) count(*truth_.unknown, rows, unknown_);
  std::sort(labels_.begin(), labels_.end());
  for (const std::uint32_t j : labels_) {
    const double known = total - unknown_[j];
    const double share = known > total * 1e-9 ? present_[j] / known : prior_[j];
    const double rounded = std::round(share * share_steps);
    if (rounded > 0) {
      out.labels.push_back(j);
      out.values.push_back(static_cast<float>(rounded / share_steps));
    }
    present_[j] = unknown_[j] = 0;
    seen_[j] = 0;
  }
}

ForestBuilder::ForestBuilder(ForestScorer& scorer) : scorer_(scorer) { scorer_.roots.assign(1, 0); }

void ForestBuilder::add(const Tree& tree, const Leaves& leaves) {
  const auto root = scorer_.child.size();
  const auto words = static_cast<std::uint32_t>(scorer_.set_words.size());
  if (root + tree.child.size() > 0xFFFFFFFFU)
    throw DataError("the trees have more than 4 billion nodes: set fewer trees or larger leaves");
  scorer_.child.insert(scorer_.child.end(), tree.child.begin(), tree.child.end());
  scorer_.threshold.insert(scorer_.threshold.end(), tree.threshold.begin(), tree.threshold.end());
  for (std::size_t k = 0; k < tree.child.size(); ++k)
    scorer_.feature.push_back(tree.child[k] != 0 ? tree.feature[k] : leaf(leaves, tree.feature[k]));
  if (!scorer_.categories.empty()) {
    for (const std::uint32_t offset : tree.set) scorer_.set.push_back(words + offset);
    scorer_.set_words.insert(scorer_.set_words.end(), tree.set_words.begin(), tree.set_words.end());
  }
  scorer_.roots.push_back(static_cast<std::uint32_t>(scorer_.child.size()));
}

std::uint32_t ForestBuilder::leaf(const Leaves& leaves, std::size_t k) {
  const std::uint32_t first = leaves.offsets[k];
  const std::uint32_t last = leaves.offsets[k + 1];
  const auto next = static_cast<std::uint32_t>(scorer_.leaves());
  const auto [entry, fresh] = leaf_of_hash_.try_emplace(leaves.hashes[k], next);
  if (!fresh) {
    const std::uint32_t at = scorer_.leaf_offsets[entry->second];
    const std::uint32_t count = scorer_.leaf_offsets[entry->second + 1] - at;
    if (count == last - first &&
        std::equal(leaves.labels.begin() + first, leaves.labels.begin() + last,
                   scorer_.leaf_labels.begin() + at) &&
        std::equal(leaves.values.begin() + first, leaves.values.begin() + last,
                   scorer_.leaf_values.begin() + at))
      return entry->second;
  }
  scorer_.leaf_labels.insert(scorer_.leaf_labels.end(), leaves.labels.begin() + first,
                             leaves.labels.begin() + last);
  scorer_.leaf_values.insert(scorer_.leaf_values.end(), leaves.values.begin() + first,
                             leaves.values.begin() + last);
  scorer_.leaf_offsets.push_back(static_cast<std::uint32_t>(scorer_.leaf_labels.size()));
  return next;
}

}  // namespace mmo::trees
