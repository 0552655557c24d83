// Names and values from files, on their way to a terminal or a table: a file must not be able to move the
// cursor, recolour the screen or run a formula in a spreadsheet.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mmo {

// Control characters (ESC, BEL, CR, …, those of C1 and those that reverse the direction of writing) as \x1b.
// `allowed` are let through, such as "\n" in a report of several lines.
[[nodiscard]] std::string printable(std::string_view text, std::string_view allowed = {});
// The same in JSON's own way, \u001b, for JSON texts.
[[nodiscard]] std::string printable_json(std::string_view json);
// A name as it stands in a table's heading, and back: as printable(), and where a spreadsheet would take it
// for a formula (=, +, -, @ first, unless it is a plain number) with an apostrophe before it.
[[nodiscard]] std::string csv_name(std::string_view name);
[[nodiscard]] std::string name_in_csv(std::string_view cell);

// At most about `longest` bytes, "…" for the rest; characters stay whole.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t longest);
// Numbers of more than forty digits lose all but the first of them: "123456789012…(300 digits)".
[[nodiscard]] std::string with_short_numbers(std::string_view text);

}  // namespace mmo
