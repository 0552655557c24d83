#include "mmo/text/tokenizer.h"

#include <gtest/gtest.h>

#include "mmo/core/random.h"
#include "mmo/text/vectorizer.h"

namespace mmo {
namespace {

using Tokens = std::vector<std::string>;

Tokens tokens_of(std::string_view text, bool lowercase = true) {
  Tokens tokens;
  tokenize(text, lowercase, tokens);
  return tokens;
}

TEST(Tokenize, WordsOfTwoOrMoreCharacters) {
  EXPECT_EQ(tokens_of("The U.S. paid 15.6 mln; snake_case a_ _ x"),
            (Tokens{"the", "paid", "15", "mln", "snake_case", "a_"}));
  EXPECT_EQ(tokens_of("Keep CASE", false), (Tokens{"Keep", "CASE"}));
  EXPECT_TRUE(tokens_of("").empty());
  EXPECT_TRUE(tokens_of(" \n\t.,").empty());
}

TEST(Tokenize, LowersEveryScript) {
  EXPECT_EQ(tokens_of("ÉCOLE МОСКВА Straße 東京 x² Ⅳa"),
            (Tokens{"école", "москва", "straße", "東京", "x²", "ⅳa"}));
  EXPECT_EQ(tokens_of("İstanbul"), Tokens{"i\u0307stanbul"});  // as Unicode's full case mapping
}

TEST(Tokenize, FinalSigma) {
  EXPECT_EQ(tokens_of("ΟΔΟΣ ΣΟΦΙΑ οδος ΣΣ"), (Tokens{"οδος", "σοφια", "οδος", "σς"}));
  EXPECT_EQ(tokens_of("ΟΔΟΣ", false), Tokens{"ΟΔΟΣ"});
}

TEST(Tokenize, ComposesMarks) {
  EXPECT_EQ(tokens_of("cafe\u0301"), Tokens{"café"});
  EXPECT_TRUE(tokens_of("e\u0301").empty());       // one character once composed
  EXPECT_EQ(tokens_of("हिन्दी"), Tokens{"हिन्दी"});  // vowel signs and virama do not cut the word
  EXPECT_EQ(tokens_of("\u1112\u1161\u11ab\u1100\u1173\u11af"), Tokens{"한글"});
}

TEST(Tokenize, InvalidBytesSeparateWords) {
  EXPECT_EQ(tokens_of("ab\xFF"
                      "cd \xC3"),
            (Tokens{"ab", "cd"}));
  EXPECT_EQ(tokens_of("ab\xED\xA0\x80"
                      "cd"),
            (Tokens{"ab", "cd"}));  // a surrogate
  EXPECT_EQ(tokens_of(std::string_view("ab\0cd", 5)), (Tokens{"ab", "cd"}));
}

// Whatever the bytes: no crash, and what comes out is words of valid UTF-8 that tokenise to themselves.
TEST(Tokenize, RandomBytes) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    const std::size_t length = random.below(40);
    for (std::size_t i = 0; i < length; ++i) {
      // Mostly continuations of valid sequences, so that long code points occur.
      const std::uint64_t kind = random.below(4);
      text.push_back(static_cast<char>(kind == 0   ? random.below(256)
                                       : kind == 1 ? 0xC0 + random.below(0x38)
                                                   : 0x80 + random.below(0x40)));
    }
    for (const std::string& token : tokens_of(text)) EXPECT_EQ(tokens_of(token), Tokens{token});
  }
}

TEST(Words, NgramsAreJoinedByASpace) {
  Words words;
  words.assign("one, TWO -- three", true);
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(words.ngram(0, 2), "one two");
  EXPECT_EQ(words.ngram(0, 3), "one two three");
  EXPECT_EQ(words.ngram(2, 1), "three");
  words.assign("x", true);
  EXPECT_EQ(words.size(), 0U);
}

}  // namespace
}  // namespace mmo
