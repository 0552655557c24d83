// Parsing a large text in parallel: it is cut into pieces by its size alone, each piece fills its own output,
// and the fault that stands first in the file is the one reported, so nothing depends on the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mmo/core/file.h"
#include "mmo/core/matrix.h"

namespace mmo {

inline constexpr std::size_t piece_bytes = std::size_t{1} << 20;

// A fault at a byte of the text; its line is counted only when it is reported.
struct Fault {
  const char* where = nullptr;
  std::string message;
};

[[nodiscard]] std::size_t count_byte(std::string_view text, char byte);

// Cuts after line ends into pieces of about `target` bytes.
[[nodiscard]] std::vector<std::string_view> cut_at_lines(std::string_view text,
                                                         std::size_t target = piece_bytes);
// The same, but not after line ends inside double quotes.
[[nodiscard]] std::vector<std::string_view> cut_at_records(std::string_view text,
                                                           std::size_t target = piece_bytes);

// Calls parse(0) … parse(count − 1) for pieces of `content` in file order. Of the Faults they throw the one
// of the lowest piece is reported as a DataError with its line.
void parse_pieces(const FileContent& content, std::size_t count,
                  const std::function<void(std::size_t)>& parse);

[[noreturn]] void throw_fault(const FileContent& content, const Fault& fault);

// Appends a piece's row offsets to those of the pieces before it; `rows` is how many there will be. The first
// piece's, often the only one, are taken as they are.
void append_offsets(std::vector<std::uint64_t>& part, std::size_t rows, std::vector<std::uint64_t>& all);

// Rows of all pieces, one after the other; the pieces are emptied.
[[nodiscard]] LabelMatrix join_rows(std::vector<LabelMatrix>& pieces, std::size_t cols);
[[nodiscard]] CsrMatrix join_rows(std::vector<CsrMatrix>& pieces, std::size_t cols);

}  // namespace mmo
