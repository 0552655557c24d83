#include "mmo/data/column_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "mmo/data/cells.h"
#include "mmo/data/label_columns.h"

namespace mmo {
namespace {

// A column is taken for numbers (dates) with a bad cell among them when at most this share is bad.
constexpr double mostly = 0.9;
// Fewer rows tell nothing about a column whose texts all differ.
constexpr std::size_t enough_rows = 20;
// "5 %" in a few variants is a category, in many a number that is written badly.
constexpr std::size_t few_values = 12;

// Rows whose value passes the test.
template <class Test>
std::size_t rows_with(const StringColumn& column, const std::vector<std::size_t>& counts, const Test& test) {
  std::size_t rows = 0;
  for (std::size_t v = 0; v < counts.size(); ++v) rows += test(column.values[v]) ? counts[v] : 0;
  return rows;
}

// The value that fails the test in the earliest row.
template <class Test>
[[noreturn]] void blame(const StringColumn& column, const Test& test, const std::string& what) {
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    const std::uint32_t code = column.codes[row];
    if (code == StringColumn::missing || test(column.values[code])) continue;
    throw ColumnFault{
        column.name, row,
        fmt::format("{} in column {} {}", shown(column.values[code]), shown(column.name), what)};
  }
  throw ColumnFault{column.name, 0, fmt::format("column {} {}", shown(column.name), what)};
}

std::string advice(const std::string& name) {
  return fmt::format(
      "mend the cell (an empty one is a missing value), or say what the column is: --category {0} or --drop "
      "{0}",
      name);
}

// ---- numbers ----------------------------------------------------------------------------------------------

// "1,5" → 1.5; nothing unless there is exactly one comma and no point.
std::optional<float> decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || text.find_first_of(".,", comma + 1) != std::string_view::npos ||
      text.substr(0, comma).find('.') != std::string_view::npos) {
    return std::nullopt;
  }
  std::string number(text);
  number[comma] = '.';
  return parse_number(number);
}

bool is_number(std::string_view text) { return parse_number(text).has_value(); }

// A number but for blanks, commas and signs of money: "1 000", "12,5 €", "$3".
bool is_nearly_number(std::string_view text) {
  std::string bare;
  for (const char c : text) {
    if (std::string_view(" ,'_$%").find(c) == std::string_view::npos && static_cast<unsigned char>(c) < 0x80)
      bare += c;
  }
  return is_number(bare);
}

// Commas are decimal if every number has one or is whole, and one of them can't be a thousands separator.
bool has_decimal_commas(const StringColumn& column) {
  bool certain = false;
  bool any = false;
  for (const std::string& value : column.values) {
    if (value.find('.') == std::string::npos && is_number(value)) continue;
    if (!decimal_comma(value)) return false;
    any = true;
    certain = certain || value.size() - value.find(',') != 4;
  }
  return any && certain;
}

// Numbers with a bad cell among them, or all written in a way that we can't be sure of.
void refuse_bad_numbers(const StringColumn& column, const std::vector<std::size_t>& counts,
                        std::size_t known) {
  const std::size_t numbers = rows_with(column, counts, is_number);
  const std::size_t bad = known - numbers;
  const bool mostly_numbers =
      static_cast<double>(numbers) >= mostly * static_cast<double>(known) || (bad == 1 && numbers >= 2);
  if (mostly_numbers) {
    blame(column, is_number,
          fmt::format("is not a number, but {} of the column's {} cells are; {}", numbers, known,
                      advice(column.name)));
  }
  const auto nearly = [](const std::string& value) { return is_number(value) || is_nearly_number(value); };
  const std::size_t near = rows_with(column, counts, nearly);
  if (column.values.size() > few_values && static_cast<double>(near) >= mostly * static_cast<double>(known)) {
    blame(
        column, is_number,
        "looks like a number but is not written as one; write digits with a decimal point and nothing else, "
        "or say what the column is: --category " +
            column.name);
  }
}

// ---- dates ------------------------------------------------------------------------------------------------

constexpr std::array orders{DateOrder::year_first, DateOrder::day_first, DateOrder::month_first};

std::optional<ColumnGuess> guess_date(const StringColumn& column, const std::vector<std::size_t>& counts,
                                      std::size_t known) {
  DateOrder best = DateOrder::none;
  std::size_t most = 0;
  bool ambiguous = false;
  for (const DateOrder order : orders) {
    const std::size_t dates =
        rows_with(column, counts, [&](const std::string& v) { return parse_date(v, order).has_value(); });
    if (dates > most) {
      best = order;
      most = dates;
      ambiguous = false;
    } else if (dates == most && dates > 0 && order == DateOrder::month_first &&
               best == DateOrder::day_first) {
      ambiguous = true;
    }
  }
  if (best == DateOrder::none || static_cast<double>(most) < mostly * static_cast<double>(known)) {
    const auto any = [](const std::string& v) {
      return std::any_of(orders.begin(), orders.end(),
                         [&](DateOrder o) { return parse_date(v, o).has_value(); });
    };
    if (known > 0 && rows_with(column, counts, any) == known) {
      blame(
          column, [&](const std::string& v) { return parse_date(v, best).has_value(); },
          fmt::format("is a date in another order than most ({}); write all as year-month-day",
                      date_order_name(best)));
    }
    return std::nullopt;
  }
  if (most < known) {
    blame(
        column, [&](const std::string& v) { return parse_date(v, best).has_value(); },
        fmt::format("is not a date written as {}, but {} of the column's {} cells are; {}",
                    date_order_name(best), most, known, advice(column.name)));
  }
  ColumnGuess guess;
  guess.kind = ColumnKind::date;
  guess.order = best;
  if (ambiguous) {
    guess.note = fmt::format(
        "column {} is read as dates with the day first ({}); write year-month-day if the month stands first",
        shown(column.name), column.values.front());
  }
  return guess;
}

// ---- words ------------------------------------------------------------------------------------------------

std::size_t word_count(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    words += !blank && !inside ? 1 : 0;
    inside = !blank;
  }
  return words;
}

// Calls visit(part) for the runs of letters and digits that hold a letter: "python3-foo" has two.
template <class Visit>
void for_each_part(std::string_view text, const Visit& visit) {
  const auto inside = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!inside(text[at])) continue;
    std::size_t end = at;
    bool letter = false;
    for (; end < text.size() && inside(text[end]); ++end)
      letter = letter || text[end] > '9' || text[end] < '0';
    if (letter && end - at > 1) visit(text.substr(at, end - at));
    at = end;
  }
}

// Whether half of the values share a part with others that is not in nearly all of them: compound names such
// as those of packages, which are as good as words.
bool shares_parts(const std::vector<std::string>& values) {
  constexpr std::size_t most_looked_at = 2000;
  constexpr std::size_t shared_by = 5;
  const std::size_t step = values.size() / most_looked_at + 1;
  std::unordered_map<std::string_view, std::size_t> count;
  for (std::size_t v = 0; v < values.size(); v += step)
    for_each_part(values[v], [&](std::string_view part) { ++count[part]; });
  std::size_t looked_at = 0;
  std::size_t sharing = 0;
  for (std::size_t v = 0; v < values.size(); v += step, ++looked_at) {
    bool shares = false;
    for_each_part(values[v], [&](std::string_view part) {
      shares = shares || (count[part] >= shared_by && count[part] * 2 * step < values.size());
    });
    sharing += shares ? 1 : 0;
  }
  return sharing * 3 > looked_at;
}

bool is_text(const StringColumn& column, const std::vector<std::size_t>& counts, std::size_t known) {
  double words = 0;
  for (std::size_t v = 0; v < counts.size(); ++v)
    words += static_cast<double>(counts[v] * word_count(column.values[v]));
  words /= static_cast<double>(known);
  const double different = static_cast<double>(column.values.size()) / static_cast<double>(known);
  const bool prose = words >= 3 && different > 0.5;
  const bool long_prose = words >= 8 && column.values.size() > few_values;
  const bool compound = known >= enough_rows && different > 0.9 && shares_parts(column.values);
  return prose || long_prose || compound;
}

}  // namespace

ColumnGuess guess_kind(const StringColumn& column) {
  const std::vector<std::size_t> counts = column.counts();
  const std::size_t known = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const auto left_out = [](std::string why) {
    ColumnGuess guess;
    guess.kind = ColumnKind::left_out;
    guess.why = std::move(why);
    return guess;
  };
  if (known == 0) return left_out("no cell has a value");
  if (has_decimal_commas(column)) {
    ColumnGuess guess;
    guess.kind = ColumnKind::number;
    guess.note = fmt::format("column {} is read as numbers with a decimal comma", shown(column.name));
    return guess;
  }
  if (rows_with(column, counts, is_number) == known) {
    ColumnGuess guess;
    guess.kind = ColumnKind::number;
    return guess;
  }
  if (const auto date = guess_date(column, counts, known)) return *date;
  refuse_bad_numbers(column, counts, known);
  if (is_text(column, counts, known)) return {ColumnKind::text, DateOrder::none, "", ""};
  const bool id =
      column.values.size() == known || (names_an_id(column.name) && column.values.size() * 10 > known * 9);
  if (known >= enough_rows && id) return left_out("its texts all differ, as an identifier's do");
  if (column.values.size() == 1 && known == column.codes.size() && known > 1)
    return left_out("all rows have the same value");
  ColumnGuess guess;
  const std::size_t numbers = rows_with(column, counts, is_number);
  if (2 * numbers > known) {
    guess.note = fmt::format("column {} is read as categories, although {} of its {} cells are numbers",
                             shown(column.name), numbers, known);
  }
  return guess;
}

std::vector<float> numbers_of(const StringColumn& column) {
  const bool commas = has_decimal_commas(column);
  const auto number = [&](const std::string& text) {
    const auto plain = parse_number(text);
    return plain || !commas ? plain : decimal_comma(text);
  };
  std::vector<float> out(column.codes.size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t row = 0; row < out.size(); ++row) {
    if (column.codes[row] == StringColumn::missing) continue;
    const std::string& text = column.values[column.codes[row]];
    const auto value = number(text);
    if (!value || std::isinf(*value)) {
      throw ColumnFault{
          column.name, row,
          fmt::format("{} in column {} is not a number (or too large for 32 bits); {}", shown(text),
                      shown(column.name), "mend the cell, or leave it empty if the value is not known")};
    }
    out[row] = *value;
  }
  return out;
}

std::vector<float> dates_of(const StringColumn& column, DateOrder order) {
  std::vector<float> out(column.codes.size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t row = 0; row < out.size(); ++row) {
    if (column.codes[row] == StringColumn::missing) continue;
    const std::string& text = column.values[column.codes[row]];
    const auto days = parse_date(text, order);
    if (!days) {
      throw ColumnFault{column.name, row,
                        fmt::format("{} in column {} is not a date written as {}; mend the cell, or leave it "
                                    "empty if the date is not known",
                                    shown(text), shown(column.name), date_order_name(order))};
    }
    out[row] = static_cast<float>(*days);
  }
  return out;
}

bool names_an_id(const std::string& name) {
  constexpr std::array<std::string_view, 8> words{"id",    "ids", "uuid",  "guid",
                                                  "index", "row", "rowid", "key"};
  std::string lower;
  for (const char c : name) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (name.ends_with("Id") || name.ends_with("ID")) return true;
  const std::size_t start = lower.find_last_of("_- .");
  const std::string_view last = std::string_view(lower).substr(start == std::string::npos ? 0 : start + 1);
  return std::find(words.begin(), words.end(), last) != words.end();
}

}  // namespace mmo
