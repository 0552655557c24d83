#include <cmath>
#include <span>
#include <string>

#include "mmo/core/error.h"
#include "mmo/learn/label_tree/scorer.h"

namespace mmo {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw ModelError("the model's label tree is damaged: " + what);
}

template <class Offsets>
void check_offsets(const Offsets& offsets, std::size_t end, const std::string& name) {
  require(!offsets.empty() && offsets.front() == 0 && offsets.back() == end,
          name + " do not cover their values");
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k)
    require(offsets[k] <= offsets[k + 1], name + " do not ascend at " + std::to_string(k));
}

// Every node but the root is the child of one node before it, every label of at most one.
void check_children(const LabelTreeScorer& scorer) {
  std::vector<char> placed(scorer.nodes(), 0);
  std::vector<char> used(scorer.labels, 0);
  placed.front() = 1;
  for (std::size_t node = 0; node < scorer.nodes(); ++node) {
    const std::string at = "node " + std::to_string(node) + ": ";
    require(scorer.first_child[node] < scorer.first_child[node + 1], at + "no children");
    require(scorer.first_child[node + 1] - scorer.first_child[node] <= 65536, at + "too many children");
    for (std::size_t c = scorer.first_child[node]; c < scorer.first_child[node + 1]; ++c) {
      const bool is_label = (scorer.child[c] & LabelTreeScorer::label_flag) != 0;
      const std::uint32_t child = scorer.child[c] & ~LabelTreeScorer::label_flag;
      require(is_label ? child < scorer.labels : child > node && child < scorer.nodes(),
              at + "no such child");
      char& seen = is_label ? used[child] : placed[child];
      require(seen == 0, at + "a child has another parent");
      seen = 1;
    }
  }
  for (std::size_t node = 0; node < placed.size(); ++node)
    require(placed[node] != 0, "node " + std::to_string(node) + " has no parent");
}

void check_weights(const LabelTreeScorer& scorer, std::size_t node) {
  const std::string at = "node " + std::to_string(node) + ": ";
  const std::size_t children = scorer.first_child[node + 1] - scorer.first_child[node];
  const std::uint64_t first = scorer.first_feature[node];
  const std::uint64_t last = scorer.first_feature[node + 1];
  for (std::uint64_t k = first; k < last; ++k) {
    require(scorer.feature[k] < scorer.features, at + "no such feature");
    require(k == first || scorer.feature[k - 1] < scorer.feature[k], at + "features do not ascend");
    for (std::uint64_t w = scorer.first_weight[k]; w < scorer.first_weight[k + 1]; ++w)
      require(scorer.sibling[w] < children, at + "a weight of no child");
  }
}

void check_finite(const LabelTreeScorer& scorer) {
  for (std::size_t c = 0; c < scorer.bias.size(); ++c)
    require(std::isfinite(scorer.bias[c]), "bias " + std::to_string(c) + " is no finite number");
  for (std::size_t w = 0; w < scorer.weight.size(); ++w)
    require(std::isfinite(from_half(scorer.weight[w])),
            "weight " + std::to_string(w) + " is no finite number");
}

template <class Items>
std::uint64_t bytes_of(const Items& items) {
  return items.size() * sizeof(items.front());
}

}  // namespace

void check(const LabelTreeScorer& scorer) {
  require(scorer.labels > 0 && scorer.labels < LabelTreeScorer::label_flag, "no number of labels");
  check_offsets(scorer.first_child, scorer.child.size(), "children");
  require(scorer.nodes() > 0, "it has no nodes");
  require(scorer.bias.size() == scorer.child.size(), "biases are not one per child");
  require(scorer.first_feature.size() == scorer.first_child.size(), "features are not given node by node");
  check_offsets(scorer.first_feature, scorer.feature.size(), "features");
  require(scorer.first_weight.size() == scorer.feature.size() + 1,
          "weights are not given feature by feature");
  check_offsets(scorer.first_weight, scorer.weight.size(), "weights");
  require(scorer.sibling.size() == scorer.weight.size(), "weights have no children");
  check_children(scorer);
  for (std::size_t node = 0; node < scorer.nodes(); ++node) check_weights(scorer, node);
  check_finite(scorer);
}

std::uint64_t bytes(const LabelTreeScorer& scorer) {
  return bytes_of(scorer.first_child) + bytes_of(scorer.child) + bytes_of(scorer.bias) +
         bytes_of(scorer.first_feature) + bytes_of(scorer.feature) + bytes_of(scorer.first_weight) +
         bytes_of(scorer.sibling) + bytes_of(scorer.weight);
}

}  // namespace mmo
