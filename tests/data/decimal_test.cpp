#include "mmo/data/decimal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mmo/core/random.h"

namespace {

using namespace mmo;

// As fast_float does: the same bits, the same end, the same status; whatever follows the number.
void expect_same(const std::string& text) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  float ours = -77;
  float theirs = -77;
  const auto got = parse_decimal(begin, end, ours);
  const auto want = fast_float::from_chars(begin, end, theirs);
  EXPECT_EQ(got.ec, want.ec) << text;
  EXPECT_EQ(got.ptr - begin, want.ptr - begin) << text;
  EXPECT_EQ(std::bit_cast<std::uint32_t>(ours), std::bit_cast<std::uint32_t>(theirs)) << text;
}

TEST(Decimal, UnusualFormsAreFastFloats) {
  for (const std::string number : {"",
                                   "-",
                                   ".",
                                   "-.",
                                   "0",
                                   "-0",
                                   "00",
                                   "007.5",
                                   "5.",
                                   ".5",
                                   "-.5",
                                   "1.5.2",
                                   "1e5",
                                   "1.5e-3",
                                   "1.5E",
                                   "2e",
                                   "12.e3",
                                   "nan",
                                   "-inf",
                                   "+1",
                                   "1:2",
                                   "0.0",
                                   "-0.000",
                                   "16777217",
                                   "99999999",
                                   "123456789",
                                   "1234567890123",
                                   "0.1234567890123456",
                                   "0.12345678901234567",
                                   "1-2",
                                   "0.00000000000000001",
                                   "99.9999999999999999",
                                   "999.99999999999999",
                                   "1.17549435e-38",
                                   "1e400"}) {
    for (const std::string after :
         {"", " ", " 1:2 3:4567890", " 1:2 3:4567890 5:6", "\n", ",0.25,0.5,0.75", "#", "x", "e", "E5"}) {
      expect_same(number + after);
    }
  }
}

TEST(Decimal, RandomNumbersEqualFastFloats) {
  Random random(7);
  for (int k = 0; k < 200000; ++k) {
    std::string text = random.below(2) == 0 ? "-" : "";
    for (std::size_t d = random.below(4); d < 4; ++d) text += static_cast<char>('0' + random.below(10));
    if (random.below(8) != 0) text += '.';
    for (std::size_t d = random.below(19); d < 18; ++d) text += static_cast<char>('0' + random.below(10));
    expect_same(text);
    expect_same(text + " 12:0.5 ");
    expect_same(text + " 12:0.5 13:0.25 14:-0.125");
  }
}

// Decimals that lie halfway between two floats, and next to halfway: where rounding twice goes wrong.
TEST(Decimal, HalfwayBetweenFloats) {
  Random random(8);
  for (int k = 0; k < 20000; ++k) {
    const auto low = static_cast<float>(1 + random.uniform());
    const double middle = (static_cast<double>(low) + static_cast<double>(std::nextafter(low, 3.0F))) / 2;
    const std::string exact = fmt::format("{:.24f}", middle);
    for (const std::size_t length : {8, 10, 14, 15, 16, 17, 18, 20, 26}) {
      expect_same(exact.substr(0, length));
      expect_same(exact.substr(0, length) + " 12:0.5 13:0.25 14:1");
    }
  }
  expect_same("16777217.0");
  expect_same("1.000000059604644775390625");
  expect_same("1.00000005960464");
  expect_same("1.00000005960465");
}

TEST(Decimal, AnyByteMayFollow) {
  for (int byte = 0; byte < 256; ++byte) {
    for (const std::string number : {"1.25", "-0.12345678", "7.1234567890123456"})
      expect_same(number + static_cast<char>(byte) + "5 12:0.5 13:0.25 14:1");
  }
}

TEST(Decimal, DigitRunsStopAtTheEnd) {
  const std::string text = "1234567890";
  for (std::size_t n = 0; n <= text.size(); ++n) {
    const DigitRun run = digit_run(text.data(), text.data() + n);
    EXPECT_EQ(run.count, std::min<std::size_t>(n, 8));
    EXPECT_EQ(run.value, n == 0 ? 0U : std::stoul(text.substr(0, run.count)));
  }
  for (int byte = 0; byte < 256; ++byte) {  // every byte that is no digit ends a run
    std::string cut = "12x45678";
    cut[2] = static_cast<char>(byte);
    const bool digit = byte >= '0' && byte <= '9';
    EXPECT_EQ(digit_run(cut.data(), cut.data() + 8).count, digit ? 8U : 2U) << byte;
  }
}

}  // namespace
