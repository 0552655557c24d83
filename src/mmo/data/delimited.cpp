// CSV and TSV with a header row. A feature column whose cells are all numbers (or missing) is numeric; what
// any other is, settle_columns.h finds out.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/printable.h"
#include "mmo/data/cells.h"
#include "mmo/data/csv_cells.h"
#include "mmo/data/decimal.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/label_lists.h"
#include "mmo/data/readers.h"
#include "mmo/data/settle_columns.h"
#include "mmo/data/string_column.h"
#include "mmo/data/table.h"
#include "mmo/data/utf8.h"

namespace mmo {
namespace {

constexpr float missing_value = std::numeric_limits<float>::quiet_NaN();

struct CsvTable {
  Columns columns;
  char separator = ',';
  std::string_view rows;  // everything after the header
};

// "0", "1", "2": labels that are called by their numbers, unlike a first row of scores or of 0 and 1.
bool are_label_numbers(const std::vector<Column>& columns) {
  std::unordered_set<std::string_view> seen;
  return std::all_of(columns.begin(), columns.end(), [&](const Column& column) {
    return column.name.find_first_not_of("0123456789") == std::string::npos &&
           seen.insert(column.name).second;
  });
}

CsvTable parse_header(const FileContent& content, const LoadOptions& options, char separator) {
  CsvTable table;
  table.separator = separator;
  std::string_view text = content.bytes();
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const char* at = text.data();
  const char* const text_end = at + text.size();
  const char* end = csv_record_end(at, text_end);
  if (end < text_end) table.rows = {end + 1, text_end};
  if (end > at && end[-1] == '\r') --end;
  std::string scratch;
  bool all_numbers = true;
  const char* const start = at;
  while (true) {
    const char* const where = at;
    const std::string name = name_in_csv(trimmed(read_csv_cell(at, end, separator, scratch)));
    if (!is_utf8(name)) throw Fault{where, std::string("a column's name is not UTF-8; ") + how_to_recode};
    table.columns.all.push_back({name, where, Role::feature, 0});
    all_numbers = all_numbers && parse_number(name).has_value();
    if (at == end) break;
    ++at;
  }
  if (all_numbers && !(options.numbered_columns && are_label_numbers(table.columns.all)))
    throw Fault{start, "the first line must name the columns, but holds numbers"};
  for (std::size_t c = 0; c < table.columns.all.size(); ++c) {
    Column& column = table.columns.all[c];
    if (!column.name.empty()) continue;
    if (c > 0 || table.columns.all.size() == 1) {
      throw Fault{column.where, fmt::format("column {} has no name in the first line", c + 1)};
    }
    column.name = "(unnamed first column)";  // row numbers as pandas writes them
    column.role = Role::ignored;
  }
  return table;
}

struct InfiniteCell {
  std::uint32_t feature;
  const char* where;
};

// What a piece learns of its feature columns.
struct PieceColumns {
  std::vector<char> has_text;
  std::vector<InfiniteCell> infinite;
};

class CsvRows {
 public:
  CsvRows(const FileContent& content, const CsvTable& table, const LoadOptions& options)
      : content_(content),
        table_(table),
        options_(options),
        pieces_(cut_at_records(table.rows)),
        first_row_(count_rows()),
        rows_(table.columns, options, pieces_.size(), first_row_.back()),
        lists_(options, pieces_.size()),
        findings_(pieces_.size()) {}

  void read_into(Dataset& data) {
    // As in ARFF: a cell needs a byte, so that rows × columns beyond the text's size betrays a short row,
    // which is found without asking for memory that no file can justify.
    const std::size_t columns = table_.columns.all.size();
    const bool plausible = first_row_.back() <= table_.rows.size() / columns + 1;
    DenseMatrix x(plausible ? first_row_.back() : 0, table_.columns.features);
    parse_pieces(content_, pieces_.size(), [&](std::size_t k) {
      std::vector<float> spare(plausible ? 0 : x.cols);
      findings_[k].has_text.assign(x.cols, 0);
      std::size_t row = first_row_[k];
      for_each_csv_record(pieces_[k], [&](const char* at, const char* end) {
        read_row(k, at, end, row, plausible ? x.values.data() + row * x.cols : spare.data());
        ++row;
      });
    });
    FoundColumns found;
    for (const std::string& name : table_.columns.names(Role::feature)) found.columns.push_back({name});
    found.x = std::move(x);
    read_texts(found);
    refuse_infinite(found);
    try {
      settle_columns(std::move(found), options_, data);
    } catch (const ColumnFault& fault) {
      throw_fault(content_, {start_of_row(fault.row), fault.message});
    }
    rows_.move_into(data);
    if (one_label_column()) lists_.move_into(data, content_, label_column());
  }

 private:
  [[nodiscard]] bool one_label_column() const { return table_.columns.labels == 1; }
  [[nodiscard]] const Column& label_column() const {
    return *std::find_if(table_.columns.all.begin(), table_.columns.all.end(),
                         [](const Column& column) { return column.role == Role::label; });
  }

  [[nodiscard]] std::vector<std::size_t> count_rows() const {
    std::vector<std::size_t> first(pieces_.size() + 1, 0);
    parallel_for(pieces_.size(), [&](std::size_t k) {
      for_each_csv_record(pieces_[k], [&](const char*, const char*) { ++first[k + 1]; });
    });
    std::partial_sum(first.begin(), first.end(), first.begin());
    return first;
  }

  // Calls cell(column, at) at the start of every cell; it moves `at` behind the cell.
  template <class Cell>
  void for_each_cell(const char* at, const char* end, const Cell& cell) const {
    const std::vector<Column>& columns = table_.columns.all;
    const char* const start = at;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      cell(columns[c], at);
      const bool last = c + 1 == columns.size();
      if (last != (at == end)) {
        std::size_t fields = c + 1;
        std::string scratch;
        for (const char* rest = at; rest != end; ++fields)
          read_csv_cell(++rest, end, table_.separator, scratch);
        throw Fault{start, fmt::format("{} cells in this row, but the first line names {} columns", fields,
                                       columns.size())};
      }
      if (!last) ++at;
    }
  }

  void read_row(std::size_t k, const char* start, const char* end, std::size_t row, float* x) {
    std::string scratch;
    for_each_cell(start, end, [&](const Column& column, const char*& at) {
      const char* const where = at;
      if (column.role == Role::feature && plain_number(at, end, x[column.target])) return;
      const std::string_view raw = read_csv_cell(at, end, table_.separator, scratch);
      const std::string_view cell = trimmed(raw);
      switch (column.role) {
        case Role::feature:
          x[column.target] = feature_value(k, column, cell, where);
          break;
        case Role::label:
          if (one_label_column()) {
            lists_.add(k, raw, where);
          } else {
            rows_.put_label(k, column, cell, is_missing(cell), where);
          }
          break;
        case Role::text:
          rows_.put_other(row, column, raw, false, where);
          break;
        default:
          rows_.put_other(row, column, cell, is_missing(cell), where);
      }
    });
    rows_.end_row(k);
  }

  // The quick way through an unquoted finite number; anything else goes the long way.
  bool plain_number(const char*& at, const char* end, float& value) const {
    float number = 0;
    const auto [stop, status] = parse_decimal(at, end, number);
    if (status != std::errc() || (stop != end && *stop != table_.separator) || !std::isfinite(number)) {
      return false;
    }
    value = number;
    at = stop;
    return true;
  }

  float feature_value(std::size_t k, const Column& column, std::string_view cell, const char* where) {
    if (const std::optional<float> number = parse_number(cell)) {
      if (std::isinf(*number)) findings_[k].infinite.push_back({column.target, where});
      return *number;
    }
    if (!is_missing(cell)) findings_[k].has_text[column.target] = 1;
    return missing_value;
  }

  // Second reading, of the columns that hold text.
  void read_texts(FoundColumns& found) {
    std::vector<std::uint32_t> slot(found.columns.size(), no_label);  // feature → place among these columns
    for (std::uint32_t f = 0; f < found.columns.size(); ++f) {
      const bool has_text = std::any_of(findings_.begin(), findings_.end(),
                                        [f](const PieceColumns& piece) { return piece.has_text[f] != 0; });
      if (!has_text && !needs_texts(found.columns[f].name, options_)) continue;
      slot[f] = static_cast<std::uint32_t>(found.places.size());
      found.places.push_back(f);
    }
    if (found.places.empty()) return;
    StringColumnReader texts(pieces_.size(), found.places.size());
    parse_pieces(content_, pieces_.size(), [&](std::size_t k) {
      std::string scratch;
      for_each_csv_record(pieces_[k], [&](const char* start, const char* end) {
        for_each_cell(start, end, [&](const Column& column, const char*& at) {
          const std::string_view cell = trimmed(read_csv_cell(at, end, table_.separator, scratch));
          if (column.role != Role::feature || slot[column.target] == no_label) return;
          texts.add(k, slot[column.target], cell, is_missing(cell));
        });
      });
    });
    for (std::size_t s = 0; s < found.places.size(); ++s)
      found.strings.push_back(texts.take(s, found.columns[found.places[s]].name));
  }

  [[nodiscard]] const char* start_of_row(std::size_t row) const {
    const auto piece = static_cast<std::size_t>(std::upper_bound(first_row_.begin(), first_row_.end(), row) -
                                                first_row_.begin()) -
                       1;
    const char* where = pieces_[piece].data();
    std::size_t at_row = first_row_[piece];
    for_each_csv_record(pieces_[piece], [&](const char* start, const char*) {
      if (at_row++ == row) where = start;
    });
    return where;
  }

  // "inf" is a fault in a column of numbers, and a text like any other among texts.
  void refuse_infinite(const FoundColumns& found) const {
    for (const PieceColumns& piece : findings_) {
      for (const InfiniteCell& cell : piece.infinite) {
        if (std::binary_search(found.places.begin(), found.places.end(), cell.feature)) continue;
        throw_fault(
            content_,
            {cell.where, fmt::format("a number in column {} is infinite or too large for a 32-bit number",
                                     shown(found.columns[cell.feature].name))});
      }
    }
  }

  const FileContent& content_;
  const CsvTable& table_;
  const LoadOptions& options_;
  std::vector<std::string_view> pieces_;
  std::vector<std::size_t> first_row_;  // number of each piece's first row; the last entry is the total
  TableRows rows_;
  LabelLists lists_;
  std::vector<PieceColumns> findings_;
};

}  // namespace

Dataset read_delimited(const FileContent& content, const LoadOptions& options, char separator) {
  CsvTable table;
  try {
    table = parse_header(content, options, separator);
  } catch (const Fault& fault) {
    throw_fault(content, fault);
  }
  assign_roles(table.columns, content, options, std::nullopt, std::nullopt);
  Dataset data;
  data.source = content.name();
  CsvRows(content, table, options).read_into(data);
  return data;
}

}  // namespace mmo
