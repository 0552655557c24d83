#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "data/reading.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/data/readers.h"
#include "support/paths.h"

namespace mmo {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::row_of;
using testing::TempFolder;
using Row = std::vector<std::uint32_t>;

Dataset read(const std::string& text, const LoadOptions& options = {}) {
  return read_arff(FileContent::from_string(text, "data.arff"), options);
}

LoadOptions labels(const std::string& spec) {
  LoadOptions options;
  options.labels = spec;
  return options;
}

std::string fault(const std::string& text, const LoadOptions& options = labels("last:1")) {
  return error_of([&] { read(text, options); });
}

constexpr const char* small =
    "% a comment\n"
    "@RELATION 'two words'\n"
    "\n"
    "@Attribute  x\tNUMERIC\n"
    "@attribute 'Hammond\\'s \"y\"' Real % trailing comment\n"
    "@attribute \"label one\" {0,1}\n"
    "@attribute colour {red,'dark blue',green}\n"
    "@attribute size { 2, 10 ,1}\n"
    "@attribute two {0,1}\n"
    "@DATA\n"
    "1.5,-2e3,1,'dark blue',10,0\n"
    "% between\n"
    "\n"
    " ? , +3 , 0 , green , ? , 1\r\n"
    "4\t5 1 red 2 1";

TEST(Arff, DenseWithEverything) {
  const Dataset data = read(small, labels("label one,two"));
  const auto& x = std::get<DenseMatrix>(data.x);
  ASSERT_EQ(x.rows, 3U);
  ASSERT_EQ(x.cols, 4U);
  EXPECT_EQ(x(0, 0), 1.5F);
  EXPECT_EQ(x(0, 1), -2000.0F);
  EXPECT_EQ(x(0, 2), 1.0F);   // the second category
  EXPECT_EQ(x(0, 3), 10.0F);  // categories that are numbers keep their value
  EXPECT_TRUE(std::isnan(x(1, 0)));
  EXPECT_EQ(x(1, 1), 3.0F);
  EXPECT_TRUE(std::isnan(x(1, 3)));
  EXPECT_EQ(x(2, 2), 0.0F);
  EXPECT_EQ(data.features[1].name, "Hammond's \"y\"");
  EXPECT_EQ(data.features[2].categories, (std::vector<std::string>{"red", "dark blue", "green"}));
  EXPECT_FALSE(data.features[3].nominal());
  EXPECT_EQ(data.label_names, (std::vector<std::string>{"label one", "two"}));
  EXPECT_EQ(row_of(data.y, 0), Row{0});
  EXPECT_EQ(row_of(data.y, 1), Row{1});
  EXPECT_EQ(row_of(data.y, 2), (Row{0, 1}));
  EXPECT_EQ(data.unknown.rows, 0U);
  EXPECT_EQ(data.source, "data.arff");
}

constexpr const char* sparse =
    "@relation r\n@attribute a numeric\n@attribute l {0,1}\n@attribute c {u,v}\n@attribute d {5,0}\n"
    "@attribute m {1,0}\n@data\n"
    "{0 2.5, 1 1,2 v, 3 0}\n{}\n{ 2 ? , 4 0 }\n{3 5,4 1}";

TEST(Arff, SparseRowsLeaveOutTheFirstValue) {
  const Dataset data = read(sparse, labels("l,m"));
  const auto& x = std::get<CsrMatrix>(data.x);
  ASSERT_EQ(x.rows, 4U);
  ASSERT_EQ(x.cols, 3U);
  EXPECT_EQ(x.offsets, (std::vector<std::uint64_t>{0, 2, 3, 5, 6}));
  EXPECT_EQ(x.indices, (Row{0, 1, 2, 1, 2, 2}));
  EXPECT_EQ(x.values[0], 2.5F);
  EXPECT_EQ(x.values[1], 1.0F);
  EXPECT_EQ(x.values[2], 5.0F);  // attribute d left out: its first value, 5
  EXPECT_TRUE(std::isnan(x.values[3]));
  EXPECT_EQ(x.values[4], 5.0F);
  EXPECT_EQ(row_of(data.y, 0), (Row{0, 1}));  // label m left out: its first value, 1
  EXPECT_EQ(row_of(data.y, 1), Row{1});
  EXPECT_EQ(row_of(data.y, 2), Row{});
  EXPECT_EQ(row_of(data.y, 3), Row{1});
}

// Plain pairs have a quick way through them; blanks in unusual places send the same rows the long way.
TEST(Arff, SparseRowsAreTheSameHoweverTheyAreSpaced) {
  constexpr std::size_t columns = 400;
  std::string header = "@relation r\n";
  for (std::size_t c = 0; c < columns; ++c)
    header += fmt::format("@attribute a{} {}\n", c, c % 7 == 3 ? "{5,0,7}" : "numeric");
  header += "@attribute label {0,1}\n@data\n";
  std::string compact = header;
  std::string spaced = header;
  std::string wide = header;
  Random random(3);
  for (int row = 0; row < 300; ++row) {
    for (std::string* text : {&compact, &spaced, &wide}) *text += '{';
    const std::size_t step = 1 + random.below(90);
    for (std::size_t c = random.below(20); c <= columns; c += 1 + random.below(step)) {
      const std::string value = c == columns ? "1"
                                : c % 7 == 3 ? "7"
                                : c % 5 == 0 ? std::to_string(random.below(12))
                                : c % 5 == 1 ? "?"
                                             : fmt::format("{:.{}g}", random.uniform() - 0.5, 1 + c % 9);
      const bool first = compact.back() == '{';
      compact += fmt::format("{}{} {}", first ? "" : ",", c, value);
      spaced += fmt::format("{}{} {}", first ? "" : ", ", c, value);
      wide += fmt::format("{}{}\t {} ", first ? " " : " ,  ", c, value);
    }
    for (std::string* text : {&compact, &spaced, &wide}) *text += "}\n";
  }
  const Dataset expected = read(wide, labels("label"));
  for (const std::string* text : {&compact, &spaced}) {
    const Dataset data = read(*text, labels("label"));
    const auto& x = std::get<CsrMatrix>(data.x);
    const auto& y = std::get<CsrMatrix>(expected.x);
    EXPECT_EQ(x.offsets, y.offsets);
    ASSERT_TRUE(std::ranges::equal(x.indices, y.indices));
    EXPECT_TRUE(std::ranges::equal(
        x.values, y.values, [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
    EXPECT_EQ(data.y.offsets, expected.y.offsets);
    EXPECT_EQ(data.y.indices, expected.y.indices);
  }
}

TEST(Arff, MekaTellsItsLabels) {
  const std::string body =
      "@attribute a {0,1}\n@attribute b {0,1}\n@attribute c {0,1}\n@data\n1,0,1\n0,1,0\n";
  EXPECT_EQ(read("@relation 'x: -C 2'\n" + body).label_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read("@relation \"x:-C -1 -S 3\"\n" + body).label_names, std::vector<std::string>{"c"});
  EXPECT_EQ(read("@relation x: -split 5 -C 1\n" + body).label_names, std::vector<std::string>{"a"});
  expect_contains(error_of([&] { read("@relation 'x: -C 4'\n" + body); }), "3 columns");
  expect_contains(error_of([&] { read("@relation 'x: -C -2147483648'\n" + body); }), "3 columns");
  expect_contains(error_of([&] { read("\n@relation 'x: -C many'\n" + body); }), "data.arff:2: -C 'many'");
  expect_contains(error_of([&] { read("@relation weka.filter-C2\n" + body); }), "no label columns");
}

TEST(Arff, LabelsByPosition) {
  EXPECT_EQ(read(sparse, labels("last:1")).label_names, std::vector<std::string>{"m"});
  const std::string text = "@relation r\n@attribute a {0,1}\n@attribute b numeric\n@data\n1,2\n";
  EXPECT_EQ(read(text, labels("first:1")).label_names, std::vector<std::string>{"a"});
  expect_contains(fault(text, labels("first:99999999999")), "2 columns");
  expect_contains(fault(text, labels("last:0")), "last 0 columns");
  EXPECT_THROW(read(text, labels("last:x")), UsageError);
  EXPECT_THROW(read(text, labels("a,,b")), UsageError);
  EXPECT_THROW(read(text, labels("a,a")), UsageError);
  expect_contains(fault(text, labels("a,nix")), "'nix'");
}

TEST(Arff, LabelHeaderXml) {
  const TempFolder folder;
  const std::string text =
      "@relation r\n@attribute p {0,1}\n@attribute x numeric\n@attribute 'q & co' "
      "{0,1}\n@data\n1,2,0\n0,1,1\n";
  const std::string train = folder.put("set-train.arff", text);
  const auto open = [&](const LoadOptions& options = {}) {
    return read_arff(FileContent::open(train), options);
  };
  expect_contains(error_of([&] { open(); }), "no label columns; name the label columns by --labels");
  // Hierarchical and with a namespace prefix; found beside the file without its -train.
  (void)folder.put("set.xml",
                   "<?xml version=\"1.0\"?>\n<m:labels xmlns:m=\"http://mulan.sourceforge.net/labels\">\n"
                   "<!-- c --><m:label name='q &amp; co'><m:label name='p'/></m:label></m:labels>");
  EXPECT_EQ(open().label_names, (std::vector<std::string>{"p", "q & co"}));  // in the order of the columns
  // The same stem goes first.
  (void)folder.put("set-train.xml", "<labels><label name='p'/></labels>");
  EXPECT_EQ(open().label_names, std::vector<std::string>{"p"});
  // Named headers go before both.
  const auto with = [&](const std::string& xml) {
    return error_of([&] { open(labels(folder.put("other.xml", xml))); });
  };
  EXPECT_EQ(with("<labels><label name='q &amp; co'/></labels>"), "no error");
  expect_contains(with("<labels>\n<label name='p'/>\n<label name='lost'/></labels>"), "1 of the 2 labels");
  expect_contains(with("<labels>\n<label name='lost'/></labels>"), "'lost'");
  expect_contains(with("<labels>\n<label name='p'/>\n<label name='p'/></labels>"),
                  "other.xml:3: label 'p' is listed twice");
  expect_contains(with("<labels>\n<label/></labels>"), "other.xml:2: a label without a name");
  expect_contains(with("<labels>\n<label name='p'>"), "other.xml:2: broken XML");
  expect_contains(with("<lists/>"), "unexpected element 'lists'");
  expect_contains(with("<labels><x name='p'/></labels>"), "unexpected element 'x'");
  expect_contains(with("<labels/>"), "no labels here");
  expect_contains(with(""), "broken XML");
  EXPECT_THROW(open(labels(folder.path("none.xml"))), IoError);
  // Data to predict on may lack the columns.
  LoadOptions predicting = labels(folder.put("other.xml", "<labels><label name='lost'/></labels>"));
  predicting.need_labels = false;
  EXPECT_EQ(open(predicting).labels(), 0U);
}

TEST(Arff, DeepHierarchyDoesNotExhaustTheStack) {
  const TempFolder folder;
  std::string xml = "<labels>";
  for (int k = 0; k < 100000; ++k) xml += "<label name='" + std::to_string(k) + "'>";
  for (int k = 0; k < 100000; ++k) xml += "</label>";
  const std::string path = folder.put("deep.xml", xml + "</labels>");
  expect_contains(fault(small, labels(path)), "100000 labels");
}

TEST(Arff, ModelTellsTheLabels) {
  LoadOptions options;
  options.expected_labels = {"two", "absent", "label one"};
  EXPECT_EQ(read(small, options).label_names, (std::vector<std::string>{"label one", "two"}));
}

TEST(Arff, WeightsGroupsAndText) {
  const std::string text =
      "@relation r\n@attribute t string\n@attribute w numeric\n@attribute g string\n@attribute x numeric\n"
      "@attribute l {0,1}\n@data\n'it\\'s\\nok',0.5,g1,1,1\nword,2,'g 2',2,0\n";
  LoadOptions options = labels("l");
  options.text_column = "t";
  options.weight_column = "w";
  options.group_column = "g";
  const Dataset data = read(text, options);
  EXPECT_EQ(data.documents, (std::vector<std::string>{"it's\nok", "word"}));
  EXPECT_EQ(data.row_weights, (std::vector<float>{0.5F, 2.0F}));
  EXPECT_EQ(data.groups, (std::vector<std::string>{"g1", "g 2"}));
  EXPECT_EQ(feature_cols(data.x), 0U);
  EXPECT_EQ(feature_rows(data.x), 2U);
  ASSERT_EQ(data.notes.size(), 1U);
  expect_contains(data.notes[0], "'x'");
  expect_contains(
      fault("@relation r\n@attribute t string\n@attribute l {0,1}\n@data\n{0 word, 1 1}\n", labels("l")),
      "data.arff:2: attribute 't' holds texts, which sparse rows");
  options.weight_column = "l";
  expect_contains(fault(text, options), "can't be the weight column");
  options.weight_column = "nix";
  expect_contains(fault(text, options), "no column is called 'nix'");
  options.weight_column = "t";
  expect_contains(fault(text, options), "can't be the weight column");
  options.text_column.clear();
  expect_contains(fault(text, options), "data.arff:8: weight 'it's");
  // Sparse rows can't be silent about them.
  options.text_column = "t";
  options.weight_column = "w";
  const std::string head = text.substr(0, text.find("'it"));
  EXPECT_EQ(read(head + "{0 a, 1 1, 2 g, 4 1}", options).documents, std::vector<std::string>{"a"});
  expect_contains(fault(head + "{0 a, 2 g}", options), "data.arff:8: this sparse row has no value for 'w'");
}

TEST(Arff, UnknownLabels) {
  const std::string text =
      "@relation r\n@attribute x numeric\n@attribute a {0,1}\n@attribute b "
      "{0,1}\n@data\n1,?,1\n2,0,?\n3,1,1\n";
  expect_contains(fault(text, labels("a,b")), "data.arff:6: label 'a' is not known here ('?')");
  LoadOptions options = labels("a,b");
  options.unknown_labels = true;
  const Dataset data = read(text, options);
  ASSERT_EQ(data.unknown.rows, 3U);
  EXPECT_EQ(data.unknown.cols, 2U);
  EXPECT_EQ(row_of(data.unknown, 0), Row{0});
  EXPECT_EQ(row_of(data.unknown, 1), Row{1});
  EXPECT_EQ(row_of(data.unknown, 2), Row{});
  EXPECT_EQ(row_of(data.y, 0), Row{1});
  options.unknown_labels = false;
  options.need_labels = false;
  EXPECT_EQ(read(text, options).unknown.positives(), 2U);
}

TEST(Arff, LabelsMayBeWords) {
  const std::string text =
      "@relation r\n@attribute x numeric\n@attribute a {False,TRUE}\n@attribute b numeric\n@data\n1,TRUE,0\n"
      "2,False,1.0\n";
  const Dataset data = read(text, labels("a,b"));
  EXPECT_EQ(row_of(data.y, 0), Row{0});
  EXPECT_EQ(row_of(data.y, 1), Row{1});
}

TEST(Arff, HeaderFaults) {
  const std::string head = "@relation r\n@attribute x numeric\n@attribute l {0,1}\n";
  expect_contains(fault(""), "without @data");
  expect_contains(fault(head), "data.arff:4: the file ends without @data");
  expect_contains(fault("@relation r\n@data\n"), "data.arff:2: no @attribute");
  expect_contains(fault(head + "rubbish\n@data\n"), "data.arff:4: 'rubbish' in the header");
  expect_contains(fault(head + "@attribute x real\n@data\n"),
                  "data.arff:4: columns 1 and 3 are both called 'x'");
  expect_contains(fault(head + "@attribute y\n@data\n"), "data.arff:4: attribute 'y' has type ''");
  expect_contains(fault(head + "@attribute y complex\n@data\n"), "type 'complex'");
  expect_contains(fault(head + "@attribute y relational\n@data\n"), "type 'relational'");
  expect_contains(fault(head + "@attribute\n@data\n"), "data.arff:4: @attribute without");
  expect_contains(fault(head + "@attribute '' real\n@data\n"), "without a name");
  expect_contains(fault(head + "@attribute 'y real\n@data\n"), "data.arff:4: the quote ' is not closed");
  expect_contains(fault(head + "@attribute y {a,b\n@data\n"),
                  "data.arff:4: the list of values is not closed");
  expect_contains(fault(head + "@attribute y {a,a}\n@data\n"), "value 'a' is declared twice");
  expect_contains(fault(head + "@attribute y {a,,b}\n@data\n"), "expected a value");
  expect_contains(fault(head + "@attribute y real z\n@data\n"), "'z' after the type");
  expect_contains(fault("@relation r\n@attribute x real\n@attribute l {a,b}\n@data\n"),
                  "data.arff:3: attribute 'l' is a label with value 'a'");
  expect_contains(fault("@relation r\n@attribute x real\n@attribute l string\n@data\n"), "of type string");
}

TEST(Arff, RowFaults) {
  const std::string head =
      "@relation r\n@attribute x numeric\n@attribute c {u,v}\n@attribute n {1,2}\n@attribute l {0,1}\n@data\n"
      "1,u,1,0\n";
  const auto row = [&](const std::string& text) { return fault(head + text + "\n1,u,1,0\nbad\n"); };
  expect_contains(row("1,u,1"), "data.arff:8: 3 values in this row, but the header declares 4");
  expect_contains(row("1,u,1,0,7"), "data.arff:8: more values in this row than the 4");
  expect_contains(row("1,u,1,"), "data.arff:8: a comma ends this row");
  expect_contains(row("1,,1,0"), "data.arff:8: no value for attribute 'c'");
  expect_contains(row("a,u,1,0"), "data.arff:8: 'a' is not a number (attribute 'x')");
  expect_contains(row("1x,u,1,0"), "'1x' is not a number");
  expect_contains(row("inf,u,1,0"), "data.arff:8: 'inf' is infinite");
  expect_contains(row("-1e39,u,1,0"), "'-1e39' is infinite or too large");
  expect_contains(row("1,w,1,0"), "data.arff:8: value 'w' is not among the declared values of attribute 'c'");
  expect_contains(row("1,u,3,0"), "value '3' is not among the declared values of attribute 'n'");
  expect_contains(row("1,u,1,2"), "data.arff:8: label 'l' is '2'; expected 0 or 1");
  expect_contains(row("1,'u,1,0"), "data.arff:8: the quote ' is not closed");
  expect_contains(row("1,'u'x,1,0"), "data.arff:8: expected a comma before 'x,1,0'");
  expect_contains(row("{0 1}"), "data.arff:8: a sparse row");
  EXPECT_EQ(fault(head + "1e-60,'u',2.0,1 % small\n"), "no error");
}

TEST(Arff, SparseRowFaults) {
  const std::string head =
      "@relation r\n@attribute x numeric\n@attribute y numeric\n@attribute l {0,1}\n@data\n{0 1}\n";
  const auto row = [&](const std::string& text) { return fault(head + text + "\n{0 1}\nbad\n"); };
  expect_contains(row("{3 1}"),
                  "data.arff:7: index 3 in a sparse row, but the attributes are numbered 0 to 2");
  expect_contains(row("{4000000000 1}"), "index 4000000000");
  expect_contains(row("{99999999999999999999999 1}"), "index 99999999999999999999999");
  expect_contains(row("{-1 1}"), "data.arff:7: '-1 1' in a sparse row");
  expect_contains(row("{1 1, 0 1}"), "data.arff:7: index 0 is out of order");
  expect_contains(row("{1 1, 1 1}"), "data.arff:7: index 1 is repeated");
  expect_contains(row("{1}"), "data.arff:7: '1' in a sparse row");
  expect_contains(row("{1 }"), "data.arff:7: no value after index 1");
  expect_contains(row("{1 1"), "data.arff:7: this sparse row is not closed");
  expect_contains(row("{1 1} x"), "data.arff:7: text after the closing }");
  expect_contains(row("{1 abc}"), "data.arff:7: 'abc' is not a number (attribute 'y')");
  expect_contains(row("1,2,0"), "data.arff:7: a dense row");
}

// Many attributes and many short rows must not ask for rows × attributes of memory.
TEST(Arff, AbsurdShapesAreRefusedCheaply) {
  std::string text = "@relation r\n";
  for (int k = 0; k < 200000; ++k) text += "@attribute a" + std::to_string(k) + " numeric\n";
  text += "@data\n";
  for (int k = 0; k < 500000; ++k) text += "1\n";
  expect_contains(fault(text), "data.arff:200003: 1 values in this row");
}

std::string many_rows(std::size_t rows, bool as_sparse) {
  std::string text = "@relation r\n";
  for (int k = 0; k < 20; ++k) text += "@attribute f" + std::to_string(k) + " numeric\n";
  text += "@attribute l {0,1}\n@attribute m {0,1}\n@data\n";
  Random random(5);
  for (std::size_t i = 0; i < rows; ++i) {
    if (as_sparse) text += "{";
    for (int k = 0; k < 20; ++k) {
      if (as_sparse && random.below(2) == 0) continue;
      text += (as_sparse ? std::to_string(k) + " " : "") + std::to_string(random.normal()) + ",";
    }
    const std::string l = std::to_string(random.below(2));
    const std::string m = std::to_string(random.below(2));
    text += as_sparse ? "20 " : "";
    text += l;
    text += as_sparse ? ",21 " : ",";
    text += m;
    text += as_sparse ? "}\n" : "\n";
    if (i % 1000 == 7) text += "% comment\n\n";
  }
  return text;
}

class ArffThreads : public ::testing::TestWithParam<bool> {
 protected:
  void TearDown() override { set_threads(0); }
};

TEST_P(ArffThreads, ManyPiecesGiveTheSameWithAnyThreads) {
  const std::string text = many_rows(20000, GetParam());
  ASSERT_GT(text.size(), std::size_t{2} << 20);  // several pieces
  set_threads(1);
  const Dataset one = read(text, labels("last:2"));
  set_threads(4);
  const Dataset four = read(text, labels("last:2"));
  EXPECT_EQ(one.rows(), 20000U);
  testing::expect_same(one, four);
}

TEST_P(ArffThreads, FirstOfManyFaultsIsReported) {
  std::string text = many_rows(20000, GetParam());
  const std::size_t first = text.find('\n', text.size() / 2);
  const auto line = 2 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first), '\n');
  text = text.substr(0, first) + "\nbad one\n" + text.substr(first + 1);
  text.insert(text.find('\n', text.size() - text.size() / 4), "\nbad two\n");
  for (int threads = 1; threads <= 4; ++threads) {
    set_threads(threads);
    const std::string message = fault(text, labels("last:2"));
    expect_contains(message, "data.arff:" + std::to_string(line) + ": ");
  }
}

INSTANTIATE_TEST_SUITE_P(DenseAndSparse, ArffThreads, ::testing::Bool());

TEST(Arff, MutationsNeverEscape) {
  const TempFolder folder;
  const std::string xml = "<labels><label name='label one'><label name=\"two\"/></label></labels>";
  const std::string path = folder.put("labels.xml", xml);
  LoadOptions options = labels(path);
  options.unknown_labels = true;
  testing::fuzz(small, 4000, 1, [&](const std::string& text) { read(text, options); });
  testing::fuzz(small, 2000, 2, [&](const std::string& text) { read(text, labels("last:1")); });
  testing::fuzz(sparse, 4000, 3, [&](const std::string& text) { read(text, labels("l,m")); });
  testing::fuzz(
      "@relation 'x: -C 1'\n@attribute l {0,1}\n@attribute t string\n@attribute w real\n@data\n"
      "1,'a \\'b\\'',1.5\n0,c,2\n",
      2000, 4, [&](const std::string& text) {
        LoadOptions meka;
        meka.text_column = "t";
        meka.weight_column = "w";
        read(text, meka);
      });
  testing::fuzz(xml, 1000, 5,
                [&](const std::string& text) { read(small, labels(folder.put("fuzzed.xml", text))); });
}

struct Shape {
  const char* file;
  std::size_t rows;
  std::size_t features;
  std::size_t labels;
  std::size_t positives;
};

class RealDataMulan : public ::testing::TestWithParam<Shape> {};

// Shapes as published with the sets; positives counted by an independent script.
TEST_P(RealDataMulan, HaveTheirShape) {
  const Shape shape = GetParam();
  const std::string path = test::shared_data() + "/mulan/" + shape.file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  const Dataset data = read_arff(FileContent::open(path), {});
  EXPECT_EQ(data.rows(), shape.rows);
  EXPECT_EQ(feature_rows(data.x), shape.rows);
  EXPECT_EQ(feature_cols(data.x), shape.features);
  EXPECT_EQ(data.features.size(), shape.features);
  EXPECT_EQ(data.labels(), shape.labels);
  EXPECT_EQ(data.label_names.size(), shape.labels);
  EXPECT_EQ(data.y.positives(), shape.positives);
}

INSTANTIATE_TEST_SUITE_P(Mulan, RealDataMulan,
                         ::testing::Values(Shape{"birds/birds-test.arff", 323, 260, 19, 313},
                                           Shape{"birds/birds-train.arff", 322, 260, 19, 341},
                                           Shape{"cal500/cal500.arff", 502, 68, 174, 13074},
                                           Shape{"delicious/delicious-test.arff", 3185, 500, 983, 60229},
                                           Shape{"delicious/delicious-train.arff", 12920, 500, 983, 246088},
                                           Shape{"emotions/emotions-test.arff", 202, 72, 6, 399},
                                           Shape{"emotions/emotions-train.arff", 391, 72, 6, 709},
                                           Shape{"scene/scene-test.arff", 1196, 294, 6, 1299},
                                           Shape{"scene/scene-train.arff", 1211, 294, 6, 1286},
                                           Shape{"yeast/yeast-test.arff", 917, 103, 14, 3899},
                                           Shape{"yeast/yeast-train.arff", 1500, 103, 14, 6342}));

}  // namespace
}  // namespace mmo
