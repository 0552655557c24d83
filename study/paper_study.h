// The paper's linear study, comparing our methods with its numbers. Results go into one JSON document, cell
// by cell, so a run can stop and resume; the report is made from the document alone.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mmo/core/progress.h"
#include "study/paper_data.h"

namespace mmo::study {

// One cell: a method trained for a metric on every run of a set under a variant of the protocol.
struct StudyCell {
  PaperVariant variant;
  std::string set, metric, method;
};

// Every cell of the study: all 24 cells of Table 2 × methods, the other readings, the two ablations, and what
// each part of the default method is worth. Most important first.
[[nodiscard]] std::vector<StudyCell> study_plan();

struct StudyOptions {
  std::string data;                                         // folder with scene/, birds/, emotions/, cal500/
  int runs = 10;                                            // seeds 0 … runs − 1
  std::vector<std::string> methods;                         // only these; empty = all
  bool again = false;                                       // recompute cells that the document already holds
  std::function<void(const nlohmann::ordered_json&)> save;  // after every cell
  Progress progress;
};

// Adds what `results` lacks, and replaces what another program version or another recipe of a method made.
void run_study(const StudyOptions& options, nlohmann::ordered_json& results);

// docs/results.md
[[nodiscard]] std::string study_markdown(const nlohmann::ordered_json& results);

}  // namespace mmo::study
