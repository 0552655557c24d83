// Plain text: every line is a document without labels. Empty lines count, so that predictions stay aligned.
#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/data/readers.h"
#include "mmo/data/text_lines.h"
#include "mmo/data/utf8.h"

namespace mmo {

Dataset read_lines(const FileContent& content, const LoadOptions& options) {
  if (options.need_labels) {
    throw DataError(
        content.name(), 0,
        "plain lines of text have no labels; write \"__label__name text\" lines (fastText's format) or "
        "a CSV file with --text-column");
  }
  Dataset data;
  data.source = content.name();
  for_each_line(content.bytes(), [&](std::string_view line) {
    if (!is_utf8(line)) {
      throw DataError(content.name(), data.documents.size() + 1,
                      std::string("the text is not UTF-8; ") + how_to_recode);
    }
    data.documents.emplace_back(line);
    if (data.documents.size() % 65536 == 0) throw_if_cancelled();
  });
  const std::size_t rows = data.documents.size();
  data.x = DenseMatrix(rows, 0);
  if (options.expected_labels) data.label_names = *options.expected_labels;
  data.y.rows = rows;
  data.y.cols = data.label_names.size();
  data.y.offsets.assign(rows + 1, 0);
  return data;
}

}  // namespace mmo
