// A table with one label column: it holds either 0/1 for one label, or in each row a list of label names.
// Which one is known only when all rows are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mmo/core/file.h"
#include "mmo/core/matrix.h"
#include "mmo/data/dataset.h"
#include "mmo/data/load.h"
#include "mmo/data/table.h"

namespace mmo {

class LabelLists {
 public:
  LabelLists(const LoadOptions& options, std::size_t pieces) : options_(options), pieces_(pieces) {}

  // The cell of the next row of a piece.
  void add(std::size_t piece, std::string_view cell, const char* where);
  // The same of a format that has lists itself.
  void add_names(std::size_t piece, const std::vector<std::string>& names, const char* where);

  // Sets y, unknown and label_names: one 0/1 label called as its column if every cell is a flag, else the
  // names found, in byte order. Throws DataError for cells that are not known.
  void move_into(Dataset& data, const FileContent& content, const Column& column);

 private:
  struct MissingCell {
    std::size_t row;  // within the piece
    const char* where;
    std::string_view cell;
  };
  struct Piece {
    std::unordered_map<std::string, std::uint32_t> numbers;  // of the names, in the order of appearance
    LabelMatrix rows;                                        // of these numbers, as written
    std::vector<MissingCell> missing;
    bool flags_only = true;

    void add_name(std::string_view name, const char* where);
    void end_row();
  };

  [[nodiscard]] bool holds_flags(const std::string& column) const;
  void move_flags(Dataset& data, const std::string& name);
  void move_names(Dataset& data);
  static void check_numbers(Dataset& data, const FileContent& content, const std::string& column);
  void mark_unknown(Dataset& data) const;

  const LoadOptions& options_;
  std::vector<Piece> pieces_;
};

}  // namespace mmo
