// The SGML of the Reuters-21578 collection.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mmo/core/file.h"

namespace mmo {

// An article of the ModApte split. Others (LEWISSPLIT="NOT-USED", TOPICS="NO" or "BYPASS") are not read.
struct ReutersArticle {
  bool train = false;               // else test
  std::vector<std::string> topics;  // as written: one article repeats one
  std::string text;                 // title, a line end, body; UTF-8
};

// Throws DataError with the line for anything that does not look like the collection.
[[nodiscard]] std::vector<ReutersArticle> parse_reuters(const FileContent& content);

// Entities decoded, Latin-1 turned into UTF-8, control characters into spaces, spaces at both ends cut.
[[nodiscard]] std::string decode_sgml(std::string_view text);

}  // namespace mmo
