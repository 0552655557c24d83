#include "mmo/model/reading.h"

#include <utility>

namespace mmo {
namespace {

constexpr std::pair<const char*, std::string Reading::*> entries[] = {{"index_base", &Reading::index_base},
                                                                      {"labels", &Reading::label_columns},
                                                                      {"text_column", &Reading::text_column},
                                                                      {"weights", &Reading::weight_column},
                                                                      {"groups", &Reading::group_column}};

}  // namespace

Reading reading_of(const nlohmann::json& history) {
  Reading reading;
  const auto load = history.find("load");
  if (load == history.end() || !load->is_object()) return reading;
  for (const auto& [key, member] : entries) {
    if (const auto found = load->find(key); found != load->end() && found->is_string())
      reading.*member = found->get<std::string>();
  }
  return reading;
}

nlohmann::json with_reading(nlohmann::json history, const Reading& reading) {
  for (const auto& [key, member] : entries) {
    if (!(reading.*member).empty()) history["load"][key] = reading.*member;
  }
  return history;
}

}  // namespace mmo
