#include "mmo/transform/encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mmo/core/error.h"
#include "support/matrices.h"

namespace mmo {
namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();
constexpr float infinite = std::numeric_limits<float>::infinity();

DenseMatrix dense(std::size_t rows, std::size_t cols, std::vector<float> values) {
  DenseMatrix x(rows, cols);
  x.values = std::move(values);
  return x;
}

Dataset dataset(Features x, std::vector<FeatureInfo> features = {}) {
  Dataset data;
  data.source = "some.arff";
  data.features = std::move(features);
  data.y.rows = feature_rows(x);
  data.y.offsets.assign(data.y.rows + 1, 0);
  data.x = std::move(x);
  return data;
}

const std::vector<FeatureInfo> mixed{{"size", {}}, {"colour", {"red", "green", "blue"}}, {"weight", {}}};
const DenseMatrix mixed_values = dense(4, 3, {1, 0, 5, 2, 2, 0, 0, 1, 7, 3, 2, 9});
const std::vector<float> mixed_encoded{1, 1, 0, 0, 5, 2, 0, 0, 1, 0, 0, 0, 1, 0, 7, 3, 0, 0, 1, 9};

std::string message(const auto& call) {
  try {
    call();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Encoder, NumericColumnsPassThrough) {
  const Dataset data = dataset(dense(2, 2, {1, 2, 3, 4}));
  const Encoder encoder = fit_encoder(data, MissingFeatures::refuse);
  EXPECT_TRUE(encoder.identity());
  EXPECT_EQ(encoder.outputs(), 2U);
  EXPECT_TRUE(encoder.output_names().empty());
  EXPECT_EQ(to_dense(encode(encoder, data)).values, (std::vector<float>{1, 2, 3, 4}));
}

TEST(Encoder, MovesWhatNeedsNoChange) {
  Dataset data = dataset(dense(2, 2, {1, 2, 3, 4}));
  const Encoder encoder = fit_encoder(data, MissingFeatures::refuse);
  const float* before = std::get<DenseMatrix>(data.x).values.data();
  const Features x = encode(encoder, std::move(data));
  EXPECT_EQ(std::get<DenseMatrix>(x).values.data(), before);
}

TEST(Encoder, OneHotDenseAndSparse) {
  for (const Features& x : {Features(mixed_values), Features(to_sparse(mixed_values))}) {
    const Dataset data = dataset(x, mixed);
    const Encoder encoder = fit_encoder(data, MissingFeatures::refuse);
    EXPECT_FALSE(encoder.identity());
    EXPECT_EQ(encoder.outputs(), 5U);
    EXPECT_EQ(encoder.output_names(),
              (std::vector<std::string>{"size", "colour=red", "colour=green", "colour=blue", "weight"}));
    const Features out = encode(encoder, data);
    EXPECT_EQ(out.index(), x.index());
    EXPECT_EQ(feature_cols(out), 5U);
    EXPECT_EQ(to_dense(out).values, mixed_encoded);
  }
}

TEST(Encoder, CategoriesAreMatchedByName) {
  const Encoder encoder = fit_encoder(dataset(mixed_values, mixed), MissingFeatures::refuse);
  std::vector<FeatureInfo> reordered = mixed;
  reordered[1].categories = {"blue", "violet", "red"};
  // blue, red, blue: the unknown violet is declared but not used.
  const Dataset data = dataset(dense(3, 3, {1, 0, 5, 2, 2, 0, 0, 0, 7}), reordered);
  EXPECT_EQ(to_dense(encode(encoder, data)).values,
            (std::vector<float>{1, 0, 0, 1, 5, 2, 1, 0, 0, 0, 0, 0, 0, 1, 7}));
  const Dataset violet = dataset(dense(2, 3, {1, 0, 5, 2, 1, 0}), reordered);
  const std::string text = message([&] { (void)encode(encoder, violet); });
  EXPECT_NE(text.find("some.arff: row 2, column 2 (\"colour\")"), std::string::npos) << text;
  EXPECT_NE(text.find("violet"), std::string::npos) << text;
}

TEST(Encoder, ImputesMeansAndLeavesUnknownCategoriesZero) {
  const DenseMatrix values = dense(4, 3, {1, 0, 5, missing, missing, 0, 0, 1, missing, 3, 2, 9});
  for (const Features& x : {Features(values), Features(to_sparse(values))}) {
    const Dataset data = dataset(x, mixed);
    const Encoder encoder = fit_encoder(data, MissingFeatures::impute);
    ASSERT_EQ(encoder.fill.size(), 3U);
    EXPECT_FLOAT_EQ(encoder.fill[0], 4.0F / 3.0F);
    EXPECT_FLOAT_EQ(encoder.fill[1], -1.0F);
    EXPECT_FLOAT_EQ(encoder.fill[2], 14.0F / 3.0F);
    const DenseMatrix out = to_dense(encode(encoder, data));
    EXPECT_FLOAT_EQ(out(1, 0), 4.0F / 3.0F);
    EXPECT_FLOAT_EQ(out(2, 4), 14.0F / 3.0F);
    for (std::size_t k = 1; k <= 3; ++k) EXPECT_EQ(out(1, k), 0.0F);
  }
}

TEST(Encoder, ImputesWithoutNominalColumns) {
  const DenseMatrix values = dense(3, 2, {1, missing, missing, missing, 5, missing});
  for (const Features& x : {Features(values), Features(to_sparse(values))}) {
    Dataset data = dataset(x);
    const Encoder encoder = fit_encoder(data, MissingFeatures::impute);
    const std::vector<float> expected{1, 0, 3, 0, 5, 0};
    EXPECT_EQ(to_dense(encode(encoder, data)).values, expected);
    EXPECT_EQ(to_dense(encode(encoder, std::move(data))).values, expected);
  }
}

TEST(Encoder, RefusesUnknownAndInfiniteValues) {
  // The earliest bad cell is named, however many blocks of rows are worked on at once.
  DenseMatrix values(20000, 2, 1.0F);
  values(15000, 0) = missing;
  values(9000, 1) = missing;
  const std::vector<FeatureInfo> names{{"a", {}}, {"b", {}}};
  for (const Features& x : {Features(values), Features(to_sparse(values))}) {
    const std::string text = message([&] { (void)fit_encoder(dataset(x, names), MissingFeatures::refuse); });
    EXPECT_NE(text.find("some.arff: row 9001, column 2 (\"b\"): the value is missing"), std::string::npos)
        << text;
    EXPECT_NE(text.find("--set missing=impute"), std::string::npos) << text;
  }
  values(100, 1) = -infinite;
  for (const MissingFeatures rule : {MissingFeatures::refuse, MissingFeatures::impute}) {
    const std::string text = message([&] { (void)fit_encoder(dataset(values), rule); });
    EXPECT_NE(text.find("row 101, column 2: the value is -inf"), std::string::npos) << text;
  }
  const Encoder clean = fit_encoder(dataset(dense(1, 2, {1, 2})), MissingFeatures::refuse);
  EXPECT_THROW((void)encode(clean, dataset(dense(1, 2, {1, missing}))), DataError);
}

TEST(Encoder, ColumnsMustFit) {
  const Encoder encoder = fit_encoder(dataset(mixed_values, mixed), MissingFeatures::refuse);
  std::string text = message([&] { (void)encode(encoder, dataset(DenseMatrix(1, 2))); });
  EXPECT_NE(text.find("has 2 feature columns, the model was trained on 3"), std::string::npos) << text;

  std::vector<FeatureInfo> renamed = mixed;
  renamed[2].name = "mass";
  text = message([&] { (void)encode(encoder, dataset(mixed_values, renamed)); });
  EXPECT_NE(text.find("column 3 is \"mass\" but the model was trained with \"weight\""), std::string::npos)
      << text;

  std::vector<FeatureInfo> numeric = mixed;
  numeric[1].categories.clear();
  text = message([&] { (void)encode(encoder, dataset(mixed_values, numeric)); });
  EXPECT_NE(text.find("(\"colour\") is numeric"), std::string::npos) << text;

  text = message([&] { (void)encode(encoder, dataset(mixed_values)); });
  EXPECT_NE(text.find("nominal"), std::string::npos) << text;

  text = message([&] { (void)encode(encoder, dataset(dense(1, 3, {1, 2.5F, 1}), mixed)); });
  EXPECT_NE(text.find("category number 2.5"), std::string::npos) << text;
}

TEST(Encoder, ATableKeepsNumbersCategoriesAndGaps) {
  const Encoder encoder = fit_encoder(dataset(mixed_values, mixed), MissingFeatures::mark);
  EXPECT_TRUE(encoder.recodes());
  std::vector<FeatureInfo> other = mixed;
  other[1].categories = {"blue", "white", "red"};
  const Table table = table_of(encoder, dataset(dense(3, 3, {1, 0, 5, missing, 1, 0, 3, 2, missing}), other));
  EXPECT_EQ(table.categories, (std::vector<std::uint32_t>{0, 3, 0}));
  const auto& x = std::get<DenseMatrix>(table.values);
  EXPECT_EQ(x(0, 1), 2);  // blue
  EXPECT_TRUE(std::isnan(x(1, 0)));
  EXPECT_TRUE(std::isnan(x(1, 1)));  // white is new
  EXPECT_EQ(x(2, 1), 0);             // red
  EXPECT_TRUE(std::isnan(x(2, 2)));
  // What a sparse row leaves out is the file's first category.
  const Table sparse = table_of(encoder, dataset(to_sparse(dense(1, 3, {4, 0, 0})), other));
  EXPECT_EQ(std::get<DenseMatrix>(sparse.values).values, (std::vector<float>{4, 2, 0}));
}

}  // namespace
}  // namespace mmo
