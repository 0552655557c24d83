#include "mmo/eval/ranking_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/eval/cells.h"

namespace mmo {
namespace {

constexpr std::size_t rows_per_ranking = 256;
constexpr std::uint32_t never = UINT32_MAX;

// At most 16 tasks, since each holds a rank of every label.
std::size_t rows_per_task(std::size_t rows) { return std::max<std::size_t>(1024, (rows + 15) / 16); }

bool holds(std::span<const std::uint32_t> ascending, std::uint32_t label) {
  return std::binary_search(ascending.begin(), ascending.end(), label);
}

void require_numbers(std::span<const float> scores, std::size_t row) {
  const auto bad = std::ranges::find_if(scores, [](float z) { return std::isnan(z); });
  if (bad != scores.end()) throw DataError(fmt::format("row {}: a score is not a number", row));
}

void require_shape(const char* what, std::size_t rows, std::size_t labels, const LabelMatrix& truth) {
  if (rows == truth.rows && labels == truth.cols) return;
  throw DataError(fmt::format("{} of {} rows and {} labels, but true labels of {} rows and {} labels", what,
                              rows, labels, truth.rows, truth.cols));
}

void best_of_row(const DenseMatrix& scores, const Truth& truth, std::size_t i, std::size_t k,
                 std::vector<std::uint32_t>& best) {
  require_numbers(scores.row(i), i);
  best.clear();
  const auto unknown = unknown_row(truth, i);
  auto next = unknown.begin();
  for (std::uint32_t j = 0; j < scores.cols; ++j) {
    if (next != unknown.end() && *next == j) {
      ++next;
    } else {
      best.push_back(j);
    }
  }
  keep_best(scores.row(i), k, best);
}

void best_of_row(const CsrMatrix& scores, const Truth& truth, std::size_t i, std::size_t k,
                 std::vector<std::uint32_t>& best) {
  const auto labels = scores.row_indices(i);
  const auto values = scores.row_values(i);
  require_numbers(values, i);
  const auto unknown = unknown_row(truth, i);
  best.clear();
  for (std::uint32_t position = 0; position < labels.size(); ++position) {
    if (!holds(unknown, labels[position])) best.push_back(position);
  }
  keep_best(values, k, best);  // labels ascend with position, so ties are broken the same way
  for (std::uint32_t& position : best) position = labels[position];
}

// Weighted sums over rows from which the values at one k are computed.
struct Sums {
  double precision = 0, recall = 0, ndcg = 0;
  double gain = 0, best_gain = 0;              // Σ y/p over the first k, and the largest it could be
  double discounted = 0, best_discounted = 0;  // the same over log₂(1 + rank)

  void add(const Sums& other, double weight) {
    precision += weight * other.precision;
    recall += weight * other.recall;
    ndcg += weight * other.ndcg;
    gain += weight * other.gain;
    best_gain += weight * other.best_gain;
    discounted += weight * other.discounted;
    best_discounted += weight * other.best_discounted;
  }
};

// What one task knows about its rows.
struct Part {
  std::vector<Sums> at;                  // one per k
  std::vector<std::uint32_t> best_rank;  // of each label where it is right, counting from 0
  double weight = 0;
};

double discount(std::size_t rank) { return 1 / std::log2(2 + static_cast<double>(rank)); }

// Σ g_r and Σ g_r/log₂(2 + r) over ranks r < k.
std::pair<double, double> gains(std::span<const double> by_rank, std::size_t k) {
  double plain = 0;
  double discounted = 0;
  for (std::size_t r = 0; r < std::min(k, by_rank.size()); ++r) {
    plain += by_rank[r];
    discounted += by_rank[r] * discount(r);
  }
  return {plain, discounted};
}

// One row's values, from its ranked labels and its positives, all of them known. With hits h_r ∈ {0, 1} and
// n positives:
//   precision@k = Σ_{r<k} h_r / k,  recall@k = Σ_{r<k} h_r / n,
//   nDCG@k = Σ_{r<k} h_r/log₂(2 + r) / N,  N = Σ_{r<min(k, n)} 1/log₂(2 + r),
// and for the propensity-scored ones Σ h_r/p and Σ (h_r/p)/log₂(2 + r) / N, for this ranking and the best.
class RowValues {
 public:
  RowValues(std::span<const std::uint32_t> ranked, std::span<const std::uint32_t> positives,
            std::span<const double> propensity)
      : ones_(positives.size(), 1.0) {
    for (const std::uint32_t label : ranked) {
      const bool hit = holds(positives, label);
      hits_.push_back(hit ? 1 : 0);
      if (!propensity.empty()) scored_.push_back(hit ? 1 / propensity[label] : 0);
    }
    if (propensity.empty()) return;
    for (const std::uint32_t label : positives) best_.push_back(1 / propensity[label]);
    std::ranges::sort(best_, std::greater<>());
  }

  [[nodiscard]] Sums at(std::size_t k) const {
    Sums sums;
    if (ones_.empty()) return sums;
    const auto [hits, dcg] = gains(hits_, k);
    const double most = gains(ones_, k).second;
    sums.precision = hits / static_cast<double>(k);
    sums.recall = hits / static_cast<double>(ones_.size());
    sums.ndcg = dcg / most;
    const auto [gain, discounted] = gains(scored_, k);
    const auto [best_gain, best_discounted] = gains(best_, k);
    sums.gain = gain;
    sums.best_gain = best_gain;
    sums.discounted = discounted / most;
    sums.best_discounted = best_discounted / most;
    return sums;
  }

 private:
  std::vector<double> ones_, hits_, scored_, best_;
};

// The row's labels that are present and not unknown.
void known_positives(const Truth& truth, std::size_t row, std::vector<std::uint32_t>& out) {
  out.clear();
  std::ranges::set_difference(truth.labels->row(row), unknown_row(truth, row), std::back_inserter(out));
}

Part sum_rows(const Rankings& rankings, const Truth& truth, std::span<const std::size_t> ks,
              std::span<const double> propensity, std::size_t first, std::size_t last) {
  Part part{.at = std::vector<Sums>(ks.size()),
            .best_rank = std::vector<std::uint32_t>(rankings.labels, never),
            .weight = 0};
  std::vector<std::uint32_t> positives;
  for (std::size_t i = first; i < last; ++i) {
    const double weight = row_weight(truth, i);
    if (weight == 0) continue;
    part.weight += weight;
    known_positives(truth, i, positives);
    const auto ranked = rankings.row(i);
    const RowValues values(ranked, positives, propensity);
    for (std::size_t e = 0; e < ks.size(); ++e) part.at[e].add(values.at(ks[e]), weight);
    for (std::uint32_t r = 0; r < ranked.size(); ++r) {
      std::uint32_t& best = part.best_rank[ranked[r]];
      if (r < best && holds(positives, ranked[r])) best = r;
    }
  }
  return part;
}

// Over rows i of weight w_i and their sums of RowValues:
//   precision@k, recall@k, nDCG@k = Σ_i w_i v_i / Σ_i w_i,
//   psprecision@k = Σ_i w_i gain_i / Σ_i w_i best_gain_i, psnDCG@k likewise with the discounted gains,
//   coverage@k = share of all labels that are right in the first k of at least one row.
RankingValues values_at(std::size_t k, const Sums& sums, const Part& whole, bool scored) {
  RankingValues values{.k = k,
                       .precision = sums.precision / whole.weight,
                       .recall = sums.recall / whole.weight,
                       .ndcg = sums.ndcg / whole.weight,
                       .coverage = 0,
                       .psprecision = std::nullopt,
                       .psndcg = std::nullopt};
  const auto covered =
      std::ranges::count_if(whole.best_rank, [k](std::uint32_t rank) { return rank != never && rank < k; });
  values.coverage = static_cast<double>(covered) / static_cast<double>(whole.best_rank.size());
  if (!scored) return values;
  values.psprecision = sums.best_gain > 0 ? sums.gain / sums.best_gain : 0;
  values.psndcg = sums.best_discounted > 0 ? sums.discounted / sums.best_discounted : 0;
  return values;
}

void check_request(const Rankings& rankings, const Truth& truth, std::span<const std::size_t> ks,
                   std::span<const double> propensity) {
  require_shape("rankings", rankings.rows(), rankings.labels, *truth.labels);
  if (std::ranges::find(ks, std::size_t{0}) != ks.end()) throw UsageError("k must be at least 1");
  if (propensity.empty()) return;
  if (propensity.size() != rankings.labels)
    throw DataError(fmt::format("{} propensities for {} labels", propensity.size(), rankings.labels));
  for (const double p : propensity) {
    if (!(p > 0 && p <= 1)) throw DataError(fmt::format("a propensity is {}; it must be in (0, 1]", p));
  }
}

}  // namespace

void keep_best(std::span<const float> scores, std::size_t k, std::vector<std::uint32_t>& candidates) {
  k = std::min(k, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(k), candidates.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
                    });
  candidates.resize(k);
}

Rankings rank_labels(const Features& scores, const Truth& truth, std::size_t k) {
  const std::size_t rows = feature_rows(scores);
  require_shape("scores", rows, feature_cols(scores), *truth.labels);
  std::vector<Rankings> parts(range_count(rows, rows_per_ranking));
  parallel_ranges(rows, rows_per_ranking, [&](std::size_t first, std::size_t last) {
    std::vector<std::uint32_t> best;
    for (std::size_t i = first; i < last; ++i) {
      std::visit([&](const auto& matrix) { best_of_row(matrix, truth, i, k, best); }, scores);
      parts[first / rows_per_ranking].push_row(best);
    }
  });
  Rankings all;
  all.labels = feature_cols(scores);
  for (const Rankings& part : parts) {
    for (std::size_t i = 0; i < part.rows(); ++i) all.push_row(part.row(i));
  }
  return all;
}

// Jain, Prabhu and Varma (2016): p_j = 1/(1 + C·e^(−A·log(n_j + B))), C = (log n − 1)(B + 1)^A, with A = 0.55
// and B = 1.5. Fewer than e rows would make C negative and p_j larger than 1: there C = 0.
std::vector<double> propensities(std::span<const double> positives, double rows) {
  constexpr double a = 0.55;
  constexpr double b = 1.5;
  const double c = std::max(0.0, std::log(rows) - 1) * std::pow(b + 1, a);
  std::vector<double> out(positives.size());
  std::ranges::transform(positives, out.begin(),
                         [&](double n) { return 1 / (1 + c * std::exp(-a * std::log(n + b))); });
  return out;
}

std::vector<double> propensities(const LabelMatrix& training) {
  std::vector<double> positives(training.cols, 0.0);
  for (const std::uint32_t label : training.indices) ++positives[label];
  return propensities(positives, static_cast<double>(training.rows));
}

std::vector<RankingValues> ranking_metrics(const Rankings& rankings, const Truth& truth,
                                           std::span<const std::size_t> ks,
                                           std::span<const double> propensity) {
  check_request(rankings, truth, ks, propensity);
  const std::size_t length = rows_per_task(rankings.rows());
  std::vector<Part> parts(range_count(rankings.rows(), length));
  parallel_ranges(rankings.rows(), length, [&](std::size_t first, std::size_t last) {
    parts[first / length] = sum_rows(rankings, truth, ks, propensity, first, last);
  });
  Part whole{.at = std::vector<Sums>(ks.size()),
             .best_rank = std::vector<std::uint32_t>(rankings.labels, never),
             .weight = 0};
  for (const Part& part : parts) {
    whole.weight += part.weight;
    for (std::size_t e = 0; e < ks.size(); ++e) whole.at[e].add(part.at[e], 1);
    std::ranges::transform(whole.best_rank, part.best_rank, whole.best_rank.begin(),
                           [](std::uint32_t x, std::uint32_t y) { return std::min(x, y); });
  }
  std::vector<RankingValues> values;
  for (std::size_t e = 0; e < ks.size(); ++e)
    values.push_back(values_at(ks[e], whole.at[e], whole, !propensity.empty()));
  return values;
}

}  // namespace mmo
