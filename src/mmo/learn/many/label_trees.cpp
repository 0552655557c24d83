#include "mmo/learn/many/label_trees.h"

#include <algorithm>
#include <cmath>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"

namespace mmo {
namespace {

constexpr std::size_t rows_per_task = 64;

struct Sum {
  std::uint32_t label = 0;
  float score = 0;
  float floor = 0;  // of the lists that hold the label: their last scores
};

// Of lists of one row, one from each tree.
void mean_list(const LabelTrees& scorer, std::span<const ShortLists> lists, std::size_t row,
               std::vector<Sum>& sums, std::vector<LabelScore>& out) {
  sums.clear();
  float floors = 0;
  for (const ShortLists& tree : lists) {
    const auto list = tree.row(row);
    if (list.empty()) continue;
    const float last = list.back().score;
    floors += last;
    for (const LabelScore& entry : list) sums.push_back({entry.label, entry.score, last});
  }
  std::stable_sort(sums.begin(), sums.end(), [](const Sum& a, const Sum& b) { return a.label < b.label; });
  out.clear();
  const auto count = static_cast<float>(lists.size());
  for (std::size_t first = 0; first < sums.size();) {
    const std::uint32_t j = sums[first].label;
    float score = floors;
    for (; first < sums.size() && sums[first].label == j; ++first)
      score += sums[first].score - sums[first].floor;
    out.push_back({j, scorer.scale[j] * score / count + scorer.shift[j]});
  }
  keep_best(out, scorer.length);
}

}  // namespace

LabelTrees fit_label_trees(const CsrMatrix& x, const LabelMatrix& labels, std::span<const float> row_weights,
                           const LabelTreeOptions& options, std::size_t count) {
  LabelTrees out;
  for (std::size_t t = 0; t < count; ++t) {
    LabelTreeOptions own = options;
    own.seed += t;
    out.trees.push_back(fit_label_tree(x, labels, row_weights, own));
  }
  out.scale.assign(labels.cols, 1.0F);
  out.shift.assign(labels.cols, 0.0F);
  return out;
}

void add_short_lists(const LabelTrees& scorer, const Features& x, std::size_t first, std::size_t last,
                     ShortLists& out) {
  std::vector<ShortLists> parts(range_count(last - first, rows_per_task));
  parallel_ranges(last - first, rows_per_task, [&](std::size_t begin, std::size_t end) {
    std::vector<ShortLists> lists(scorer.trees.size());
    for (std::size_t t = 0; t < lists.size(); ++t)
      add_short_lists(scorer.trees[t], x, first + begin, first + end, scorer.length, scorer.width, lists[t]);
    ShortLists& part = parts[begin / rows_per_task];
    std::vector<Sum> sums;
    std::vector<LabelScore> list;
    for (std::size_t i = 0; i < end - begin; ++i) {
      mean_list(scorer, lists, i, sums, list);
      part.push_row(list);
    }
  });
  out.labels = scorer.labels();
  for (const ShortLists& part : parts) out.push_rows(part);
}

void check(const LabelTrees& scorer) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw ModelError(what);
  };
  require(!scorer.trees.empty(), "it has no label tree");
  require(scorer.length > 0 && scorer.width > 0, "its lists of labels have no length");
  require(scorer.scale.size() == scorer.labels(), "its label trees' calibration is incomplete");
  for (const LabelTreeScorer& tree : scorer.trees) {
    check(tree);
    require(tree.features == scorer.features() && tree.labels == scorer.labels(),
            "its label trees are for other features or labels");
  }
}

}  // namespace mmo
