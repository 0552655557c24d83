// Names and values from files, on their way to a terminal or a table: a file must not be able to move the
// cursor, recolour the screen or run a formula in a spreadsheet.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mmo {

// Spells control characters (ESC, BEL, CR, …, C1 and those that reverse the writing direction) as \x1b. Those
// in `allowed` pass, such as "\n" in a report of several lines.
[[nodiscard]] std::string printable(std::string_view text, std::string_view allowed = {});
// The same in JSON's spelling, \u001b, for JSON texts.
[[nodiscard]] std::string printable_json(std::string_view json);
// A name as a table's heading shows it, and back: like printable(), plus a leading apostrophe where a
// spreadsheet would take the name for a formula (=, +, -, @ first, unless it is a plain number).
[[nodiscard]] std::string csv_name(std::string_view name);
[[nodiscard]] std::string name_in_csv(std::string_view cell);

// At most about `longest` bytes, "…" for the rest; characters stay whole.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t longest);
// Numbers of more than forty digits lose all but the first of them: "123456789012…(300 digits)".
[[nodiscard]] std::string with_short_numbers(std::string_view text);

}  // namespace mmo
