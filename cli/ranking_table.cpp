#include "cli/ranking_table.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "cli/terminal.h"
#include "mmo/core/error.h"

namespace mmo::cli {
namespace {

// Propensities of the labels of `truth`; those after the model's own were never seen in training.
std::vector<double> read_propensities(const Common& common, const RankingFlags& flags,
                                      const DataFlags& reading, const Model& model, std::size_t labels) {
  DataFlags beside = reading;
  beside.data = flags.propensities_from;
  // Drop what applies to the test file alone: one weight for each of its rows, its part of Reuters.
  if (std::filesystem::is_regular_file(beside.weights)) beside.weights.clear();
  if (beside.part.starts_with("test")) beside.part.replace(0, 4, "train");
  LabelMatrix training = load_for_model(common, beside, model, DataUse::known_labels_only).y;
  training.cols = labels;
  return propensities(training);
}

}  // namespace

void add_ranking_flags(CLI::App& command, RankingFlags& flags) {
  command
      .add_option("--at", flags.at,
                  "also precision, recall, nDCG and coverage of the best k labels, e.g. 1,3,5")
      ->type_name("K,...");
  command
      .add_option("--propensities-from", flags.propensities_from,
                  "with --at: propensity-scored values, labels counted in this training file")
      ->type_name("F");
}

std::vector<std::size_t> parse_ks(const std::string& list) {
  std::vector<std::size_t> ks;
  std::istringstream rest(list);
  for (std::string text; std::getline(rest, text, ',');) {
    std::size_t k = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), k);
    if (error != std::errc{} || end != text.data() + text.size() || k == 0) {
      throw UsageError(
          fmt::format("--at '{}': '{}' is not a whole number of at least 1; write 1,3,5", list, text));
    }
    ks.push_back(k);
  }
  return ks;
}

std::size_t block_rows(const Model& model) {
  constexpr std::size_t block_scores = std::size_t{1} << 24;
  return 1 + block_scores / (model.labels() + 1);
}

void best_labels(const DecisionRule& rule, std::span<const float> scores,
                 std::span<const std::uint32_t> left_out, std::size_t k, std::vector<std::uint32_t>& out) {
  out.clear();
  for (std::uint32_t j = 0; j < scores.size(); ++j) {
    const bool never = j < rule.thresholds.size() && std::isinf(rule.thresholds[j]) && rule.thresholds[j] > 0;
    if (!never && !std::ranges::binary_search(left_out, j)) out.push_back(j);
  }
  keep_best(scores, k, out);
}

RankedPredictions predict_ranked(const Model& model, const Dataset& data, std::size_t k) {
  RankedPredictions out;
  out.labels.cols = out.rankings.labels = data.labels();
  std::vector<std::uint32_t> labels;
  const bool all_known = data.unknown.rows == 0;
  for_each_scored_block(
      model, prepare(model, data), block_rows(model), [&](std::size_t first_row, DenseMatrix& scores) {
        for (std::size_t i = 0; i < scores.rows; ++i) {
          labels.clear();
          decide_row(model.rule, scores.row(i), labels);
          out.labels.push_row(labels);
          const auto unknown = all_known ? std::span<const std::uint32_t>{} : data.unknown.row(first_row + i);
          best_labels(model.rule, scores.row(i), unknown, k, labels);
          out.rankings.push_row(labels);
        }
      });
  return out;
}

std::vector<RankingValues> ranking_values(const Common& common, const RankingFlags& flags,
                                          const DataFlags& reading, const Model& model,
                                          const Rankings& rankings, const Truth& truth) {
  std::vector<double> propensity;
  if (!flags.propensities_from.empty())
    propensity = read_propensities(common, flags, reading, model, rankings.labels);
  return ranking_metrics(rankings, truth, parse_ks(flags.at), propensity);
}

std::string ranking_text(std::span<const RankingValues> values) {
  const bool scored = !values.empty() && values[0].psprecision;
  std::vector<std::vector<std::string>> rows{{"best k labels", "precision", "recall", "nDCG", "coverage"}};
  if (scored) rows[0].insert(rows[0].end(), {"psprecision", "psnDCG"});
  const auto text = [](double value) { return fmt::format("{:.4f}", value); };
  for (const RankingValues& v : values) {
    rows.push_back({std::to_string(v.k), text(v.precision), text(v.recall), text(v.ndcg), text(v.coverage)});
    if (scored) rows.back().insert(rows.back().end(), {text(*v.psprecision), text(*v.psndcg)});
  }
  return table(rows) + (scored ? "" : "Propensity-scored values need --propensities-from TRAINING-FILE.\n");
}

nlohmann::ordered_json ranking_json(std::span<const RankingValues> values) {
  auto out = nlohmann::ordered_json::array();
  for (const RankingValues& v : values) {
    out.push_back({{"k", v.k},
                   {"precision", v.precision},
                   {"recall", v.recall},
                   {"ndcg", v.ndcg},
                   {"coverage", v.coverage}});
    if (v.psprecision) out.back()["psprecision"] = *v.psprecision;
    if (v.psndcg) out.back()["psndcg"] = *v.psndcg;
  }
  return out;
}

}  // namespace mmo::cli
