#include <gtest/gtest.h>

#include "data/reading.h"
#include "mmo/data/readers.h"

namespace mmo {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::row_of;

Dataset read(const std::string& text, const LoadOptions& options = {}) {
  return read_xmc(FileContent::from_string(text, "data.txt"), options);
}

void expect_fails(const std::string& text, const std::string& where, const std::string& what,
                  const LoadOptions& options = {}) {
  const std::string message = error_of([&] { read(text, options); });
  EXPECT_TRUE(message.starts_with("data.txt" + where + ": ")) << message;
  expect_contains(message, what);
}

TEST(Xmc, ReadsHeaderAndRows) {
  const Dataset data = read("3 5 4\n0,3 0:1 4:.5\n 1:2\n2\n");
  const auto& x = std::get<CsrMatrix>(data.x);
  EXPECT_EQ(data.rows(), 3U);
  EXPECT_EQ(data.labels(), 4U);
  EXPECT_TRUE(data.label_names.empty());
  EXPECT_EQ(x.rows, 3U);
  EXPECT_EQ(x.cols, 5U);
  EXPECT_EQ(x.indices, (std::vector<std::uint32_t>{0, 4, 1}));
  EXPECT_EQ(x.values, (std::vector<float>{1, 0.5F, 2}));
  EXPECT_EQ(row_of(data.y, 0), (std::vector<std::uint32_t>{0, 3}));
  EXPECT_TRUE(row_of(data.y, 1).empty());
  EXPECT_EQ(row_of(data.y, 2), (std::vector<std::uint32_t>{2}));
}

TEST(Xmc, AnEmptyLineIsARowAndBlankLinesAtTheEndAreNone) {
  EXPECT_EQ(read("3 5 4\r\n0 0:1\r\n\r\n1 1:1\r\n\r\n\r\n").rows(), 3U);
  EXPECT_EQ(read("3 5 4\n0 0:1\n1 1:1\n\n").rows(), 3U);
}

TEST(Xmc, CountsMustMatchTheHeader) {
  expect_fails("3 5 4\n0 0:1\n1 1:1\n", ":3", "the file ends after 2 rows but its header says 3");
  expect_fails("2 5 4\n0 0:1\n1 1:1\n2 2:2\n", ":4", "more rows than the 2 of the header");
  expect_fails("1 5 4\n0 5:1\n", ":2", "index 5 is too large: the header says 5 features");
  expect_fails("2 5 4\n0 1:1\n3,4 1:1\n", ":3", "label '4' does not fit: the header says 4 labels");
  expect_fails("1 5 0\n0 1:1\n", ":2", "label '0' does not fit: the header says 0 labels");
  expect_fails("1 5 4\nsport 1:1\n", ":2", "label 'sport' does not fit");
  expect_fails("1 5 4\n-1 1:1\n", ":2", "label '-1' does not fit");
  for (const std::string label : {"4294967296", "4294967297", "18446744073709551617"})  // 0 and 1 by 32 bits
    expect_fails("1 5 4\n" + label + " 1:1\n", ":2", "label '" + label + "' does not fit");
  expect_fails("1 5 4294967300\n0 1:1\n", ":1", "the largest number of either is 2147483647");
}

TEST(Xmc, BadHeadersAndRows) {
  for (const char* header : {"", "3 5\n", "3 5 4 2\n", "a 5 4\n", "-3 5 4\n", "99999999999999999999 5 4\n"}) {
    expect_fails(header, ":1", "'rows features labels'");
  }
  expect_fails("0 5 4\n", ":1", "0 rows");
  expect_fails("1 0 4\n0\n", ":1", "0 features");
  expect_fails("1 99999999999 4\n0 1:1\n", ":1", "the largest number of either");
  expect_fails("1000000000000 5 4\n0 1:1\n", ":2", "the file ends after 1 rows");
  expect_fails("2 5 4\n0 1:1\n0 2:1 1:1\n", ":3", "index 1 follows 2");
  expect_fails("1 5 4\n0 qid:3 1:1\n", ":2", "expected index:value");
}

TEST(Xmc, ALabelWrittenTwiceCountsOnceAndAFeatureTwiceIsAnError) {
  EXPECT_EQ(row_of(read("1 5 4\n2,1,2 0:1\n").y, 0), (std::vector<std::uint32_t>{1, 2}));
  expect_fails("1 5 4\n2 1:1 1:2\n", ":2", "index 1 occurs twice");
}

// Columns without a row cost nothing but their names.
TEST(Xmc, AMillionLabelsOnTenRows) {
  std::string text = "10 5 1000000\n";
  for (int i = 0; i < 10; ++i) text += std::to_string(i * 111111) + " 1:1\n";
  const Dataset data = read(text);
  EXPECT_EQ(data.labels(), 1000000U);
  EXPECT_EQ(row_of(data.y, 9), (std::vector<std::uint32_t>{999999}));
}

TEST(Xmc, LabelsOfAModel) {
  LoadOptions options;
  options.expected_labels = {"a", "b"};
  const Dataset by_position = read("1 2 2\n1 0:1\n", options);
  EXPECT_EQ(by_position.label_names, *options.expected_labels);
  EXPECT_EQ(row_of(by_position.y, 0), (std::vector<std::uint32_t>{1}));
  options.expected_labels = {"4", "2"};  // trained on fewer labels: found by number
  const Dataset by_number = read("1 2 5\n2,4 0:1\n", options);
  EXPECT_EQ(row_of(by_number.y, 0), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(by_number.labels(), 2U);
  expect_fails("2 2 5\n2 0:1\n3 0:1\n", ":3", "label '3' is not one of the model's labels", options);
}

}  // namespace
}  // namespace mmo
