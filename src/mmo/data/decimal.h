// Short decimal numbers, eight or sixteen bytes at a time: how many digits a number has is as good as random,
// so a branch per digit is mispredicted for most of them. Everything unusual is left to fast_float; results
// are the same (tests/data/decimal_test.cpp).
#pragma once

#include <fast_float/fast_float.h>

#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace mmo {

struct DigitRun {
  std::uint32_t value = 0;
  unsigned count = 0;  // 0 … 8; further digits are left for another run
};

// The number of the digits 0 … 9 in the bytes, the first in the lowest: pairs, fours and eights are joined.
[[gnu::always_inline]] inline std::uint32_t joined_digits(std::uint64_t digits) {
  digits = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FFU;
  digits = (digits * 100 + (digits >> 16)) & 0x0000FFFF0000FFFFU;
  return static_cast<std::uint32_t>(digits * 10000 + (digits >> 32));
}

// The number of the first `count` ≤ 8 digits of the bytes, which move to the last places, with zeros before.
[[gnu::always_inline]] inline std::uint32_t first_digits(std::uint64_t bytes, unsigned count) {
  return joined_digits(count == 0 ? 0 : (bytes & 0x0F0F0F0F0F0F0F0FU) << (64 - 8 * count));
}

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
  return {first_digits(bytes, count), count};
}

#ifdef __SSE2__
// How many digits there are at `at`, up to 16: that many bytes are read.
[[gnu::always_inline]] inline unsigned digits_at(const char* at) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  // Digits become the ten lowest signed bytes.
  const __m128i shifted = _mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(0x80 - '0')));
  const __m128i others = _mm_cmpgt_epi8(shifted, _mm_set1_epi8(static_cast<char>(0x80 + 9)));
  return static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(_mm_movemask_epi8(others)) | 0x10000U));
}
#endif

// On the bits, since signs are as good as random too.
inline float signed_by(bool minus, float magnitude) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | (minus ? 0x80000000U : 0U));
}

inline constexpr std::int64_t powers_of_ten[] = {1,
                                                 10,
                                                 100,
                                                 1000,
                                                 10000,
                                                 100000,
                                                 1000000,
                                                 10000000,
                                                 100000000,
                                                 1000000000,
                                                 10000000000,
                                                 100000000000,
                                                 1000000000000,
                                                 10000000000000,
                                                 100000000000000,
                                                 1000000000000000,
                                                 10000000000000000};

// whole + fraction / 10^decimals; false where it is not exactly rounded. With at most two digits before the
// point and sixteen after it the number fits 63 bits.
[[gnu::always_inline]] inline bool decimal_fraction(std::int64_t whole, std::int64_t fraction,
                                                    unsigned decimals, float& value) {
  const std::int64_t scale = powers_of_ten[decimals];
  const std::int64_t digits = whole * scale + fraction;
  // The quotient of two exact doubles is the number rounded to double. Rounding it again, to float, is right
  // unless the double lies halfway between two floats.
  const double quotient = static_cast<double>(digits) / static_cast<double>(scale);
  const bool halfway = (std::bit_cast<std::uint64_t>(quotient) & 0x1FFFFFFFU) == 0x10000000U;
  value = static_cast<float>(quotient);
  return !halfway && digits >> 53 == 0;
}

// As fast_float::from_chars, which follows std::from_chars.
[[gnu::always_inline]] inline fast_float::from_chars_result parse_decimal(const char* at, const char* end,
                                                                          float& value) {
  const auto may_go_on = [end](const char* p) {
    return p < end && ((*p >= '0' && *p <= '9') || *p == '.' || (*p | 0x20) == 'e');
  };
  const bool minus = at < end && *at == '-';
  const char* const start = at + (minus ? 1 : 0);
#ifdef __SSE2__
  // One digit and a point, the most common form: where it ends is known after one look at what follows.
  if (end - start >= 2 + 16 && static_cast<unsigned>(*start - '0') < 10U && start[1] == '.') [[likely]] {
    const unsigned decimals = digits_at(start + 2);
    const unsigned early = decimals < 8 ? decimals : 8;
    std::uint64_t bytes[2];
    std::memcpy(bytes, start + 2, sizeof bytes);
    const std::int64_t fraction = first_digits(bytes[0], early) * powers_of_ten[decimals - early] +
                                  first_digits(bytes[1], decimals - early);
    const char* const stop = start + 2 + decimals;
    float magnitude = 0;
    const bool exact = decimal_fraction(*start - '0', fraction, decimals, magnitude);
    if (decimals > 0 && !may_go_on(stop) && exact) [[likely]] {
      value = signed_by(minus, magnitude);
      return {stop, std::errc()};
    }
  }
#endif
  const DigitRun whole = digit_run(start, end);
  const char* stop = start + whole.count;
  if (whole.count > 0 && !may_go_on(stop)) {
    value = signed_by(minus, static_cast<float>(whole.value));
    return {stop, std::errc()};
  }
  if (whole.count - 1U < 2U && *stop == '.') {
    const DigitRun first = digit_run(stop + 1, end);
    const DigitRun second = digit_run(stop + 1 + first.count, end);  // empty where the first is not full
    const std::int64_t fraction = first.value * powers_of_ten[second.count] + second.value;
    stop += 1 + first.count + second.count;
    float magnitude = 0;
    const bool exact = decimal_fraction(whole.value, fraction, first.count + second.count, magnitude);
    if (first.count > 0 && !may_go_on(stop) && exact) [[likely]] {
      value = signed_by(minus, magnitude);
      return {stop, std::errc()};
    }
  }
  return fast_float::from_chars(at, end, value);
}

}  // namespace mmo
