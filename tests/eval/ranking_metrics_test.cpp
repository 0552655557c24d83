#include "mmo/eval/ranking_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "eval/small_matrices.h"
#include "mmo/core/error.h"
#include "mmo/core/parallel.h"

namespace mmo {
namespace {

constexpr double kTolerance = 1e-12;  // the two sides add the same few hundred doubles in another order

struct Problem {
  std::vector<std::string> truth, unknown;
  DenseMatrix scores;
  std::vector<float> row_weights;
  std::vector<double> propensity;
};

// Few different scores, so that most are tied; some rows without labels.
Problem random_problem(std::uint64_t seed, std::size_t rows, std::size_t cols) {
  Random random(seed);
  Problem p{.truth = random_rows(random, rows, cols, 0.2),
            .unknown = random_rows(random, rows, cols, 0.15),
            .scores = DenseMatrix(rows, cols),
            .row_weights = {},
            .propensity = {}};
  for (std::size_t i = 0; i < rows; i += 7) p.truth[i] = std::string(cols, '0');
  for (float& z : p.scores.values) z = static_cast<float>(random.below(6));
  for (std::size_t i = 0; i < rows; ++i)
    p.row_weights.push_back(i % 5 == 2 ? 0.0F : static_cast<float>(random.uniform() + 0.1));
  for (std::size_t j = 0; j < cols; ++j) p.propensity.push_back(0.05 + 0.95 * random.uniform());
  return p;
}

// The definitions, by sorting all labels of a row.
struct Naive {
  double weight = 0, precision = 0, recall = 0, ndcg = 0, gain = 0, best_gain = 0, discounted = 0, best = 0;
  std::set<std::size_t> covered;

  void add_row(const Problem& p, std::size_t i, std::size_t k) {
    const double w = p.row_weights[i];
    if (w == 0) return;
    weight += w;
    std::vector<std::size_t> order;
    std::vector<double> ideal;
    for (std::size_t j = 0; j < p.propensity.size(); ++j) {
      if (p.unknown[i][j] == '1') continue;
      order.push_back(j);
      if (p.truth[i][j] == '1') ideal.push_back(1 / p.propensity[j]);
    }
    std::ranges::stable_sort(order, [&](auto a, auto b) { return p.scores(i, a) > p.scores(i, b); });
    std::ranges::sort(ideal, std::greater<>());
    if (ideal.empty()) return;
    double most = 0;
    for (std::size_t r = 0; r < std::min(k, ideal.size()); ++r) most += 1 / std::log2(2.0 + r);
    for (std::size_t r = 0; r < std::min(k, order.size()); ++r) {
      if (p.truth[i][order[r]] != '1') continue;
      covered.insert(order[r]);
      precision += w / static_cast<double>(k);
      recall += w / static_cast<double>(ideal.size());
      ndcg += w / std::log2(2.0 + r) / most;
      gain += w / p.propensity[order[r]];
      discounted += w / p.propensity[order[r]] / std::log2(2.0 + r) / most;
    }
    for (std::size_t r = 0; r < std::min(k, ideal.size()); ++r) {
      best_gain += w * ideal[r];
      best += w * ideal[r] / std::log2(2.0 + r) / most;
    }
  }
};

// The stored cells are all of them, or all but the lowest scores.
CsrMatrix as_csr(const DenseMatrix& dense, float above) {
  CsrMatrix out;
  out.rows = dense.rows;
  out.cols = dense.cols;
  std::vector<std::uint32_t> indices;
  std::vector<float> values;
  for (std::size_t i = 0; i < dense.rows; ++i) {
    for (std::uint32_t j = 0; j < dense.cols; ++j) {
      if (dense(i, j) <= above) continue;
      indices.push_back(j);
      values.push_back(dense(i, j));
    }
    out.offsets.push_back(indices.size());
  }
  out.indices = std::move(indices);
  out.values = std::move(values);
  return out;
}

TEST(RankingMetrics, AreTheirDefinitions) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Problem p = random_problem(seed, 60, 8);
    const LabelMatrix labels = from_rows(p.truth);
    const LabelMatrix unknown = from_rows(p.unknown);
    const Truth truth{&labels, &unknown, p.row_weights, {}};
    const std::vector<std::size_t> ks{1, 3, 8, 20};
    for (const Features& scores : {Features(p.scores), Features(as_csr(p.scores, -1))}) {
      const auto values = ranking_metrics(rank_labels(scores, truth, 20), truth, ks, p.propensity);
      ASSERT_EQ(values.size(), ks.size());
      for (const RankingValues& v : values) {
        Naive naive;
        for (std::size_t i = 0; i < p.truth.size(); ++i) naive.add_row(p, i, v.k);
        EXPECT_NEAR(v.precision, naive.precision / naive.weight, kTolerance);
        EXPECT_NEAR(v.recall, naive.recall / naive.weight, kTolerance);
        EXPECT_NEAR(v.ndcg, naive.ndcg / naive.weight, kTolerance);
        EXPECT_NEAR(v.psprecision.value(), naive.gain / naive.best_gain, kTolerance);
        EXPECT_NEAR(v.psndcg.value(), naive.discounted / naive.best, kTolerance);
        EXPECT_DOUBLE_EQ(v.coverage, static_cast<double>(naive.covered.size()) / 8);
      }
    }
  }
}

TEST(RankingMetrics, APerfectRankingIsOneWhereEveryRowHasLabels) {
  const LabelMatrix labels = from_rows({"0110", "1000", "0111"});
  const Truth truth{&labels};
  Rankings rankings;
  rankings.labels = 4;
  const std::vector<double> propensity{0.9, 0.5, 0.2, 0.1};
  for (const std::vector<std::uint32_t>& best : {std::vector<std::uint32_t>{2, 1}, {0}, {3, 2, 1}})
    rankings.push_row(best);
  for (const RankingValues& v :
       ranking_metrics(rankings, truth, std::vector<std::size_t>{1, 2, 3}, propensity)) {
    EXPECT_NEAR(v.ndcg, 1, kTolerance);
    EXPECT_NEAR(v.psprecision.value(), 1, kTolerance);
    EXPECT_NEAR(v.psndcg.value(), 1, kTolerance);
  }
  const auto values = ranking_metrics(rankings, truth, std::vector<std::size_t>{1});
  EXPECT_FALSE(values[0].psprecision);
  EXPECT_DOUBLE_EQ(values[0].coverage, 0.75);  // labels 0, 2 and 3
}

TEST(RankingMetrics, LabelsWithoutAScoreAreNotListed) {
  const Problem p = random_problem(4, 30, 6);
  const LabelMatrix labels = from_rows(p.truth);
  const Truth truth{&labels};
  const Rankings rankings = rank_labels(as_csr(p.scores, 3), truth, 6);
  for (std::size_t i = 0; i < rankings.rows(); ++i) {
    for (const std::uint32_t j : rankings.row(i)) EXPECT_GT(p.scores(i, j), 3);
  }
}

TEST(RankingMetrics, DoNotDependOnTheNumberOfThreads) {
  const Problem p = random_problem(5, 5000, 6);
  const LabelMatrix labels = from_rows(p.truth);
  const Truth truth{&labels, nullptr, p.row_weights, {}};
  const std::vector<std::size_t> ks{2};
  const auto values = [&](int count) {
    set_threads(count);
    const auto v = ranking_metrics(rank_labels(p.scores, truth, 2), truth, ks, p.propensity)[0];
    set_threads(0);
    return std::vector{v.precision, v.recall, v.ndcg, v.coverage, *v.psprecision, *v.psndcg};
  };
  EXPECT_EQ(values(1), values(3));
}

TEST(RankingMetrics, PropensitiesAreThoseOfJainEtAl) {
  // 1000 rows, 3 positives: C = (log 1000 − 1)·2.5^0.55, p = 1/(1 + C·4.5^−0.55).
  const std::vector<double> positives{3, 1000};
  const auto p = propensities(positives, 1000);
  EXPECT_NEAR(p[0], 1 / (1 + (std::log(1000.0) - 1) * std::pow(2.5 / 4.5, 0.55)), kTolerance);
  EXPECT_GT(p[1], p[0]);
  for (const double few : {1.0, 2.0}) EXPECT_EQ(propensities(positives, few)[0], 1);
}

TEST(RankingMetrics, RefuseWhatDoesNotFit) {
  const LabelMatrix labels = from_rows({"01", "10"});
  const Truth truth{&labels};
  DenseMatrix scores(2, 2);
  const Rankings rankings = rank_labels(scores, truth, 2);
  const std::vector<std::size_t> one{1};
  EXPECT_THROW(static_cast<void>(ranking_metrics(rankings, truth, std::vector<std::size_t>{0})), UsageError);
  EXPECT_THROW(static_cast<void>(ranking_metrics(rankings, truth, one, std::vector{0.5})), DataError);
  EXPECT_THROW(static_cast<void>(ranking_metrics(rankings, truth, one, std::vector{0.5, 0.0})), DataError);
  EXPECT_THROW(static_cast<void>(rank_labels(DenseMatrix(2, 3), truth, 1)), DataError);
  scores(1, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(rank_labels(scores, truth, 1)), DataError);
}

}  // namespace
}  // namespace mmo
