#include "mmo/rule/label_scores.h"

#include <algorithm>
#include <limits>

#include "mmo/core/parallel.h"

namespace mmo {
namespace {

// Labels gathered together: one cache line of a row-major score matrix.
constexpr std::size_t labels_per_task = 16;

bool higher(const WeightedScore& a, const WeightedScore& b) { return a.score > b.score; }

// Descending; only the highest ones whose weights sum to `mass` (and two more) are kept.
void sort_descending(std::vector<WeightedScore>& items, double mass, bool weighted) {
  if (!weighted &&
      mass + 2 < static_cast<double>(items.size())) {  // all weights are 1: no need to sort the rest
    const auto keep = static_cast<std::ptrdiff_t>(mass) + 2;
    std::nth_element(items.begin(), items.begin() + keep, items.end(), higher);
    items.resize(static_cast<std::size_t>(keep));
  }
  std::sort(items.begin(), items.end(), higher);
  double sum = 0;
  std::size_t keep = 0;
  while (keep < items.size() && sum <= mass) sum += items[keep++].weight;
  items.resize(std::min(items.size(), keep + 2));
}

}  // namespace

void for_each_label_scores(const DenseMatrix& scores, const Truth& truth, double negatives_per_positive,
                           const std::function<void(std::size_t, LabelScores&)>& use) {
  enum Cell : char { negative, positive, unknown };
  const bool masked = truth.unknown != nullptr && truth.unknown->rows > 0;
  parallel_ranges(scores.cols, labels_per_task, [&](std::size_t first, std::size_t last) {
    const std::size_t count = last - first;
    std::vector<LabelScores> labels(count);
    for (auto& label : labels) label.negatives.reserve(scores.rows);
    for (std::size_t i = 0; i < scores.rows; ++i) {
      Cell cell[labels_per_task] = {};
      const auto mark = [&](const LabelMatrix& y, Cell kind) {
        const auto row = y.row(i);
        for (auto at = std::lower_bound(row.begin(), row.end(), first); at != row.end() && *at < last; ++at) {
          cell[*at - first] = kind;
        }
      };
      mark(*truth.labels, positive);
      if (masked) mark(*truth.unknown, unknown);
      const float weight = truth.row_weights.empty() ? 1.0F : truth.row_weights[i];
      const float* row = scores.row(i).data() + first;
      for (std::size_t c = 0; c < count; ++c) {
        if (cell[c] == unknown) continue;
        (cell[c] == positive ? labels[c].positives : labels[c].negatives).push_back({row[c], weight});
        (cell[c] == positive ? labels[c].positive_weight : labels[c].negative_weight) += weight;
      }
    }
    for (std::size_t c = 0; c < count; ++c) {
      LabelScores& label = labels[c];
      const double all = std::numeric_limits<double>::infinity();
      const bool weighted = !truth.row_weights.empty();
      sort_descending(label.positives, all, weighted);
      sort_descending(label.negatives,
                      negatives_per_positive > 0 ? negatives_per_positive * label.positive_weight : all,
                      weighted);
      use(first + c, label);
    }
  });
}

}  // namespace mmo
