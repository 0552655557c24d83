#include "mmo/data/load.h"

#include <cmath>
#include <filesystem>

#include "data/reading.h"
#include "mmo/core/atomic_file.h"
#include "mmo/data/detect.h"
#include "mmo/data/readers.h"
#include "mmo/data/unseen_labels.h"

namespace mmo {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::row_of;
using testing::TempFolder;
using Row = std::vector<std::uint32_t>;
using Texts = std::vector<std::string>;

constexpr const char* arff_text =
    "% comment\n\n@relation r\n@attribute x numeric\n@attribute a {0,1}\n@attribute b "
    "{0,1}\n@data\n1,1,0\n2,0,1\n";

LoadOptions labels(const std::string& spec) {
  LoadOptions options;
  options.labels = spec;
  return options;
}

Format detected(const std::string& text, const std::string& name = "data", bool need_labels = true) {
  return detect_format(FileContent::from_string(text, name), need_labels);
}

TEST(Formats, NamesAndBack) {
  for (const std::string name :
       {"auto", "arff", "svmlight", "xmc", "csv", "tsv", "npz", "fasttext", "reuters", "lines"}) {
    EXPECT_EQ(format_name(parse_format(name)), name);
  }
  EXPECT_THROW((void)parse_format("excel"), UsageError);
  expect_contains(error_of([] { (void)parse_format("excel"); }), "svmlight");
}

TEST(Formats, DetectedFromContent) {
  EXPECT_EQ(detected(arff_text), Format::arff);
  EXPECT_EQ(detected("\xEF\xBB\xBF@RELATION r\n"), Format::arff);
  EXPECT_EQ(detected("2 10 3\n0,1 3:1 4:2\n"), Format::xmc);
  EXPECT_EQ(detected("1,3 1:0.5 7:1e-3\n 2:1\n\n# note\n4\n"), Format::svmlight);
  EXPECT_EQ(detected("1 qid:3 1:2\n"), Format::svmlight);
  EXPECT_EQ(detected("__label__a __label__b some text, with 1:2\n"), Format::fasttext);
  EXPECT_EQ(detected("some text __label__a\nmore\n"), Format::fasttext);
  EXPECT_EQ(detected("x,y,l\n1,2,0\n\"a,b\",2,1\n"), Format::csv);
  EXPECT_EQ(detected("x;y;l\n1;2;0\n"), Format::csv);
  EXPECT_EQ(detected("x\ty\n1,2\t2\n"), Format::tsv);
  EXPECT_EQ(detected("PK\x03\x04rest"), Format::npz);
  EXPECT_EQ(detected("<!DOCTYPE lewis SYSTEM \"lewis.dtd\">\n<REUTERS TOPICS=\"YES\">\n"), Format::reuters);
}

TEST(Formats, NamesHelpWhereContentIsUnclear) {
  EXPECT_EQ(detected("text\nhello\n", "a.csv"), Format::csv);
  EXPECT_EQ(detected("text\nhello\n", "a.tsv.gz"), Format::tsv);
  EXPECT_EQ(detected("3\n4\n", "a.svm.zst"), Format::svmlight);
  EXPECT_EQ(detected(arff_text, "a.csv"), Format::arff);
  EXPECT_EQ(detected("1,2 1:1\n", "a.txt"), Format::svmlight);
  EXPECT_EQ(detected("a free line, with a comma\nanother\n", "a.txt", false), Format::lines);
  expect_contains(error_of([] { detected("a free line\nanother\n"); }),
                  "unknown format, it starts with 'a free line'");
  expect_contains(error_of([] { detected(" \n\n"); }), "the file is empty");
  expect_contains(error_of([] { detected("\xFF\xFEh"); }), "UTF-16");
}

TEST(Load, EveryTableFormatByContent) {
  const TempFolder folder;
  const Dataset arff = load_dataset(folder.put("one", arff_text), labels("a,b"));
  EXPECT_EQ(arff.source, folder.path("one"));
  for (const std::string text :
       {"x,a,b\n1,1,0\n2,0,1\n", "x;a;b\n1;1;0\n2;0;1\n", "x\ta\tb\n1\t1\t0\n2\t0\t1\n"}) {
    const Dataset data = load_dataset(folder.put("other", text), labels("a,b"));
    testing::expect_same(arff, data);
  }
  LoadOptions forced = labels("a,b");
  forced.format = Format::csv;
  expect_contains(error_of([&] { load_dataset(folder.path("one"), forced); }), "column");
}

TEST(Load, CompressedAndMissingFiles) {
  const TempFolder folder;
  {
    AtomicFile file(folder.path("set-test.arff.gz"), false);
    file.write(arff_text);
    file.commit();
  }
  (void)folder.put("set.xml", "<labels><label name='b'/></labels>");
  EXPECT_EQ(load_dataset(folder.path("set-test.arff.gz"), {}).label_names, Texts{"b"});
  EXPECT_THROW(load_dataset(folder.path("none.arff"), {}), IoError);
}

TEST(Load, NothingToLearnFrom) {
  const TempFolder folder;
  const auto fault = [&](const std::string& name, const std::string& text, const LoadOptions& options) {
    return error_of([&] { load_dataset(folder.put(name, text), options); });
  };
  expect_contains(fault("a.arff", "", labels("last:1")), "the file is empty");
  expect_contains(fault("a.csv", "x,l\n", labels("l")), "no rows of data");
  expect_contains(fault("a.csv", "l,m\n1,0\n", labels("l,m")), "no feature columns");
  expect_contains(fault("a.csv", "x,y\n1,0\n", {}), "no label columns");
  LoadOptions predicting;
  predicting.need_labels = false;
  EXPECT_EQ(load_dataset(folder.put("a.csv", "x,y\n1,0\n"), predicting).labels(), 0U);
}

TEST(Load, ModelFixesLabels) {
  const TempFolder folder;
  const std::string path = folder.put("a.csv", "x,a,b\n1,1,0\n2,0,1\n3,1,1\n");
  LoadOptions options;
  options.expected_labels = {"b", "lost", "a"};
  const Dataset data = load_dataset(path, options);
  EXPECT_EQ(data.label_names, (Texts{"b", "lost", "a"}));
  EXPECT_EQ(data.labels(), 3U);
  EXPECT_EQ(row_of(data.y, 0), Row{2});
  EXPECT_EQ(row_of(data.y, 1), Row{0});
  EXPECT_EQ(row_of(data.y, 2), (Row{0, 2}));

  options.labels = "a,b";
  options.expected_labels = {"a", "c"};
  expect_contains(error_of([&] { load_dataset(path, options); }),
                  "label 'b' is not one of the model's labels");
  options.need_labels = false;  // to predict, labels of the file do not matter
  EXPECT_EQ(row_of(load_dataset(path, options).y, 2), Row{0});
  EXPECT_EQ(load_dataset(folder.put("x.csv", "x\n1\n"), options).labels(), 2U);
}

TEST(Load, LabelsThatTheModelLacksAreKeptBehindItsOwnOrLeftOut) {
  const TempFolder folder;
  LoadOptions options;
  options.expected_labels = {"b", "a"};
  options.unseen_labels = UnseenLabels::keep;
  const std::string rows = folder.put("rows.svm", "z,b 1:1\nc 1:2\na,z 1:3\n");
  const Dataset kept = load_dataset(rows, options);
  EXPECT_EQ(kept.label_names, (Texts{"b", "a", "c", "z"}));
  EXPECT_EQ(row_of(kept.y, 0), (Row{0, 3}));
  EXPECT_EQ(row_of(kept.y, 2), (Row{1, 3}));
  const UnseenLabelsFound found = find_unseen_labels(kept, 2);
  EXPECT_EQ(found.names, (Texts{"c", "z"}));
  EXPECT_EQ(found.rows, 3U);
  EXPECT_EQ(unseen_labels_text(kept, 4), "");
  options.unseen_labels = UnseenLabels::leave_out;
  EXPECT_EQ(row_of(load_dataset(rows, options).y, 1), Row{});
  options.unseen_labels = UnseenLabels::keep;
  expect_contains(error_of([&] { load_dataset(folder.put("other.svm", "p 1:1\nq 1:2\n"), options); }),
                  "label 'p' is not one of the model's labels");
}

TEST(Load, TheModelRemembersItsColumnOfLabelLists) {
  const TempFolder folder;
  LoadOptions options;
  options.expected_labels = {"a", "b"};
  options.training_labels = "tags";
  const Dataset data = load_dataset(folder.put("t.csv", "x,tags\n1,a;b\n2,b\n3,\n"), options);
  EXPECT_EQ(data.label_names, (Texts{"a", "b"}));
  EXPECT_EQ(row_of(data.y, 0), (Row{0, 1}));
  EXPECT_EQ(feature_cols(data.x), 1U);
}

TEST(Load, LabelNumbersMayBeAHeadingWhereTheyAreAskedFor) {
  const TempFolder folder;
  LoadOptions options;
  options.need_labels = false;
  const std::string path = folder.put("s.csv", "0,1,12\n0.5,0.25,1\n");
  expect_contains(error_of([&] { load_dataset(path, options); }), "must name the columns");
  options.numbered_columns = true;
  EXPECT_EQ(load_dataset(path, options).feature_name(2), "12");
  const std::string scores = folder.put("n.csv", "0.5,0.25\n0.1,0.2\n");
  expect_contains(error_of([&] { load_dataset(scores, options); }), "must name the columns");
  const std::string flags = folder.put("f.csv", "0,1,1\n1,0,0\n");
  expect_contains(error_of([&] { load_dataset(flags, options); }), "must name the columns");
}

TEST(Load, ModelFixesUnknownLabelsToo) {
  const TempFolder folder;
  LoadOptions options;
  options.expected_labels = {"b", "a"};
  options.unknown_labels = true;
  const Dataset data = load_dataset(folder.put("a.csv", "x,a,b\n1,?,0\n2,0,?\n"), options);
  EXPECT_EQ(row_of(data.unknown, 0), Row{1});
  EXPECT_EQ(row_of(data.unknown, 1), Row{0});
}

TEST(Load, ModelFixesFeatures) {
  const TempFolder folder;
  LoadOptions options = labels("l");
  options.expected_features = 3;
  const std::string dense = folder.put("a.csv", "x,y,l\n1,2,0\n");
  expect_contains(error_of([&] { load_dataset(dense, options); }),
                  "2 feature columns, but the model was trained on 3");
  const std::string sparse = folder.put("a.svm", "0 1:1 2:5\n1 1:3\n");
  options.labels.clear();
  EXPECT_EQ(feature_cols(load_dataset(sparse, options).x), 3U);
  options.expected_features = 1;
  EXPECT_NE(error_of([&] { load_dataset(sparse, options); }), "no error");
}

TEST(Load, InfiniteFeaturesAreRefusedWithTheirPlace) {
  const TempFolder folder;
  expect_contains(error_of([&] { load_dataset(folder.put("a.csv", "x,l\n1,0\ninf,1\n"), labels("l")); }),
                  "a.csv:3:");
  const std::string sparse =
      error_of([&] { load_dataset(folder.put("a.svm", "0 1:1 2:5\n1 1:3 2:inf\n"), {}); });
  expect_contains(sparse, "a.svm");
  expect_contains(sparse, "2");
}

TEST(Load, WeightsFile) {
  const TempFolder folder;
  const std::string path = folder.put("a.csv", "x,l\n1,0\n2,1\n3,1\n");
  const auto with = [&](const std::string& text) {
    LoadOptions options = labels("l");
    options.weights_file = folder.put("weights", text);
    return load_dataset(path, options).row_weights;
  };
  const auto fault = [&](const std::string& text) { return error_of([&] { (void)with(text); }); };
  const std::vector<float> expected{1, 0.5F, 0};
  EXPECT_EQ(with("1\n0.5\r\n0\n\n"), expected);
  EXPECT_EQ(with(" [1, 0.5, 0]\n"), expected);
  expect_contains(fault("1\n2\n"), "weights: 2 weights, but the data has 3 rows");
  expect_contains(fault("1\n-2\n3\n"), "weights:2: weight '-2'");
  expect_contains(fault("1\n\n3\n"), "weights:2: weight ''");
  expect_contains(fault("1\n2 3\n3\n"), "weights:2: weight '2 3'");
  expect_contains(fault("[1,\n2,]"), "weights:2: broken JSON");
  expect_contains(fault("[1, 2, \"3\"]"), "weight 3 is '\"3\"'");
  expect_contains(fault("[1, 2, 1e999]"), "number overflow");
  expect_contains(fault("[1, 2, 1e99]"), "weight 3");
  expect_contains(fault("0\n0\n0\n"), "all row weights are 0");
  LoadOptions both = labels("l");
  both.weights_file = folder.path("weights");
  both.weight_column = "x";
  EXPECT_THROW(load_dataset(path, both), UsageError);
}

TEST(Load, MutationsNeverEscape) {
  const TempFolder folder;
  for (const char* const text : {arff_text, "2 10 3\n0,1 3:1 4:2\n2 5:1\n", "x,a,b\n1,1,0\n2,0,1\n",
                                 "1,3 1:0.5 7:1e-3\n 2:1\n", "__label__a some text\n__label__b more\n"}) {
    testing::fuzz(text, 500, 21, [&](const std::string& t) {
      LoadOptions options;
      options.need_labels = false;
      options.expected_labels = {"a", "b"};
      load_dataset(folder.put("fuzzed", t), options);
    });
  }
  testing::fuzz("[1, 0.5, 2]", 500, 22, [&](const std::string& t) {
    LoadOptions options = labels("l");
    options.weights_file = folder.put("weights", t);
    load_dataset(folder.put("a.csv", "x,l\n1,0\n2,1\n3,1\n"), options);
  });
}

TEST(Save, NamesTellTheFormat) {
  EXPECT_EQ(format_of_name("a/b.arff.gz"), Format::arff);
  EXPECT_EQ(format_of_name("b.libsvm"), Format::svmlight);
  EXPECT_EQ(format_of_name("b.txt"), Format::xmc);
  EXPECT_EQ(format_of_name("-"), Format::automatic);
  const Dataset data;
  EXPECT_THROW(save_dataset(data, "x.unknown", {}), UsageError);
  EXPECT_THROW(save_dataset(data, "-", {}), UsageError);
  SaveOptions options;
  options.format = Format::reuters;
  EXPECT_THROW(save_dataset(data, "x.sgm", options), UsageError);
}

TEST(Save, EveryFormatComesBack) {
  const TempFolder folder;
  const Dataset data = load_dataset(folder.put("one", arff_text), labels("a,b"));
  for (const std::string name : {"s.arff", "s.csv", "s.tsv.gz", "s.npz", "s.svm", "s.txt.zst"}) {
    save_dataset(data, folder.path(name), {});
    const bool table = name == "s.csv" || name == "s.tsv.gz";
    const Dataset back = load_dataset(folder.path(name), labels(table ? "a,b" : ""));
    EXPECT_EQ(back.y.indices, data.y.indices) << name;
    EXPECT_EQ(back.y.offsets, data.y.offsets) << name;
    EXPECT_EQ(feature_cols(back.x), 1U) << name;
    expect_contains(error_of([&] { save_dataset(data, folder.path(name), {}); }), name + " exists");
  }
}

}  // namespace
}  // namespace mmo
