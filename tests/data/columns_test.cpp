// What the columns of a table are taken for, what is refused, and how a model finds its columns again.
#include <algorithm>
#include <cmath>

#include "data/reading.h"
#include "mmo/data/dates.h"
#include "mmo/data/describe.h"
#include "mmo/data/load.h"
#include "mmo/data/readers.h"

namespace mmo {
namespace {

using testing::error_of;
using testing::expect_contains;
using Texts = std::vector<std::string>;

Dataset read(const std::string& text, const LoadOptions& options = {}) {
  LoadOptions with_label = options;
  if (!with_label.expected_columns) with_label.labels = "l";
  return read_delimited(FileContent::from_string(text, "data.csv"), with_label, ',');
}

std::string fault(const std::string& text, const LoadOptions& options = {}) {
  return error_of([&] { read(text, options); });
}

// One column "c" and a label.
std::string column(const Texts& cells) {
  std::string text = "c,l\n";
  for (const std::string& cell : cells) text += cell + ",1\n";
  return text;
}

Texts many(std::size_t count, const std::function<std::string(std::size_t)>& cell) {
  Texts cells;
  for (std::size_t i = 0; i < count; ++i) cells.push_back(cell(i));
  return cells;
}

std::vector<float> values(const Dataset& data) {
  const auto& x = std::get<DenseMatrix>(data.x).values;
  return {x.begin(), x.end()};
}

TEST(Columns, OneBadCellAmongNumbersIsRefused) {
  for (const std::string& bad : Texts{"1.2x", "1 000", "\"1,5\"", std::string("7\0", 2)}) {
    Texts cells{"1", "2.5", "-3"};
    cells.push_back(bad);
    const std::string text = fault(column(cells));
    expect_contains(text, "data.csv:5: ");
    expect_contains(text, "in column 'c' is not a number, but 3 of the column's 4 cells are");
    expect_contains(text, "--category c or --drop c");
    LoadOptions said;
    said.columns.category = {"c"};
    EXPECT_EQ(read(column(cells), said).features[0].categories.size(), 4U);
  }
  expect_contains(fault(column({"1", "2", "1.2x"})), "'1.2x'");
  expect_contains(
      fault(column(many(40, [](std::size_t i) { return "\"1 0" + std::to_string(10 + i) + "\""; }))),
      "looks like a number but is not written as one");
}

TEST(Columns, NumbersAmongWordsAreCategoriesWithARemark) {
  const Dataset data = read(column({"1", "2", "3", "4", "x", "y", "x"}));
  EXPECT_EQ(data.features[0].categories.size(), 6U);
  expect_contains(data.notes.at(0), "read as categories, although 4 of its 7 cells are numbers");
}

TEST(Columns, DecimalCommasAreReadOrRefused) {
  const Dataset data = read(column({"\"1,5\"", "2", "\"-0,25\"", ""}));
  EXPECT_EQ(values(data)[0], 1.5F);
  EXPECT_EQ(values(data)[2], -0.25F);
  EXPECT_TRUE(std::isnan(values(data)[3]));
  expect_contains(data.notes.at(0), "decimal comma");
  const Texts thousands = many(30, [](std::size_t i) { return "\"" + std::to_string(i + 1) + ",000\""; });
  expect_contains(fault(column(thousands)), "looks like a number but is not written as one");
}

TEST(Columns, Dates) {
  EXPECT_EQ(parse_date("1970-01-02", DateOrder::year_first), 1.0);
  EXPECT_EQ(parse_date("1970-01-01T06:00:00+06:00", DateOrder::year_first), 0.0);
  EXPECT_EQ(parse_date("1970-01-01 12:00", DateOrder::none), 0.5);
  EXPECT_EQ(parse_date("02.01.1970", DateOrder::day_first), 1.0);
  EXPECT_EQ(parse_date("1/2/1970", DateOrder::month_first), 1.0);
  EXPECT_FALSE(parse_date("2024-02-30", DateOrder::year_first));
  EXPECT_FALSE(parse_date("1/2/24", DateOrder::month_first));
  EXPECT_FALSE(parse_date("2024-02", DateOrder::year_first));
  for (const Texts& cells : {Texts{"2024-03-01", "2024-03-31", ""}, Texts{"01.03.2024", "31.03.2024", ""},
                             Texts{"3/1/2024", "3/31/2024", ""}}) {
    const Dataset data = read(column(cells));
    EXPECT_NE(data.features[0].date, DateOrder::none);
    EXPECT_EQ(values(data)[0], 19783.0F);
    EXPECT_EQ(values(data)[1], 19813.0F);
    EXPECT_TRUE(std::isnan(values(data)[2]));
  }
  expect_contains(read(column({"1/2/2024", "3/4/2024"})).notes.at(0), "day first");
  expect_contains(fault(column({"2024-03-01", "31.12.2024", "30.12.2024", "12/31/2024"})),
                  "data.csv:5: '12/31/2024' in column 'c' is a date in another order");
}

// Titles, prices and what else a shop has; `id` and `shop` carry nothing.
std::string shop(std::size_t rows) {
  const Texts nouns{"shirt", "lamp", "chair", "phone", "book"};
  const Texts colours{"red", "blue", "green"};
  std::string text = "id,title,price,brand,added,shop,empty,l\n";
  for (std::size_t i = 0; i < rows; ++i) {
    text += "A" + std::to_string(1000 + i) + "," + colours[i % 3] + " " + nouns[i % 5] + " number " +
            std::to_string(i) + "," + (i % 20 == 7 ? "" : std::to_string(i % 17) + ".5") + ",brand" +
            std::to_string(i % 4) + ",2024-01-" + std::to_string(10 + i % 20) + ",main,," +
            std::to_string(i % 2) + "\n";
  }
  return text;
}

TEST(Columns, KindsAreGuessed) {
  const Dataset data = read(shop(60));
  ASSERT_EQ(data.texts.size(), 1U);
  EXPECT_EQ(data.texts[0].name, "title");
  EXPECT_EQ(data.texts[0].cells[1], "blue lamp number 1");
  ASSERT_EQ(data.features.size(), 3U);
  EXPECT_EQ(data.features[0].name, "price");
  EXPECT_EQ(data.features[1].categories, (Texts{"brand0", "brand1", "brand2", "brand3"}));
  EXPECT_EQ(data.features[2].date, DateOrder::year_first);
  Texts left_out;
  for (const LeftOutColumn& out : data.left_out) left_out.push_back(out.name);
  EXPECT_EQ(left_out, (Texts{"id", "shop", "empty"}));
  expect_contains(data.notes.at(0), "column 'id' is left out: its texts all differ");
  expect_contains(card_text(describe(data)),
                  "title (text), price (number, 5 % missing), brand (category, 4 values)");

  LoadOptions said;
  said.columns.text = {"id"};
  said.columns.category = {"shop"};
  said.columns.drop = {"title"};
  const Dataset chosen = read(shop(60), said);
  EXPECT_EQ(chosen.texts.at(0).name, "id");
  EXPECT_EQ(chosen.features.back().categories, Texts{"main"});
  said.columns.text = {"nothing"};
  expect_contains(fault(shop(60), said), "--text 'nothing': no feature column is called so");

  LoadOptions as_written;
  as_written.as_written = true;
  const Dataset whole = read(shop(60), as_written);
  EXPECT_EQ(whole.features.size(), 7U);
  EXPECT_TRUE(whole.texts.empty());
}

TEST(Columns, NumbersThatOnlyCountRowsAreLeftOut) {
  const auto table = [](const std::string& name, std::size_t first, std::size_t step) {
    std::string text = name + ",x,l\n";
    for (std::size_t i = 0; i < 30; ++i)
      text += std::to_string(first + step * i) + "," + std::to_string(i * i % 7) + ",1\n";
    return text;
  };
  EXPECT_EQ(read(table("n", 1, 1)).left_out.at(0).name, "n");
  EXPECT_EQ(read(table("user_id", 100, 7)).left_out.at(0).name, "user_id");
  EXPECT_TRUE(read(table("year", 1990, 1)).left_out.empty());
  LoadOptions said;
  said.columns.number = {"n"};
  EXPECT_TRUE(read(table("n", 1, 1), said).left_out.empty());
}

TEST(Columns, PrintedListsOfLabels) {
  const std::string text =
      "x,l\n1,\"['a', 'b c']\"\n2,\"[\"\"b c\"\", \"\"it's\"\"]\"\n3,[]\n4,\"['a' "
      "'d']\"\n5,\"{'a'}\"\n6,a;d\n";
  const Dataset data = read(text);
  EXPECT_EQ(data.label_names, (Texts{"a", "b c", "d", "it's"}));
  EXPECT_EQ(testing::row_of(data.y, 0), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(testing::row_of(data.y, 1), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_TRUE(testing::row_of(data.y, 2).empty());
  EXPECT_EQ(testing::row_of(data.y, 3), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(testing::row_of(data.y, 4), (std::vector<std::uint32_t>{0}));
  expect_contains(fault("x,l\n1,a\n2,\"['a', 'b]\"\n"),
                  "data.csv:3: a quote that is not closed in the list of labels");
}

TEST(Columns, OtherEncodingsAreRefused) {
  const std::string latin = "caf\xE9";
  expect_contains(fault("c,l\nplain,1\n" + latin + ",1\n"),
                  "data.csv:3: the text in column 'c' is not UTF-8");
  expect_contains(fault("c,l\n1," + latin + "\n"), "data.csv:2: a label's name is not UTF-8");
  expect_contains(fault(latin + ",l\n1,1\n"), "data.csv:1: a column's name is not UTF-8");
  LoadOptions text;
  text.text_column = "c";
  expect_contains(fault("c,l\n" + latin + ",1\n", text), "data.csv:2: the text in column 'c' is not UTF-8");
  LoadOptions predicting;
  predicting.need_labels = false;
  expect_contains(
      error_of([&] { read_lines(FileContent::from_string("a\n" + latin + "\n", "t"), predicting); }),
      "t:2: the text is not UTF-8");
  expect_contains(error_of([&] {
                    read_fasttext(FileContent::from_string("__label__a b\n__label__a " + latin + "\n", "f"),
                                  {});
                  }),
                  "f:2: the text is not UTF-8");
}

// As the program reads a file for a model.
Dataset load_like(const Dataset& model, const std::string& text) {
  const testing::TempFolder folder;
  LoadOptions options;
  options.need_labels = false;
  options.expected_columns = input_columns(model);
  return load_dataset(folder.put("new.csv", text), options);
}

TEST(Columns, AModelFindsItsColumnsByName) {
  const Dataset model = read(shop(60));
  const Dataset data = load_like(
      model, "more,brand,added,title,price\n1,brand2,2024-01-11,a chair,3\n2,brand9,2024-01-12,,\n");
  ASSERT_EQ(data.features.size(), 3U);
  EXPECT_EQ(data.features[0].name, "price");
  EXPECT_EQ(values(data)[0], 3.0F);
  EXPECT_EQ(data.features[1].name, "brand");
  EXPECT_EQ(values(data)[2], 19733.0F);
  EXPECT_EQ(data.texts.at(0).cells, (Texts{"a chair", ""}));
  const auto noted = [&](const std::string& part) {
    return std::any_of(data.notes.begin(), data.notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
  };
  EXPECT_TRUE(noted("columns not used: 'more'"));
  EXPECT_TRUE(noted("the model has not seen 'brand9' (1 row)"));
}

TEST(Columns, AColumnThatChangedIsRefused) {
  const Dataset model = read(shop(60));
  const auto error = [&](const std::string& text) { return error_of([&] { load_like(model, text); }); };
  expect_contains(error("brand,added,title\nbrand1,2024-01-11,x\n"),
                  "1 of the 4 columns that the model reads is missing: 'price'");
  expect_contains(error("brand,added,title,price\nbrand1,2024-01-11,x,12\nbrand1,2024-01-11,x,cheap\n"),
                  "new.csv:3: 'cheap' in column 'price' is not a number");
  expect_contains(error("brand,added,title,price\nbrand1,yesterday,x,12\n"),
                  "new.csv:2: 'yesterday' in column 'added' is not a date written as year-month-day");
}

TEST(Columns, ArffMayHoldTextsAndDates) {
  std::string text =
      "@relation r\n@attribute title string\n@attribute size numeric\n@attribute day date 'yyyy-MM-dd'\n"
      "@attribute colour {red,blue}\n@attribute l {0,1}\n@data\n";
  for (int i = 0; i < 30; ++i)
    text += "'some words here " + std::to_string(i) + "'," + std::to_string(i % 7) + ",2024-03-0" +
            std::to_string(1 + i % 9) + "," + (i % 2 == 0 ? "red" : "blue") + ",1\n";
  LoadOptions options;
  options.labels = "l";
  const auto read_text = [&](const std::string& t) {
    return read_arff(FileContent::from_string(t, "data.arff"), options);
  };
  const Dataset data = read_text(text);
  EXPECT_EQ(data.texts.at(0).cells[3], "some words here 3");
  EXPECT_EQ(data.features.size(), 3U);
  EXPECT_EQ(data.features[1].date, DateOrder::year_first);
  EXPECT_EQ(data.features[2].categories, (Texts{"red", "blue"}));
  expect_contains(error_of([&] { read_text(text + "'more words here',1,soon,red,1\n"); }),
                  "data.arff:38: 'soon' in column 'day' is not a date");
}

TEST(Columns, AnotherSetsSparseFileIsRefused) {
  std::string rows;
  for (int i = 0; i < 8; ++i) {
    rows += "1";
    for (int k = 1; k <= 72; ++k) rows += " " + std::to_string(k) + ":0.5";
    rows += "\n";
  }
  LoadOptions options;
  options.format = Format::svmlight;
  options.expected_features = 294;
  const testing::TempFolder folder;
  expect_contains(error_of([&] { load_dataset(folder.put("emotions.svm", rows), options); }),
                  "none in a feature after the 72th, but the model was trained on 294");
  EXPECT_EQ(error_of([&] { load_dataset(folder.put("one.svm", "1 3:1 7:2\n"), options); }), "no error");
}

}  // namespace
}  // namespace mmo
