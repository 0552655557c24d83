#include "mmo/data/settle_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "mmo/core/error.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/utf8.h"

namespace mmo {
namespace {

// Category numbers are stored as float32, exact up to 2^24.
constexpr std::size_t most_categories = std::size_t{1} << 24;
// A column of whole numbers in fewer rows may count up by chance.
constexpr std::size_t enough_rows = 20;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What is fixed: by the model, else by the user.
std::optional<ColumnGuess> known_kind(const std::string& name, const LoadOptions& options) {
  ColumnGuess known;
  if (options.expected_columns) {
    if (contains(options.expected_columns->texts, name)) {
      known.kind = ColumnKind::text;
      return known;
    }
    for (const FeatureInfo& column : options.expected_columns->features) {
      if (column.name != name) continue;
      known.order = column.date;
      known.kind = column.nominal()                 ? ColumnKind::category
                   : column.date != DateOrder::none ? ColumnKind::date
                                                    : ColumnKind::number;
      return known;
    }
  }
  const ColumnChoices& said = options.columns;
  known.kind = contains(said.text, name)       ? ColumnKind::text
               : contains(said.category, name) ? ColumnKind::category
               : contains(said.number, name)   ? ColumnKind::number
                                               : ColumnKind::left_out;
  if (known.kind == ColumnKind::left_out) return std::nullopt;
  return known;
}

void check_named(const std::vector<std::string>& wanted, const FoundColumns& found, const Dataset& data,
                 const char* flag) {
  std::vector<std::string> names;
  for (const FeatureInfo& column : found.columns) names.push_back(column.name);
  for (const std::string& name : wanted) {
    if (contains(names, name)) continue;
    throw DataError(data.source, 0,
                    fmt::format("{} {}: no feature column is called so; the file has {}", flag, shown(name),
                                some_of(names)));
  }
}

// Row numbers, or numbers under the name of an identifier: whole, and no two alike.
bool is_numeric_id(const DenseMatrix& x, std::size_t k, const std::string& name) {
  if (x.rows < enough_rows) return false;
  bool counting = x(0, k) == 0.0F || x(0, k) == 1.0F;
  for (std::size_t i = 1; counting && i < x.rows; ++i) counting = x(i, k) == x(i - 1, k) + 1.0F;
  if (counting) return true;
  if (!names_an_id(name)) return false;
  std::vector<float> values;
  for (std::size_t i = 0; i < x.rows; ++i) {
    if (!std::isfinite(x(i, k)) || x(i, k) != std::floor(x(i, k))) return false;
    values.push_back(x(i, k));
  }
  std::sort(values.begin(), values.end());
  // Long identifiers lose their last digits as 32-bit numbers.
  const auto different = static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
  return different * 10 > x.rows * 9;
}

bool all_missing(const DenseMatrix& x, std::size_t k) {
  for (std::size_t i = 0; i < x.rows; ++i) {
    if (!std::isnan(x(i, k))) return false;
  }
  return x.rows > 0;
}

void refuse_foreign_bytes(const StringColumn& column) {
  for (std::size_t v = 0; v < column.values.size(); ++v) {
    if (is_utf8(column.values[v])) continue;
    throw ColumnFault{
        column.name, column.first_row(static_cast<std::uint32_t>(v)),
        fmt::format("the text in column {} is not UTF-8; {}", shown(column.name), how_to_recode)};
  }
}

class Settling {
 public:
  Settling(FoundColumns&& found, const LoadOptions& options, Dataset& data)
      : found_(std::move(found)), options_(options), data_(data) {}

  void run() {
    if (!options_.expected_columns) {
      check_named(options_.columns.text, found_, data_, "--text");
      check_named(options_.columns.category, found_, data_, "--category");
      check_named(options_.columns.number, found_, data_, "--number");
    }
    std::size_t next = 0;
    for (std::size_t k = 0; k < found_.columns.size(); ++k) {
      if (next < found_.places.size() && found_.places[next] == k) {
        settle_texts(k, std::move(found_.strings[next++]));
      } else {
        settle_numbers(k);
      }
    }
    for (const LeftOutColumn& column : data_.left_out) {
      data_.notes.push_back(fmt::format("column {} is left out: {} (--category {} keeps it)",
                                        shown(column.name), column.why, column.name));
    }
    move_kept();
  }

 private:
  [[nodiscard]] bool guessing() const { return !options_.as_written && !options_.expected_columns; }

  void settle_numbers(std::size_t k) {
    FeatureInfo& column = found_.columns[k];
    if (guessing() && !contains(options_.columns.number, column.name)) {
      if (all_missing(found_.x, k)) return leave_out(column.name, "no cell has a value");
      if (!column.nominal() && is_numeric_id(found_.x, k, column.name))
        return leave_out(column.name, "its numbers only tell the rows apart");
    }
    keep(k, std::move(column));
  }

  void settle_texts(std::size_t k, StringColumn column) {
    column.name = found_.columns[k].name;
    ColumnGuess guess;
    if (const auto known = known_kind(column.name, options_)) {
      guess = *known;
    } else {
      guess = guess_kind(column);
      if (options_.as_written) guess = {};
    }
    if (guess.kind == ColumnKind::left_out) return leave_out(column.name, guess.why);
    if (!guess.note.empty()) data_.notes.push_back(guess.note);
    if (guess.kind == ColumnKind::number) return keep_numbers(k, numbers_of(column), {column.name});
    if (guess.kind == ColumnKind::date)
      return keep_numbers(k, dates_of(column, guess.order), {column.name, {}, guess.order});
    refuse_foreign_bytes(column);
    if (guess.kind == ColumnKind::text) return keep_text(column);
    keep_categories(k, std::move(column));
  }

  void leave_out(const std::string& name, const std::string& why) { data_.left_out.push_back({name, why}); }

  void keep(std::size_t k, FeatureInfo info) {
    kept_.push_back(static_cast<std::uint32_t>(k));
    data_.features.push_back(std::move(info));
  }

  void keep_numbers(std::size_t k, const std::vector<float>& values, FeatureInfo info) {
    for (std::size_t i = 0; i < found_.x.rows; ++i) found_.x(i, k) = values[i];
    keep(k, std::move(info));
  }

  void keep_categories(std::size_t k, StringColumn column) {
    if (column.values.size() > most_categories) {
      throw DataError(
          data_.source, 0,
          fmt::format("column {} holds {} different texts, too many for a category; leave it out by "
                      "--drop or read it as --text",
                      shown(column.name), column.values.size()));
    }
    for (std::size_t i = 0; i < found_.x.rows; ++i) {
      const std::uint32_t code = column.codes[i];
      found_.x(i, k) =
          code == StringColumn::missing ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(code);
    }
    keep(k, {column.name, std::move(column.values)});
  }

  void keep_text(const StringColumn& column) {
    TextColumn text{column.name, std::vector<std::string>(column.codes.size())};
    for (std::size_t i = 0; i < column.codes.size(); ++i) {
      if (column.codes[i] != StringColumn::missing) text.cells[i] = column.values[column.codes[i]];
    }
    data_.texts.push_back(std::move(text));
  }

  void move_kept() {
    if (kept_.size() == found_.columns.size()) {
      data_.x = std::move(found_.x);
      return;
    }
    DenseMatrix x(found_.x.rows, kept_.size());
    for (std::size_t i = 0; i < x.rows; ++i) {
      for (std::size_t k = 0; k < kept_.size(); ++k) x(i, k) = found_.x(i, kept_[k]);
    }
    data_.x = std::move(x);
  }

  FoundColumns found_;
  const LoadOptions& options_;
  Dataset& data_;
  std::vector<std::uint32_t> kept_;
};

}  // namespace

bool needs_texts(const std::string& name, const LoadOptions& options) {
  const auto known = known_kind(name, options);
  return known && known->kind != ColumnKind::number;
}

void settle_columns(FoundColumns&& found, const LoadOptions& options, Dataset& data) {
  Settling(std::move(found), options, data).run();
}

}  // namespace mmo
