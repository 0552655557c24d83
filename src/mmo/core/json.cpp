#include "mmo/core/json.h"

#include <string>

#include "mmo/core/printable.h"

namespace mmo {
namespace {

// Drops nlohmann's "[json.exception.parse_error.101] " and cuts the message to one line: it ends with the
// text it quotes.
std::string for_people(std::string_view message) {
  constexpr std::size_t longest = 160;
  if (message.starts_with('[')) message.remove_prefix(std::min(message.find("] ") + 2, message.size()));
  return printable(shortened(message, longest));
}

void refuse_deep(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted) {
      if (c == '\\') ++k;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_json)
        throw JsonError("lists and objects nest deeper than " + std::to_string(deepest_json), k);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
}

template <class Json>
Json parse_bounded(std::string_view text, const typename Json::parser_callback_t& watch) {
  refuse_deep(text);
  try {
    return Json::parse(text, watch);
  } catch (const nlohmann::json::parse_error& error) {
    throw JsonError(error.what(), error.byte);
  } catch (const nlohmann::json::exception& error) {  // a number out of range
    throw JsonError(error.what(), 0);
  }
}

}  // namespace

JsonError::JsonError(std::string_view message, std::size_t at)
    : exception(101, for_people(message).c_str()), byte(at) {}

nlohmann::json parse_json(std::string_view text, const JsonWatch& watch) {
  return parse_bounded<nlohmann::json>(text, watch);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text) {
  return parse_bounded<nlohmann::ordered_json>(text, nullptr);
}

nlohmann::json try_parse_json(std::string_view text) {
  try {
    return parse_json(text);
  } catch (const JsonError&) {
    return nlohmann::json(nlohmann::json::value_t::discarded);
  }
}

}  // namespace mmo
