#include "mmo/loss/batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mmo/core/parallel.h"
#include "mmo/loss/batch_counts.h"
#include "mmo/loss/surrogate.h"
#include "support/brute_force.h"

namespace mmo {
namespace {

// float32 kernels against double rows: a few roundings of 6e-8 each, relative to the row's scale.
constexpr double kFloat = 2e-6;

struct Data {
  std::size_t rows = 0, labels = 0;
  std::vector<float> scores, weights;
  std::vector<std::uint8_t> present, unknown;
  LabelMatrix sparse, unknown_sparse;
  std::vector<LabelCost> costs;

  [[nodiscard]] ScoreBatch batch() const {
    return {.rows = rows,
            .labels_count = labels,
            .scores = scores,
            .labels = &sparse,
            .targets = {},
            .unknown = &unknown_sparse,
            .row_weights = weights};
  }
};

Data random_data(std::uint64_t seed, std::size_t rows, std::size_t labels, double scale) {
  Random random(seed);
  Data d{.rows = rows,
         .labels = labels,
         .scores = {},
         .weights = {},
         .present = {},
         .unknown = {},
         .sparse = {},
         .unknown_sparse = {},
         .costs = random_costs(random, labels, -0.3)};
  d.sparse.cols = d.unknown_sparse.cols = labels;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::uint32_t> here;
    std::vector<std::uint32_t> hidden;
    for (std::size_t j = 0; j < labels; ++j) {
      d.scores.push_back(static_cast<float>(scale * random.normal()));
      d.present.push_back(random.uniform() < 0.2 ? 1 : 0);
      d.unknown.push_back(random.uniform() < 0.1 ? 1 : 0);
      if (d.present.back() != 0) here.push_back(static_cast<std::uint32_t>(j));
      if (d.unknown.back() != 0) hidden.push_back(static_cast<std::uint32_t>(j));
    }
    d.sparse.push_row(here);
    d.unknown_sparse.push_row(hidden);
    d.weights.push_back(static_cast<float>(0.5 + random.uniform()));
  }
  return d;
}

// The same from surrogate_joint on the known labels of each row.
struct Reference {
  double value = 0, known_weight = 0;
  std::vector<double> gradient;
};

Reference row_by_row(const Data& d, double kappa) {
  Reference reference;
  reference.gradient.assign(d.rows * d.labels, 0.0);
  for (std::size_t i = 0; i < d.rows; ++i) {
    std::vector<std::size_t> known;
    std::vector<double> h;
    std::vector<CellCost> cells;
    for (std::size_t j = 0; j < d.labels; ++j) {
      const std::size_t at = i * d.labels + j;
      if (d.unknown[at] != 0) continue;
      known.push_back(at);
      h.push_back(d.scores[at]);
      cells.push_back(tight_cell(d.costs[j], d.present[at] != 0));
    }
    std::vector<double> gradient(h.size());
    const double weight = d.weights[i];
    reference.value += weight * surrogate_joint(h, cells, kappa, gradient);
    reference.known_weight += weight * static_cast<double>(h.size());
    for (std::size_t k = 0; k < known.size(); ++k) reference.gradient[known[k]] = weight * gradient[k];
  }
  return reference;
}

double scale_of(const std::vector<double>& gradient) {
  double largest = 0;
  for (const double g : gradient) largest = std::max(largest, std::fabs(g));
  return largest;
}

TEST(BatchSurrogate, MatchesTheRowsInDouble) {
  for (const double scale : {1.0, 30.0, 1e4}) {
    const Data d = random_data(1, 40, 700, scale);
    for (const double kappa : {0.0, 0.3, 1.0}) {
      const Reference reference = row_by_row(d, kappa);
      std::vector<float> gradient(d.rows * d.labels);
      const double sum = batch_surrogate(d.batch(), d.costs, kappa, Reduction::sum, gradient);
      EXPECT_NEAR(sum / reference.value, 1, kFloat);
      const double largest = scale_of(reference.gradient);
      for (std::size_t k = 0; k < gradient.size(); ++k) {
        ASSERT_NEAR(gradient[k], reference.gradient[k], kFloat * largest) << k;
      }
      const double mean = batch_surrogate(d.batch(), d.costs, kappa, Reduction::mean, gradient);
      EXPECT_NEAR(mean * reference.known_weight / reference.value, 1, kFloat);
      EXPECT_NEAR(gradient[0], reference.gradient[0] / reference.known_weight,
                  kFloat * largest / reference.known_weight);
      EXPECT_EQ(batch_surrogate(d.batch(), d.costs, kappa, Reduction::sum), sum);
    }
  }
}

// Rows without weights of their own go through the kernels in strips: of 512 cells or of one row.
TEST(BatchSurrogate, StripsOfRowsMatchTheRowsInDouble) {
  for (const std::size_t labels : {1, 7, 10, 100, 256, 257, 600}) {
    Data d = random_data(5, 1100 / labels + 3, labels, 3);
    d.weights.assign(d.rows, 1.0F);  // of the reference
    ScoreBatch batch = d.batch();
    batch.row_weights = {};
    for (const double kappa : {0.0, 0.3, 1.0}) {
      const Reference reference = row_by_row(d, kappa);
      std::vector<float> gradient(d.rows * d.labels);
      const double mean = batch_surrogate(batch, d.costs, kappa, Reduction::mean, gradient);
      EXPECT_NEAR(mean * reference.known_weight / reference.value, 1, kFloat) << labels;
      const double largest = scale_of(reference.gradient);
      for (std::size_t k = 0; k < gradient.size(); ++k) {
        ASSERT_NEAR(gradient[k] * reference.known_weight, reference.gradient[k], kFloat * largest) << k;
      }
      EXPECT_EQ(batch_surrogate(batch, d.costs, kappa, Reduction::mean), mean);
    }
  }
}

TEST(BatchSurrogate, DenseTargetsEqualSparseOnes) {
  const Data d = random_data(2, 17, 33, 2);
  std::vector<float> targets(d.rows * d.labels);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    targets[k] =
        d.unknown[k] != 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(d.present[k]);
  }
  ScoreBatch dense = d.batch();
  dense.labels = nullptr;
  dense.unknown = nullptr;
  dense.targets = targets;
  for (const double kappa : {0.0, 1.0}) {
    std::vector<float> a(targets.size());
    std::vector<float> b(targets.size());
    EXPECT_NEAR(batch_surrogate(dense, d.costs, kappa, Reduction::mean, a),
                batch_surrogate(d.batch(), d.costs, kappa, Reduction::mean, b), kFloat);
    for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], kFloat);
  }
}

TEST(BatchSurrogate, LogitsAreTwiceTheScores) {
  const Data d = random_data(4, 9, 21, 2);
  std::vector<float> logits = d.scores;
  for (float& z : logits) z *= 2;
  std::vector<float> targets(d.present.begin(), d.present.end());
  for (const bool dense : {false, true}) {
    for (const double kappa : {0.0, 1.0}) {
      ScoreBatch h = d.batch();
      if (dense) {
        h.labels = h.unknown = nullptr;
        h.targets = targets;
      }
      ScoreBatch z = h;
      z.scores = logits;
      z.logits = true;
      std::vector<float> by_h(logits.size());
      std::vector<float> by_z(logits.size());
      EXPECT_EQ(batch_surrogate(h, d.costs, kappa, Reduction::sum, by_h),
                batch_surrogate(z, d.costs, kappa, Reduction::sum, by_z));
      for (std::size_t k = 0; k < by_h.size(); ++k)
        ASSERT_EQ(by_h[k], 2 * by_z[k]);  // powers of two are exact
    }
  }
}

TEST(BatchCounts, HardSoftAndUnknownTargets) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> scores = {1, -1, 0, -2, 3, -4};
  const std::vector<float> targets = {1, 1, 0, 0.25F, 0.75F, nan};
  ScoreBatch batch;
  batch.rows = 2;
  batch.labels_count = 3;
  batch.scores = scores;
  batch.targets = targets;
  std::vector<Counts> each(3);
  batch_counts(batch, each);
  const auto expect = [](const Counts& c, double tp, double fp, double fn, double tn) {
    EXPECT_EQ(c.tp, tp);
    EXPECT_EQ(c.fp, fp);
    EXPECT_EQ(c.fn, fn);
    EXPECT_EQ(c.tn, tn);
  };
  expect(each[0], 1, 0, 0.25, 0.75);
  expect(each[1], 0.75, 0.25, 1, 0);
  expect(each[2], 0, 1, 0, 0);
  std::vector<Counts> all(1);
  batch_counts(batch, all);
  expect(all[0], 1.75, 1.25, 1.25, 0.75);
}

// Rows are counted in fours, labels in tiles: neither 7 nor 1,500 fits.
TEST(BatchCounts, EqualCellByCellWhateverTheShape) {
  const Data d = random_data(6, 7, 1500, 1);
  std::vector<float> targets(d.present.begin(), d.present.end());
  targets[3 * d.labels + 1200] = std::numeric_limits<float>::quiet_NaN();
  ScoreBatch batch;
  batch.rows = d.rows;
  batch.labels_count = d.labels;
  batch.scores = d.scores;
  batch.targets = targets;
  std::vector<Counts> counted(d.labels);
  batch_counts(batch, counted);
  for (std::size_t j = 0; j < d.labels; ++j) {
    Counts expected;
    for (std::size_t at = j; at < targets.size(); at += d.labels) {
      if (std::isnan(targets[at])) continue;
      const bool y = targets[at] == 1;
      (d.scores[at] >= 0 ? (y ? expected.tp : expected.fp) : (y ? expected.fn : expected.tn)) += 1;
    }
    ASSERT_EQ(counted[j].tp, expected.tp) << j;
    ASSERT_EQ(counted[j].fp, expected.fp) << j;
    ASSERT_EQ(counted[j].fn, expected.fn) << j;
    ASSERT_EQ(counted[j].tn, expected.tn) << j;
  }
}

TEST(BatchCounts, OfEveryRow) {
  const std::vector<float> scores = {1, -1, 0, -2, 3, -4};
  const std::vector<float> targets = {1, 1, 0, 0, std::numeric_limits<float>::quiet_NaN(), 0.75F};
  ScoreBatch batch;
  batch.rows = 2;
  batch.labels_count = 3;
  batch.scores = scores;
  batch.targets = targets;
  std::vector<Counts> rows(2);
  row_counts(batch, rows);
  EXPECT_EQ(rows[0].tp, 1);
  EXPECT_EQ(rows[0].fp, 1);
  EXPECT_EQ(rows[0].fn, 1);
  EXPECT_EQ(rows[0].tn, 0);
  EXPECT_EQ(rows[1].tp + rows[1].fp, 0);
  EXPECT_EQ(rows[1].fn, 1);
  EXPECT_EQ(rows[1].tn, 1);
}

TEST(BatchSurrogate, SoftTargetsMixTheTwoLosses) {
  const std::vector<LabelCost> costs = {{1.4, 0.6}};
  const std::vector<float> scores = {0.7F};
  const auto at = [&](float y) {
    const std::vector<float> targets = {y};
    const ScoreBatch batch{.rows = 1,
                           .labels_count = 1,
                           .scores = scores,
                           .labels = nullptr,
                           .targets = targets,
                           .unknown = nullptr,
                           .row_weights = {}};
    return batch_surrogate(batch, costs, 0, Reduction::sum);
  };
  EXPECT_NEAR(at(0.25F), 0.25 * at(1) + 0.75 * at(0), kFloat);
}

TEST(BatchSurrogate, ManyLabels) {
  const Data d = random_data(3, 2, 100000, 5);
  for (const double kappa : {0.0, 1.0}) {
    const Reference reference = row_by_row(d, kappa);
    std::vector<float> gradient(d.rows * d.labels);
    EXPECT_NEAR(batch_surrogate(d.batch(), d.costs, kappa, Reduction::sum, gradient) / reference.value, 1,
                kFloat);
    const double largest = scale_of(reference.gradient);
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      ASSERT_NEAR(gradient[k], reference.gradient[k], kFloat * largest);
    }
  }
}

TEST(BatchSurrogate, DoesNotDependOnTheNumberOfThreads) {
  const Data d = random_data(4, 300, 1000, 2);
  std::vector<float> one(d.rows * d.labels);
  std::vector<float> three(d.rows * d.labels);
  set_threads(1);
  const double value = batch_surrogate(d.batch(), d.costs, 1, Reduction::mean, one);
  set_threads(3);
  EXPECT_EQ(batch_surrogate(d.batch(), d.costs, 1, Reduction::mean, three), value);
  set_threads(0);
  EXPECT_EQ(one, three);
}

}  // namespace
}  // namespace mmo
