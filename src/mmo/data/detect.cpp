#include "mmo/data/detect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "mmo/core/error.h"
#include "mmo/data/cells.h"
#include "mmo/data/label_columns.h"

namespace mmo {
namespace {

constexpr std::size_t lines_looked_at = 20;
constexpr std::size_t longest_line_looked_at = std::size_t{1} << 20;

// The first lines that are not blank, without their line ends.
std::vector<std::string_view> first_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < lines_looked_at) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, std::min(end, longest_line_looked_at));
    if (!trimmed(line).empty())
      lines.push_back(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> found;
  while (!(line = trimmed(line)).empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    found.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return found;
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_index_value(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view index = word.substr(0, colon);
  if (index == "qid") return true;
  return all_digits(index.starts_with('-') ? index.substr(1) : index) &&
         parse_number(word.substr(colon + 1)).has_value();
}

// The file starts, after comments, with an @ keyword.
bool looks_like_arff(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty() && !line.starts_with('%')) {
      const std::string_view keyword = line.substr(0, line.find_first_of(" \t"));
      return same_word(keyword, "@relation") || same_word(keyword, "@attribute");
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

bool looks_like_xmc(const std::vector<std::string_view>& lines) {
  const auto counts = words(lines.front());
  return counts.size() == 3 && std::all_of(counts.begin(), counts.end(), all_digits);
}

// Every word after the labels is index:value, and there is at least one.
bool looks_like_svmlight(const std::vector<std::string_view>& lines) {
  bool any = false;
  for (const std::string_view line : lines) {
    const auto parts = words(line.substr(0, line.find('#')));
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (is_index_value(parts[k])) {
        any = true;
      } else if (k > 0) {
        return false;
      }
    }
  }
  return any;
}

bool looks_like_fasttext(const std::vector<std::string_view>& lines) {
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    return trimmed(line).starts_with("__label__") || line.find(" __label__") != std::string_view::npos;
  });
}

// The same number of separators in every line, at least one; lines with quotes are not counted.
bool looks_delimited(const std::vector<std::string_view>& lines, char separator) {
  const auto expected = std::count(lines.front().begin(), lines.front().end(), separator);
  return lines.size() > 1 && expected > 0 &&
         std::all_of(lines.begin(), lines.end(), [&](std::string_view line) {
           return line.find('"') != std::string_view::npos ||
                  std::count(line.begin(), line.end(), separator) == expected;
         });
}

}  // namespace

Format format_of_name(const std::string& path) {
  std::string_view name = path;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  constexpr std::array<std::pair<std::string_view, Format>, 13> endings{{
      {".arff", Format::arff},
      {".svm", Format::svmlight},
      {".svmlight", Format::svmlight},
      {".libsvm", Format::svmlight},
      {".txt", Format::xmc},
      {".csv", Format::csv},
      {".tsv", Format::tsv},
      {".jsonl", Format::jsonl},
      {".ndjson", Format::jsonl},
      {".npz", Format::npz},
      {".fasttext", Format::fasttext},
      {".ft", Format::fasttext},
      {".sgm", Format::reuters},
  }};
  for (const auto& [ending, format] : endings) {
    if (name.ends_with(ending)) return format;
  }
  return Format::automatic;
}

void refuse_parquet(const std::string& name) {
  throw DataError(
      name, 0,
      fmt::format("this is Parquet, which the Python package reads: python -m mmo.parquet {} rows.jsonl "
                  "writes JSON lines for this program",
                  name));
}

Format detect_format(const FileContent& content, bool need_labels) {
  std::string_view bytes = content.bytes();
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    throw DataError(content.name(), 0, "this is UTF-16 text; save it as UTF-8");
  }
  if (bytes.starts_with("PAR1")) refuse_parquet(content.name());
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) return Format::npz;
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  if (looks_like_arff(bytes)) return Format::arff;
  const std::vector<std::string_view> lines = first_lines(bytes);
  if (lines.empty()) throw DataError(content.name(), 0, "the file is empty");
  if (lines.front().starts_with("<!DOCTYPE lewis") || lines.front().starts_with("<REUTERS")) {
    return Format::reuters;
  }
  const Format named = format_of_name(content.name());
  if (named == Format::csv || named == Format::tsv) return named;
  if (trimmed(lines.front()).starts_with('{') && lines.front().find('"') != std::string_view::npos)
    return Format::jsonl;
  if (looks_like_xmc(lines)) return Format::xmc;
  // ".txt" may be anything, the other names are clear.
  if (named != Format::automatic && named != Format::xmc) return named;
  if (looks_like_fasttext(lines)) return Format::fasttext;
  if (looks_like_svmlight(lines)) return Format::svmlight;
  if (looks_delimited(lines, '\t')) return Format::tsv;
  if (looks_delimited(lines, ',') || looks_delimited(lines, ';')) return Format::csv;
  if (!need_labels) return Format::lines;
  throw DataError(content.name(), 1,
                  "unknown format, it starts with " + shown(lines.front()) +
                      "; name the format by --format, one of " + format_names(FormatUse::read, ", "));
}

Format detect_file_format(const std::string& path, bool need_labels) {
  constexpr std::size_t enough = std::size_t{32}
                                 << 20;  // for all lines that are looked at, and comments before
  return detect_format(FileContent::open_start(path, enough), need_labels);
}

char csv_separator(const FileContent& content) {
  const std::string_view line = content.bytes().substr(0, content.bytes().find('\n'));
  const bool semicolons = line.find(';') != std::string_view::npos;
  return semicolons && line.find(',') == std::string_view::npos ? ';' : ',';
}

}  // namespace mmo
