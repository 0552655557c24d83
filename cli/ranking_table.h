// `mmo evaluate --at 1,3,5`: how good the first k labels of each row are, and `mmo predict --top-k`'s choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "cli/data_flags.h"
#include "mmo/eval/ranking_metrics.h"

namespace mmo::cli {

struct RankingFlags {
  std::string at;                 // "1,3,5"; empty = no table
  std::string propensities_from;  // the training file
};
void add_ranking_flags(CLI::App& command, RankingFlags& flags);
// Throws UsageError for anything but whole numbers of at least 1.
[[nodiscard]] std::vector<std::size_t> parse_ks(const std::string& list);

// Rows scored at a time: 64 MB of float32.
[[nodiscard]] std::size_t block_rows(const Model& model);
// The k labels with the largest scores, best first, without `left_out` (ascending) and labels that are never
// predicted (threshold +∞).
void best_labels(const DecisionRule& rule, std::span<const float> scores,
                 std::span<const std::uint32_t> left_out, std::size_t k, std::vector<std::uint32_t>& out);

struct RankedPredictions {
  LabelMatrix labels;
  Rankings rankings;
};
// Decisions and the k best known labels of each row, from one pass over its scores.
[[nodiscard]] RankedPredictions predict_ranked(const Model& model, const Dataset& data, std::size_t k);

// One entry per k; propensity-scored values only with --propensities-from, which is read here.
[[nodiscard]] std::vector<RankingValues> ranking_values(const Common& common, const RankingFlags& flags,
                                                        const DataFlags& reading, const Model& model,
                                                        const Rankings& rankings, const Truth& truth);
[[nodiscard]] std::string ranking_text(std::span<const RankingValues> values);
[[nodiscard]] nlohmann::ordered_json ranking_json(std::span<const RankingValues> values);

}  // namespace mmo::cli
