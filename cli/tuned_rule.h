// A decision rule for the scores of another system: found by `mmo tune`, kept in a JSON file, applied to new
// scores by it and by `mmo predict RULE SCORES`.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/predictions.h"
#include "cli/score_file.h"
#include "mmo/calibrate/score_map.h"
#include "mmo/core/atomic_file.h"
#include "mmo/rule/fit_rule.h"

namespace mmo::cli {

struct TunedRule {
  DecisionRule rule;  // of logits
  RuleKind kind = RuleKind::automatic;
  ScoreMap map;
  std::vector<double> thresholds;   // in the scale of the scores; empty unless the rule is one of thresholds
  std::vector<std::string> labels;  // of the scores' columns
  std::string metric;

  // The labels of a row. Thresholds decide as they are shown; filling a row up to min_labels, or
  // cutting it to max_labels, compares logits.
  void decide(std::span<const float> scores, std::span<const float> logits,
              std::vector<std::uint32_t>& out) const;
};

[[nodiscard]] nlohmann::ordered_json rule_json(const TunedRule& tuned);
[[nodiscard]] std::string rule_text(const TunedRule& tuned);

void save_rule(const TunedRule& tuned, const std::string& path, bool overwrite);
[[nodiscard]] bool is_rule_file(const std::string& path);
// Throws ModelError for a file that save_rule did not write.
[[nodiscard]] TunedRule load_rule(const std::string& path);

// How labels of new scores are written.
struct AppliedForm {
  PredictionFormat format = PredictionFormat::names;
  bool scores = false;  // calibrated probabilities too
};
// Writes the labels of the scores in the file `path` to `out`. Throws DataError if they are of other labels.
void apply_rule(const Common& common, const TunedRule& tuned, const std::string& path, const std::string& out,
                const AppliedForm& form);

}  // namespace mmo::cli
