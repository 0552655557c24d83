#include "mmo/learn/linear/mapped_problem.h"

#include <gtest/gtest.h>

#include "mmo/data/generate.h"
#include "support/folds.h"

namespace mmo {
namespace {

struct Generated {
  Dataset data;
  Problem problem;

  Generated(std::size_t rows, std::size_t features) {
    GenerateOptions options;
    options.rows = rows;
    options.features = features;
    options.labels = 6;
    data = generate_dataset(options);
    problem.labels = &data.y;
    problem.rows_of_label = transpose(data.y);
    problem.hold_out = folds_in_turn(rows, 5);
  }
  Generated(const Generated&) = delete;
  Generated& operator=(const Generated&) = delete;
  ~Generated() = default;

  [[nodiscard]] MappedProblem map(std::size_t columns) const {
    return map_problem(problem, data.x, FeatureMap::Kind::identity, columns);
  }
};

TEST(MapProblem, WhitensWhereItPays) {
  const Generated many_rows(300, 100);
  EXPECT_TRUE(many_rows.map(2).moments);
  EXPECT_FALSE(many_rows.map(1).moments);  // a single column does not pay for the moments
  EXPECT_FALSE(many_rows.map(0).moments);
  const Generated few_rows(120, 100);
  EXPECT_TRUE(few_rows.map(201).moments);
  EXPECT_FALSE(few_rows.map(200).moments);
  const Generated too_few_rows(60, 100);
  EXPECT_FALSE(too_few_rows.map(10000).moments);
}

TEST(MapProblem, IdentityCopiesNothing) {
  const Generated generated(50, 4);
  EXPECT_EQ(&generated.map(1).x(), &generated.data.x);
}

// Rows of a validation file do not shape them.
TEST(MapProblem, MomentsSeeTrainingRowsOnly) {
  Generated generated(300, 10);
  generated.problem.hold_out = generated.problem.hold_out.first_fold_as_validation();
  const MappedProblem before = generated.map(100);
  auto& x = std::get<DenseMatrix>(generated.data.x);
  for (std::size_t i = 0; i < x.rows; i += 5) {
    for (std::size_t k = 0; k < x.cols; ++k) x(i, k) += 100;
  }
  const MappedProblem after = generated.map(100);
  ASSERT_TRUE(before.moments && after.moments);
  EXPECT_EQ(before.moments->means, after.moments->means);
  EXPECT_EQ(before.moments->scatter.values, after.moments->scatter.values);
}

}  // namespace
}  // namespace mmo
