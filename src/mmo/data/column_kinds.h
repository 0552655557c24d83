// What a column of texts most likely is: numbers with other marks, dates, categories, prose, or nothing to
// learn from.
#pragma once

#include <cstdint>
#include <string>

#include "mmo/data/dates.h"
#include "mmo/data/string_column.h"

namespace mmo {

enum class ColumnKind : std::uint8_t { number, category, text, date, left_out };

struct ColumnGuess {
  ColumnKind kind = ColumnKind::category;
  DateOrder order = DateOrder::none;  // dates
  std::string why;                    // left out: the reason
  std::string note;                   // worth a warning; may be empty
};

// A cell that is not what the rest of its column is.
struct ColumnFault {
  std::string column;
  std::size_t row = 0;
  std::string message;
};

// Throws ColumnFault where nearly all cells are numbers, or dates, and one is not.
[[nodiscard]] ColumnGuess guess_kind(const StringColumn& column);

// The number that a cell stands for, a decimal comma allowed if the column has them; throws ColumnFault.
[[nodiscard]] std::vector<float> numbers_of(const StringColumn& column);
// Days since 1970; throws ColumnFault.
[[nodiscard]] std::vector<float> dates_of(const StringColumn& column, DateOrder order);

// "id", "user_id", "row": the names that tables give to what only tells rows apart.
[[nodiscard]] bool names_an_id(const std::string& name);

}  // namespace mmo
