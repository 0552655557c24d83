#include "mmo/data/leaks.h"

#include <gtest/gtest.h>

#include <limits>

namespace mmo {
namespace {

constexpr std::size_t rows = 40;
bool red(std::size_t i) { return i % 3 == 0; }
bool green(std::size_t i) { return i % 2 == 0; }

Dataset labelled() {
  Dataset data;
  data.label_names = {"red", "green", "rare"};
  data.y.cols = 3;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::uint32_t> row;
    if (red(i)) row.push_back(0);
    if (green(i)) row.push_back(1);
    if (i == 7) row.push_back(2);
    data.y.push_row(row);
  }
  return data;
}

TEST(Leaks, CopiesAndOppositesAreNamed) {
  Dataset data = labelled();
  DenseMatrix x(rows, 6);
  for (std::size_t i = 0; i < rows; ++i) {
    x(i, 0) = static_cast<float>(i);
    x(i, 1) = red(i) ? 5.0F : 2.0F;
    x(i, 2) = green(i) ? 0.0F : 1.0F;
    x(i, 3) = red(i) != (i == 20) ? 1.0F : 0.0F;  // but for one row
    x(i, 4) = i == 7 ? 1.0F : 0.0F;               // too rare to tell
    x(i, 5) = i == 30 ? std::numeric_limits<float>::quiet_NaN() : x(i, 1);
  }
  data.x = std::move(x);
  data.features = {{"row"}, {"code"}, {"not green"}, {"nearly"}, {"rare too"}, {"gap"}};
  const auto warnings = leak_warnings(data);
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[0].find("column 'code' tells in every row whether label 'red'"), std::string::npos);
  EXPECT_NE(warnings[1].find("column 'not green' tells in every row whether label 'green'"),
            std::string::npos);
}

TEST(Leaks, SparseColumnsAreComparedByTheirRows) {
  Dataset data = labelled();
  CsrMatrix x;
  x.cols = 2;
  x.rows = rows;
  for (std::size_t i = 0; i < rows; ++i) {
    if (green(i)) {
      x.indices.push_back(0);
      x.values.push_back(static_cast<float>(i + 1));
    }
    if (i % 5 == 0) {
      x.indices.push_back(1);
      x.values.push_back(1.0F);
    }
    x.offsets.push_back(x.indices.size());
  }
  data.x = std::move(x);
  const auto warnings = leak_warnings(data);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("column 'f0'"), std::string::npos);
}

TEST(Leaks, OnlyTheFirstFewAreTold) {
  Dataset data = labelled();
  DenseMatrix x(rows, 20);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < 20; ++k) x(i, k) = red(i) ? 1.0F : 0.0F;
  }
  data.x = std::move(x);
  const auto warnings = leak_warnings(data);
  ASSERT_EQ(warnings.size(), 6U);
  EXPECT_EQ(warnings.back(), "so do 15 more columns");
}

}  // namespace
}  // namespace mmo
