// fastText's format: every line is a document; its words that begin with "__label__" are its labels. As in
// fastText they may stand anywhere in the line. Lines without labels are rows without labels.
#include <algorithm>
#include <string>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/named_labels.h"
#include "mmo/data/pieces.h"
#include "mmo/data/readers.h"
#include "mmo/data/text_lines.h"
#include "mmo/data/utf8.h"

namespace mmo {
namespace {

constexpr std::string_view prefix = "__label__";
constexpr std::string_view spaces = " \t\v\f\r";

// A fault at the beginning of `text`.
Fault fault(std::string_view text, std::string message) {
  const char* const where = text.data();
  return {where, std::move(message)};
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(spaces) + 1 - begin);
}

class LineParser {
 public:
  // Appends a row; throws Fault.
  void add(std::string_view line) {
    row_.clear();
    text_.clear();
    std::size_t copied = 0;  // text_ has what comes before, without the labels
    std::size_t at = line.find(prefix);
    while (at != std::string_view::npos) {
      if (at > 0 && spaces.find(line[at - 1]) == std::string_view::npos) {  // inside a word
        at = line.find(prefix, at + prefix.size());
        continue;
      }
      const std::size_t end = std::min(line.find_first_of(spaces, at), line.size());
      add_label(line.substr(at, end - at));
      text_.append(line.substr(copied, at - copied));
      copied = end;
      at = line.find(prefix, end);
    }
    text_.append(line.substr(copied));
    if (!is_utf8(text_)) throw fault(line, std::string("the text is not UTF-8; ") + how_to_recode);
    documents.emplace_back(trim(text_));
    rows.push_row(row_);
  }

  std::vector<std::string> documents;
  LabelMatrix rows;  // of label numbers as written: neither sorted nor without repeats
  NamedLabels labels;
  std::vector<std::string_view> first_seen;  // by label number

 private:
  void add_label(std::string_view word) {
    const std::string_view name = word.substr(prefix.size());
    if (name.empty())
      throw fault(word, "\"__label__\" without a name; write the label's name right behind it");
    if (name.find(prefix) != std::string_view::npos) {
      throw fault(word, shown(word) + " holds several labels; separate them by spaces");
    }
    const std::uint32_t number = labels.number(name);
    if (number == first_seen.size()) {
      if (!is_utf8(name)) throw fault(word, std::string("the label's name is not UTF-8; ") + how_to_recode);
      first_seen.push_back(word);
    }
    row_.push_back(number);
  }

  std::vector<std::uint32_t> row_;
  std::string text_;
};

}  // namespace

Dataset read_fasttext(const FileContent& content, const LoadOptions& options) {
  LineParser parser;
  try {
    for_each_line(content.bytes(), [&](std::string_view line) {
      if (parser.documents.size() % 65536 == 0) throw_if_cancelled();
      parser.add(line);
    });
  } catch (const Fault& fault) {
    throw_fault(content, fault);
  }
  if (options.need_labels && parser.labels.size() == 0) {
    throw DataError(content.name(), 0,
                    "no line has a label; write them as \"__label__name\" before the text");
  }
  Dataset data;
  data.source = content.name();
  data.label_names = options.expected_labels ? labels_for_model(parser.labels.names(), options)
                                             : parser.labels.sorted_names();
  const std::vector<std::uint32_t> columns = label_columns(parser.labels.names(), data.label_names);
  for (std::uint32_t j = 0; j < columns.size() && refuses_unseen(options); ++j) {
    if (columns[j] == no_label) {
      throw_fault(content, fault(parser.first_seen[j], unknown_label_message(parser.labels.name(j))));
    }
  }
  data.y = relabel(parser.rows, columns, data.label_names.size());
  data.documents = std::move(parser.documents);
  data.x = DenseMatrix(data.documents.size(), 0);
  return data;
}

}  // namespace mmo
