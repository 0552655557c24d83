// The extreme-classification repository's format: a header "rows features labels", then one line per row,
// "label,label index:value …", labels and features counted from 0.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "mmo/core/error.h"
#include "mmo/core/input_limit.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/readers.h"
#include "mmo/data/sparse_text.h"

namespace mmo {
namespace {

struct Header {
  std::array<std::size_t, 3> counts{};  // rows, features, labels
  std::string_view body;
};

Header parse_header(const FileContent& content) {
  std::string_view text = content.bytes();
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, line_end);
  Header header;
  header.body = text.substr(std::min(line_end + 1, text.size()));
  const char* at = line.data();
  const char* const end = at + line.size();
  const auto skip_blanks = [&] {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
  };
  const auto bad_header = [&] {
    return DataError(content.name(), 1,
                     "the first line must be 'rows features labels', three counts; found " + shown(line));
  };
  for (auto& count : header.counts) {
    skip_blanks();
    const auto [stop, status] = std::from_chars(at, end, count);
    if (status != std::errc()) throw bad_header();
    at = stop;
  }
  skip_blanks();
  if (at != end) throw bad_header();
  const auto [rows, features, labels] = header.counts;
  if (rows == 0) throw DataError(content.name(), 1, "the header says 0 rows: no examples");
  if (features == 0) throw DataError(content.name(), 1, "the header says 0 features");
  if (features > max_sparse_index || labels > max_sparse_index) {
    throw DataError(
        content.name(), 1,
        fmt::format("the header says {} features and {} labels; the largest number of either is {}", features,
                    labels, max_sparse_index));
  }
  check_columns(features, labels, content.bytes().size(), content.name());
  return header;
}

// The number of each label; no_label if it is none or the header does not allow it.
std::vector<std::uint32_t> label_numbers(const std::vector<std::string_view>& names, std::size_t labels) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(names.size());
  for (const auto name : names) {
    std::uint32_t number = no_label;
    const auto [stop, status] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool good = status == std::errc() && stop == name.data() + name.size() && number < labels;
    numbers.push_back(good ? number : no_label);
  }
  return numbers;
}

void check_row_count(SparseText& text, std::size_t rows, const std::string& file) {
  if (text.x.rows < rows) {
    throw DataError(file, text.x.rows + 1,
                    fmt::format("the file ends after {} rows but its header says {}: it is cut short, or the "
                                "header is wrong",
                                text.x.rows, rows));
  }
  // Blank lines after the last row are harmless.
  if (text.x.offsets[rows] != text.x.nonzeros() || text.label_offsets[rows] != text.label_ids.size()) {
    throw DataError(file, rows + 2,
                    fmt::format("more rows than the {} of the header: correct the header", rows));
  }
  text.x.rows = rows;
  text.x.offsets.resize(rows + 1);
  text.label_offsets.resize(rows + 1);
}

}  // namespace

Dataset read_xmc(const FileContent& content, const LoadOptions& options) {
  const Header header = parse_header(content);
  const std::size_t rows = header.counts[0];
  const std::size_t features = header.counts[1];
  const std::size_t labels = header.counts[2];
  SparseTextRules rules;
  rules.every_line_is_row = true;
  rules.max_index = static_cast<std::uint32_t>(features - 1);
  rules.above_advice = fmt::format("is too large: the header says {} features, counted from 0", features);
  SparseText text = parse_sparse_text(content, header.body, rules);
  check_row_count(text, rows, content.name());

  Dataset data;
  data.source = content.name();
  const std::vector<std::uint32_t> numbers = label_numbers(text.names, labels);
  refuse_unplaced_labels(content, text, numbers, [&](std::string_view label) {
    return fmt::format("label {} does not fit: the header says {} labels, numbered from 0", shown(label),
                       labels);
  });
  // With as many labels as the model the numbers are positions; otherwise they are names, "0", "1", … .
  if (options.expected_labels && labels != options.expected_labels->size()) {
    take_labels_for_model(content, text, options, data);
  } else {
    if (options.expected_labels) data.label_names = *options.expected_labels;
    data.y = take_labels(text, numbers, labels);
  }
  text.x.cols = features;
  data.x = std::move(text.x);
  return data;
}

}  // namespace mmo
