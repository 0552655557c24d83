// What the tables' formats share: columns with a part to play, and the cells of a row that are not features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mmo/core/file.h"
#include "mmo/core/matrix.h"
#include "mmo/data/dataset.h"
#include "mmo/data/load.h"

namespace mmo {

enum class Role : std::uint8_t { feature, label, text, weight, group, id, ignored };

struct Column {
  std::string name;
  const char* where = nullptr;  // its declaration in the file, for messages
  Role role = Role::feature;
  std::uint32_t target = 0;  // its number among the features or labels
};

struct Columns {
  std::vector<Column> all;
  std::size_t features = 0;
  std::size_t labels = 0;

  // Columns that play the part, in the order of the file.
  [[nodiscard]] std::vector<std::string> names(Role role) const;
};

// "first:N" / "last:N", or what a file says of itself (MEKA's -C): N columns at one end.
struct LabelEnd {
  bool first = true;
  std::size_t count = 0;
};

// Gives every column its role from options.labels, else from what the file says of itself (`own_end`, then
// the names in the label header `own_header`), else from the names of the model's labels. Labels are numbered
// in the order of the columns, whatever the order of the names. Columns that are Role::ignored already stay
// so. Throws DataError for repeated names, labels that are no column, a count that is too large, a column
// named for two roles, and when there are no label columns though they are needed.
void assign_roles(Columns& columns, const FileContent& content, const LoadOptions& options,
                  const std::optional<LabelEnd>& own_end, const std::optional<std::string>& own_header);

// Whether a label may be '?': asked for, or nobody will look at the labels.
[[nodiscard]] bool unknown_labels_allowed(const LoadOptions& options);
// The message when it may not.
[[nodiscard]] std::string unknown_label_fault(const std::string& label, std::string_view cell);

// Labels, weights, groups, ids and texts of the rows: all but labels at the row's place, labels by
// piece.
class TableRows {
 public:
  TableRows(const Columns& columns, const LoadOptions& options, std::size_t pieces, std::size_t rows);

  // These throw Fault at `where`. `missing` = the cell says that its value is not known.
  void put_label(std::size_t piece, const Column& column, std::string_view cell, bool missing,
                 const char* where) {
    if (cell.size() == 1 && (cell[0] == '0' || cell[0] == '1')) {
      if (cell[0] == '1') y_[piece].indices.push_back(column.target);
    } else {
      put_unusual_label(piece, column, cell, missing, where);
    }
  }
  void put_other(std::size_t row, const Column& column, std::string_view cell, bool missing,
                 const char* where);
  void end_row(std::size_t piece) {
    y_[piece].offsets.push_back(y_[piece].indices.size());
    unknown_[piece].offsets.push_back(unknown_[piece].indices.size());
  }

  // Everything but x and the names of the features.
  void move_into(Dataset& data);

 private:
  void put_unusual_label(std::size_t piece, const Column& column, std::string_view cell, bool missing,
                         const char* where);

  const Columns& columns_;
  bool unknown_labels_;
  std::vector<LabelMatrix> y_;
  std::vector<LabelMatrix> unknown_;
  std::vector<float> weights_;
  std::vector<std::string> groups_;
  std::vector<std::string> ids_;
  std::vector<std::string> documents_;
};

}  // namespace mmo
