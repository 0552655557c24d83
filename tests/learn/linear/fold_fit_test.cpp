#include "mmo/learn/linear/fold_fit.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mmo/data/generate.h"
#include "support/folds.h"

namespace mmo {
namespace {

// More labels than one block holds.
constexpr std::size_t labels = 70;

struct Fitted {
  Dataset data;
  Problem problem;
  MappedProblem mapped;

  explicit Fitted(bool reversed = false, std::size_t nonzeros_per_row = 10) {
    GenerateOptions options;
    options.rows = 300;
    options.features = 80;
    options.labels = labels;
    options.nonzeros_per_row = nonzeros_per_row;
    data = generate_dataset(options);
    if (reversed) {
      std::vector<std::uint32_t> descending(labels);
      std::iota(descending.rbegin(), descending.rend(), 0U);
      data.y = take_columns(data.y, descending);
    }
    problem.labels = &data.y;
    problem.rows_of_label = transpose(data.y);
    problem.hold_out = folds_in_turn(data.rows(), 3);
    problem.trainable.resize(labels);
    std::iota(problem.trainable.begin(), problem.trainable.end(), 0U);
    mapped = map_problem(problem, data.x, FeatureMap::Kind::identity, labels);
  }
  Fitted(const Fitted&) = delete;
  Fitted& operator=(const Fitted&) = delete;
  ~Fitted() = default;
};

// Columns are solved in an order of their own, many at a time; none feels the others.
TEST(FoldFit, OrderOfLabelsDoesNotMatter) {
  for (const std::size_t nonzeros_per_row : {0U, 10U}) {
    const Fitted straight(false, nonzeros_per_row);
    const Fitted reversed(true, nonzeros_per_row);
    for (const auto kind : {ColumnLoss::Kind::squared_hinge, ColumnLoss::Kind::logistic}) {
      FitSettings settings;
      settings.loss.kind = kind;
      const FullFit a = fit_full(straight.mapped, settings, nullptr);
      const FullFit b = fit_full(reversed.mapped, settings, nullptr);
      ASSERT_EQ(a.weights.rows, b.weights.rows);
      for (std::size_t k = 0; k < a.weights.rows; ++k) {
        for (std::size_t j = 0; j < labels; ++j) ASSERT_EQ(a.weights(k, j), b.weights(k, labels - 1 - j));
      }
    }
  }
}

TEST(FoldFit, WarmStartsOfAllOrSomeLabels) {
  const Fitted fitted(false, /*nonzeros_per_row=*/0);  // dense: L-BFGS, which goes on from its start
  FitSettings all;
  all.tolerance = 1e-6;
  const FoldFit cold = fit_folds(fitted.mapped, all, 3, nullptr);
  FitSettings odd = all;
  for (std::uint32_t j = 1; j < labels; j += 2) odd.labels.push_back(j);
  const FoldFit half = fit_folds(fitted.mapped, odd, 3, nullptr);
  const FoldFit rest = fit_folds(fitted.mapped, all, 3, &half.weights);
  const FoldFit same_order = fit_folds(fitted.mapped, all, 3, &cold.weights);
  const FoldFit other_order = fit_folds(fitted.mapped, all, 3, &rest.weights);
  const FoldFit one_fold = fit_folds(fitted.mapped, odd, 1, nullptr);
  const FoldFit more_folds = fit_folds(fitted.mapped, all, 3, &one_fold.weights, &cold.weights);
  EXPECT_LT(4 * same_order.summary.iterations, cold.summary.iterations);
  EXPECT_LT(4 * other_order.summary.iterations, cold.summary.iterations);
  EXPECT_LT(more_folds.summary.iterations, cold.summary.iterations);
  for (std::size_t i = 0; i < fitted.problem.rows(); ++i) {
    for (std::size_t j = 0; j < labels; ++j) {
      ASSERT_NEAR(same_order.scores(i, j), cold.scores(i, j), 0.02);
      ASSERT_NEAR(other_order.scores(i, j), cold.scores(i, j), 0.02);
      ASSERT_NEAR(more_folds.scores(i, j), cold.scores(i, j), 0.05);  // scores up to ±15
      if (j % 2 == 0) {
        ASSERT_EQ(rest.scores(i, j), cold.scores(i, j));
      } else {
        ASSERT_NEAR(half.scores(i, j), cold.scores(i, j), 0.02);  // whitened for other labels
        ASSERT_NEAR(rest.scores(i, j), cold.scores(i, j), 0.02);
      }
    }
  }
}

// Every row gets the score of the fit without it, whichever folds a block covers; the others keep 0.
TEST(FoldFit, ScoresOfSomeFolds) {
  for (const std::size_t nonzeros_per_row : {0U, 10U}) {
    const Fitted fitted(false, nonzeros_per_row);
    FitSettings settings;
    settings.loss.kind = ColumnLoss::Kind::squared_hinge;
    const FoldFit all = fit_folds(fitted.mapped, settings, 3, nullptr);
    const FoldFit some = fit_folds(fitted.mapped, settings, 2, nullptr);
    const std::size_t width = all.weights.blocks[0].count;
    for (std::size_t i = 0; i < fitted.problem.rows(); ++i) {
      const std::size_t fold = fitted.problem.hold_out.fold_of_row()[i];
      for (std::size_t k = 0; k < labels; ++k) {
        const std::uint32_t j = all.weights.labels[k];
        if (fold == 2) {
          ASSERT_EQ(some.scores(i, j), 0.0F);
          continue;
        }
        ASSERT_EQ(some.scores(i, j), all.scores(i, j));
        if (nonzeros_per_row == 0 || j % 9 != 0) continue;
        const std::size_t at = fold * labels + k;
        const SolvedBlock& block = all.weights.blocks[at / width];
        const auto& x = std::get<CsrMatrix>(fitted.data.x);
        const auto weight = [&](std::size_t feature) {
          return static_cast<double>(block.weights[feature * block.stride + at % width]);
        };
        double score = weight(x.cols);
        for (std::size_t e = 0; e < x.row_indices(i).size(); ++e)
          score += static_cast<double>(x.row_values(i)[e]) * weight(x.row_indices(i)[e]);
        ASSERT_NEAR(all.scores(i, j), score, 1e-4);
      }
    }
  }
}

// Sparse, squared hinge: dual descent goes on from the duals of another L2, where they were kept.
TEST(FoldFit, DualsAreAStartAtAnotherRidge) {
  const Fitted fitted;
  FitSettings settings;
  settings.loss.kind = ColumnLoss::Kind::squared_hinge;
  settings.tolerance = 1e-4;
  settings.ridge = 20;
  const FoldFit without = fit_folds(fitted.mapped, settings, 3, nullptr);
  settings.keep_duals = true;
  const FoldFit strong = fit_folds(fitted.mapped, settings, 3, nullptr);
  EXPECT_EQ(strong.scores.values, without.scores.values);
  EXPECT_TRUE(without.weights.blocks[0].dual.duals.empty());
  ASSERT_FALSE(strong.weights.blocks[0].dual.duals.empty());
  settings.ridge = 8;
  const FoldFit cold = fit_folds(fitted.mapped, settings, 3, &without.weights);
  const FoldFit warm = fit_folds(fitted.mapped, settings, 3, &strong.weights);
  EXPECT_LT(4 * warm.summary.iterations, 3 * cold.summary.iterations);
  for (std::size_t i = 0; i < fitted.problem.rows(); ++i) {
    for (std::size_t j = 0; j < labels; ++j) ASSERT_NEAR(warm.scores(i, j), cold.scores(i, j), 0.06);
  }
}

}  // namespace
}  // namespace mmo
