#include "mmo/core/short_lists.h"

#include <gtest/gtest.h>

namespace mmo {
namespace {

std::vector<std::uint32_t> labels_of(std::span<const LabelScore> list) {
  std::vector<std::uint32_t> out;
  for (const LabelScore& entry : list) out.push_back(entry.label);
  return out;
}

TEST(KeepBest, OrdersByScoreThenByLabelWhateverCameFirst) {
  std::vector<LabelScore> scores{{7, 1.0F}, {3, 2.0F}, {5, 1.0F}, {4, -1.0F}, {1, 1.0F}};
  keep_best(scores, 3);
  EXPECT_EQ(labels_of(scores), (std::vector<std::uint32_t>{3, 1, 5}));
}

TEST(KeepBest, KeepsAllWhereThereAreNoMore) {
  std::vector<LabelScore> scores{{2, 0.5F}, {9, 0.75F}};
  keep_best(scores, 10);
  EXPECT_EQ(labels_of(scores), (std::vector<std::uint32_t>{9, 2}));
}

TEST(ShortLists, PushRowsIsPushRowOfEach) {
  ShortLists part;
  part.push_row(std::vector<LabelScore>{{1, 2.0F}, {4, 1.0F}});
  part.push_row({});
  part.push_row(std::vector<LabelScore>{{3, 0.0F}});
  ShortLists together = part;
  together.push_rows(part);
  ASSERT_EQ(together.rows, 6U);
  for (std::size_t i = 0; i < together.rows; ++i)
    EXPECT_EQ(labels_of(together.row(i)), labels_of(part.row(i % 3)));
}

}  // namespace
}  // namespace mmo
