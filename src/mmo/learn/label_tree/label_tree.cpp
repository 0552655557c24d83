#include "mmo/learn/label_tree/label_tree.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/learn/label_tree/hierarchy.h"
#include "mmo/learn/label_tree/node_fit.h"

namespace mmo {
namespace {

// Values of a label's mean row that tell labels apart; all of them would be rows × labels of frequent ones.
constexpr std::size_t values_of_a_mean = 512;

using Rows = std::vector<std::uint32_t>;

// What a node is fitted on: its rows, and of each child which.
struct NodeRows {
  Rows rows;
  LabelMatrix of_child;  // positions in `rows`
};

NodeRows node_rows(Rows rows, const std::vector<std::span<const std::uint32_t>>& children) {
  NodeRows out;
  out.rows = std::move(rows);
  out.of_child.cols = out.rows.size();
  Rows places;
  for (const auto own : children) {
    places.clear();
    auto at = out.rows.begin();
    for (const std::uint32_t i : own) {
      at = std::lower_bound(at, out.rows.end(), i);
      places.push_back(static_cast<std::uint32_t>(at - out.rows.begin()));
    }
    out.of_child.push_row(places);
  }
  return out;
}

// Of every node the rows that have one of its labels, from the last nodes up; of the root all rows, so that
// those without labels count.
std::vector<Rows> rows_of_nodes(const LabelHierarchy& tree, const LabelMatrix& rows_of_label) {
  std::vector<Rows> out(tree.nodes.size());
  for (std::size_t node = tree.nodes.size(); node-- > 0;) {
    Rows& own = out[node];
    for (const std::uint32_t c : tree.nodes[node].children) {
      const std::span<const std::uint32_t> more = tree.nodes[node].has_labels ? rows_of_label.row(c) : out[c];
      own.insert(own.end(), more.begin(), more.end());
    }
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
  out.front().resize(rows_of_label.cols);
  std::iota(out.front().begin(), out.front().end(), 0U);
  return out;
}

template <class To, class From>
void append(To& to, const From& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void append_node(const LabelHierarchy::Node& shape, const FittedNode& fitted, LabelTreeScorer& out) {
  const std::uint32_t flag = shape.has_labels ? LabelTreeScorer::label_flag : 0;
  for (const std::uint32_t c : shape.children) out.child.push_back(flag | c);
  out.first_child.push_back(static_cast<std::uint32_t>(out.child.size()));
  append(out.bias, fitted.bias);
  const std::uint64_t shift = out.weight.size();
  for (const std::uint64_t end : fitted.ends) out.first_weight.push_back(shift + end);
  append(out.feature, fitted.feature);
  out.first_feature.push_back(out.feature.size());
  append(out.sibling, fitted.sibling);
  append(out.weight, fitted.weight);
}

}  // namespace

LabelTreeScorer fit_label_tree(const CsrMatrix& x, const LabelMatrix& labels,
                               std::span<const float> row_weights, const LabelTreeOptions& options) {
  const LabelMatrix rows_of_label = transpose(labels);
  std::vector<std::uint32_t> used;
  for (std::uint32_t j = 0; j < labels.cols; ++j) {
    if (!rows_of_label.row(j).empty()) used.push_back(j);
  }
  if (used.empty()) throw UsageError("no label has a positive row: there is nothing to learn");
  const LabelHierarchy tree = cluster_labels(label_means(x, rows_of_label, values_of_a_mean), used,
                                             options.arity, options.leaf, options.seed);
  const std::vector<Rows> rows = rows_of_nodes(tree, rows_of_label);
  std::vector<FittedNode> fitted(tree.nodes.size());
  parallel_for(tree.nodes.size(), [&](std::size_t node) {
    throw_if_cancelled();
    const LabelHierarchy::Node& shape = tree.nodes[node];
    std::vector<std::span<const std::uint32_t>> children;
    for (const std::uint32_t c : shape.children)
      children.push_back(shape.has_labels ? rows_of_label.row(c) : std::span<const std::uint32_t>(rows[c]));
    const NodeRows own = node_rows(rows[node], children);
    fitted[node] = fit_node(x, own.rows, own.of_child, row_weights, options);
  });
  LabelTreeScorer out;
  out.features = x.cols;
  out.labels = labels.cols;
  for (std::size_t node = 0; node < fitted.size(); ++node) {
    append_node(tree.nodes[node], fitted[node], out);
    fitted[node] = {};
  }
  return out;
}

}  // namespace mmo
