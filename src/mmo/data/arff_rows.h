// Reads the rows of one piece of an ARFF file: dense "1,2,?,red", sparse "{3 1.5, 7 red}". In a header of its
// own so that the quick ways through plain numbers are inlined into the loop over rows.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/data/arff_table.h"
#include "mmo/data/cells.h"
#include "mmo/data/decimal.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/pieces.h"
#include "mmo/data/string_column.h"
#include "mmo/data/table.h"

namespace mmo {

class ArffRowReader {
 public:
  ArffRowReader(const ArffTable& table, TableRows& rows, StringColumnReader& texts, std::size_t piece)
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
      return std::numeric_limits<float>::quiet_NaN();
    }
    if (column.role == Role::feature)
      return missing ? std::numeric_limits<float>::quiet_NaN() : code(c, word.text, where);
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

}  // namespace mmo
