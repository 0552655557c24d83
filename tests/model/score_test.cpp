#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/model/model.h"
#include "model/random_model.h"
#include "support/matrices.h"

namespace mmo {
namespace {

Model mixed_model(FeatureMap::Kind map) {
  Random random(1);
  return random_model({.columns = 23, .labels = 11, .map = map, .mix = true, .min_labels = 1}, random);
}

DenseMatrix rows(std::size_t count) {
  Random random(2);
  return random_features(count, 23, random);
}

TEST(Score, FollowsItsFormula) {
  Random random(3);
  const Model model = random_model({.columns = 23, .labels = 11}, random);
  const DenseMatrix x = rows(5);
  const DenseMatrix z = score(model, x);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t j = 0; j < 11; ++j) {
      double expected = model.bias[j];
      for (std::size_t k = 0; k < 23; ++k) expected += double{x(i, k)} * model.weights(k, j);
      EXPECT_NEAR(z(i, j), expected, 1e-4 * (1 + std::abs(expected)));
    }
  }
}

TEST(Score, SparseRowsScoreLikeDenseOnes) {
  const DenseMatrix x = rows(300);
  for (const auto map : {FeatureMap::Kind::identity, FeatureMap::Kind::arcsinh, FeatureMap::Kind::idf_l2}) {
    const Model model = mixed_model(map);
    const DenseMatrix dense = score(model, x);
    const DenseMatrix sparse = score(model, to_sparse(x));
    for (std::size_t e = 0; e < dense.values.size(); ++e) {
      ASSERT_NEAR(dense.values[e], sparse.values[e], 1e-4 * (1 + std::abs(dense.values[e])));
    }
  }
}

TEST(Score, ThreadsAndBlocksDoNotMatter) {
  const DenseMatrix x = rows(700);
  const Model model = mixed_model(FeatureMap::Kind::rank_gauss);
  set_threads(1);
  const DenseMatrix one = score(model, x);
  const LabelMatrix labels = predict(model, x);
  set_threads(3);
  EXPECT_EQ(score(model, x).values, one.values);
  EXPECT_EQ(predict(model, x).indices, labels.indices);
  set_threads(0);
  EXPECT_EQ(labels.indices, decide(model.rule, one).indices);
  for (const std::size_t block : {1U, 130U, 699U, 5000U}) {
    std::vector<float> all;
    for_each_scored_block(model, x, block, [&](std::size_t first, DenseMatrix& scores) {
      EXPECT_EQ(first * 11, all.size());
      all.insert(all.end(), scores.values.begin(), scores.values.end());
    });
    EXPECT_EQ(all, one.values) << block;
  }
}

// So many labels that the rows are scored in several blocks, to bound the memory of their scores.
TEST(Predict, BlocksOfRowsFollowEachOther) {
  constexpr std::size_t labels = std::size_t{1} << 17U;
  Model model;
  model.bias.assign(labels, -1.0F);
  model.weights = DenseMatrix(1, labels);
  for (std::size_t j = 0; j < labels; j += 1000) model.weights(0, j) = static_cast<float>(j / 1000);
  model.rule.thresholds.assign(labels, 0.0F);
  DenseMatrix x(300, 1);
  for (std::size_t i = 0; i < x.rows; ++i) x(i, 0) = 1.0F / (static_cast<float>(i) + 0.5F);
  const LabelMatrix predicted = predict(model, x);
  ASSERT_EQ(predicted.rows, x.rows);
  for (std::size_t i = 0; i < x.rows; ++i) {  // label 1000·k where k·x ≥ 1, that is k > i
    const std::size_t reached = i + 1 < 132 ? 132 - (i + 1) : 0;
    ASSERT_EQ(predicted.row(i).size(), reached) << i;
    if (reached > 0) {
      EXPECT_EQ(predicted.row(i)[0], 1000 * (i + 1));
    }
  }
}

TEST(Score, NoRows) {
  const Model model = mixed_model(FeatureMap::Kind::standardise);
  const DenseMatrix z = score(model, DenseMatrix(0, 23));
  EXPECT_EQ(z.rows, 0U);
  EXPECT_EQ(z.cols, 11U);
  EXPECT_EQ(predict(model, DenseMatrix(0, 23)).cols, 11U);
}

TEST(Score, AnotherNumberOfFeaturesIsRefused) {
  const Model model = mixed_model(FeatureMap::Kind::identity);
  EXPECT_THROW((void)score(model, DenseMatrix(2, 22)), ModelError);
}

TEST(Prepare, TextModelsTakeTextAndOthersColumns) {
  Random random(4);
  Model model = random_model({.columns = 2, .labels = 2}, random);
  Dataset text;
  text.source = "news.txt";
  text.documents = {"alpha beta", "gamma"};
  text.y.cols = 2;
  text.y.push_row({});
  text.y.push_row({});
  EXPECT_THROW((void)prepare(model, text), ModelError);

  Dataset columns = text;
  columns.documents.clear();
  columns.x = DenseMatrix(2, 2, 1.0F);
  EXPECT_EQ(feature_rows(prepare(model, columns).encoded), 2U);

  model.text = Vectorizer(TextOptions{}, {"alpha", "beta"}, {1, 2});
  EXPECT_THROW((void)prepare(model, columns), ModelError);
  const Features words = prepare(model, text).encoded;
  EXPECT_EQ(feature_cols(words), 2U);
  EXPECT_EQ(std::get<CsrMatrix>(words).nonzeros(), 2U);
}

}  // namespace
}  // namespace mmo
