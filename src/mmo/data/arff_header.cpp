#include "mmo/data/arff_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "mmo/data/cells.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/pieces.h"

namespace mmo {
namespace {

bool ends_word(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == '{' || c == '}';
}

char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

// "{a, b, 'c d'}"; `at` stands on the opening brace.
std::vector<std::string> parse_values(const char*& at, const char* end) {
  const char* const open = at++;
  std::vector<std::string> values;
  std::unordered_set<std::string> seen;
  std::string scratch;
  while (true) {
    skip_arff_blanks(at, end);
    if (at == end) throw Fault{open, "the list of values is not closed; expected }"};
    if (*at == '}') break;
    if (*at == ',' || *at == '{') throw Fault{at, "expected a value in the list of values"};
    const char* const where = at;
    std::string value(read_arff_word(at, end, scratch).text);
    if (!seen.insert(value).second) throw Fault{where, "value " + shown(value) + " is declared twice"};
    values.push_back(std::move(value));
    skip_arff_blanks(at, end);
    if (at < end && *at == ',') ++at;
  }
  ++at;
  return values;
}

void parse_type(ArffAttribute& attribute, const char*& at, const char* end) {
  if (at < end && *at == '{') {
    attribute.type = ArffType::nominal;
    attribute.values = parse_values(at, end);
    return;
  }
  std::string scratch;
  const char* const where = at;
  const std::string_view type = at < end ? read_arff_word(at, end, scratch).text : std::string_view();
  if (same_word(type, "numeric") || same_word(type, "real") || same_word(type, "integer")) {
    attribute.type = ArffType::numeric;
    skip_arff_blanks(at, end);
    if (at < end && *at == '[') at = end;  // a range "[0, 1]", which says nothing we need
  } else if (same_word(type, "string")) {
    attribute.type = ArffType::string;
  } else if (same_word(type, "date")) {
    attribute.type = ArffType::date;
    at = end;  // its format
  } else {
    throw Fault{where, fmt::format("attribute {} has type {}; expected numeric, real, integer, string or a "
                                   "list of values in braces",
                                   shown(attribute.name), shown(type))};
  }
}

ArffAttribute parse_attribute(const char* at, const char* end) {
  ArffAttribute attribute;
  attribute.where = at;
  std::string scratch;
  if (at == end) throw Fault{at, "@attribute without a name and a type"};
  attribute.name = read_arff_word(at, end, scratch).text;
  if (attribute.name.empty()) throw Fault{attribute.where, "@attribute without a name"};
  skip_arff_blanks(at, end);
  parse_type(attribute, at, end);
  skip_arff_blanks(at, end);
  if (at < end && *at != '%') {
    throw Fault{at, fmt::format("{} after the type of attribute {}; names with blanks, commas or braces "
                                "must be quoted",
                                shown({at, static_cast<std::size_t>(end - at)}), shown(attribute.name))};
  }
  return attribute;
}

std::string parse_relation(const char* at, const char* end) {
  std::string scratch;
  if (at < end && (*at == '\'' || *at == '"')) return std::string(read_arff_word(at, end, scratch).text);
  return std::string(trimmed({at, static_cast<std::size_t>(end - at)}));
}

// Handles one line of the header; true at @data.
bool parse_line(ArffHeader& header, const char* at, const char* end) {
  skip_arff_blanks(at, end);
  if (at == end || *at == '%') return false;
  const char* const where = at;
  while (at < end && !ends_word(*at)) ++at;
  const std::string_view keyword(where, static_cast<std::size_t>(at - where));
  skip_arff_blanks(at, end);
  if (same_word(keyword, "@relation")) {
    header.relation = parse_relation(at, end);
    header.relation_where = where;
  } else if (same_word(keyword, "@attribute")) {
    header.attributes.push_back(parse_attribute(at, end));
  } else if (same_word(keyword, "@data")) {
    if (header.attributes.empty()) throw Fault{where, "no @attribute lines before @data"};
    return true;
  } else {
    throw Fault{where, fmt::format("{} in the header; expected @relation, @attribute, @data or a % comment",
                                   shown(keyword))};
  }
  return false;
}

}  // namespace

ArffWord read_arff_word(const char*& at, const char* end, std::string& scratch) {
  const char quote = *at;
  if (quote != '\'' && quote != '"') {
    const char* const start = at;
    while (at < end && !ends_word(*at)) ++at;
    return {{start, static_cast<std::size_t>(at - start)}, false};
  }
  const char* const open = at++;
  const char* const start = at;
  while (at < end && *at != quote && *at != '\\') ++at;
  if (at < end && *at == quote) {
    ++at;
    return {{start, static_cast<std::size_t>(at - 1 - start)}, true};
  }
  scratch.assign(start, at);
  while (at < end && *at != quote) {
    const bool escape = *at == '\\' && at + 1 < end;
    scratch.push_back(escape ? unescaped(at[1]) : *at);
    at += escape ? 2 : 1;
  }
  if (at == end) throw Fault{open, fmt::format("the quote {} is not closed on its line", quote)};
  ++at;
  return {scratch, true};
}

ArffHeader parse_arff_header(const FileContent& content) {
  std::string_view rest = content.bytes();
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  ArffHeader header;
  try {
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (parse_line(header, line.data(), line.data() + line.size())) {
        header.rows = rest;
        return header;
      }
    }
    throw Fault{content.bytes().data() + content.bytes().size(),
                "the file ends without @data; it is cut short or no ARFF file"};
  } catch (const Fault& fault) {
    throw_fault(content, fault);
  }
}

std::optional<LabelEnd> meka_labels(const ArffHeader& header, const FileContent& content) {
  std::string_view rest = header.relation;
  // The options follow a colon: "name: -C 6". Names made by WEKA's filters hold dashes of their own.
  const std::size_t colon = rest.find(':');
  if (colon != std::string_view::npos) rest.remove_prefix(colon + 1);
  bool next_is_count = false;
  while (!(rest = trimmed(rest)).empty()) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    rest.remove_prefix(word.size());
    if (word == "-C") {
      next_is_count = true;
      continue;
    }
    if (!next_is_count) continue;
    int count = 0;
    const auto [stop, status] = std::from_chars(word.data(), word.data() + word.size(), count);
    if (status != std::errc() || stop != word.data() + word.size() || count == 0) {
      throw_fault(content, {header.relation_where, fmt::format("-C {} in the relation's name; expected the "
                                                               "number of labels, negative if they are last",
                                                               shown(word))});
    }
    return LabelEnd{count > 0, static_cast<std::size_t>(count > 0 ? count : -static_cast<long long>(count))};
  }
  return std::nullopt;
}

}  // namespace mmo
