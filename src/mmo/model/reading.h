// How the training file was read, where later files must be read the same way.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mmo {

struct Reading {
  std::string index_base;                   // svmlight's first feature: "0" or "1"; empty = not svmlight
  std::string label_columns;                // as --labels named them
  std::string text_column;                  // of raw text in a table
  std::string weight_column, group_column;  // not features, if a later file has them too
};

// Stored in history.load, next to what is noted there for people.
[[nodiscard]] Reading reading_of(const nlohmann::json& history);
[[nodiscard]] nlohmann::json with_reading(nlohmann::json history, const Reading& reading);

}  // namespace mmo
