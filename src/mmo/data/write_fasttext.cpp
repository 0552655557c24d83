// fastText: "__label__a __label__b the text", one document per line. Line ends in a document become blanks.
#include <fmt/format.h>

#include <algorithm>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/readers.h"
#include "mmo/data/writer.h"

namespace mmo {

void write_fasttext(const Dataset& data, const std::string& path, const SaveOptions& options) {
  refuse_what_does_not_fit(data, "fastText", {.features = false, .text = true});
  if (!data.is_text()) throw UsageError("fastText can't hold data without text");
  constexpr std::string_view prefix = "__label__";
  std::vector<std::string> names(data.labels());
  for (std::size_t j = 0; j < names.size(); ++j) {
    names[j] = data.label_name(j);
    if (names[j].empty() || names[j].find_first_of(" \t\n\v\f\r") != std::string::npos) {
      throw UsageError(
          fmt::format("fastText can't hold the label {} (empty or with blanks): rename it, or write "
                      "CSV or ARFF",
                      shown(names[j])));
    }
  }
  TextWriter out(path, options);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    throw_if_cancelled();
    for (const std::uint32_t j : data.y.row(i)) {
      out.text(prefix);
      out.text(names[j]);
      out.text(" ");
    }
    std::string line = data.documents[i];
    if (line.find(prefix) != std::string::npos) {
      throw UsageError(
          fmt::format("fastText can't hold the text of row {}: it contains \"{}\", which marks a "
                      "label; write CSV or ARFF",
                      i + 1, prefix));
    }
    std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    out.text(line);
    out.text("\n");
  }
  out.commit();
}

}  // namespace mmo
