// What gets reported when labels are many: how good each row's first k labels are, best first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mmo/eval/evaluate.h"

namespace mmo {

// The best labels of each row, best first.
struct Rankings {
  std::size_t labels = 0;                 // of the data
  std::vector<std::uint64_t> offsets{0};  // rows + 1
  std::vector<std::uint32_t> ranked;

  [[nodiscard]] std::size_t rows() const { return offsets.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> row(std::size_t i) const {
    return {ranked.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
  void push_row(std::span<const std::uint32_t> best) {
    ranked.insert(ranked.end(), best.begin(), best.end());
    offsets.push_back(ranked.size());
  }
};

// Reduces `candidates` to the k of largest score, best first; of equal scores the lower label first.
void keep_best(std::span<const float> scores, std::size_t k, std::vector<std::uint32_t>& candidates);
// The k best labels of every row whose cell is known. In a CSR matrix only the stored labels have a score.
// Throws DataError for NaN and if shapes differ.
[[nodiscard]] Rankings rank_labels(const Features& scores, const Truth& truth, std::size_t k);

// How likely a label is to be recorded where it holds, given the rows in which it was.
[[nodiscard]] std::vector<double> propensities(std::span<const double> positives, double rows);
[[nodiscard]] std::vector<double> propensities(const LabelMatrix& training);

struct RankingValues {
  std::size_t k = 0;
  double precision = 0, recall = 0, ndcg = 0, coverage = 0;
  std::optional<double> psprecision, psndcg;  // with propensities
};
// One entry for each of `ks`, the largest of which `rankings` must hold. Unknown cells are left out, a row
// without labels counts as 0, row weights apply to the mean over rows, label weights are ignored. NaN if no
// row has a weight. `propensity` holds one value in (0, 1] per label, or none.
[[nodiscard]] std::vector<RankingValues> ranking_metrics(const Rankings& rankings, const Truth& truth,
                                                         std::span<const std::size_t> ks,
                                                         std::span<const double> propensity = {});

}  // namespace mmo
