#include <gtest/gtest.h>

#include "mmo/core/error.h"
#include "mmo/core/random.h"
#include "mmo/data/readers.h"

namespace mmo {
namespace {

using Labels = std::vector<std::uint32_t>;

Dataset read(const std::string& text, const LoadOptions& options = {}) {
  return read_fasttext(FileContent::from_string(text, "some.txt"), options);
}

Labels row(const Dataset& data, std::size_t i) { return {data.y.row(i).begin(), data.y.row(i).end()}; }

std::string message(const std::string& text, const LoadOptions& options = {}) {
  try {
    (void)read(text, options);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(FastText, LabelsAndText) {
  const Dataset data = read(
      "__label__sport __label__news Goal!  In the end\n"
      "no label here\n"
      "\n"
      "__label__news\tTab, CR\r\n"
      "words __label__sport then my__label__not one __label__sport");
  EXPECT_EQ(data.label_names, (std::vector<std::string>{"news", "sport"}));
  EXPECT_EQ(data.documents, (std::vector<std::string>{"Goal!  In the end", "no label here", "", "Tab, CR",
                                                      "words  then my__label__not one"}));
  ASSERT_EQ(data.rows(), 5U);
  EXPECT_EQ(data.labels(), 2U);
  EXPECT_EQ(row(data, 0), (Labels{0, 1}));
  EXPECT_EQ(row(data, 1), Labels{});
  EXPECT_EQ(row(data, 3), Labels{0});
  EXPECT_EQ(row(data, 4), Labels{1});  // a repeated label counts once
  EXPECT_EQ(feature_rows(data.x), 5U);
  EXPECT_EQ(feature_cols(data.x), 0U);
  EXPECT_EQ(data.source, "some.txt");
}

TEST(FastText, SkipsByteOrderMark) {
  const Dataset data = read("\xEF\xBB\xBF__label__é Text\n");
  EXPECT_EQ(data.label_names, std::vector<std::string>{"é"});
  EXPECT_EQ(data.documents, std::vector<std::string>{"Text"});
}

TEST(FastText, ModelsLabelsFixTheOrder) {
  LoadOptions options;
  options.expected_labels = std::vector<std::string>{"z", "b", "a"};
  const Dataset data = read("__label__a x\n__label__b __label__z y\n", options);
  EXPECT_EQ(data.label_names, *options.expected_labels);
  EXPECT_EQ(row(data, 0), Labels{2});
  EXPECT_EQ(row(data, 1), (Labels{0, 1}));
  const std::string text = message("__label__a x\n__label__new y\n", options);
  EXPECT_EQ(text.rfind("some.txt:2: label 'new' is not one of the model's", 0), 0U) << text;
  options.need_labels = false;  // prediction looks at the text alone
  EXPECT_EQ(row(read("__label__new __label__a y\n", options), 0), Labels{2});
}

TEST(FastText, Errors) {
  EXPECT_NE(message("just\ntext\n").find("no line has a label"), std::string::npos);
  EXPECT_EQ(message("__label__a x\n__label__ y\n").rfind("some.txt:2: \"__label__\" without a name", 0), 0U);
  EXPECT_EQ(
      message("__label__a,__label__b x\n").rfind("some.txt:1: '__label__a,__label__b' holds several", 0), 0U);
  EXPECT_EQ(message("\n\n__label__\xFF x\n").rfind("some.txt:3: the label's name is not UTF-8", 0), 0U);
}

TEST(Lines, EveryLineIsADocument) {
  LoadOptions options;
  options.need_labels = false;
  options.expected_labels = std::vector<std::string>{"a", "b"};
  const Dataset data = read_lines(FileContent::from_string("one\r\n\nthree", "some.txt"), options);
  EXPECT_EQ(data.documents, (std::vector<std::string>{"one", "", "three"}));
  EXPECT_EQ(data.rows(), 3U);
  EXPECT_EQ(data.labels(), 2U);
  EXPECT_EQ(data.y.positives(), 0U);
  EXPECT_EQ(read_lines(FileContent::from_string("", "some.txt"), options).rows(), 0U);
  options.need_labels = true;
  EXPECT_THROW((void)read_lines(FileContent::from_string("one\n", "some.txt"), options), DataError);
}

// Whatever the bytes: a data set whose parts fit together, or an Error.
TEST(FastText, MutatedFilesDoNotCrash) {
  const std::string seed_text =
      "__label__a __label__b some text\nplain line\n__label__é\tmore __label__a text\r\n\n__label__c\n";
  Random random(11);
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text = seed_text;
    const std::uint64_t changes = 1 + random.below(4);
    for (std::uint64_t k = 0; k < changes && !text.empty(); ++k) {
      const std::size_t at = random.below(text.size());
      switch (random.below(4)) {
        case 0:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          text.erase(at, 1 + random.below(12));
          break;
        case 2:
          text.insert(at, text.substr(random.below(text.size()), random.below(20)));
          break;
        default:
          text.resize(at);
      }
    }
    try {
      const Dataset data = read(text);
      ++accepted;
      ASSERT_EQ(data.documents.size(), data.rows());
      ASSERT_EQ(data.y.offsets.size(), data.rows() + 1);
      for (const std::uint32_t j : data.y.indices) ASSERT_LT(j, data.labels());
      ASSERT_EQ(data.label_names.size(), data.labels());
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace mmo
