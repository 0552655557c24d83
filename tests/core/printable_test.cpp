#include "mmo/core/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace mmo {
namespace {

TEST(Printable, ControlCharactersAreSpelled) {
  EXPECT_EQ(printable("plain ünïcode 数"), "plain ünïcode 数");
  EXPECT_EQ(printable("\x1b[31mred\x07\r\n"), "\\x1b[31mred\\x07\\x0d\\x0a");
  EXPECT_EQ(printable("a\tb\n\x7f", "\t\n"), "a\tb\n\\x7f");
  EXPECT_EQ(printable("csi \xc2\x9b!"), "csi \\x9b!");
  EXPECT_EQ(printable("turn \xe2\x80\xae!"), "turn \\u202e!");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("cut \xe2"), "cut \xe2");
}

TEST(Printable, JsonStaysJson) { EXPECT_EQ(printable_json("{\"\xc2\x9b\": 1}\n"), "{\"\\u009b\": 1}\n"); }

TEST(Printable, FormulasBecomeNames) {
  for (const std::string name : {"=1+1", "+cmd", "-x", "@sum", "=", "-1e5x"}) {
    EXPECT_EQ(csv_name(name), "'" + name);
    EXPECT_EQ(name_in_csv(csv_name(name)), name);
  }
  for (const std::string name : {"-1", "+0.5", "plain", "'quoted", "a=b", ""}) {
    EXPECT_EQ(csv_name(name), name);
    EXPECT_EQ(name_in_csv(name), name);
  }
  EXPECT_EQ(csv_name("\x1b[1m"), "\\x1b[1m");
  EXPECT_EQ(name_in_csv("\\x1b[1m"), "\x1b[1m");
  for (const std::string name : {"\x1b", "\xc2\x9b", "\xe2\x80\xae", "a\tb", "=\x07"}) {
    EXPECT_EQ(name_in_csv(csv_name(name)), name);
  }
  EXPECT_EQ(name_in_csv("\\x41 \\xzz \\x"), "\\x41 \\xzz \\x");  // nobody wrote these for us
}

TEST(Printable, LongTextsAreCutBetweenCharacters) {
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("üüü", 3), "ü…");
}

TEST(Printable, EndlessNumbersAreShortened) {
  EXPECT_EQ(with_short_numbers("12 and " + std::string(40, '7')), "12 and " + std::string(40, '7'));
  EXPECT_EQ(with_short_numbers("x" + std::string(300, '7') + "y"), "x777777777777…(300 digits)y");
}

}  // namespace
}  // namespace mmo
