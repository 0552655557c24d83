#include "mmo/data/pieces.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/simd.h"

namespace mmo {
namespace {

// Position after the first line end at or after `from`.
std::size_t after_line(std::string_view text, std::size_t from) {
  const std::size_t end = text.find('\n', from);
  return end == std::string_view::npos ? text.size() : end + 1;
}

// The same for a line end outside quotes, when `quoted` tells whether `from` is inside them.
std::size_t after_record(std::string_view text, std::size_t from, bool quoted) {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == '"') {
      quoted = !quoted;
    } else if (text[i] == '\n' && !quoted) {
      return i + 1;
    }
  }
  return text.size();
}

std::vector<std::string_view> cut(std::string_view text, const std::vector<std::size_t>& ends) {
  std::vector<std::string_view> pieces;
  std::size_t start = 0;
  for (const std::size_t end : ends) {
    if (end > start) pieces.push_back(text.substr(start, end - start));
    start = std::max(start, end);
  }
  return pieces;
}

// Copies the parts of one array to their places; offsets[k] = where part k starts.
template <class Matrix, class Values>
void join_values(std::vector<Matrix>& pieces, Values Matrix::* member, Values& out) {
  std::vector<std::size_t> start(pieces.size() + 1, 0);
  for (std::size_t k = 0; k < pieces.size(); ++k) start[k + 1] = start[k] + (pieces[k].*member).size();
  out.resize(start.back());
  auto* const to = out.data();
  parallel_for(pieces.size(), [&](std::size_t k) {
    const Values part = std::exchange(pieces[k].*member, {});
    std::copy(part.begin(), part.end(), to + start[k]);
  });
}

template <class Matrix>
void join_offsets(std::vector<Matrix>& pieces, Matrix& out) {
  for (const Matrix& piece : pieces) out.rows += piece.offsets.size() - 1;
  for (Matrix& piece : pieces) append_offsets(piece.offsets, out.rows, out.offsets);
}

}  // namespace

void append_offsets(std::vector<std::uint64_t>& part, std::size_t rows, std::vector<std::uint64_t>& all) {
  if (all.size() == 1) {
    all = std::exchange(part, {0});
    all.reserve(rows + 1);
    return;
  }
  const std::uint64_t before = all.back();
  for (std::size_t i = 1; i < part.size(); ++i) all.push_back(before + part[i]);
}

// Counts in bytes, which SIMD code of 32 lanes takes as they come, and empties them before they overflow.
MMO_SIMD std::size_t count_byte(std::string_view text, char byte) {
  constexpr std::size_t width = 32;
  constexpr std::size_t most_rounds = 255;
  const char* at = text.data();
  const char* const end = at + text.size();
  std::size_t total = 0;
  while (static_cast<std::size_t>(end - at) >= width) {
    const std::size_t rounds = std::min(most_rounds, static_cast<std::size_t>(end - at) / width);
    std::array<std::uint8_t, width> counts{};
    for (std::size_t round = 0; round < rounds; ++round, at += width) {
      for (std::size_t k = 0; k < width; ++k) counts[k] += at[k] == byte ? 1 : 0;
    }
    for (const std::uint8_t count : counts) total += count;
  }
  return total + static_cast<std::size_t>(std::count(at, end, byte));
}

std::vector<std::string_view> cut_at_lines(std::string_view text, std::size_t target) {
  std::vector<std::size_t> ends;
  for (std::size_t at = target; at < text.size(); at += target) ends.push_back(after_line(text, at));
  ends.push_back(text.size());
  return cut(text, ends);
}

// In a well-formed text every quote switches between inside and outside, doubled quotes twice. Before the
// first fault that is exact, and what comes after it no longer matters.
std::vector<std::string_view> cut_at_records(std::string_view text, std::size_t target) {
  const std::size_t blocks = text.size() / target + 1;
  std::vector<std::size_t> quotes(blocks, 0);
  parallel_for(blocks, [&](std::size_t k) { quotes[k] = count_byte(text.substr(k * target, target), '"'); });
  std::vector<std::size_t> ends;
  bool quoted = false;
  std::size_t reached = 0;
  for (std::size_t k = 1; k < blocks; ++k) {
    quoted = quoted != (quotes[k - 1] % 2 == 1);
    // A record longer than a block ends several of them at once: it is scanned once only.
    if (k * target >= reached) reached = after_record(text, k * target, quoted);
    ends.push_back(reached);
  }
  ends.push_back(text.size());
  return cut(text, ends);
}

void throw_fault(const FileContent& content, const Fault& fault) {
  const char* const start = content.bytes().data();
  const auto line = 1 + std::count(start, fault.where, '\n');
  throw DataError(content.name(), static_cast<std::size_t>(line), fault.message);
}

void parse_pieces(const FileContent& content, std::size_t count,
                  const std::function<void(std::size_t)>& parse) {
  std::vector<Fault> faults(count);
  std::atomic<std::size_t> first_bad{std::numeric_limits<std::size_t>::max()};
  parallel_for(count, [&](std::size_t k) {
    throw_if_cancelled();
    if (k > first_bad) return;
    try {
      parse(k);
    } catch (Fault& fault) {
      faults[k] = std::move(fault);
      std::size_t seen = first_bad;
      while (k < seen && !first_bad.compare_exchange_weak(seen, k)) {
      }
    }
  });
  if (first_bad < count) throw_fault(content, faults[first_bad]);
}

LabelMatrix join_rows(std::vector<LabelMatrix>& pieces, std::size_t cols) {
  LabelMatrix out;
  out.cols = cols;
  join_offsets(pieces, out);
  join_values(pieces, &LabelMatrix::indices, out.indices);
  return out;
}

CsrMatrix join_rows(std::vector<CsrMatrix>& pieces, std::size_t cols) {
  CsrMatrix out;
  out.cols = cols;
  join_offsets(pieces, out);
  join_values(pieces, &CsrMatrix::indices, out.indices);
  join_values(pieces, &CsrMatrix::values, out.values);
  return out;
}

}  // namespace mmo
