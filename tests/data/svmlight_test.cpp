#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "data/reading.h"
#include "mmo/core/input_limit.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/readers.h"
#include "mmo/data/sparse_text.h"

namespace mmo {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::row_of;

Dataset read(const std::string& text, const LoadOptions& options = {}) {
  return read_svmlight(FileContent::from_string(text, "data.svm"), options);
}

const CsrMatrix& sparse(const Dataset& data) { return std::get<CsrMatrix>(data.x); }

std::vector<std::uint32_t> indices_of(const Dataset& data, std::size_t row) {
  const auto indices = sparse(data).row_indices(row);
  return {indices.begin(), indices.end()};
}

void expect_fails(const std::string& text, const std::string& where, const std::string& what,
                  const LoadOptions& options = {}) {
  const std::string message = error_of([&] { read(text, options); });
  EXPECT_TRUE(message.starts_with("data.svm" + where + ": ")) << message;
  expect_contains(message, what);
}

TEST(Svmlight, ReadsLabelsFeaturesAndValues) {
  const Dataset data = read("2,10 1:0.5 3:-2e1\n1 2:+7\n");
  EXPECT_EQ(data.source, "data.svm");
  EXPECT_EQ(data.label_names, (std::vector<std::string>{"1", "2", "10"}));  // by number, not by text
  EXPECT_EQ(row_of(data.y, 0), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(row_of(data.y, 1), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(sparse(data).rows, 2U);
  EXPECT_EQ(sparse(data).cols, 3U);
  EXPECT_EQ(sparse(data).indices, (std::vector<std::uint32_t>{0, 2, 1}));
  EXPECT_EQ(sparse(data).values, (std::vector<float>{0.5F, -20.0F, 7.0F}));
}

TEST(Svmlight, RowsWithoutLabels) {
  const Dataset data = read(" 1:1\n2:1\n5 3:1\n");
  EXPECT_EQ(data.rows(), 3U);
  EXPECT_TRUE(row_of(data.y, 0).empty());
  EXPECT_TRUE(row_of(data.y, 1).empty());
  EXPECT_EQ(row_of(data.y, 2).size(), 1U);
}

TEST(Svmlight, BlankLinesAndCommentsAreSkipped) {
  const Dataset data = read("\xEF\xBB\xBF# head\n\n1 1:1 # tail 9:9\r\n   \t\n  # more\n2#x\n3 2:4#y");
  EXPECT_EQ(data.label_names, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(data.rows(), 3U);
  EXPECT_EQ(sparse(data).nonzeros(), 2U);
  EXPECT_EQ(sparse(data).values[1], 4.0F);
}

// However blanks and lines' ends are written: plain lines have a path of their own.
TEST(Svmlight, BlanksAndLineEndsDoNotMatter) {
  set_input_limit(std::uint64_t{1} << 40U);  // for indices up to the largest
  const std::vector<std::string> values = {"1",    "0",    "7",     "12",  "0.25", "-0.125", "3e-2",
                                           "+1.5", "-0.0", "123.5", "nan", "00.5", "5.",     "1234567890.5"};
  Random random(5);
  std::vector<std::vector<std::string>> rows;  // tokens
  for (std::size_t i = 0; i < 200; ++i) {
    std::vector<std::string>& row = rows.emplace_back();
    if (random.below(8) != 0) {
      row.push_back(std::to_string(random.below(30)));
      while (random.below(3) != 0)
        row.back() +=
            "," + std::string(random.below(20) == 0 ? "x" : "") + std::to_string(random.below(1 << 21));
    }
    for (std::size_t k = 1 + random.below(9); k <= max_sparse_index && row.size() < 12;
         k += 1 + random.below(k * k))
      row.push_back(std::to_string(k) + ":" + values[random.below(values.size())]);
  }
  const auto written = [&](const std::string& blank, const std::string& end, const std::string& last) {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t t = 0; t < rows[i].size(); ++t) text += (t > 0 ? blank : "") + rows[i][t];
      text += i + 1 < rows.size() ? end : last;
    }
    return text;
  };
  const Dataset plain = read(written(" ", "\n", "\n"));
  const auto bits = [](const Dataset& data) {
    std::vector<std::uint32_t> out;
    for (const float v : sparse(data).values) out.push_back(std::bit_cast<std::uint32_t>(v));
    return out;
  };
  for (const std::string blank : {" ", "  ", "\t", " \t"}) {
    for (const std::string end : {"\n", "\r\n", " \n", " # note 1:1\n"}) {
      const Dataset other = read(written(blank, end, ""));
      EXPECT_EQ(other.label_names, plain.label_names);
      EXPECT_EQ(other.y.offsets, plain.y.offsets);
      EXPECT_EQ(other.y.indices, plain.y.indices);
      EXPECT_EQ(sparse(other).offsets, sparse(plain).offsets);
      EXPECT_EQ(sparse(other).indices, sparse(plain).indices);
      EXPECT_EQ(bits(other), bits(plain));
    }
  }
  set_input_limit(0);
}

TEST(Svmlight, LabelsCanBeTexts) {
  const Dataset data = read("sport,10 1:1\n9,politics,sport 1:1\n1.0 1:1\n");
  EXPECT_EQ(data.label_names, (std::vector<std::string>{"1.0", "10", "9", "politics", "sport"}));
  EXPECT_EQ(row_of(data.y, 1), (std::vector<std::uint32_t>{2, 3, 4}));
}

TEST(Svmlight, IntegersAreOrderedByValueAndRepeatsCountOnce) {
  const Dataset data = read("5,-3,5 1:1\n-20,123456789012345678901234567890,7000000 1:1\n");
  EXPECT_EQ(data.label_names,
            (std::vector<std::string>{"-20", "-3", "5", "7000000", "123456789012345678901234567890"}));
  EXPECT_EQ(row_of(data.y, 0), (std::vector<std::uint32_t>{1, 2}));
}

TEST(Svmlight, IndexBase) {
  EXPECT_EQ(indices_of(read("1 1:1 2:1\n"), 0), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(indices_of(read("1 1:1 2:1\n1 0:1\n"), 0), (std::vector<std::uint32_t>{1, 2}));
  LoadOptions zero;
  zero.index_base = IndexBase::zero;
  EXPECT_EQ(indices_of(read("1 1:1 2:1\n", zero), 0), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(sparse(read("1 1:1 2:1\n", zero)).cols, 3U);
  LoadOptions one;
  one.index_base = IndexBase::one;
  expect_fails("1 1:1\n1 0:1 2:1\n", ":2", "index 0 found, but the index base is 1: use --index-base 0", one);
}

TEST(Svmlight, ExplicitZerosCountOnlyForTheSize) {
  const Dataset data = read("1 1:0 2:3 9:0.0\n");
  EXPECT_EQ(sparse(data).cols, 9U);
  EXPECT_EQ(sparse(data).indices, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(indices_of(read("1 0:0 2:3\n"), 0), (std::vector<std::uint32_t>{2}));  // says that the base is 0
}

TEST(Svmlight, MissingValuesAreKept) {
  EXPECT_TRUE(std::isnan(sparse(read("1 1:nan\n")).values[0]));
  EXPECT_TRUE(std::isnan(sparse(read("1 1:NaN 2:1\n")).values[0]));
}

TEST(Svmlight, QueryIdsAreGroups) {
  const Dataset data = read("1 qid:7 1:1\nqid:8 1:1\n2 qid:7\n");
  EXPECT_EQ(data.groups, (std::vector<std::string>{"7", "8", "7"}));
  EXPECT_EQ(data.notes.size(), 1U);
  expect_fails("1 qid:7 1:1\n\n1 1:1\n", ":3", "no qid");
  expect_fails("1 qid: 1:1\n", ":1", "'qid:'");
}

TEST(Svmlight, BadLinesNameLineValueAndRemedy) {
  expect_fails("1 1:1\n1 3:1 2:1\n", ":2", "index 2 follows 3: sort");
  expect_fails("1 3:1 3:1\n", ":1", "index 3 occurs twice");
  expect_fails("1 -3:1\n", ":1", "negative index in '-3:1'");
  expect_fails("1 2147483648:1\n", ":1", "index '2147483648' is too large");
  expect_fails("1 99999999999999999999999:1\n", ":1", "is too large");
  expect_fails("1 1:abc\n", ":1", "value 'abc' of index 1 is not a number");
  expect_fails("1 1:\n", ":1", "value '' of index 1");
  expect_fails("1 1:1.5x\n", ":1", "'1.5x'");
  expect_fails("1 1:2:3\n", ":1", "'2:3'");
  expect_fails("1 1:1\n# c\n1 1:inf\n", ":3", "value 'inf' of index 1 is infinite");
  expect_fails("1 1:-1e39\n", ":1", "too large for a 32-bit float");
  expect_fails("1 2\n", ":1", "expected index:value, found '2'");
  expect_fails("1 a:1\n", ":1", "expected index:value, found 'a:1'");
  expect_fails("1,,2 1:1\n", ":1", "empty label in '1,,2'");
  expect_fails("1, 1:1\n", ":1", "empty label in '1,'");
  expect_fails(std::string("1 \0:1\n", 7), ":1", "'\\x00:1'");
  expect_fails("", "", "no examples");
  expect_fails("\n# nothing\n", "", "no examples");
  expect_fails("1\n2\n", "", "no features");
}

TEST(Svmlight, LabelsOfAModel) {
  LoadOptions options;
  options.expected_labels = {"b", "7", "a"};
  const Dataset data = read("a,b 1:1\n7 1:1\n", options);
  EXPECT_EQ(data.label_names, *options.expected_labels);
  EXPECT_EQ(row_of(data.y, 0), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(row_of(data.y, 1), (std::vector<std::uint32_t>{1}));
  // Of several unknown labels the first in the file is named, not the first in the alphabet.
  expect_fails("a 1:1\nz,a 1:1\nc 1:1\n", ":2", "label 'z' is not one of the model's labels", options);
  options.need_labels = false;  // prediction does not look at labels
  EXPECT_EQ(row_of(read("z,a 1:1\n", options).y, 0), (std::vector<std::uint32_t>{2}));
}

TEST(Svmlight, FeaturesOfAModel) {
  LoadOptions options;
  options.expected_features = 3;
  EXPECT_EQ(sparse(read("1 1:1\n", options)).cols, 3U);
  EXPECT_EQ(sparse(read("1\n", options)).cols, 3U);
  EXPECT_EQ(indices_of(read("1 3:1\n", options), 0), (std::vector<std::uint32_t>{2}));
  expect_fails("1 1:1\n1 4:1\n", ":2", "index 4 is beyond the model's 3 features", options);
  // Index 0 in the last row makes the base 0, and index 3 of the first row one too many.
  expect_fails("1 1:1\n1 3:1\n1 0:1\n", ":2", "index 3 is beyond the model's 3 features (counted from 0)",
               options);
}

std::string random_rows(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (random.below(10) == 0) text += "# comment 1:2\n\n";
    for (std::uint64_t k = random.below(4); k > 0; --k) {
      text += std::to_string(random.below(5000)) + (k > 1 ? "," : "");
    }
    if (random.below(4) > 0) text += " qid:" + std::to_string(random.below(50));
    std::uint64_t index = 0;
    for (std::uint64_t k = random.below(9); k > 0; --k) {
      index += 1 + random.below(20);
      text += " " + std::to_string(index) + ":" + std::to_string(random.normal() * 100);
    }
    if (text.back() == '\n') text += " 3:0";
    text += '\n';
  }
  return text;
}

TEST(Svmlight, PiecesAndThreadsDoNotChangeTheResult) {
  const auto content = FileContent::from_string(random_rows(500, 1), "data.svm");
  const SparseText whole = parse_sparse_text(content, content.bytes(), {});
  EXPECT_EQ(whole.x.rows, 500U);
  EXPECT_NE(whole.without_query_id, nullptr);
  const int before = threads();
  for (const std::size_t bytes : {1UL, 7UL, 100UL, 5000UL}) {
    for (const int count : {1, 4}) {
      set_threads(count);
      SparseTextRules rules;
      rules.target_bytes = bytes;
      const SparseText pieces = parse_sparse_text(content, content.bytes(), rules);
      EXPECT_EQ(pieces.x.offsets, whole.x.offsets);
      EXPECT_EQ(pieces.x.indices, whole.x.indices);
      EXPECT_EQ(pieces.x.values, whole.x.values);
      EXPECT_EQ(pieces.names, whole.names);
      EXPECT_EQ(pieces.label_offsets, whole.label_offsets);
      EXPECT_EQ(pieces.label_ids, whole.label_ids);
      EXPECT_EQ(pieces.query_ids, whole.query_ids);
      EXPECT_EQ(pieces.without_query_id, whole.without_query_id);
      EXPECT_EQ(pieces.lowest, whole.lowest);
      EXPECT_EQ(pieces.highest, whole.highest);
    }
  }
  set_threads(before);
}

TEST(Svmlight, TheFirstBadLineIsReportedWhateverThePieces) {
  std::string text =
      random_rows(200, 2) + "1 5:bad\n" + random_rows(200, 3) + "1 5:worse\n" + random_rows(9, 4);
  const auto content = FileContent::from_string(std::move(text), "data.svm");
  const std::string expected = error_of([&] { parse_sparse_text(content, content.bytes(), {}); });
  expect_contains(expected, "'bad'");
  const int before = threads();
  for (const std::size_t bytes : {1UL, 64UL, 1000UL}) {
    for (const int count : {1, 4}) {
      set_threads(count);
      SparseTextRules rules;
      rules.target_bytes = bytes;
      EXPECT_EQ(error_of([&] { parse_sparse_text(content, content.bytes(), rules); }), expected);
    }
  }
  set_threads(before);
}

// Values as printed by another program read back as the nearest float.
TEST(Svmlight, ValuesAreReadExactly) {
  Random random(5);
  std::string text;
  std::vector<float> expected;
  for (int i = 0; i < 2000; ++i) {
    const auto value =
        static_cast<float>(random.normal() * std::pow(10.0, static_cast<double>(random.below(60)) - 30));
    const auto whole = static_cast<float>(random.below(20000000));
    expected.push_back(value);
    expected.push_back(whole + 1);
    char line[80];
    std::snprintf(line, sizeof(line), "1 1:%.9g 2:%.0f\n", static_cast<double>(value),
                  static_cast<double>(whole + 1));
    text += line;
  }
  EXPECT_EQ(sparse(read(text)).values, expected);
}

}  // namespace
}  // namespace mmo
