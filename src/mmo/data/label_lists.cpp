#include "mmo/data/label_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "mmo/core/error.h"
#include "mmo/data/cells.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/pieces.h"
#include "mmo/data/utf8.h"

namespace mmo {

namespace {

// Calls name(text) for the items of a list as programs print it: ['a', 'b'], ["a","b"], [a, b], {'a'},
// ('a',).
template <class Name>
void for_each_list_item(std::string_view inside, const char* where, const Name& name) {
  const auto fault = [&](const char* what) {
    return Fault{where, fmt::format("{} in the list of labels {}; write names separated by ; or |", what,
                                    shown(inside))};
  };
  while (!(inside = trimmed(inside)).empty()) {
    const char quote = inside.front();
    if (quote == '\'' || quote == '"') {
      std::string text;
      std::size_t at = 1;
      for (; at < inside.size() && inside[at] != quote; ++at) {
        if (inside[at] == '\\' && at + 1 < inside.size()) ++at;
        text += inside[at];
      }
      if (at == inside.size()) throw fault("a quote that is not closed");
      name(text);
      inside = trimmed(inside.substr(at + 1));
    } else {
      const std::size_t stop = std::min(inside.find(','), inside.size());
      const std::string_view text = trimmed(inside.substr(0, stop));
      if (text.find_first_of("[]{}'\"") != std::string_view::npos)
        throw fault("a bracket or quote inside a name");
      if (text.empty()) throw fault("an empty name");
      name(text);
      inside.remove_prefix(stop);
    }
    // NumPy prints arrays without commas.
    if (inside.empty() || inside.front() == '\'' || inside.front() == '"') continue;
    if (inside.front() != ',') throw fault("text behind a quoted name");
    inside.remove_prefix(1);
  }
}

// What is inside the brackets of a printed list; nothing if the cell is no such list.
std::optional<std::string_view> printed_list(std::string_view cell) {
  if (cell.size() < 2) return std::nullopt;
  const std::string_view ends{"[]{}()"};
  const std::size_t open = ends.find(cell.front());
  if (open == std::string_view::npos || open % 2 != 0 || cell.back() != ends[open + 1]) return std::nullopt;
  const std::string_view inside = trimmed(cell.substr(1, cell.size() - 2));
  const bool quoted = !inside.empty() && (inside.front() == '\'' || inside.front() == '"');
  // "(draft)" and "{x}" may be names; only brackets are lists without quotes.
  return quoted || cell.front() == '[' ? std::optional(inside) : std::nullopt;
}

}  // namespace

void LabelLists::Piece::add_name(std::string_view name, const char* where) {
  const auto next = static_cast<std::uint32_t>(numbers.size());
  const auto [place, added] = numbers.emplace(name, next);
  if (added && !is_utf8(name))
    throw Fault{where, std::string("a label's name is not UTF-8; ") + how_to_recode};
  rows.indices.push_back(place->second);
}

void LabelLists::Piece::end_row() {
  rows.offsets.push_back(rows.indices.size());
  ++rows.rows;
}

void LabelLists::add(std::size_t piece, std::string_view cell, const char* where) {
  Piece& part = pieces_[piece];
  const std::size_t before = part.rows.indices.size();
  if (is_missing(trimmed(cell))) {
    // The text lives in the file, or is one of a few short words.
    part.missing.push_back({part.rows.rows, where, trimmed(cell).empty() ? "" : "?"});
    cell = {};
  }
  if (const auto inside = printed_list(trimmed(cell))) {
    for_each_list_item(*inside, where, [&](std::string_view name) { part.add_name(name, where); });
    part.flags_only = false;
    cell = {};
  }
  while (!cell.empty()) {
    const std::size_t stop = std::min(cell.find_first_of(options_.label_separator), cell.size());
    const std::string_view name = trimmed(cell.substr(0, stop));
    cell.remove_prefix(std::min(stop + 1, cell.size()));
    if (name.empty()) continue;
    part.add_name(name, where);
    if (part.flags_only && !parse_flag(name)) part.flags_only = false;
  }
  if (part.rows.indices.size() > before + 1) part.flags_only = false;
  part.end_row();
}

void LabelLists::add_names(std::size_t piece, const std::vector<std::string>& names, const char* where) {
  Piece& part = pieces_[piece];
  for (const std::string& name : names) part.add_name(name, where);
  part.flags_only = false;
  part.end_row();
}

bool LabelLists::holds_flags(const std::string& column) const {
  // A column without an entry is a list in which no row has a label, unless it is called like a label.
  const auto& expected = options_.expected_labels;
  const bool is_label = expected && std::find(expected->begin(), expected->end(), column) != expected->end();
  const bool entries =
      is_label || std::any_of(pieces_.begin(), pieces_.end(), [](const Piece& part) {
        return !part.numbers.empty() || std::any_of(part.missing.begin(), part.missing.end(),
                                                    [](const MissingCell& m) { return !m.cell.empty(); });
      });
  return entries &&
         std::all_of(pieces_.begin(), pieces_.end(), [](const Piece& part) { return part.flags_only; });
}

void LabelLists::move_into(Dataset& data, const FileContent& content, const Column& column) {
  const bool flags = holds_flags(column.name);
  for (Piece& part : pieces_) {
    // In a list of names an empty cell means that there are none.
    if (!flags) std::erase_if(part.missing, [](const MissingCell& m) { return m.cell.empty(); });
    if (part.missing.empty() || unknown_labels_allowed(options_)) continue;
    throw_fault(content,
                {part.missing.front().where, unknown_label_fault(column.name, part.missing.front().cell)});
  }
  if (flags) {
    move_flags(data, column.name);
  } else {
    move_names(data);
    check_numbers(data, content, column.name);
  }
  mark_unknown(data);
}

// A column of numbers is hardly a list of names: measurements are refused, codes are allowed with a remark.
void LabelLists::check_numbers(Dataset& data, const FileContent& content, const std::string& column) {
  const auto is_number = [](const std::string& name) { return parse_number(name).has_value(); };
  const auto& names = data.label_names;
  if (names.empty() || !std::all_of(names.begin(), names.end(), is_number)) return;
  const auto broken = std::find_if(names.begin(), names.end(), [](const std::string& name) {
    return name.find_first_not_of("+-0123456789") != std::string::npos;
  });
  if (broken != names.end()) {
    throw DataError(
        content.name(), 0,
        fmt::format("label column {} holds numbers such as {}; expected 0 and 1, or lists of label "
                    "names: is it a feature?",
                    shown(column), shown(*broken)));
  }
  data.notes.push_back(fmt::format("label column {} holds integers: each of its {} values is read as a label",
                                   shown(column), names.size()));
}

void LabelLists::move_flags(Dataset& data, const std::string& name) {
  data.label_names = {name};
  data.y = LabelMatrix();
  data.y.cols = 1;
  for (const Piece& part : pieces_) {
    std::vector<char> positive(part.numbers.size());
    for (const auto& [text, number] : part.numbers)
      positive[number] = static_cast<char>(parse_flag(text) == true);
    for (std::size_t i = 0; i < part.rows.rows; ++i) {
      const auto written = part.rows.row(i);
      if (!written.empty() && positive[written[0]] != 0) data.y.indices.push_back(0);
      data.y.offsets.push_back(data.y.indices.size());
    }
  }
  data.y.rows = data.y.offsets.size() - 1;
}

void LabelLists::move_names(Dataset& data) {
  std::vector<std::string>& names = data.label_names;
  names.clear();
  for (const Piece& part : pieces_) {
    for (const auto& [name, number] : part.numbers) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  data.y = LabelMatrix();
  data.y.cols = names.size();
  std::vector<std::uint32_t> row;
  for (const Piece& part : pieces_) {
    std::vector<std::uint32_t> column(part.numbers.size());
    for (const auto& [name, number] : part.numbers) {
      column[number] =
          static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), name) - names.begin());
    }
    for (std::size_t i = 0; i < part.rows.rows; ++i) {
      row.clear();
      for (const std::uint32_t number : part.rows.row(i)) row.push_back(column[number]);
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      data.y.push_row(row);
    }
  }
}

// A cell that is not known leaves every label of its row unknown.
void LabelLists::mark_unknown(Dataset& data) const {
  data.unknown = LabelMatrix();
  if (std::all_of(pieces_.begin(), pieces_.end(), [](const Piece& part) { return part.missing.empty(); })) {
    return;
  }
  data.unknown.cols = data.y.cols;
  std::vector<std::uint32_t> all(data.y.cols);
  std::iota(all.begin(), all.end(), 0U);
  for (const Piece& part : pieces_) {
    auto next = part.missing.begin();
    for (std::size_t i = 0; i < part.rows.rows; ++i) {
      const bool missing = next != part.missing.end() && next->row == i;
      data.unknown.push_row(missing ? std::span<const std::uint32_t>(all) : std::span<const std::uint32_t>());
      if (missing) ++next;
    }
  }
}

}  // namespace mmo
