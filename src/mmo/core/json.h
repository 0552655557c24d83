// JSON that comes from outside: model headers, metrics, weights, configurations, predictions.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

namespace mmo {

// How deep lists and objects may nest: ten times what any of our files needs. Values are copied, printed and
// freed by recursion: a hostile file of 80,000 brackets would exhaust the stack.
inline constexpr std::size_t deepest_json = 100;

// Can also be caught as nlohmann::json::exception, like a value of the wrong type; its message is short and
// readable.
struct JsonError : nlohmann::json::exception {
  JsonError(std::string_view message, std::size_t at);
  std::size_t byte;  // where the text is broken
};

// nlohmann's callback: called with each key and value as they are read.
using JsonWatch = nlohmann::json::parser_callback_t;

[[nodiscard]] nlohmann::json parse_json(std::string_view text, const JsonWatch& watch = nullptr);
// The same, with keys in the order of the text.
[[nodiscard]] nlohmann::ordered_json parse_ordered_json(std::string_view text);
// A discarded value (is_discarded()) if the text is broken, for callers with their own message.
[[nodiscard]] nlohmann::json try_parse_json(std::string_view text);

}  // namespace mmo
