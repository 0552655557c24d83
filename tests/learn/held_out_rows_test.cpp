#include "mmo/learn/held_out_rows.h"

#include <gtest/gtest.h>

namespace mmo {
namespace {

TEST(HeldOut, AreTheValidationRowsWhenThereAreSome) {
  LabelMatrix labels;
  labels.cols = 2;
  for (const std::uint32_t j : {0U, 1U, 0U}) labels.push_row(std::vector<std::uint32_t>{j});
  Problem problem;
  problem.labels = &labels;
  problem.rows_of_label = transpose(labels);
  problem.hold_out = HoldOut::validation(1, 2);
  problem.trainable = {0};
  const HeldOutRows held_out(problem);
  EXPECT_EQ(held_out.truth().labels->rows, 2U);
  DenseMatrix scores(3, 2, 1.0F);
  DenseMatrix buffer;
  const DenseMatrix& part = held_out.of(scores, buffer);
  EXPECT_EQ(part.rows, 2U);
  problem.hold_out = HoldOut::by_folds({0, 0, 0}, 1);
  const HeldOutRows every(problem);
  EXPECT_EQ(&every.of(scores, buffer), &scores);
}

}  // namespace
}  // namespace mmo
