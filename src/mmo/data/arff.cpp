// ARFF as Mulan and MEKA write it. Dense rows "1,2,?,red", sparse rows "{3 1.5, 7 red}" in which an attribute
// left out has the value 0, or for nominal attributes the first declared value.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/data/arff_header.h"
#include "mmo/data/cells.h"
#include "mmo/data/decimal.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/label_header.h"
#include "mmo/data/pieces.h"
#include "mmo/data/readers.h"
#include "mmo/data/settle_columns.h"
#include "mmo/data/string_column.h"
#include "mmo/data/table.h"

namespace mmo {
namespace {

constexpr float missing_value = std::numeric_limits<float>::quiet_NaN();

constexpr std::uint32_t no_feature = std::numeric_limits<std::uint32_t>::max();

struct TextHash : std::hash<std::string_view> {
  using is_transparent = void;
};

// How the text of an attribute becomes a number.
struct Coding {
  bool free_number = false;    // any number
  std::vector<float> numbers;  // nominal, all values numbers: the allowed ones, ascending
  std::unordered_map<std::string, float, TextHash, std::equal_to<>> categories;  // nominal: value → index
  float left_out = 0;                 // its value in a sparse row that does not mention it
  std::optional<std::uint32_t> text;  // a feature of type string or date: its place among these

  [[nodiscard]] bool allows(float number) const {
    return free_number || number == numbers.front() || number == numbers.back() ||
           std::binary_search(numbers.begin(), numbers.end(), number);
  }
};

std::vector<float> as_numbers(const std::vector<std::string>& values) {
  std::vector<float> numbers;
  for (const std::string& value : values) {
    const std::optional<float> number = parse_number(value);
    if (!number || !std::isfinite(*number)) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

Coding make_coding(const ArffAttribute& attribute) {
  Coding coding;
  if (attribute.type != ArffType::nominal || attribute.values.empty()) {
    coding.free_number = true;
    return coding;
  }
  coding.numbers = as_numbers(attribute.values);
  if (!coding.numbers.empty()) {
    coding.left_out = coding.numbers.front();
    std::sort(coding.numbers.begin(), coding.numbers.end());
  } else {
    for (const std::string& value : attribute.values) {
      coding.categories.emplace(value, static_cast<float>(coding.categories.size()));
    }
  }
  return coding;
}

struct ArffTable {
  std::vector<Coding> codings;  // one per column
  // Of each column its number among the features if it takes any number, else no_feature: all that most
  // values of a wide sparse file need to know, and small enough to stay in the cache.
  std::vector<std::uint32_t> free_feature;
  Columns columns;
  // Columns that a sparse row can't leave out without a word: their value would not be 0.
  std::vector<std::uint32_t> never_silent;
  std::vector<std::uint32_t> texts;  // the columns of type string or date that are features
};

void check_type(const ArffAttribute& attribute, Role role, const FileContent& content) {
  const auto refuse = [&](const char* kind, const char* advice) {
    throw_fault(content, {attribute.where,
                          fmt::format("attribute {} is {}; {}", shown(attribute.name), kind, advice)});
  };
  if (role == Role::label) {
    const auto odd = std::find_if(attribute.values.begin(), attribute.values.end(),
                                  [](const std::string& value) { return !parse_flag(value).has_value(); });
    if (odd != attribute.values.end()) {
      refuse(fmt::format("a label with value {}", shown(*odd)).c_str(), "a label's values must be 0 and 1");
    }
    if (attribute.type == ArffType::string) refuse("a label of type string", "declare it as {0,1}");
    if (attribute.type == ArffType::date) refuse("a label of type date", "declare it as {0,1}");
  }
}

ArffTable make_table(const ArffHeader& header, const FileContent& content, const LoadOptions& options) {
  ArffTable table;
  for (const ArffAttribute& attribute : header.attributes) {
    table.columns.all.push_back({attribute.name, attribute.where, Role::feature, 0});
    table.codings.push_back(make_coding(attribute));
  }
  assign_roles(table.columns, content, options, meka_labels(header, content),
               label_header_beside(content.name()));
  for (std::size_t c = 0; c < header.attributes.size(); ++c) {
    const ArffAttribute& attribute = header.attributes[c];
    const Role role = table.columns.all[c].role;
    check_type(attribute, role, content);
    if (role == Role::feature && (attribute.type == ArffType::string || attribute.type == ArffType::date)) {
      table.codings[c].text = static_cast<std::uint32_t>(table.texts.size());
      table.codings[c].free_number = false;
      table.texts.push_back(static_cast<std::uint32_t>(c));
    }
    const bool free = role == Role::feature && table.codings[c].free_number;
    table.free_feature.push_back(free ? table.columns.all[c].target : no_feature);
    const bool zero = role == Role::label
                          ? attribute.values.empty() || !parse_flag(attribute.values.front()).value_or(false)
                          : table.codings[c].left_out == 0;
    const bool required =
        role == Role::text || role == Role::weight || role == Role::group || role == Role::id;
    if ((!zero && role != Role::ignored) || required) {
      table.never_silent.push_back(static_cast<std::uint32_t>(c));
    }
  }
  return table;
}

// Reads the rows of one piece.
class RowReader {
 public:
  RowReader(const ArffTable& table, TableRows& rows, StringColumnReader& texts, std::size_t piece)
      : table_(table), columns_(table.columns.all), rows_(rows), texts_(texts), piece_(piece) {}

  // `x` = place for the row's features.
  void dense_row(const char* at, const char* end, std::size_t row, float* x) {
    if (*at == '{') throw Fault{at, "a sparse row {…} among dense ones; write all rows the same way"};
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (at == end || *at == '%') {
        throw Fault{at, fmt::format("{} values in this row, but the header declares {} attributes", c,
                                    columns_.size())};
      }
      const Column& column = columns_[c];
      if (*at == ',') {
        throw Fault{at,
                    fmt::format("no value for attribute {}; write ? if it is not known", shown(column.name))};
      }
      const float value = read_value(at, end, c, row);
      if (column.role == Role::feature) x[column.target] = value;
      next_field(at, end);
    }
    if (at < end && *at != '%') {
      throw Fault{
          at, fmt::format("more values in this row than the {} attributes of the header", columns_.size())};
    }
    rows_.end_row(piece_);
  }

  void sparse_row(const char* at, const char* end, std::size_t row, CsrMatrix& x) {
    if (*at != '{') throw Fault{at, "a dense row among sparse ones {…}; write all rows the same way"};
    const char* const open = at++;
    std::size_t next = 0;  // the lowest column that may follow
    auto silent = table_.never_silent.begin();
    while (true) {
      const std::size_t limit = silent != table_.never_silent.end() ? *silent : columns_.size();
      while (plain_pair(at, end, next, limit, x)) {
      }
      skip_arff_blanks(at, end);
      if (at == end) throw Fault{open, "this sparse row is not closed; expected } at its end"};
      if (*at == '}') break;
      const char* const where = at;
      const std::size_t c = sparse_index(at, end, next);
      next = c + 1;
      for (; silent != table_.never_silent.end() && *silent < c; ++silent) leave_out(*silent, where, x);
      if (silent != table_.never_silent.end() && *silent == c) ++silent;
      const std::uint32_t feature = table_.free_feature[c];
      float value = 0;
      if (feature != no_feature && plain_number(at, end, value)) {
        append(x, feature, value);
      } else {
        value = read_value(at, end, c, row);
        if (columns_[c].role == Role::feature) append(x, columns_[c].target, value);
      }
      next_field(at, end);
    }
    for (; silent != table_.never_silent.end(); ++silent) leave_out(*silent, at, x);
    ++at;
    skip_arff_blanks(at, end);
    if (at < end && *at != '%') throw Fault{at, "text after the closing } of a sparse row"};
    rows_.end_row(piece_);
    x.offsets.push_back(x.indices.size());
  }

 private:
  static bool at_boundary(const char* at, const char* end) {
    return at == end || *at == ',' || *at == ' ' || *at == '\t' || *at == '\r' || *at == '}';
  }

  // The quick way through a finite number; anything else goes the long way.
  static bool plain_number(const char*& at, const char* end, float& value) {
    const char* stop = at + 1;
    if (*at >= '0' && *at <= '9' && at_boundary(stop, end)) {
      value = static_cast<float>(*at - '0');
    } else {
      const auto parsed = parse_decimal(at, end, value);
      if (parsed.ec != std::errc() || !at_boundary(parsed.ptr, end) || !std::isfinite(value)) return false;
      stop = parsed.ptr;
    }
    at = stop;
    return true;
  }

  // The quick way through "index number," of a free feature below `limit`, up to where the next pair starts;
  // anything else is left where it is.
  bool plain_pair(const char*& at, const char* end, std::size_t& next, std::size_t limit, CsrMatrix& x) {
    const DigitRun index = digit_run(at, end);
    const char* stop = at + index.count;
    const std::size_t c = index.value;
    if (index.count - 1U >= 7U || end - stop < 2 || *stop != ' ' || c < next || c >= limit) return false;
    const std::uint32_t feature = table_.free_feature[c];
    float value = 0;
    if (feature == no_feature || !plain_number(++stop, end, value)) return false;
    // A pair that ends the row leaves its last steps to the long way.
    if (end - stop < 3 || *stop != ',') return false;
    stop += stop[1] == ' ' ? 2 : 1;
    append(x, feature, value);
    next = c + 1;
    at = stop;
    return true;
  }

  // The same for a number that the attribute allows.
  bool allowed_number(const char*& at, const char* end, std::size_t c, float& value) const {
    const Coding& coding = table_.codings[c];
    const char* stop = at;
    if (!coding.categories.empty() || coding.text || !plain_number(stop, end, value) || !coding.allows(value))
      return false;
    at = stop;
    return true;
  }

  // The quick way through a label 0 or 1.
  bool plain_label(const char*& at, const char* end, const Column& column) {
    if ((*at != '0' && *at != '1') || !at_boundary(at + 1, end)) return false;
    rows_.put_label(piece_, column, {at, 1}, false, at);
    ++at;
    return true;
  }

  // After a value: blanks, at most one comma, blanks.
  static void next_field(const char*& at, const char* end) {
    if (!at_boundary(at, end)) {
      throw Fault{at, "expected a comma before " + shown({at, static_cast<std::size_t>(end - at)})};
    }
    skip_arff_blanks(at, end);
    if (at == end || *at != ',') return;
    const char* const comma = at++;
    skip_arff_blanks(at, end);
    if (at == end) throw Fault{comma, "a comma ends this row; a value is missing after it"};
  }

  std::size_t sparse_index(const char*& at, const char* end, std::size_t next) const {
    const char* const where = at;
    std::size_t index = 0;
    const char* stop = at;
    for (; stop < end && *stop >= '0' && *stop <= '9'; ++stop) {
      // One that is too large already stays as it is, lest it wrap.
      if (index < columns_.size()) index = index * 10 + static_cast<std::size_t>(*stop - '0');
    }
    if (stop == at || (stop < end && *stop != ' ' && *stop != '\t')) {
      const std::string_view rest(where, static_cast<std::size_t>(end - where));
      throw Fault{where,
                  fmt::format("{} in a sparse row; expected \"index value\" with an index from 0 to {}",
                              shown(rest.substr(0, rest.find_first_of(",}"))), columns_.size() - 1)};
    }
    if (index >= columns_.size()) {
      throw Fault{where, fmt::format("index {} in a sparse row, but the attributes are numbered 0 to {}",
                                     std::string_view(where, static_cast<std::size_t>(stop - where)),
                                     columns_.size() - 1)};
    }
    if (index < next) {
      throw Fault{where, fmt::format("index {} is {} in this sparse row; indices must ascend", index,
                                     index + 1 == next ? "repeated" : "out of order")};
    }
    at = stop;
    skip_arff_blanks(at, end);
    if (at == end || *at == ',' || *at == '}')
      throw Fault{where, fmt::format("no value after index {}", index)};
    return index;
  }

  static void append(CsrMatrix& x, std::uint32_t feature, float value) {
    if (value == 0) return;  // NaN is kept
    x.indices.push_back(feature);
    x.values.push_back(value);
  }

  // An attribute of never_silent that a sparse row does not mention.
  void leave_out(std::uint32_t c, const char* where, CsrMatrix& x) {
    const Column& column = columns_[c];
    if (column.role == Role::feature) {
      append(x, column.target, table_.codings[c].left_out);
    } else if (column.role == Role::label) {
      rows_.put_label(piece_, column, "1", false, where);
    } else {
      throw Fault{where, fmt::format("this sparse row has no value for {}", shown(column.name))};
    }
  }

  // Reads the value of column c and puts it in its place; returns the number if the column is a feature.
  float read_value(const char*& at, const char* end, std::size_t c, std::size_t row) {
    const Column& column = columns_[c];
    float number = 0;
    if (column.role == Role::feature && allowed_number(at, end, c, number)) return number;
    if (column.role == Role::label && plain_label(at, end, column)) return 0;
    const char* const where = at;
    const ArffWord word = read_arff_word(at, end, scratch_);
    const bool missing = !word.quoted && word.text == "?";
    if (column.role == Role::feature && table_.codings[c].text) {
      texts_.add(piece_, *table_.codings[c].text, word.text, missing || trimmed(word.text).empty());
      return missing_value;
    }
    if (column.role == Role::feature) return missing ? missing_value : code(c, word.text, where);
    if (column.role == Role::label) {
      rows_.put_label(piece_, column, word.text, missing, where);
    } else {
      rows_.put_other(row, column, word.text, missing, where);
    }
    return 0;
  }

  float code(std::size_t c, std::string_view text, const char* where) const {
    const Coding& coding = table_.codings[c];
    if (!coding.categories.empty()) {
      const auto found = coding.categories.find(text);
      if (found != coding.categories.end()) return found->second;
      throw Fault{where, fmt::format("value {} is not among the declared values of attribute {}", shown(text),
                                     shown(columns_[c].name))};
    }
    const std::optional<float> number = parse_number(text);
    if (!number) {
      throw Fault{where, fmt::format("{} is not a number (attribute {}); write ? if it is not known",
                                     shown(text), shown(columns_[c].name))};
    }
    if (std::isinf(*number)) {
      throw Fault{where, fmt::format("{} is infinite or too large for a 32-bit number (attribute {})",
                                     shown(text), shown(columns_[c].name))};
    }
    if (!std::isnan(*number) && !coding.allows(*number)) {
      throw Fault{where, fmt::format("value {} is not among the declared values of attribute {}", shown(text),
                                     shown(columns_[c].name))};
    }
    return *number;
  }

  const ArffTable& table_;
  const std::vector<Column>& columns_;
  TableRows& rows_;
  StringColumnReader& texts_;
  std::size_t piece_;
  std::string scratch_;
};

// Calls row(start, end) for every line that holds a row: not blank, no comment. Blanks around it are cut off.
template <class Row>
void for_each_row(std::string_view piece, const Row& row) {
  const char* at = piece.data();
  const char* const piece_end = at + piece.size();
  while (at < piece_end) {
    const auto* newline =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(piece_end - at)));
    const char* end = newline != nullptr ? newline : piece_end;
    const char* const next = newline != nullptr ? newline + 1 : piece_end;
    skip_arff_blanks(at, end);
    if (at < end && *at != '%') {
      while (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r') --end;
      row(at, end);
    }
    at = next;
  }
}

struct RowCount {
  std::vector<std::size_t> first;  // number of the first row of each piece; the last entry is the total
  bool sparse = false;             // as the first row is
};

RowCount count_rows(const std::vector<std::string_view>& pieces) {
  RowCount count;
  count.first.assign(pieces.size() + 1, 0);
  std::vector<char> opening(pieces.size(), '\0');
  parallel_for(pieces.size(), [&](std::size_t k) {
    for_each_row(pieces[k], [&](const char* at, const char*) {
      if (count.first[k + 1]++ == 0) opening[k] = *at;
    });
  });
  const auto first = std::find_if(opening.begin(), opening.end(), [](char c) { return c != '\0'; });
  count.sparse = first != opening.end() && *first == '{';
  std::partial_sum(count.first.begin(), count.first.end(), count.first.begin());
  return count;
}

DenseMatrix read_dense(const FileContent& content, const std::vector<std::string_view>& pieces,
                       const RowCount& count, const ArffTable& table, TableRows& rows,
                       StringColumnReader& texts) {
  // A value takes a byte at least, so that a text too short for its rows has a bad one. It is looked for
  // with room for one row only, instead of asking for memory that no file can justify.
  const std::size_t total = count.first.back();
  const std::size_t bytes =
      pieces.empty() ? 0 : static_cast<std::size_t>(pieces.back().end() - pieces.front().begin());
  const bool plausible = total <= bytes / table.columns.all.size() + 1;
  DenseMatrix x(plausible ? total : 0, table.columns.features);
  parse_pieces(content, pieces.size(), [&](std::size_t k) {
    RowReader reader(table, rows, texts, k);
    std::vector<float> spare(plausible ? 0 : table.columns.features);
    std::size_t row = count.first[k];
    for_each_row(pieces[k], [&](const char* at, const char* end) {
      reader.dense_row(at, end, row, plausible ? x.values.data() + row * x.cols : spare.data());
      ++row;
    });
  });
  return x;
}

CsrMatrix read_sparse(const FileContent& content, const std::vector<std::string_view>& pieces,
                      const RowCount& count, const ArffTable& table, TableRows& rows,
                      StringColumnReader& texts) {
  std::vector<CsrMatrix> parts(pieces.size());
  parse_pieces(content, pieces.size(), [&](std::size_t k) {
    RowReader reader(table, rows, texts, k);
    std::size_t row = count.first[k];
    // A comma between two values at least: growing step by step would touch twice the memory.
    const std::size_t values = count_byte(pieces[k], ',') + count.first[k + 1] - row;
    parts[k].indices.reserve(values);
    parts[k].values.reserve(values);
    parts[k].offsets.reserve(count.first[k + 1] - row + 1);
    for_each_row(pieces[k],
                 [&](const char* at, const char* end) { reader.sparse_row(at, end, row++, parts[k]); });
  });
  return join_rows(parts, table.columns.features);
}

std::vector<FeatureInfo> feature_infos(const ArffHeader& header, const ArffTable& table) {
  std::vector<FeatureInfo> infos;
  for (std::size_t c = 0; c < header.attributes.size(); ++c) {
    if (table.columns.all[c].role != Role::feature) continue;
    FeatureInfo info{header.attributes[c].name, {}};
    if (!table.codings[c].categories.empty()) info.categories = header.attributes[c].values;
    infos.push_back(std::move(info));
  }
  return infos;
}

// What a sparse row leaves out is 0, or the first declared category: a text has neither.
void refuse_sparse_texts(const ArffHeader& header, const FileContent& content, const ArffTable& table) {
  if (table.texts.empty()) return;
  const ArffAttribute& attribute = header.attributes[table.texts.front()];
  throw_fault(content,
              {attribute.where, fmt::format("attribute {} holds texts, which sparse rows {{…}} have no "
                                            "place for; write all values of a row, or leave it out "
                                            "by --drop {}",
                                            shown(attribute.name), attribute.name)});
}

const char* start_of_row(const std::vector<std::string_view>& pieces, const RowCount& count,
                         std::size_t row) {
  const char* where = nullptr;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    if (row < count.first[k] || row >= count.first[k + 1]) continue;
    std::size_t at_row = count.first[k];
    for_each_row(pieces[k], [&](const char* at, const char*) {
      if (at_row++ == row) where = at;
    });
  }
  return where;
}

void settle(const FileContent& content, const std::vector<std::string_view>& pieces, const RowCount& count,
            const ArffTable& table, const LoadOptions& options, FoundColumns&& found,
            StringColumnReader& texts, Dataset& data) {
  for (std::size_t s = 0; s < table.texts.size(); ++s) {
    const Column& column = table.columns.all[table.texts[s]];
    found.places.push_back(column.target);
    found.strings.push_back(texts.take(s, column.name));
  }
  try {
    settle_columns(std::move(found), options, data);
  } catch (const ColumnFault& fault) {
    throw_fault(content, {start_of_row(pieces, count, fault.row), fault.message});
  }
}

}  // namespace

Dataset read_arff(const FileContent& content, const LoadOptions& options) {
  const ArffHeader header = parse_arff_header(content);
  const ArffTable table = make_table(header, content, options);
  const std::vector<std::string_view> pieces = cut_at_lines(header.rows);
  const RowCount count = count_rows(pieces);
  TableRows rows(table.columns, options, pieces.size(), count.first.back());
  StringColumnReader texts(pieces.size(), table.texts.size());
  Dataset data;
  data.source = content.name();
  if (!options.text_column.empty()) {
    if (count.sparse) {
      read_sparse(content, pieces, count, table, rows, texts);
    } else {
      read_dense(content, pieces, count, table, rows, texts);
    }
    data.x = DenseMatrix(count.first.back(), 0);
    data.features = feature_infos(header, table);
  } else if (count.sparse) {
    refuse_sparse_texts(header, content, table);
    data.x = read_sparse(content, pieces, count, table, rows, texts);
    data.features = feature_infos(header, table);
  } else {
    settle(content, pieces, count, table, options,
           {read_dense(content, pieces, count, table, rows, texts), feature_infos(header, table), {}, {}},
           texts, data);
  }
  rows.move_into(data);
  return data;
}

}  // namespace mmo
