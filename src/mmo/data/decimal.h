// Short decimal numbers, eight bytes at a time: how many digits a number has is as good as random, so a
// branch per digit is mispredicted for most of them. Everything unusual is left to fast_float; results are
// the same (tests/data/decimal_test.cpp).
#pragma once

#include <fast_float/fast_float.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace mmo {

struct DigitRun {
  std::uint32_t value = 0;
  unsigned count = 0;  // 0 … 8; further digits are left for another run
};

// The digits at `at`; nothing at or after `end` is read.
[[gnu::always_inline]] inline DigitRun digit_run(const char* at, const char* end) {
  if (std::endian::native != std::endian::little || end - at < 8) [[unlikely]] {
    DigitRun run;
    for (; at < end && *at >= '0' && *at <= '9' && run.count < 8; ++at, ++run.count)
      run.value = run.value * 10 + static_cast<std::uint32_t>(*at - '0');
    return run;
  }
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  // The high bit of each byte that is no digit. Borrows and carries spoil only bytes after the first of them.
  const std::uint64_t others =
      ((bytes + 0x4646464646464646U) | (bytes - 0x3030303030303030U)) & 0x8080808080808080U;
  const auto count = static_cast<unsigned>(std::countr_zero(others)) / 8;  // 64 / 8 if all are digits
  // The digits move to the last places, with zeros before them; pairs, fours and eights are joined.
  std::uint64_t digits = count == 0 ? 0 : (bytes & 0x0F0F0F0F0F0F0F0FU) << (64 - 8 * count);
  digits = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FFU;
  digits = (digits * 100 + (digits >> 16)) & 0x0000FFFF0000FFFFU;
  digits = digits * 10000 + (digits >> 32);
  return {static_cast<std::uint32_t>(digits), count};
}

// On the bits, since signs are as good as random too.
inline float signed_by(bool minus, float magnitude) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | (minus ? 0x80000000U : 0U));
}

// As fast_float::from_chars, which follows std::from_chars.
[[gnu::always_inline]] inline fast_float::from_chars_result parse_decimal(const char* at, const char* end,
                                                                          float& value) {
  constexpr std::int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  const auto may_go_on = [end](const char* p) {
    return p < end && ((*p >= '0' && *p <= '9') || *p == '.' || (*p | 0x20) == 'e');
  };
  const bool minus = at < end && *at == '-';
  const char* const start = at + (minus ? 1 : 0);
  const DigitRun whole = digit_run(start, end);
  const char* stop = start + whole.count;
  if (whole.count > 0 && !may_go_on(stop)) {
    value = signed_by(minus, static_cast<float>(whole.value));
    return {stop, std::errc()};
  }
  // With two digits before the point and sixteen after it the number fits 63 bits.
  if (whole.count - 1U < 2U && *stop == '.') {
    const DigitRun first = digit_run(stop + 1, end);
    const DigitRun second = digit_run(stop + 1 + first.count, end);  // empty where the first is not full
    const std::int64_t scale = powers[first.count] * powers[second.count];
    const std::int64_t digits = whole.value * scale + first.value * powers[second.count] + second.value;
    stop += 1 + first.count + second.count;
    // The quotient of two exact doubles is the number rounded to double. Rounding it again, to float, is
    // right unless the double lies halfway between two floats.
    const double quotient = static_cast<double>(digits) / static_cast<double>(scale);
    const bool halfway = (std::bit_cast<std::uint64_t>(quotient) & 0x1FFFFFFFU) == 0x10000000U;
    if (first.count > 0 && !may_go_on(stop) && !halfway && digits >> 53 == 0) [[likely]] {
      value = signed_by(minus, static_cast<float>(quotient));
      return {stop, std::errc()};
    }
  }
  return fast_float::from_chars(at, end, value);
}

}  // namespace mmo
