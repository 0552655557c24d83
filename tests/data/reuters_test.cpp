#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "mmo/core/error.h"
#include "mmo/core/random.h"
#include "mmo/data/readers.h"
#include "mmo/data/sgml.h"
#include "support/paths.h"

namespace mmo {
namespace {

namespace fs = std::filesystem;

std::string article(const std::string& split, const std::string& topics_flag, const std::string& topics,
                    const std::string& text) {
  return "<REUTERS TOPICS=\"" + topics_flag + "\" LEWISSPLIT=\"" + split +
         "\" CGISPLIT=\"TRAINING-SET\" OLDID=\"1\" NEWID=\"1\">\n<DATE>26-FEB-1987</DATE>\n<TOPICS>" +
         topics + "</TOPICS>\n<PLACES><D>usa</D></PLACES>\n<TEXT>&#2;\n" + text + "&#3;</TEXT>\n</REUTERS>\n";
}

std::string story(const std::string& title, const std::string& body) {
  return "<TITLE>" + title + "</TITLE>\n<DATELINE> X - </DATELINE><BODY>" + body + "</BODY>";
}

const std::string header = "<!DOCTYPE lewis SYSTEM \"lewis.dtd\">\n";

// Made up: four articles of the split, two outside of it.
const std::string collection =
    header +
    article("TRAIN", "YES", "<D>wheat</D><D>corn</D><D>wheat</D>",
            story("Crops &lt;CRP>", "Grew &amp; grew.\n Reuter\n")) +
    article("TRAIN", "NO", "", story("Unused", "body")) +
    article("TRAIN", "YES", "<D>tea</D>", "Plain\nreport") +
    article("NOT-USED", "YES", "<D>tin</D>", story("Unused", "body")) +
    article("TEST", "YES", "<D>corn</D><D>rye</D>", story("Caf\xE9", "1&#30;2 \xFC&unknown; a&b")) +
    article("TEST", "YES", "", "*<TITLE>Brief</TITLE>Blah");

class Reuters : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("mmo_reuters_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string folder() { return folder_.string(); }

 private:
  fs::path folder_;
};

LoadOptions part(const std::string& name) {
  LoadOptions options;
  options.reuters_split = name;
  return options;
}

std::vector<std::uint32_t> row(const Dataset& data, std::size_t i) {
  return {data.y.row(i).begin(), data.y.row(i).end()};
}

std::string message(const std::string& text) {
  try {
    (void)parse_reuters(FileContent::from_string(text, "some.sgm"));
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(Reuters, TrainingPart) {
  const Dataset data = read_reuters(write("a.sgm", collection), part("train"));
  EXPECT_EQ(data.label_names, (std::vector<std::string>{"corn", "tea", "wheat"}));
  EXPECT_EQ(data.documents,
            (std::vector<std::string>{"Crops <CRP>\nGrew & grew.\n Reuter", "Plain\nreport"}));
  EXPECT_EQ(row(data, 0), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(row(data, 1), (std::vector<std::uint32_t>{1}));
  EXPECT_TRUE(data.notes.empty());
}

TEST_F(Reuters, TestPartHasTheTrainingTopics) {
  const Dataset data = read_reuters(write("a.sgm", collection), part("test"));
  EXPECT_EQ(data.label_names, (std::vector<std::string>{"corn", "tea", "wheat"}));
  EXPECT_EQ(data.documents, (std::vector<std::string>{"Café\n1 2 ü&unknown; a&b", "*\nBrief\nBlah"}));
  EXPECT_EQ(row(data, 0), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(row(data, 1), (std::vector<std::uint32_t>{}));
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_NE(data.notes[0].find("rye"), std::string::npos);
}

TEST_F(Reuters, TopicsOfBothParts) {
  const std::string path = write("a.sgm", collection);
  const Dataset train = read_reuters(path, part("train90"));
  EXPECT_EQ(train.label_names, std::vector<std::string>{"corn"});
  EXPECT_EQ(train.rows(), 1U);
  EXPECT_EQ(read_reuters(path, part("test90")).rows(), 1U);
  EXPECT_EQ(read_reuters(path, part("")).rows(), 4U);
  EXPECT_THROW((void)read_reuters(path, part("valid")), UsageError);
}

TEST_F(Reuters, ModelsLabels) {
  LoadOptions options = part("test");
  options.expected_labels = std::vector<std::string>{"rye", "corn"};
  const Dataset data = read_reuters(write("a.sgm", collection), options);
  EXPECT_EQ(data.label_names, *options.expected_labels);
  EXPECT_EQ(row(data, 0), (std::vector<std::uint32_t>{0, 1}));
}

TEST_F(Reuters, FolderInOrderOfNames) {
  write("reut2-001.sgm", header + article("TRAIN", "YES", "<D>b</D>", "second"));
  write("reut2-000.sgm", header + article("TRAIN", "YES", "<D>a</D>", "first"));
  write("readme.txt", "not SGML");
  EXPECT_EQ(read_reuters(folder(), part("train")).documents, (std::vector<std::string>{"first", "second"}));
  EXPECT_THROW((void)read_reuters(folder(), part("test")), DataError);
}

TEST_F(Reuters, FolderWithoutArticles) {
  EXPECT_THROW((void)read_reuters(folder(), {}), DataError);
  EXPECT_THROW((void)read_reuters(folder() + "/missing.sgm", {}), IoError);
}

TEST(ReutersSgml, FaultsNameTheLine) {
  const std::string good = article("TRAIN", "YES", "<D>a</D>", "text");  // seven lines
  const auto begins = [](const std::string& text, const std::string& start) {
    return text.rfind(start, 0) == 0;
  };
  EXPECT_PRED2(begins, message(""), "some.sgm:1: no <REUTERS>");
  EXPECT_PRED2(begins, message(header + good + "stray"), "some.sgm:9: expected <REUTERS …>, found 'stray'");
  EXPECT_PRED2(begins, message(header + good + good.substr(0, good.size() - 12)),
               "some.sgm:9: <REUTERS> without </REUTERS>");
  EXPECT_PRED2(begins, message(header + article("TRAIN", "YES", "<D>a", "text")),
               "some.sgm:4: expected <D>topic</D>");
  EXPECT_PRED2(begins, message(header + article("TRAIN", "YES", "<D> </D>", "text")),
               "some.sgm:4: a topic without a name");
  EXPECT_PRED2(begins, message("<REUTERS TOPICS=\"YES\">\n</REUTERS>"),
               "some.sgm:1: <REUTERS> lacks the attribute LEWISSPLIT");
  EXPECT_PRED2(begins, message(header + article("TRAIN", "YES", "", "<BODY>never closed")),
               "some.sgm:7: <BODY without </BODY>");
  EXPECT_PRED2(begins, message("<REUTERS LEWISSPLIT=\"TEST\" TOPICS=\"YES\"><TEXT></TEXT></REUTERS>"),
               "some.sgm:1: the article has no <TOPICS>");
}

TEST(ReutersSgml, Decode) {
  EXPECT_EQ(decode_sgml(" a&lt;b&gt;&amp;&quot;&apos;&#233; "), "a<b>&\"'é");
  EXPECT_EQ(decode_sgml("&#;&#x41;&#999;&;&"), "&#;&#x41;&#999;&;&");
  EXPECT_EQ(decode_sgml("\x80&#127;a&#0;b"), "a b");
  EXPECT_EQ(decode_sgml(""), "");
}

TEST(ReutersSgml, MutatedFilesDoNotCrash) {
  Random random(5);
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = collection;
    const std::uint64_t changes = 1 + random.below(3);
    for (std::uint64_t k = 0; k < changes; ++k) {
      const std::size_t at = random.below(text.size());
      switch (random.below(4)) {
        case 0:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          text.erase(at, 1 + random.below(30));
          break;
        case 2:
          text.insert(at, text.substr(random.below(text.size()), random.below(60)));
          break;
        default:
          text.resize(at + 1);
      }
    }
    try {
      accepted += parse_reuters(FileContent::from_string(text, "some.sgm")).empty() ? 0 : 1;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 100);
}

TEST(RealDataReuters, KnownCounts) {
  const std::string path = test::shared_data() + "/reuters21578";
  if (!fs::exists(path)) GTEST_SKIP() << "Reuters-21578 is not at " << path;
  const Dataset train = read_reuters(path, part("train"));
  EXPECT_EQ(train.rows(), 9603U);
  EXPECT_EQ(train.labels(), 115U);
  EXPECT_EQ(train.y.positives(), 9648U);
  const Dataset test = read_reuters(path, part("test"));
  EXPECT_EQ(test.rows(), 3299U);
  EXPECT_EQ(test.labels(), 115U);
  const Dataset train90 = read_reuters(path, part("train90"));
  const Dataset test90 = read_reuters(path, part("test90"));
  EXPECT_EQ(train90.labels(), 90U);
  EXPECT_EQ(test90.label_names, train90.label_names);
  EXPECT_EQ(train90.rows(), 7770U);
  EXPECT_EQ(test90.rows(), 3019U);
  EXPECT_EQ(train90.documents[0].rfind("BAHIA COCOA REVIEW\nShowers continued", 0), 0U);
}

}  // namespace
}  // namespace mmo
