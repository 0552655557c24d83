// ARFF as Mulan and MEKA write it. Dense rows "1,2,?,red", sparse rows "{3 1.5, 7 red}" in which an attribute
// left out has the value 0, or for nominal attributes the first declared value.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/data/arff_header.h"
#include "mmo/data/arff_rows.h"
#include "mmo/data/arff_table.h"
#include "mmo/data/cells.h"
#include "mmo/data/pieces.h"
#include "mmo/data/readers.h"
#include "mmo/data/settle_columns.h"
#include "mmo/data/string_column.h"
#include "mmo/data/table.h"

namespace mmo {
namespace {

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
    ArffRowReader reader(table, rows, texts, k);
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
    ArffRowReader reader(table, rows, texts, k);
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
  const ArffTable table = make_arff_table(header, content, options);
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
