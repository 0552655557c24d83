#include "mmo/rule/label_scores.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "mmo/core/parallel.h"
#include "mmo/core/sort_floats.h"
#include "mmo/eval/cells.h"

namespace mmo {
namespace {

// Labels gathered together: one cache line of a row-major score matrix.
constexpr std::size_t labels_per_task = 16;

bool higher(const WeightedScore& a, const WeightedScore& b) { return a.score > b.score; }

// Descending; only the highest ones whose weights sum to `mass` (and two more) are kept.
void sort_descending(std::vector<WeightedScore>& items, double mass) {
  std::sort(items.begin(), items.end(), higher);
  double sum = 0;
  std::size_t keep = 0;
  while (keep < items.size() && sum <= mass) sum += items[keep++].weight;
  items.resize(std::min(items.size(), keep + 2));
}
// Where all weights are 1 the rest need not be sorted.
void sort_descending(std::vector<float>& scores, double mass) {
  if (mass + 2 < static_cast<double>(scores.size())) {
    const auto keep = static_cast<std::ptrdiff_t>(mass) + 2;
    std::nth_element(scores.begin(), scores.begin() + keep, scores.end(), std::greater<>());
    scores.resize(static_cast<std::size_t>(keep));
  }
  sort_floats(scores);
  std::reverse(scores.begin(), scores.end());
}

std::vector<WeightedScore> with_weights(std::vector<WeightedScore>&& items) { return std::move(items); }
std::vector<WeightedScore> with_weights(const std::vector<float>& scores) {
  std::vector<WeightedScore> out;
  out.reserve(scores.size());
  for (const float score : scores) out.push_back({score, 1.0F});
  return out;
}

void set(float& item, float score, float /*weight*/) { item = score; }
void set(WeightedScore& item, float score, float weight) { item = {score, weight}; }

// Item: what is gathered, a score with its weight or without.
template <class Item>
void for_labels(const DenseMatrix& scores, const Truth& truth, double negatives_per_positive,
                std::size_t first, std::size_t last,
                const std::function<void(std::size_t, LabelScores&)>& use) {
  struct Gathered {
    std::vector<Item> positives, negatives;  // of the latter the first `used`
    std::size_t used = 0;
    double positive_weight = 0, negative_weight = 0;
  };
  std::vector<Gathered> labels(last - first);
  for (Gathered& label : labels) label.negatives.resize(scores.rows);
  for (std::size_t i = 0; i < scores.rows; ++i) {
    const float weight = truth.row_weights.empty() ? 1.0F : truth.row_weights[i];
    const float* row = scores.row(i).data() + first;
    for (std::size_t c = 0; c < labels.size(); ++c) {  // all are negative at first
      Gathered& label = labels[c];
      set(label.negatives[label.used++], row[c], weight);
      label.negative_weight += static_cast<double>(weight);
    }
    const auto take_back = [&](std::uint32_t j) -> Gathered& {
      Gathered& label = labels[j - first];
      --label.used;
      label.negative_weight -= static_cast<double>(weight);
      return label;
    };
    const auto unknown = unknown_row(truth, i);
    const auto for_own = [&](std::span<const std::uint32_t> list, const auto& visit) {
      for (auto at = std::lower_bound(list.begin(), list.end(), first); at != list.end() && *at < last; ++at)
        visit(*at);
    };
    for_own(truth.labels->row(i), [&](std::uint32_t j) {
      if (std::binary_search(unknown.begin(), unknown.end(), j)) return;
      Gathered& label = take_back(j);
      label.positives.push_back(label.negatives[label.used]);
      label.positive_weight += static_cast<double>(weight);
    });
    for_own(unknown, take_back);
  }
  for (std::size_t c = 0; c < labels.size(); ++c) {
    Gathered& label = labels[c];
    label.negatives.resize(label.used);
    const double all = std::numeric_limits<double>::infinity();
    sort_descending(label.positives, all);
    sort_descending(label.negatives,
                    negatives_per_positive > 0 ? negatives_per_positive * label.positive_weight : all);
    LabelScores out{with_weights(std::move(label.positives)), with_weights(std::move(label.negatives)),
                    label.positive_weight, label.negative_weight};
    use(first + c, out);
  }
}

// The listed cells label by label.
struct ListedCells {
  std::vector<std::uint64_t> offsets;  // labels + 1
  std::vector<std::uint32_t> row;
  std::vector<float> score;

  explicit ListedCells(const ShortLists& lists)
      : offsets(lists.labels + 1), row(lists.entries.size()), score(lists.entries.size()) {
    for (const LabelScore& entry : lists.entries) ++offsets[entry.label + 1];
    for (std::size_t j = 0; j < lists.labels; ++j) offsets[j + 1] += offsets[j];
    std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
    for (std::size_t i = 0; i < lists.rows; ++i) {
      for (const LabelScore& entry : lists.row(i)) {
        const std::uint64_t at = next[entry.label]++;
        row[at] = static_cast<std::uint32_t>(i);
        score[at] = entry.score;
      }
    }
  }
};

// Σ of the weights of each label's rows.
std::vector<double> label_masses(const LabelMatrix& cells, const Truth& truth, bool known_only) {
  std::vector<double> out(truth.labels->cols);
  for (std::size_t i = 0; i < cells.rows; ++i) {
    const auto unknown = known_only ? unknown_row(truth, i) : std::span<const std::uint32_t>{};
    for (const std::uint32_t j : cells.row(i)) {
      if (!std::binary_search(unknown.begin(), unknown.end(), j)) out[j] += row_weight(truth, i);
    }
  }
  return out;
}

}  // namespace

void for_each_label_scores(const ShortLists& lists, const Truth& truth, double negatives_per_positive,
                           const std::function<void(std::size_t, LabelScores&)>& use) {
  constexpr double all = std::numeric_limits<double>::infinity();
  const ListedCells cells(lists);
  const std::vector<double> positive = label_masses(*truth.labels, truth, true);
  const std::vector<double> unknown = truth.unknown != nullptr && truth.unknown->rows > 0
                                          ? label_masses(*truth.unknown, truth, false)
                                          : std::vector<double>(lists.labels);
  double total = 0;
  for (std::size_t i = 0; i < lists.rows; ++i) total += row_weight(truth, i);
  constexpr std::size_t lists_per_task = 256;
  parallel_ranges(lists.labels, lists_per_task, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
      LabelScores out;
      for (std::uint64_t e = cells.offsets[j]; e < cells.offsets[j + 1]; ++e) {
        const std::uint32_t i = cells.row[e];
        const auto has = [&](std::span<const std::uint32_t> list) {
          return std::binary_search(list.begin(), list.end(), static_cast<std::uint32_t>(j));
        };
        if (has(unknown_row(truth, i))) continue;
        (has(truth.labels->row(i)) ? out.positives : out.negatives)
            .push_back({cells.score[e], static_cast<float>(row_weight(truth, i))});
      }
      out.positive_weight = positive[j];
      out.negative_weight = total - positive[j] - unknown[j];
      sort_descending(out.positives, all);
      sort_descending(out.negatives, negatives_per_positive > 0 ? negatives_per_positive * positive[j] : all);
      use(j, out);
    }
  });
}

void for_each_label_scores(const DenseMatrix& scores, const Truth& truth, double negatives_per_positive,
                           const std::function<void(std::size_t, LabelScores&)>& use) {
  parallel_ranges(scores.cols, labels_per_task, [&](std::size_t first, std::size_t last) {
    const auto& visit = truth.row_weights.empty() ? for_labels<float> : for_labels<WeightedScore>;
    visit(scores, truth, negatives_per_positive, first, last, use);
  });
}

}  // namespace mmo
