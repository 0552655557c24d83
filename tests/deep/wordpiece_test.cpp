#include "deep/data/wordpiece.h"

#include <gtest/gtest.h>

#include "mmo/core/error.h"

namespace mmo::deep {
namespace {

// Numbers: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, then as listed.
const char* vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\naff\n,\ncafe\n東\n##x\n";

using Ids = std::vector<std::int32_t>;

Ids encode(std::string_view text, std::size_t most = 64) {
  return WordPiece(vocabulary, "test").encode(text, most);
}

TEST(WordPiece, TakesTheLongestPieces) { EXPECT_EQ(encode("unaffable"), (Ids{2, 4, 5, 6, 3})); }

TEST(WordPiece, AWordWithoutFittingPiecesIsUnknownAsAWhole) {
  EXPECT_EQ(encode("unaffzzz aff"), (Ids{2, 1, 7, 3}));
}

TEST(WordPiece, CutsAtPunctuationAndChineseCharacters) {
  EXPECT_EQ(encode("un,aff東un"), (Ids{2, 4, 8, 7, 10, 4, 3}));
}

TEST(WordPiece, StripsAccentsCaseAndControlCharacters) {
  EXPECT_EQ(encode("CAF\xC3\x89"), (Ids{2, 9, 3}));
  EXPECT_EQ(encode("ca\x03"
                   "fe\xEF\xBF\xBD"),
            (Ids{2, 9, 3}));
}

TEST(WordPiece, EmptyTextIsTwoTokens) {
  EXPECT_EQ(encode(""), (Ids{2, 3}));
  EXPECT_EQ(encode(" \n\t"), (Ids{2, 3}));
}

TEST(WordPiece, CutsLongTexts) { EXPECT_EQ(encode("un un un un", 4), (Ids{2, 4, 4, 3})); }

TEST(WordPiece, WordsBeyondTheLimitAreUnknown) {
  EXPECT_EQ(encode("un" + std::string(98, 'x')).size(), 2U + 1U + 98U - 37U);  // cut at 64 tokens
  EXPECT_EQ(encode("un" + std::string(99, 'x')), (Ids{2, 1, 3}));
}

TEST(WordPiece, BytesThatAreNoUtf8AreDropped) { EXPECT_EQ(encode("un\xFF"), (Ids{2, 4, 3})); }

TEST(WordPiece, NamesTheMissingSpecialPiece) {
  try {
    WordPiece("a\nb\n", "some/vocab.txt");
    FAIL() << "accepted";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("some/vocab.txt"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("[UNK]"), std::string::npos);
  }
}

}  // namespace
}  // namespace mmo::deep
