// The part of an ARFF file before its rows, and the way ARFF writes a word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mmo/core/file.h"
#include "mmo/data/table.h"

namespace mmo {

enum class ArffType : std::uint8_t { numeric, nominal, string, date };

struct ArffAttribute {
  std::string name;
  const char* where = nullptr;
  ArffType type = ArffType::numeric;
  std::vector<std::string> values;  // of a nominal attribute, as declared
};

struct ArffHeader {
  std::string relation;
  const char* relation_where = nullptr;
  std::vector<ArffAttribute> attributes;
  std::string_view rows;  // everything after @data
};

[[nodiscard]] ArffHeader parse_arff_header(const FileContent& content);

// MEKA writes "-C n" into the relation's name: the first n attributes are labels, or the last −n.
[[nodiscard]] std::optional<LabelEnd> meka_labels(const ArffHeader& header, const FileContent& content);

struct ArffWord {
  std::string_view text;  // quotes and backslashes resolved
  bool quoted = false;
};

// Reads one word at `at` (which is moved behind it): in single or double quotes with backslash escapes, or up
// to a blank, a comma or a brace. `scratch` holds the text when it had escapes. Throws Fault.
ArffWord read_arff_word(const char*& at, const char* end, std::string& scratch);

inline void skip_arff_blanks(const char*& at, const char* end) {
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) ++at;
}

}  // namespace mmo
