// Records and cells of CSV and TSV (RFC 4180): a cell in double quotes may hold separators, line ends and
// doubled quotes; a quote anywhere else is a fault.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "mmo/data/pieces.h"

namespace mmo {

// End of the record that starts at `at`: the first line end outside quotes, or `end`.
inline const char* csv_record_end(const char* at, const char* end) {
  bool quoted = false;
  while (at < end) {
    const auto* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (newline == nullptr) return end;
    if (std::count(at, newline, '"') % 2 == 1) quoted = !quoted;
    if (!quoted) return newline;
    at = newline + 1;
  }
  return end;
}

// Calls record(start, end) for every record that is not an empty line, its line end (LF or CRLF) cut off.
template <class Record>
void for_each_csv_record(std::string_view piece, const Record& record) {
  const char* at = piece.data();
  const char* const piece_end = at + piece.size();
  while (at < piece_end) {
    const char* end = csv_record_end(at, piece_end);
    const char* const next = end < piece_end ? end + 1 : piece_end;
    if (end > at && end[-1] == '\r') --end;
    if (end > at) record(at, end);
    at = next;
  }
}

// Reads the cell at `at` and moves behind it, onto the separator or to `end`. `scratch` holds the text of a
// cell with doubled quotes. Throws Fault.
inline std::string_view read_csv_cell(const char*& at, const char* end, char separator,
                                      std::string& scratch) {
  const auto find = [&](const char* from, char c) {
    const auto* found = static_cast<const char*>(std::memchr(from, c, static_cast<std::size_t>(end - from)));
    return found != nullptr ? found : end;
  };
  const char* const start = at;
  if (at == end || *at != '"') {
    at = at == end ? end : find(at, separator);
    const char* const quote = std::find(start, at, '"');
    if (quote != at) {
      throw Fault{quote, "a quote inside a cell; put the whole cell in quotes and double the quotes in it"};
    }
    return {start, static_cast<std::size_t>(at - start)};
  }
  scratch.clear();
  const char* from = start + 1;
  while (true) {
    const char* const quote = from < end ? find(from, '"') : end;
    if (quote == end) throw Fault{start, "the quote opened here is not closed"};
    at = quote + 1;
    const bool doubled = at < end && *at == '"';
    if (doubled) {
      scratch.append(from, at);
      from = ++at;
      continue;
    }
    if (at < end && *at != separator) {
      throw Fault{start, "text follows the closing quote of this cell; double the quotes inside a cell"};
    }
    if (scratch.empty()) return {from, static_cast<std::size_t>(quote - from)};
    scratch.append(from, quote);
    return scratch;
  }
}

}  // namespace mmo
