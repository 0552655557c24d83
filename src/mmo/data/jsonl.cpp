// JSON lines: each line is an object, its fields are the columns of a table. The labels are a field that
// holds lists of names (or one text with separators), or fields of 0/1, true/false. What a text means is
// found out as in CSV, so that the same table trains the same model from either format.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "mmo/core/error.h"
#include "mmo/core/input_limit.h"
#include "mmo/core/json.h"
#include "mmo/core/parallel.h"
#include "mmo/data/cells.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/label_lists.h"
#include "mmo/data/pieces.h"
#include "mmo/data/readers.h"
#include "mmo/data/settle_columns.h"
#include "mmo/data/string_column.h"
#include "mmo/data/table.h"
#include "mmo/data/text_lines.h"

namespace mmo {
namespace {

using Json = nlohmann::json;
constexpr const char* default_labels = "labels";
constexpr float missing_value = std::numeric_limits<float>::quiet_NaN();

Json parse_row(std::string_view line, const JsonWatch& watch = nullptr) {
  Json row;
  try {
    row = parse_json(line, watch);
  } catch (const JsonError& error) {
    const auto at = std::min(error.byte, line.size() - 1);
    throw Fault{line.data() + at, fmt::format("this line is not JSON: {}", error.what())};
  }
  if (!row.is_object()) throw Fault{line.data(), R"(every line must be an object such as {"text": "…"})"};
  return row;
}

template <class Visit>
void for_each_row(std::string_view piece, const Visit& visit) {
  for_each_line(piece, [&](std::string_view line) {
    if (!trimmed(line).empty()) visit(line);
  });
}

// A single value as a cell of CSV would hold it; nothing for null.
std::string cell_text(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  return value.dump();
}

bool is_missing_value(const Json& value) {
  return value.is_null() || (value.is_string() && is_missing(trimmed(value.get_ref<const std::string&>())));
}

// Not a number, nor missing.
bool is_words(const Json& value) {
  return value.is_string() && !is_missing_value(value) &&
         !parse_number(trimmed(value.get_ref<const std::string&>()));
}

struct Field {
  const char* where = nullptr;  // the first line that has it
  bool words = false;           // some row holds a text that is no number
};

// What the first reading of a piece learns.
struct PieceFields {
  std::size_t rows = 0;
  std::vector<std::string> order;
  std::unordered_map<std::string, Field> fields;

  // An object does not keep the order of its fields; the parser meets them in that order.
  void add(std::string_view line) {
    ++rows;
    Field* field = nullptr;
    parse_row(line, [&](int depth, Json::parse_event_t event, Json& value) {
      if (depth == 1 && event == Json::parse_event_t::key) {
        const auto [at, added] = fields.emplace(value.get<std::string>(), Field{line.data()});
        if (added) order.push_back(at->first);
        field = &at->second;
      } else if (depth == 1 && event == Json::parse_event_t::value && field != nullptr) {
        field->words = field->words || is_words(value);
      }
      return true;
    });
  }
};

class JsonRows {
 public:
  JsonRows(const FileContent& content, const LoadOptions& options)
      : content_(content),
        options_(options),
        pieces_(cut_at_lines(content.bytes())),
        lists_(options_, pieces_.size()) {}

  void read_into(Dataset& data) {
    find_columns();
    TableRows rows(columns_, options_, pieces_.size(), first_row_.back());
    FoundColumns found = prepare_columns();
    StringColumnReader texts(pieces_.size(), found.places.size());
    parse_pieces(content_, pieces_.size(), [&](std::size_t k) {
      std::size_t row = first_row_[k];
      for_each_row(pieces_[k],
                   [&](std::string_view line) { read_row(k, row++, line, found.x, rows, texts); });
    });
    for (std::size_t s = 0; s < found.places.size(); ++s)
      found.strings.push_back(texts.take(s, found.columns[found.places[s]].name));
    try {
      settle_columns(std::move(found), options_, data);
    } catch (const ColumnFault& fault) {
      throw_fault(content_, {start_of_row(fault.row), fault.message});
    }
    rows.move_into(data);
    if (columns_.labels == 1) lists_.move_into(data, content_, label_column());
  }

 private:
  // First reading: the fields in the order in which they appear, and the number of rows.
  void find_columns() {
    std::vector<PieceFields> found(pieces_.size());
    parse_pieces(content_, pieces_.size(), [&](std::size_t k) {
      for_each_row(pieces_[k], [&](std::string_view line) { found[k].add(line); });
    });
    first_row_.assign(1, 0);
    std::unordered_map<std::string_view, std::size_t> place;
    for (const PieceFields& piece : found) {
      first_row_.push_back(first_row_.back() + piece.rows);
      for (const std::string& name : piece.order) {
        const Field& field = piece.fields.at(name);
        const auto [at, added] = place.emplace(name, columns_.all.size());
        if (added) {
          columns_.all.push_back({name, field.where, Role::feature, 0});
          words_.push_back(false);
        }
        words_[at->second] = words_[at->second] || field.words;
      }
    }
    const bool labelled = place.contains(default_labels);
    if (options_.labels.empty() && !options_.expected_labels && labelled) options_.labels = default_labels;
    if (options_.training_labels.empty()) options_.training_labels = default_labels;
    if (columns_.all.empty()) throw DataError(content_.name(), 0, "no line holds a field");
    assign_roles(columns_, content_, options_, std::nullopt, std::nullopt);
  }

  // Rows need not have all fields, so that a small file may stand for a large table.
  FoundColumns prepare_columns() const {
    const std::size_t rows = first_row_.back();
    check_input(static_cast<std::uint64_t>(rows) * columns_.features * sizeof(float), content_.bytes().size(),
                fmt::format("have {} different fields in {} rows, and as a table", columns_.features, rows),
                content_.name());
    FoundColumns found;
    found.x = DenseMatrix(rows, columns_.features);
    for (std::size_t c = 0; c < columns_.all.size(); ++c) {
      const Column& column = columns_.all[c];
      if (column.role != Role::feature) continue;
      if (words_[c] || needs_texts(column.name, options_)) found.places.push_back(column.target);
      found.columns.push_back({column.name});
    }
    return found;
  }

  void read_row(std::size_t k, std::size_t row, std::string_view line, DenseMatrix& x, TableRows& rows,
                StringColumnReader& texts) {
    const Json object = parse_row(line);
    const Json absent;
    std::size_t slot = 0;  // among the columns of texts
    for (std::size_t c = 0; c < columns_.all.size(); ++c) {
      const Column& column = columns_.all[c];
      if (column.role == Role::ignored) continue;
      const auto field = object.find(column.name);
      const Json& value = field == object.end() ? absent : *field;
      if (column.role == Role::label && columns_.labels == 1) {
        add_label_list(k, column, value, line.data());
        continue;
      }
      refuse_structure(column, value, line.data());
      const bool missing = is_missing_value(value);
      if (column.role == Role::label) {
        rows.put_label(k, column, cell_text(value), missing, line.data());
      } else if (column.role != Role::feature) {
        rows.put_other(row, column, cell_text(value), missing, line.data());
      } else if (words_[c] || needs_texts(column.name, options_)) {
        texts.add(k, slot++, trimmed(cell_text(value)), missing);
      } else {
        x(row, column.target) = missing ? missing_value : number(column, value, line.data());
      }
    }
    rows.end_row(k);
  }

  static float number(const Column& column, const Json& value, const char* where) {
    const float found = parse_number(trimmed(cell_text(value))).value_or(missing_value);
    if (!std::isinf(found)) return found;
    throw Fault{where, fmt::format("the number in field {} is infinite or too large for a 32-bit number",
                                   shown(column.name))};
  }

  void add_label_list(std::size_t k, const Column& column, const Json& value, const char* where) {
    if (!value.is_array()) {
      if (value.is_object()) refuse_structure(column, value, where);
      return lists_.add(k, cell_text(value), where);
    }
    std::vector<std::string> names;
    for (const Json& name : value) {
      if (!name.is_string() && !name.is_number_integer())
        throw Fault{where, fmt::format("label {} in field {} is no name; write a list of texts",
                                       shown(name.dump()), shown(column.name))};
      names.push_back(cell_text(name));
    }
    lists_.add_names(k, names, where);
  }

  static void refuse_structure(const Column& column, const Json& value, const char* where) {
    if (!value.is_structured()) return;
    throw Fault{where,
                fmt::format("field {} holds {}; a cell must be one value{}", shown(column.name),
                            value.is_array() ? "a list" : "an object",
                            column.role != Role::feature ? ""
                            : value.is_array()
                                ? fmt::format(" (--labels {0} for lists of labels, --drop {0} to leave "
                                              "it out)",
                                              column.name)
                                : fmt::format(" (--drop {} leaves it out)", column.name))};
  }

  [[nodiscard]] const Column& label_column() const {
    return *std::find_if(columns_.all.begin(), columns_.all.end(),
                         [](const Column& column) { return column.role == Role::label; });
  }

  [[nodiscard]] const char* start_of_row(std::size_t row) const {
    const char* where = content_.bytes().data();
    std::size_t at_row = 0;
    for_each_row(content_.bytes(), [&](std::string_view line) {
      if (at_row++ == row) where = line.data();
    });
    return where;
  }

  const FileContent& content_;
  LoadOptions options_;  // with the label field that the format assumes
  std::vector<std::string_view> pieces_;
  std::vector<std::size_t> first_row_;  // number of each piece's first row; the last entry is the total
  Columns columns_;
  std::vector<bool> words_;  // by column
  LabelLists lists_;
};

}  // namespace

Dataset read_jsonl(const FileContent& content, const LoadOptions& options) {
  Dataset data;
  data.source = content.name();
  JsonRows(content, options).read_into(data);
  return data;
}

}  // namespace mmo
