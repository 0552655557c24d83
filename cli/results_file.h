// The JSON file of a long study: read to resume it, rewritten as a whole after every cell.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace mmo::cli {

class ResultsFile {
 public:
  using Json = nlohmann::ordered_json;

  // Results of `command` contain `key`, which tells them from other files.
  ResultsFile(std::string path, std::string command, std::string key);

  [[nodiscard]] Json read() const;
  [[nodiscard]] Json read_if_there() const;
  void save(const Json& results) const;
  // Runs a study that saves its cells; on Ctrl-C it says where they are, and whether the study can resume
  // from them.
  void run(const std::function<void()>& study, bool goes_on = true) const;

 private:
  std::string path_, command_, key_;
};

}  // namespace mmo::cli
