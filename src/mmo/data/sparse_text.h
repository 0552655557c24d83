// The line format that svmlight/libsvm and the XMC repository share: "label,label index:value index:value …".
// Pieces of the text are parsed in parallel straight into the final arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mmo/core/file.h"
#include "mmo/core/matrix.h"
#include "mmo/data/load.h"

namespace mmo {

inline constexpr std::uint32_t max_sparse_index = 2147483647;  // 2^31 − 1, as in LIBSVM (a C int)

struct SparseTextRules {
  // XMC counts lines, so an empty one is an example with neither labels nor features; svmlight skips it
  // (and may have query ids, which XMC has not).
  bool every_line_is_row = false;
  std::uint32_t min_index = 0;
  std::uint32_t max_index = max_sparse_index;
  std::string below_advice;                         // ends the message about an index below min_index
  std::string above_advice;                         // … above max_index
  std::size_t target_bytes = std::size_t{4} << 20;  // of a piece
};

struct SparseText {
  CsrMatrix x;                              // indices as written; explicit zeros dropped; cols not set
  std::uint32_t lowest = max_sparse_index;  // over all indices written, those of explicit zeros included
  std::uint32_t highest = 0;
  bool has_features = false;  // whether lowest and highest mean anything
  // Distinct labels, ordered by number if all are integers, else by bytes. Each is a view of its first
  // occurrence in the file.
  std::vector<std::string_view> names;
  std::vector<std::uint64_t> label_offsets{0};  // rows + 1
  std::vector<std::uint32_t> label_ids;         // positions in names, in the order written
  std::vector<std::string_view> query_ids;      // what follows "qid:", of the rows that have one
  const char* without_query_id = nullptr;       // the first row without one; null if none is
};

// Parses `text`, a part of the content. Throws DataError at the first bad line. The views in the result point
// into the content.
SparseText parse_sparse_text(const FileContent& content, std::string_view text, const SparseTextRules& rules);

// Throws DataError with message(label) at the first label in the file whose column is `no_label`.
void refuse_unplaced_labels(const FileContent& content, const SparseText& text,
                            const std::vector<std::uint32_t>& column,
                            const std::function<std::string(std::string_view)>& message);

// The label matrix once each name has a column; labels without one are left out. Rows are sorted and a label
// written twice in a row counts once. The labels of `text` are used up.
LabelMatrix take_labels(SparseText& text, const std::vector<std::uint32_t>& column, std::size_t cols);

// The same for a model's labels, found by name: sets y and label_names.
void take_labels_for_model(const FileContent& content, SparseText& text, const LoadOptions& options,
                           Dataset& data);

// By number if all are integers, else by bytes.
void sort_label_names(std::vector<std::string_view>& names);

// Whether `token` is an integer in its shortest form ("0", "17", "-3"; not "+1", "01", "1.0").
[[nodiscard]] bool is_plain_integer(std::string_view token);

}  // namespace mmo
