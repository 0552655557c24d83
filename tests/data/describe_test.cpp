#include "mmo/data/describe.h"

#include <gtest/gtest.h>

#include <limits>

namespace mmo {
namespace {

// Six rows, four labels: a in all rows, b in two, c never, d in one row and unknown in two.
Dataset example() {
  Dataset data;
  data.source = "some.csv";
  data.label_names = {"a", "b", "c", "d"};
  data.y.cols = 4;
  for (const std::vector<std::uint32_t>& row :
       std::vector<std::vector<std::uint32_t>>{{0}, {0, 1}, {0, 1}, {0}, {0, 3}, {0}}) {
    data.y.push_row(row);
  }
  data.unknown.cols = 4;
  for (const std::vector<std::uint32_t>& row :
       std::vector<std::vector<std::uint32_t>>{{3}, {}, {}, {3}, {}, {}}) {
    data.unknown.push_row(row);
  }
  DenseMatrix x(6, 2, 1.0F);
  x(0, 0) = 0.0F;
  x(1, 0) = 0.0F;
  x(2, 1) = std::numeric_limits<float>::quiet_NaN();
  data.x = x;
  data.features = {{"size", {}}, {"colour", {"red", "blue"}}};
  return data;
}

TEST(Describe, CountsEverything) {
  const DataCard card = describe(example());
  EXPECT_EQ(card.rows, 6U);
  EXPECT_EQ(card.labels, 4U);
  EXPECT_EQ(card.features, 2U);
  EXPECT_EQ(card.nominal_features, 1U);
  EXPECT_FALSE(card.sparse);
  EXPECT_DOUBLE_EQ(card.feature_density, 10.0 / 12.0);
  EXPECT_DOUBLE_EQ(card.missing_features, 1.0 / 12.0);
  EXPECT_DOUBLE_EQ(card.cardinality, 1.5);
  EXPECT_DOUBLE_EQ(card.density, 0.375);
  EXPECT_DOUBLE_EQ(card.unknown_labels, 2.0 / 24.0);
  EXPECT_EQ(card.label_sets, 3U);
  EXPECT_EQ(card.empty_rows, 0U);
  EXPECT_EQ(card.most_labels, 2U);
  EXPECT_EQ(card.never_positive, std::vector<std::string>{"c"});
  EXPECT_EQ(card.always_positive, std::vector<std::string>{"a"});
  ASSERT_EQ(card.rare.size(), 3U);
  EXPECT_EQ(card.rare[0].name, "d");
  EXPECT_EQ(card.rare[0].positives, 1U);
  EXPECT_EQ(card.most_frequent[0].name, "a");
}

TEST(Describe, AlwaysPositiveLooksAtKnownRowsOnly) {
  Dataset data = example();
  data.y = {};
  data.y.cols = 4;
  for (const std::vector<std::uint32_t>& row :
       std::vector<std::vector<std::uint32_t>>{{}, {3}, {3}, {}, {3}, {3}}) {
    data.y.push_row(row);
  }
  const DataCard card = describe(data);
  EXPECT_EQ(card.always_positive, std::vector<std::string>{"d"});
  EXPECT_EQ(card.empty_rows, 2U);
}

TEST(Describe, JsonAndText) {
  const DataCard card = describe(example());
  const nlohmann::json json = card_json(card);
  EXPECT_EQ(json["rows"], 6);
  EXPECT_EQ(json["features"]["nominal"], 1);
  EXPECT_EQ(json["rare"][0]["name"], "d");
  EXPECT_EQ(json["never_positive"][0], "c");
  EXPECT_FALSE(json.contains("text"));
  EXPECT_EQ(card_text(card),
            "some.csv\n"
            "  rows             6\n"
            "  features         2 (dense, 83.3 % not zero, 1 nominal)\n"
            "  columns          size (number), colour (category, 2 values, 17 % missing)\n"
            "  missing values   8.33 %\n"
            "  labels           4\n"
            "  labels per row   1.500 (density 0.3750, at most 2)\n"
            "  label sets       3\n"
            "  rows unlabelled  0\n"
            "  unknown labels   8.33 %\n"
            "  most frequent    a (6), b (2), d (1), c (0)\n"
            "  rare labels      3 with fewer than 20 positives: d (1), b (2), a (6)\n"
            "  never positive   1: c\n"
            "  always positive  1: a\n");
}

TEST(Describe, RawTextAndSparseFeatures) {
  Dataset data = example();
  data.documents = {"aa", "bbbb", "", "", "", ""};
  data.x = DenseMatrix(6, 0);
  data.features.clear();
  const DataCard text = describe(data);
  EXPECT_TRUE(text.text);
  EXPECT_DOUBLE_EQ(text.mean_document_bytes, 1.0);
  EXPECT_EQ(card_json(text)["text"]["mean_document_bytes"], 1.0);
  EXPECT_NE(card_text(text).find("raw text, 1 bytes per document"), std::string::npos);

  data.documents.clear();
  CsrMatrix x;
  x.rows = 6;
  x.cols = 10;
  x.indices = {1, 2, 9};
  x.values = {1.0F, 0.0F, 2.0F};  // a stored zero is a zero
  x.offsets = {0, 2, 3, 3, 3, 3, 3};
  data.x = x;
  const DataCard sparse = describe(data);
  EXPECT_TRUE(sparse.sparse);
  EXPECT_DOUBLE_EQ(sparse.feature_density, 2.0 / 60.0);
}

TEST(Describe, EmptyDataSet) {
  const DataCard card = describe({});
  EXPECT_EQ(card.rows, 0U);
  EXPECT_EQ(card.label_sets, 0U);
  EXPECT_DOUBLE_EQ(card.cardinality, 0.0);
  EXPECT_FALSE(card_text(card).empty());
}

}  // namespace
}  // namespace mmo
