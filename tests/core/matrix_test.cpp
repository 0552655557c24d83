#include "mmo/core/matrix.h"

#include <gtest/gtest.h>

namespace mmo {
namespace {

TEST(LabelMatrix, TransposeTwiceIsIdentity) {
  LabelMatrix y;
  y.cols = 4;
  y.push_row(std::vector<std::uint32_t>{0, 3});
  y.push_row({});
  y.push_row(std::vector<std::uint32_t>{1, 2, 3});
  const LabelMatrix back = transpose(transpose(y));
  EXPECT_EQ(back.offsets, y.offsets);
  EXPECT_EQ(back.indices, y.indices);
  EXPECT_EQ(transpose(y).row(3).size(), 2U);
}

TEST(LabelMatrix, PushRowsIsPushRowOfEach) {
  LabelMatrix part;
  part.cols = 4;
  part.push_row(std::vector<std::uint32_t>{1, 3});
  part.push_row({});
  part.push_row(std::vector<std::uint32_t>{0});
  LabelMatrix one_by_one = part;
  for (std::size_t i = 0; i < part.rows; ++i) one_by_one.push_row(part.row(i));
  LabelMatrix together = part;
  together.push_rows(part);
  EXPECT_EQ(together.rows, 6U);
  EXPECT_EQ(together.offsets, one_by_one.offsets);
  EXPECT_EQ(together.indices, one_by_one.indices);
}

TEST(TakeRows, KeepsOrderAndRepeats) {
  const DenseMatrix x = [] {
    DenseMatrix m(3, 2);
    for (std::size_t i = 0; i < 6; ++i) m.values[i] = static_cast<float>(i);
    return m;
  }();
  const std::vector<std::uint32_t> rows{2, 0, 2};
  const DenseMatrix taken = take_rows(x, rows);
  EXPECT_EQ(taken.values, (std::vector<float>{4, 5, 0, 1, 4, 5}));
}

TEST(TakeColumns, RenumbersInTheGivenOrder) {
  LabelMatrix y;
  y.cols = 4;
  y.push_row(std::vector<std::uint32_t>{0, 1, 3});
  y.push_row(std::vector<std::uint32_t>{2});
  const LabelMatrix taken = take_columns(y, std::vector<std::uint32_t>{3, 0});
  EXPECT_EQ(taken.cols, 2U);
  EXPECT_EQ(taken.indices, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(taken.offsets, (std::vector<std::uint64_t>{0, 2, 2}));
}

TEST(Share, PassesLoansOnAndCopiesTheRest) {
  const auto memory = std::make_shared<std::vector<float>>(4, 1.0F);
  DenseMatrix lent;
  lent.rows = lent.cols = 2;
  lent.values = Buffer<float>::lent(*memory, memory);
  const Features shared = share(Features(std::move(lent)));
  EXPECT_EQ(std::get<DenseMatrix>(shared).values.data(), memory->data());
  EXPECT_FALSE(std::get<DenseMatrix>(share(DenseMatrix(2, 2))).values.is_lent());
}

}  // namespace
}  // namespace mmo
