#include "mmo/data/weights_file.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/core/json.h"
#include "mmo/data/cells.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/pieces.h"

namespace mmo {
namespace {

bool is_weight(float value) { return std::isfinite(value) && value >= 0; }

std::vector<float> weights_of_json(const FileContent& content) {
  nlohmann::json list;
  try {
    list = parse_json(content.bytes());
  } catch (const JsonError& error) {
    const std::size_t offset = std::min(error.byte, content.bytes().size());
    throw_fault(content, {content.bytes().data() + offset,
                          fmt::format("broken JSON ({}); expected a list of numbers", error.what())});
  }
  std::vector<float> weights;
  for (const nlohmann::json& item : list) {
    const float weight = item.is_number() ? item.get<float>() : -1.0F;
    if (!is_weight(weight)) {
      throw DataError(content.name(), 0,
                      fmt::format("weight {} is {}; expected a number of at least 0", weights.size() + 1,
                                  shown(item.dump())));
    }
    weights.push_back(weight);
  }
  return weights;
}

std::vector<float> weights_of_lines(const FileContent& content) {
  std::vector<float> weights;
  const std::string_view text = content.bytes().substr(0, content.bytes().find_last_not_of(" \t\r\n") + 1);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view cell = trimmed(text.substr(at, end - at));
    const std::optional<float> weight = parse_number(cell);
    if (!weight || !is_weight(*weight)) {
      throw_fault(content, {text.data() + at,
                            "weight " + shown(cell) + "; expected one number of at least 0 per line"});
    }
    weights.push_back(*weight);
    at = end + 1;
  }
  return weights;
}

}  // namespace

std::vector<float> read_weights_file(const std::string& path, std::size_t rows) {
  const FileContent content = FileContent::open(path);
  std::vector<float> weights =
      trimmed(content.bytes()).starts_with('[') ? weights_of_json(content) : weights_of_lines(content);
  if (weights.size() != rows) {
    throw DataError(content.name(), 0,
                    fmt::format("{} weights, but the data has {} rows", weights.size(), rows));
  }
  return weights;
}

}  // namespace mmo
