#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <variant>

#include "mmo/core/parallel.h"
#include "mmo/learn/label_tree/scorer.h"

namespace mmo {
namespace {

// A row's features that are not 0.
struct SparseRow {
  std::vector<std::uint32_t> indices;  // ascending
  std::vector<float> values;
};

void set_row(const Features& x, std::size_t i, SparseRow& row) {
  row.indices.clear();
  row.values.clear();
  if (const auto* const sparse = std::get_if<CsrMatrix>(&x)) {
    const auto indices = sparse->row_indices(i);
    const auto values = sparse->row_values(i);
    row.indices.assign(indices.begin(), indices.end());
    row.values.assign(values.begin(), values.end());
    return;
  }
  const auto values = std::get<DenseMatrix>(x).row(i);
  for (std::uint32_t k = 0; k < values.size(); ++k) {
    if (values[k] == 0) continue;
    row.indices.push_back(k);
    row.values.push_back(values[k]);
  }
}

// −log(1 + e^−z) = log σ(z)
float log_sigmoid(float z) { return std::min(z, 0.0F) - std::log1p(std::exp(-std::abs(z))); }

// log(p / (1 − p)) from log p; a probability that rounds to 1 is the largest below.
float logit_of_log(float log_p) {
  const float below_zero = std::min(log_p, -1e-7F);
  return below_zero - std::log(-std::expm1(below_zero));
}

class Search {
 public:
  Search(const LabelTreeScorer& scorer, std::size_t most, std::size_t width)
      : s_(scorer), most_(most), width_(width) {}

  std::span<const LabelScore> best_of(const SparseRow& row) {
    found_.clear();
    level_.assign(1, {0, 0.0F});  // a node in place of a label, with the logarithm of its probability
    while (!level_.empty()) {
      next_.clear();
      for (const LabelScore& node : level_) visit(row, node);
      keep_best(next_, width_);
      std::swap(level_, next_);
    }
    keep_best(found_, most_);
    for (LabelScore& own : found_) own.score = logit_of_log(own.score);
    return found_;
  }

 private:
  void visit(const SparseRow& row, const LabelScore& node) {
    const std::size_t first = s_.first_child[node.label];
    logits_.assign(s_.bias.begin() + static_cast<std::ptrdiff_t>(first),
                   s_.bias.begin() + s_.first_child[node.label + 1]);
    add_weights(row, node.label);
    for (std::size_t c = 0; c < logits_.size(); ++c) {
      const std::uint32_t child = s_.child[first + c];
      const float log_p = node.score + log_sigmoid(logits_[c]);
      if ((child & LabelTreeScorer::label_flag) != 0) {
        found_.push_back({child & ~LabelTreeScorer::label_flag, log_p});
      } else {
        next_.push_back({child, log_p});
      }
    }
  }

  void add_weights(const SparseRow& row, std::size_t node) {
    const auto end = s_.feature.begin() + static_cast<std::ptrdiff_t>(s_.first_feature[node + 1]);
    auto at = s_.feature.begin() + static_cast<std::ptrdiff_t>(s_.first_feature[node]);
    for (std::size_t e = 0; e < row.indices.size() && at != end; ++e) {
      at = std::lower_bound(at, end, row.indices[e]);
      if (at == end || *at != row.indices[e]) continue;
      const auto k = static_cast<std::size_t>(at - s_.feature.begin());
      for (std::uint64_t w = s_.first_weight[k]; w < s_.first_weight[k + 1]; ++w)
        logits_[s_.sibling[w]] += from_half(s_.weight[w]) * row.values[e];
    }
  }

  const LabelTreeScorer& s_;
  std::size_t most_, width_;
  std::vector<LabelScore> level_, next_, found_;
  std::vector<float> logits_;
};

}  // namespace

void add_short_lists(const LabelTreeScorer& scorer, const Features& x, std::size_t first, std::size_t last,
                     std::size_t most, std::size_t width, ShortLists& lists) {
  Search search(scorer, most, width);
  SparseRow row;
  lists.labels = scorer.labels;
  for (std::size_t i = first; i < last; ++i) {
    set_row(x, i, row);
    lists.push_row(search.best_of(row));
  }
}

}  // namespace mmo
