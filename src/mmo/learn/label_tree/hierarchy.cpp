#include "mmo/learn/label_tree/hierarchy.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "mmo/core/parallel.h"
#include "mmo/core/random.h"

namespace mmo {
namespace {

constexpr std::size_t labels_at_once = 64;

struct SparseVector {
  std::vector<std::uint32_t> indices;  // ascending
  std::vector<float> values;
};

// Σ x_i over the rows, its largest values, length 1. `sum` is all zeros before and after.
SparseVector mean_of(const CsrMatrix& x, std::span<const std::uint32_t> rows, std::size_t most,
                     std::vector<float>& sum) {
  SparseVector out;
  for (const std::uint32_t i : rows) {
    const auto indices = x.row_indices(i);
    const auto values = x.row_values(i);
    for (std::size_t e = 0; e < indices.size(); ++e) {
      if (sum[indices[e]] == 0) out.indices.push_back(indices[e]);
      sum[indices[e]] += values[e];
    }
  }
  std::sort(out.indices.begin(), out.indices.end());
  out.indices.erase(std::unique(out.indices.begin(), out.indices.end()), out.indices.end());
  if (std::vector<std::uint32_t>& kept = out.indices; kept.size() > most) {
    std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(most), kept.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       const float size_a = std::abs(sum[a]);
                       const float size_b = std::abs(sum[b]);
                       return size_a != size_b ? size_a > size_b : a < b;
                     });
    for (std::size_t k = most; k < kept.size(); ++k) sum[kept[k]] = 0;
    kept.resize(most);
    std::sort(kept.begin(), kept.end());
  }
  double squares = 0;
  for (const std::uint32_t k : out.indices) squares += double{sum[k]} * sum[k];
  const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
  for (const std::uint32_t k : out.indices) {
    out.values.push_back(static_cast<float>(scale * sum[k]));
    sum[k] = 0;
  }
  return out;
}

class Clusters {
 public:
  Clusters(const CsrMatrix& means, std::size_t arity, std::size_t leaf, std::uint64_t seed)
      : means_(means), arity_(arity), leaf_(leaf), random_(seed), sum_(means.cols), other_(means.cols) {}

  LabelHierarchy build(std::vector<std::uint32_t> labels) {
    waiting_.push_back({std::move(labels), 0});
    waiting_.front().leaves = range_count(waiting_.front().labels.size(), leaf_);
    tree_.nodes.resize(1);
    for (std::size_t node = 0; node < tree_.nodes.size(); ++node) {
      Group own = std::move(waiting_[node]);
      if (own.leaves == 1) {
        tree_.nodes[node] = {std::move(own.labels), true};
        continue;
      }
      const std::size_t children = std::min(arity_, own.leaves);
      split(std::move(own), children, node);
    }
    return std::move(tree_);
  }

 private:
  struct Group {
    std::vector<std::uint32_t> labels;
    std::size_t leaves;  // below it
  };

  // Halves the group until it is `parts` children of `parent`; labels go with the leaves.
  void split(Group group, std::size_t parts, std::size_t parent) {
    throw_if_cancelled();
    if (parts == 1) {
      tree_.nodes[parent].children.push_back(static_cast<std::uint32_t>(tree_.nodes.size()));
      tree_.nodes.emplace_back();
      waiting_.push_back(std::move(group));
      return;
    }
    const std::size_t left_parts = parts / 2;
    const std::size_t left_leaves = group.leaves * left_parts / parts;
    const std::size_t left_labels = group.labels.size() * left_leaves / group.leaves;
    halve(group.labels, left_labels);
    const auto middle = group.labels.begin() + static_cast<std::ptrdiff_t>(left_labels);
    Group right{{middle, group.labels.end()}, group.leaves - left_leaves};
    group.labels.erase(middle, group.labels.end());
    group.leaves = left_leaves;
    split(std::move(group), left_parts, parent);
    split(std::move(right), parts - left_parts, parent);
  }

  // Spherical 2-means of given sizes: the labels whose vectors lie furthest on the first mean's side of the
  // other come first, until that changes no more. Ascending labels in both halves.
  void halve(std::vector<std::uint32_t>& labels, std::size_t left) {
    constexpr int most_rounds = 12;
    const auto middle = labels.begin() + static_cast<std::ptrdiff_t>(left);
    const std::size_t a = random_.below(labels.size());
    const std::size_t b = (a + 1 + random_.below(labels.size() - 1)) % labels.size();
    set_direction(std::span(&labels[a], 1), std::span(&labels[b], 1));
    std::vector<std::pair<float, std::uint32_t>> order(labels.size());
    std::vector<std::uint32_t> before;
    for (int round = 0; round < most_rounds && before != labels; ++round) {
      before = labels;
      for (std::size_t k = 0; k < labels.size(); ++k) order[k] = {-along(labels[k]), labels[k]};
      std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(left), order.end());
      for (std::size_t k = 0; k < labels.size(); ++k) labels[k] = order[k].second;
      std::sort(labels.begin(), middle);
      std::sort(middle, labels.end());
      set_direction({labels.begin(), middle}, {middle, labels.end()});
    }
  }

  // sum_ = mean of a / its length − mean of b / its length
  void set_direction(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
    add_means(a, sum_);
    add_means(b, other_);
    for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k] -= other_[k];
  }
  void add_means(std::span<const std::uint32_t> labels, std::vector<float>& to) const {
    std::fill(to.begin(), to.end(), 0.0F);
    for (const std::uint32_t j : labels) {
      const auto indices = means_.row_indices(j);
      const auto values = means_.row_values(j);
      for (std::size_t e = 0; e < indices.size(); ++e) to[indices[e]] += values[e];
    }
    double squares = 0;
    for (const float v : to) squares += double{v} * v;
    const auto scale = static_cast<float>(squares > 0 ? 1 / std::sqrt(squares) : 0);
    for (float& v : to) v *= scale;
  }
  [[nodiscard]] float along(std::uint32_t label) const {
    const auto indices = means_.row_indices(label);
    const auto values = means_.row_values(label);
    float dot = 0;
    for (std::size_t e = 0; e < indices.size(); ++e) dot += sum_[indices[e]] * values[e];
    return dot;
  }

  const CsrMatrix& means_;
  std::size_t arity_, leaf_;
  Random random_;
  std::vector<float> sum_, other_;
  LabelHierarchy tree_;
  std::vector<Group> waiting_;  // of each node of tree_
};

}  // namespace

CsrMatrix label_means(const CsrMatrix& x, const LabelMatrix& rows_of_label, std::size_t most) {
  const std::size_t labels = rows_of_label.rows;
  std::vector<std::vector<SparseVector>> blocks(range_count(labels, labels_at_once));
  parallel_ranges(labels, labels_at_once, [&](std::size_t first, std::size_t last) {
    std::vector<float> sum(x.cols);
    for (std::size_t j = first; j < last; ++j)
      blocks[first / labels_at_once].push_back(mean_of(x, rows_of_label.row(j), most, sum));
  });
  CsrMatrix out;
  out.rows = labels;
  out.cols = x.cols;
  for (std::vector<SparseVector>& block : blocks) {
    for (const SparseVector& own : block) {
      out.indices.append(own.indices.begin(), own.indices.end());
      out.values.append(own.values.begin(), own.values.end());
      out.offsets.push_back(out.indices.size());
    }
    block = {};
  }
  return out;
}

LabelHierarchy cluster_labels(const CsrMatrix& means, const std::vector<std::uint32_t>& labels,
                              std::size_t arity, std::size_t leaf, std::uint64_t seed) {
  return Clusters(means, arity, leaf, seed).build(labels);
}

}  // namespace mmo
