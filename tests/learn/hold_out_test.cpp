#include "mmo/learn/hold_out.h"

#include <gtest/gtest.h>

namespace mmo {
namespace {

using Rows = std::vector<std::uint32_t>;

TEST(HoldOut, TheFinalFitSeesAllFoldsButNoValidationRow) {
  const HoldOut folds = HoldOut::by_folds({0, 1, 2, 1}, 2);  // fold 2 is never held out
  EXPECT_EQ(folds.folds(), 2U);
  EXPECT_FALSE(folds.is_validation());
  EXPECT_EQ(folds.training_rows(), (Rows{0, 1, 2, 3}));
  EXPECT_EQ(folds.never_trained(), -1);
  const HoldOut valid = HoldOut::validation(2, 1);
  EXPECT_EQ(valid.folds(), 1U);
  EXPECT_TRUE(valid.is_validation());
  EXPECT_EQ(valid.training_rows(), (Rows{0, 1}));
  EXPECT_EQ(valid.fold_of_row()[2], static_cast<std::uint32_t>(valid.never_trained()));
}

TEST(HoldOut, SomeRowsKeepTheirFolds) {
  const HoldOut some = HoldOut::by_folds({0, 1, 2, 1}, 3).of_rows(Rows{1, 2});
  EXPECT_EQ(some.fold_of_row(), (Rows{1, 2}));
  EXPECT_EQ(some.folds(), 3U);
  EXPECT_TRUE(HoldOut::validation(1, 1).of_rows(Rows{0, 1}).is_validation());
}

TEST(HoldOut, FirstFoldAsValidationKeepsTheOthersForTraining) {
  const HoldOut alone = HoldOut::by_folds({0, 1, 2, 0}, 3).first_fold_as_validation();
  EXPECT_EQ(alone.folds(), 1U);
  EXPECT_EQ(alone.training_rows(), (Rows{1, 2}));
}

}  // namespace
}  // namespace mmo
