#include "mmo/model/reading.h"

#include <gtest/gtest.h>

namespace mmo {
namespace {

using nlohmann::json;

TEST(Reading, ComesBackFromTheHistoryBesideWhatIsNotedForPeople) {
  const Reading reading{.index_base = "1",
                        .label_columns = "tags",
                        .text_column = "body",
                        .weight_column = "w",
                        .group_column = "user"};
  const json history = with_reading({{"load", {{"data", "train.csv"}}}}, reading);
  EXPECT_EQ(history["load"]["data"], "train.csv");
  const Reading again = reading_of(history);
  EXPECT_EQ(again.index_base, "1");
  EXPECT_EQ(again.label_columns, "tags");
  EXPECT_EQ(again.text_column, "body");
  EXPECT_EQ(again.weight_column, "w");
  EXPECT_EQ(again.group_column, "user");
}

TEST(Reading, NothingToRememberLeavesTheHistoryAlone) {
  EXPECT_EQ(with_reading(json{{"seed", 1}}, {}), (json{{"seed", 1}}));
  EXPECT_EQ(reading_of(json{{"load", "damaged"}}).text_column, "");
  EXPECT_EQ(reading_of(json{{"load", {{"text_column", 3}}}}).text_column, "");
  EXPECT_EQ(reading_of(json()).index_base, "");
}

}  // namespace
}  // namespace mmo
