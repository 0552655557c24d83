#include <algorithm>
#include <cmath>

#include "data/reading.h"
#include "mmo/core/parallel.h"
#include "mmo/data/pieces.h"
#include "mmo/data/readers.h"

namespace mmo {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::row_of;
using Row = std::vector<std::uint32_t>;
using Texts = std::vector<std::string>;

Dataset read(const std::string& text, const LoadOptions& options, char separator = ',') {
  return read_delimited(FileContent::from_string(text, "data.csv"), options, separator);
}

LoadOptions labels(const std::string& spec) {
  LoadOptions options;
  options.labels = spec;
  return options;
}

std::string fault(const std::string& text, const LoadOptions& options) {
  return error_of([&] { read(text, options); });
}

TEST(Csv, NumbersCategoriesAndLabels) {
  const Dataset data = read(
      "\xEF\xBB\xBF\"x, 1\",sports,colour,\"says \"\"hi\"\"\",news\r\n"
      "1.5,1,red,+2,no\r\n"
      "\r\n"
      "\"-3e2\",TRUE,\"dark\nblue\",,Yes\r\n"
      " 7 ,0.0, green ,NA,1",
      labels("news,sports"));
  const auto& x = std::get<DenseMatrix>(data.x);
  ASSERT_EQ(x.rows, 3U);
  ASSERT_EQ(x.cols, 3U);
  EXPECT_EQ(data.features[0].name, "x, 1");
  EXPECT_EQ(data.features[2].name, "says \"hi\"");
  EXPECT_EQ(data.features[1].categories, (Texts{"dark\nblue", "green", "red"}));
  EXPECT_FALSE(data.features[0].nominal());
  EXPECT_EQ(x(0, 0), 1.5F);
  EXPECT_EQ(x(1, 0), -300.0F);
  EXPECT_EQ(x(2, 0), 7.0F);
  EXPECT_EQ(x(0, 1), 2.0F);
  EXPECT_EQ(x(1, 1), 0.0F);
  EXPECT_EQ(x(2, 1), 1.0F);
  EXPECT_EQ(x(0, 2), 2.0F);
  EXPECT_TRUE(std::isnan(x(1, 2)));
  EXPECT_TRUE(std::isnan(x(2, 2)));
  EXPECT_EQ(data.label_names, (Texts{"sports", "news"}));  // in the order of the columns
  EXPECT_EQ(row_of(data.y, 0), Row{0});
  EXPECT_EQ(row_of(data.y, 1), (Row{0, 1}));
  EXPECT_EQ(row_of(data.y, 2), Row{1});
}

TEST(Csv, TabsAndPositions) {
  const std::string text = "a\tb\tc\n1\t0\t5\n0\t1\t6\n";
  const Dataset data = read(text, labels("first:2"), '\t');
  EXPECT_EQ(data.label_names, (Texts{"a", "b"}));
  EXPECT_EQ(std::get<DenseMatrix>(data.x).values, (std::vector<float>{5, 6}));
  EXPECT_EQ(read("x,p,q\n1,1,0\n", labels("last:2")).label_names, (Texts{"p", "q"}));
  expect_contains(fault("x,p\n1,1\n", labels("last:3")), "the last 3 columns are said to be labels");
}

TEST(Csv, OneLabelColumnMayHoldLists) {
  const std::string text = "x,genres\n1,drama;comedy\n2,\n3,\"comedy, horror|comedy\"\n4, action \n";
  const Dataset data = read(text, labels("genres"));
  EXPECT_EQ(data.label_names, (Texts{"action", "comedy", "drama", "horror"}));
  EXPECT_EQ(row_of(data.y, 0), (Row{1, 2}));
  EXPECT_EQ(row_of(data.y, 1), Row{});
  EXPECT_EQ(row_of(data.y, 2), (Row{1, 3}));
  EXPECT_EQ(row_of(data.y, 3), Row{0});
  EXPECT_EQ(data.y.cols, 4U);
  LoadOptions options = labels("genres");
  options.label_separator = "|";
  EXPECT_EQ(read(text, options).label_names, (Texts{"action", "comedy", "comedy, horror", "drama;comedy"}));
}

TEST(Csv, OneLabelColumnMayHoldFlags) {
  const Dataset data = read("x,spam\n1,1\n2,0\n3,yes\n", labels("spam"));
  EXPECT_EQ(data.label_names, Texts{"spam"});
  EXPECT_EQ(data.y.offsets, (std::vector<std::uint64_t>{0, 1, 1, 2}));
  expect_contains(fault("x,spam\n1,1\n2,\n", labels("spam")), "data.csv:3: label 'spam' is not known here");
}

TEST(Csv, UnknownLabels) {
  const std::string two = "x,a,b\n1,1,?\n2,,0\n3,nan,1\n";
  expect_contains(fault(two, labels("a,b")), "data.csv:2: label 'b' is not known here ('?')");
  LoadOptions options = labels("a,b");
  options.unknown_labels = true;
  const Dataset data = read(two, options);
  EXPECT_EQ(row_of(data.unknown, 0), Row{1});
  EXPECT_EQ(row_of(data.unknown, 1), Row{0});
  EXPECT_EQ(row_of(data.unknown, 2), Row{0});
  EXPECT_EQ(row_of(data.y, 0), Row{0});

  const std::string lists = "x,tags\n1,p|q\n2,?\n3,\n";
  expect_contains(fault(lists, labels("tags")), "data.csv:3: label 'tags' is not known here ('?')");
  options.labels = "tags";
  const Dataset listed = read(lists, options);
  EXPECT_EQ(row_of(listed.unknown, 0), Row{});
  EXPECT_EQ(row_of(listed.unknown, 1), (Row{0, 1}));
  EXPECT_EQ(row_of(listed.unknown, 2), Row{});

  const Dataset flags = read("x,spam\n1,1\n2,\n", [] {
    LoadOptions o = labels("spam");
    o.unknown_labels = true;
    return o;
  }());
  EXPECT_EQ(row_of(flags.unknown, 1), Row{0});
}

TEST(Csv, TextWeightsAndGroups) {
  LoadOptions options = labels("l,m");
  options.text_column = "text";
  options.weight_column = "w";
  options.group_column = "who";
  const Dataset data = read(
      "w,text,l,who,m,extra\n0.5,\"He said \"\"no, \n never\"\"\",1,ann,0,9\n2, plain ,0,bob,1,8\n", options);
  EXPECT_EQ(data.documents, (Texts{"He said \"no, \n never\"", " plain "}));
  EXPECT_EQ(data.row_weights, (std::vector<float>{0.5F, 2.0F}));
  EXPECT_EQ(data.groups, (Texts{"ann", "bob"}));
  EXPECT_EQ(feature_cols(data.x), 0U);
  EXPECT_EQ(feature_rows(data.x), 2U);
  ASSERT_EQ(data.notes.size(), 1U);
  expect_contains(data.notes[0], "'extra'");
  const std::string head = "w,text,l,who,m\n";
  expect_contains(fault(head + "-1,t,1,ann,0\n", options), "data.csv:2: weight '-1' in column 'w'");
  expect_contains(fault(head + "inf,t,1,ann,0\n", options), "weight 'inf'");
  expect_contains(fault(head + ",t,1,ann,0\n", options), "weight (empty)");
  expect_contains(fault(head + "1,t,1,,0\n", options), "no value in the group column 'who'");
}

TEST(Csv, PredictionNeedsNoLabels) {
  LoadOptions options;
  options.need_labels = false;
  EXPECT_EQ(read("x,y\n1,2\n", options).labels(), 0U);
  EXPECT_EQ(read("x,y\n1,2\n", options).rows(), 1U);
  options.expected_labels = {"sports", "news"};
  EXPECT_EQ(read("x,news\n1,\n", options).label_names, Texts{"news"});
  options.labels = "sports,news";
  EXPECT_EQ(read("x,y\n1,2\n", options).labels(), 0U);
  expect_contains(fault("x,y\n1,2\n", {}), "no label columns; name the label columns by --labels");
}

TEST(Csv, RowNumbersOfPandasAreIgnored) {
  EXPECT_EQ(read(",x,l\n0,5,1\n1,6,0\n", labels("last:1")).label_names, Texts{"l"});
  EXPECT_EQ(read(",l,x\n0,1,5\n1,0,6\n", labels("first:1")).label_names, Texts{"l"});
  const Dataset one = read(",x,l\n0,5,1\n1,6,0\n", labels("last:1"));
  EXPECT_EQ(std::get<DenseMatrix>(one.x).values, (std::vector<float>{5, 6}));
  expect_contains(one.notes.at(0), "unnamed first column");
}

TEST(Csv, Faults) {
  const LoadOptions last = labels("last:1");
  expect_contains(fault("", last), "column 1 has no name");
  expect_contains(fault("1,2,3\n4,5,0\n", last), "data.csv:1: the first line must name the columns");
  expect_contains(fault("a,,l\n1,2,0\n", last), "data.csv:1: column 2 has no name");
  expect_contains(fault("a,b,a\n1,2,0\n", last), "columns 1 and 3 are both called 'a'");
  expect_contains(fault("a,l\n1,0\n\n1\nx,x,x\n", last),
                  "data.csv:4: 1 cells in this row, but the first line names 2");
  expect_contains(fault("a,l\n\"1\n2\",0\n1,0,5,6\n", last), "data.csv:4: 4 cells in this row");
  expect_contains(fault("a,l\n1,0,\n", last), "data.csv:2: 3 cells");
  expect_contains(fault("a,l,m\n1,2,0\n", labels("l,m")), "data.csv:2: label 'l' is '2'; expected 0 or 1");
  expect_contains(fault("a,l\n1,0\n\"x,0\n1,0\n", last), "data.csv:3: the quote opened here is not closed");
  expect_contains(fault("a,l\n1,0\n5\" pipe,0\n", last), "data.csv:3: a quote inside a cell");
  expect_contains(fault("a,l\n\"x\"y,0\n", last), "data.csv:2: text follows the closing quote");
  expect_contains(fault("\"a,l\n1,0\n", last), "data.csv:1: the quote opened here");
  expect_contains(fault("a,l\n1,0\n-inf,1\n", last), "data.csv:3: a number in column 'a' is infinite");
  expect_contains(fault("a,l\n1,0\n1e99,1\n", last), "data.csv:3: a number in column 'a' is infinite");
  EXPECT_EQ(fault("a,l\ninf,0\nword,1\n", last), "no error");  // a text among texts
}

TEST(Csv, CellsAtTheEndOfTheText) {
  EXPECT_EQ(std::get<DenseMatrix>(read("l,a\n1,", labels("l")).x).rows, 1U);
  EXPECT_EQ(read("l,m,a\n1,0,\"\"", labels("l,m")).rows(), 1U);
  EXPECT_EQ(read("l,a", labels("l")).rows(), 0U);
}

TEST(Csv, AbsurdShapesAreRefusedCheaply) {
  std::string text = "l";
  for (int k = 0; k < 200000; ++k) text += ",a" + std::to_string(k);
  text += "\n";
  for (int k = 0; k < 500000; ++k) text += "1\n";
  expect_contains(fault(text, labels("l")), "data.csv:2: 1 cells in this row");
}

// Records with quoted line ends are cut between records only, whatever the size of the pieces.
TEST(Csv, PiecesEndAtRecords) {
  const std::string text = "a,\"b\n\"\"c\"\n\"\n\n\n\",d\ne,f\n\n\"g\"\n";
  const Texts records{"a,\"b\n\"\"c\"\n", "\"\n\n\n\",d\n", "e,f\n", "\n", "\"g\"\n"};
  std::vector<std::size_t> ends;
  for (const std::string& record : records) ends.push_back((ends.empty() ? 0 : ends.back()) + record.size());
  for (std::size_t target = 1; target <= text.size() + 1; ++target) {
    std::size_t at = 0;
    for (const std::string_view piece : cut_at_records(text, target)) {
      at += piece.size();
      EXPECT_TRUE(std::find(ends.begin(), ends.end(), at) != ends.end())
          << "target " << target << " at " << at;
    }
    EXPECT_EQ(at, text.size());
  }
}

class CsvThreads : public ::testing::Test {
 protected:
  void TearDown() override { set_threads(0); }

  static std::string many_rows() {
    std::string text = "a,b,colour,note,l,m\n";
    Random random(3);
    const Texts colours{"red", "blue", "\"dark\ngreen\"", "?"};
    while (text.size() < (std::size_t{3} << 20)) {
      text += std::to_string(random.normal()) + "," + std::to_string(random.below(1000)) + "," +
              colours[random.below(colours.size())] + ",\"n" + std::to_string(random.below(500)) +
              " \"\"q\"\"\n\"," + std::to_string(random.below(2)) + "," + std::to_string(random.below(2)) +
              "\n";
    }
    return text;
  }
};

TEST_F(CsvThreads, ManyPiecesGiveTheSameWithAnyThreads) {
  const std::string text = many_rows();
  for (const std::string spec : {"l,m", "note"}) {
    set_threads(1);
    const Dataset one = read(text, labels(spec));
    set_threads(4);
    const Dataset four = read(text, labels(spec));
    testing::expect_same(one, four);
    for (std::size_t f = 0; f < one.features.size(); ++f) {
      EXPECT_EQ(one.features[f].categories, four.features[f].categories);
    }
  }
}

TEST_F(CsvThreads, FirstOfManyFaultsIsReported) {
  std::string text = many_rows();
  // After whole rows: near the end one that is too short, before it one with a stray quote.
  const std::string row_end = "\n\",0,0\n";
  text.insert(text.find(row_end, text.size() - text.size() / 5) + row_end.size(), "one,two\n");
  const std::size_t at = text.find(row_end, text.size() / 3) + row_end.size();
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  text.insert(at, "bad \"quote,1\n");
  for (int threads = 1; threads <= 4; ++threads) {
    set_threads(threads);
    expect_contains(fault(text, labels("l,m")),
                    "data.csv:" + std::to_string(line) + ": a quote inside a cell");
  }
}

TEST(Csv, MutationsNeverEscape) {
  const std::string text =
      "x,colour,\"text, long\",w,l,m\n1.5,red,\"a "
      "\"\"b\"\"\nc\",1,0,1\r\n-2,blue,plain,0.5,yes,no\n,?,,2,1,1\n";
  testing::fuzz(text, 4000, 11, [](const std::string& t) { read(t, labels("l,m")); });
  testing::fuzz(text, 3000, 12, [](const std::string& t) {
    LoadOptions options = labels("last:2");
    options.text_column = "text, long";
    options.weight_column = "w";
    options.unknown_labels = true;
    read(t, options);
  });
  testing::fuzz("x,tags\n1,a;b\n2,\"b|c\"\n3,?\n4,\n", 3000, 13, [](const std::string& t) {
    LoadOptions options = labels("tags");
    options.unknown_labels = true;
    read(t, options);
  });
}

}  // namespace
}  // namespace mmo
