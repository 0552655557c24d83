#include "mmo/data/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "mmo/core/error.h"
#include "mmo/data/align_columns.h"
#include "mmo/data/cells.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/label_header.h"
#include "mmo/data/pieces.h"
#include "mmo/data/utf8.h"

namespace mmo {
namespace {

using NameIndex = std::unordered_map<std::string_view, std::size_t>;

constexpr const char* how_to_name_labels =
    "name the label columns by --labels FILE.xml, name,name, first:N or last:N";

NameIndex index_names(const Columns& columns, const FileContent& content) {
  NameIndex index;
  for (std::size_t c = 0; c < columns.all.size(); ++c) {
    const Column& column = columns.all[c];
    if (column.role == Role::ignored) continue;
    const auto [found, added] = index.emplace(column.name, c);
    if (!added) {
      throw_fault(content, {column.where, fmt::format("columns {} and {} are both called {}; rename one",
                                                      found->second + 1, c + 1, shown(column.name))});
    }
  }
  return index;
}

void mark_end(Columns& columns, const FileContent& content, const LabelEnd& end) {
  std::vector<Column*> usable;
  for (Column& column : columns.all) {
    if (column.role != Role::ignored) usable.push_back(&column);
  }
  if (end.count == 0 || end.count > usable.size()) {
    throw DataError(content.name(), 0,
                    fmt::format("the {} {} columns are said to be labels, but the file has {} columns",
                                end.first ? "first" : "last", end.count, usable.size()));
  }
  if (!end.first) std::reverse(usable.begin(), usable.end());
  for (std::size_t k = 0; k < end.count; ++k) usable[k]->role = Role::label;
}

// Names the file lacks are an error only where labels are needed: data to predict on has none.
void mark_names(Columns& columns, const FileContent& content, const NameIndex& index,
                const std::vector<std::string>& names, const std::string& origin, bool all_needed) {
  std::vector<std::string> absent;
  for (const std::string& name : names) {
    const auto found = index.find(name);
    if (found != index.end()) {
      columns.all[found->second].role = Role::label;
    } else {
      absent.push_back(name);
    }
  }
  if (all_needed && !absent.empty()) {
    throw DataError(content.name(), 0,
                    fmt::format("no column for {} of the {} labels in {}: {}; {}", absent.size(),
                                names.size(), origin, some_of(absent), how_to_name_labels));
  }
}

// "first:N" or "last:N"; nothing if `spec` is neither.
std::optional<LabelEnd> parse_label_end(std::string_view spec) {
  LabelEnd end;
  end.first = spec.starts_with("first:");
  if (!end.first && !spec.starts_with("last:")) return std::nullopt;
  const std::string_view digits = spec.substr(spec.find(':') + 1);
  const auto [stop, status] = std::from_chars(digits.data(), digits.data() + digits.size(), end.count);
  if (status != std::errc() || stop != digits.data() + digits.size()) {
    throw UsageError(fmt::format("--labels {}: expected a number after the colon, as in last:6", spec));
  }
  return end;
}

std::vector<std::string> split_names(std::string_view spec) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t comma = spec.find(',');
    const std::string_view name = trimmed(spec.substr(0, comma));
    if (name.empty()) throw UsageError("--labels: a label name is empty; write name,name");
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw UsageError(fmt::format("--labels: {} is named twice", shown(name)));
    }
    names.emplace_back(name);
    if (comma == std::string_view::npos) return names;
    spec.remove_prefix(comma + 1);
  }
}

void mark_labels(Columns& columns, const FileContent& content, const LoadOptions& options,
                 const NameIndex& index, const std::optional<LabelEnd>& own_end,
                 const std::optional<std::string>& own_header) {
  const std::string& spec = options.labels;
  if (spec.ends_with(".xml")) {
    mark_names(columns, content, index, read_label_header(spec), spec, options.need_labels);
  } else if (const auto end = parse_label_end(spec)) {
    mark_end(columns, content, *end);
  } else if (index.contains(spec)) {  // one column, perhaps with a comma in its name
    columns.all[index.at(spec)].role = Role::label;
  } else if (!spec.empty()) {
    mark_names(columns, content, index, split_names(spec), "--labels", options.need_labels);
  } else if (own_end) {
    mark_end(columns, content, *own_end);
  } else if (own_header) {
    mark_names(columns, content, index, read_label_header(*own_header), *own_header, options.need_labels);
  } else if (options.expected_labels) {
    mark_names(columns, content, index, *options.expected_labels, "the model", false);
    const std::string& trained = options.training_labels;
    if (columns.names(Role::label).empty() && index.contains(trained))
      columns.all[index.at(trained)].role = Role::label;
  }
}

void mark_special(Columns& columns, const FileContent& content, const NameIndex& index,
                  const std::string& name, Role role, const char* what) {
  if (name.empty()) return;
  const auto found = index.find(name);
  if (found == index.end()) {
    std::vector<std::string> names(columns.all.size());
    for (std::size_t c = 0; c < names.size(); ++c) names[c] = columns.all[c].name;
    throw DataError(content.name(), 0,
                    fmt::format("no column is called {} (the {} column); the file has {}", shown(name), what,
                                some_of(names)));
  }
  Column& column = columns.all[found->second];
  if (column.role != Role::feature) {
    throw_fault(content, {column.where, fmt::format("column {} can't be the {} column: it is a label or has "
                                                    "another part already",
                                                    shown(name), what)});
  }
  column.role = role;
}

// What the model does not read need not be parsed.
void ignore_unread(Columns& columns, const InputColumns& expected) {
  std::unordered_set<std::string_view> read(expected.texts.begin(), expected.texts.end());
  for (const FeatureInfo& column : expected.features) read.insert(column.name);
  for (Column& column : columns.all) {
    if (column.role == Role::feature && !read.contains(column.name)) column.role = Role::ignored;
  }
}

}  // namespace

std::vector<std::string> Columns::names(Role role) const {
  std::vector<std::string> found;
  for (const Column& column : all) {
    if (column.role == role) found.push_back(column.name);
  }
  return found;
}

void assign_roles(Columns& columns, const FileContent& content, const LoadOptions& options,
                  const std::optional<LabelEnd>& own_end, const std::optional<std::string>& own_header) {
  const NameIndex index = index_names(columns, content);
  mark_labels(columns, content, options, index, own_end, own_header);
  mark_special(columns, content, index, options.text_column, Role::text, "text");
  mark_special(columns, content, index, options.weight_column, Role::weight, "weight");
  mark_special(columns, content, index, options.group_column, Role::group, "group");
  mark_special(columns, content, index, options.id_column, Role::id, "id");
  for (const std::string& name : options.columns.drop) {
    if (!options.expected_columns) mark_special(columns, content, index, name, Role::ignored, "dropped");
  }
  for (const std::string& name : options.ignored_columns) {
    const auto found = index.find(name);
    if (found != index.end() && columns.all[found->second].role == Role::feature)
      columns.all[found->second].role = Role::ignored;
  }
  if (options.expected_columns && options.expected_columns->named())
    ignore_unread(columns, *options.expected_columns);
  for (Column& column : columns.all) {
    // Text is turned into features later; numbers beside it have no place in the data set.
    if (column.role == Role::feature && !options.text_column.empty()) column.role = Role::ignored;
    if (column.role == Role::feature) column.target = static_cast<std::uint32_t>(columns.features++);
    if (column.role == Role::label) column.target = static_cast<std::uint32_t>(columns.labels++);
  }
  if (columns.labels == 0 && options.need_labels) {
    throw DataError(content.name(), 0, std::string("no label columns; ") + how_to_name_labels);
  }
}

bool unknown_labels_allowed(const LoadOptions& options) {
  return options.unknown_labels || !options.need_labels;
}

std::string unknown_label_fault(const std::string& label, std::string_view cell) {
  return fmt::format(
      "label {} is not known here ({}); fill it in, or add --unknown-labels to leave such "
      "cells out of training and metrics",
      shown(label), cell.empty() ? "empty cell" : shown(cell));
}

TableRows::TableRows(const Columns& columns, const LoadOptions& options, std::size_t pieces, std::size_t rows)
    : columns_(columns), unknown_labels_(unknown_labels_allowed(options)), y_(pieces), unknown_(pieces) {
  if (!options.weight_column.empty()) weights_.resize(rows);
  if (!options.group_column.empty()) groups_.resize(rows);
  if (!options.id_column.empty()) ids_.resize(rows);
  if (!options.text_column.empty()) documents_.resize(rows);
}

void TableRows::put_unusual_label(std::size_t piece, const Column& column, std::string_view cell,
                                  bool missing, const char* where) {
  if (missing) {
    if (!unknown_labels_) throw Fault{where, unknown_label_fault(column.name, cell)};
    unknown_[piece].indices.push_back(column.target);
    return;
  }
  const std::optional<bool> flag = parse_flag(cell);
  if (!flag) {
    throw Fault{where, fmt::format("label {} is {}; expected 0 or 1 (or true/false, yes/no)",
                                   shown(column.name), shown(cell))};
  }
  if (*flag) y_[piece].indices.push_back(column.target);
}

void TableRows::put_other(std::size_t row, const Column& column, std::string_view cell, bool missing,
                          const char* where) {
  if (column.role == Role::text) {
    if (!is_utf8(cell))
      throw Fault{where,
                  fmt::format("the text in column {} is not UTF-8; {}", shown(column.name), how_to_recode)};
    documents_[row] = missing ? std::string_view() : cell;
  } else if (column.role == Role::id) {
    if (!is_utf8(cell)) throw Fault{where, std::string("the id is not UTF-8; ") + how_to_recode};
    ids_[row] = cell;
  } else if (column.role == Role::group) {
    if (missing) throw Fault{where, fmt::format("no value in the group column {}", shown(column.name))};
    groups_[row] = cell;
  } else if (column.role == Role::weight) {
    const std::optional<float> weight = parse_number(cell);
    if (!weight || !std::isfinite(*weight) || *weight < 0) {
      throw Fault{where, fmt::format("weight {} in column {}; expected a number of at least 0",
                                     cell.empty() ? "(empty)" : shown(cell), shown(column.name))};
    }
    weights_[row] = *weight;
  }
}

void TableRows::move_into(Dataset& data) {
  data.y = join_rows(y_, columns_.labels);
  data.unknown = join_rows(unknown_, columns_.labels);
  if (data.unknown.indices.empty()) data.unknown = LabelMatrix();
  data.label_names = columns_.names(Role::label);
  data.row_weights = std::move(weights_);
  data.groups = std::move(groups_);
  data.ids = std::move(ids_);
  data.documents = std::move(documents_);
  const std::vector<std::string> ignored = columns_.names(Role::ignored);
  if (!ignored.empty()) data.notes.push_back("columns not used: " + some_of(ignored));
}

}  // namespace mmo
