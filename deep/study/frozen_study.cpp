#include "deep/study/frozen_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <variant>

#include "deep/data/label_noise.h"
#include "deep/study/jobs.h"
#include "deep/train/extract.h"
#include "deep/train/start_head.h"
#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/eval/evaluate.h"
#include "mmo/rule/decision_rule.h"
#include "mmo/rule/empirical_thresholds.h"
#include "mmo/split/split.h"

namespace mmo::deep {
namespace {

using nlohmann::ordered_json;

constexpr double validation_share = 0.15;
constexpr double dropped_share = 0.2;

struct Sets {
  Dataset train, test;
};

std::vector<char> has_positives(const LabelMatrix& labels) {
  std::vector<char> out(labels.cols, 0);
  for (const std::uint32_t j : labels.indices) out[j] = 1;
  return out;
}

// The rows that have one of the labels, with these labels only.
Dataset keep(const Dataset& data, const std::vector<std::uint32_t>& labels) {
  const Dataset narrow = take_labels(data, labels);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < narrow.rows(); ++i) {
    if (!narrow.y.row(i).empty()) rows.push_back(i);
  }
  return take_rows(narrow, rows);
}

Sets make_set(const std::string& name, const Dataset& train, const Dataset& test) {
  if (name == "all") return {train, test};
  const std::vector<char> in_train = has_positives(train.y);
  const std::vector<char> in_test = has_positives(test.y);
  std::vector<std::uint32_t> shared;
  for (std::uint32_t j = 0; j < train.labels(); ++j) {
    if (in_train[j] == 1 && in_test[j] == 1) shared.push_back(j);
  }
  return {keep(train, shared), keep(test, shared)};
}

const DenseMatrix& features_of(const Dataset& data) {
  const auto* x = std::get_if<DenseMatrix>(&data.x);
  if (x == nullptr || x->cols == 0)
    throw DataError(data.source, 0, "the study needs dense features, as mmo deep features writes them");
  return *x;
}

double value_at(const Metric& metric, const DenseMatrix& scores, const LabelMatrix& labels,
                const std::vector<float>& thresholds) {
  DecisionRule rule;
  rule.thresholds = thresholds;
  Truth truth;
  truth.labels = &labels;
  return evaluate(metric, decide(rule, scores), truth);
}

// The epoch of best validation value, for each metric and way to decide.
class Best {
 public:
  void offer(const std::string& metric, const std::string& rule, std::size_t epoch, double validation,
             const std::function<double()>& test) {
    ordered_json& cell = values_[metric][rule];
    if (!cell.is_null() && validation <= cell["validation"].get<double>()) return;
    cell = {{"epoch", epoch}, {"validation", validation}, {"test", test()}};
  }
  [[nodiscard]] const ordered_json& values() const { return values_; }

 private:
  ordered_json values_ = ordered_json::object();
};

ordered_json run_job(const Job& job, const Sets& sets, std::uint64_t seed, bool drop) {
  const FeatureInputs inputs(features_of(sets.train));
  const FeatureInputs test_inputs(features_of(sets.test));
  const LabelMatrix labels = drop ? drop_positives(sets.train.y, dropped_share, seed) : sets.train.y;
  const Split split = stratified_split(labels, validation_share, seed);
  const LabelMatrix none;
  const TrainData data{inputs, labels, none, split.train, split.test};
  const LabelMatrix held_out = take_rows(labels, split.test);

  Network network;
  network.head = {static_cast<std::int64_t>(features_of(sets.train).cols),
                  static_cast<std::int64_t>(labels.cols), 0, 0};
  TrainSettings settings = job.settings;
  settings.seed = seed;
  network.parameters = Parameters(network.head.specs(), seed);
  start_head(network, data);

  std::vector<Metric> metrics;
  for (const std::string& name : job.serves) metrics.push_back(parse_metric(name));
  const Metric target = parse_metric(job.target);
  Best best;
  TrainHooks hooks;
  hooks.on_epoch = [&](const Epoch& epoch, const DenseMatrix& scores) {
    const DenseMatrix test = score_rows(network, test_inputs, all_rows(sets.test.rows()));
    Truth truth;
    truth.labels = &held_out;
    for (std::size_t k = 0; k < metrics.size(); ++k) {
      const Metric& metric = metrics[k];
      const auto offer = [&](const std::string& rule, const std::vector<float>& thresholds,
                             double validation) {
        best.offer(job.serves[k], rule, epoch.epoch, validation,
                   [&] { return value_at(metric, test, sets.test.y, thresholds); });
      };
      const std::vector<float> zero(labels.cols, 0.0F);
      offer("@0", zero, value_at(metric, scores, held_out, zero));
      const GlobalThreshold global = best_global_threshold(metric, scores, truth);
      offer("+G", std::vector<float>(labels.cols, global.threshold), global.value);
      if (!job.per_label_threshold) continue;
      std::vector<float> own;
      for (const LabelThreshold& t : best_label_thresholds(metric, scores, truth)) own.push_back(t.threshold);
      offer("+P", own, value_at(metric, scores, held_out, own));
    }
  };
  train_network(network, data, target, settings, hooks);
  return best.values();
}

}  // namespace

std::string set_title(const std::string& set) {
  if (set == "90") return "90 topics";
  if (set == "all") return "all topics";
  if (set == "dropped") return "90 topics, 20 % of the training positives dropped";
  throw UsageError(fmt::format("unknown set '{}'; known: 90, all, dropped", set));
}

void run_frozen_study(const Dataset& train, const Dataset& test, const FrozenStudyOptions& options,
                      ordered_json& results) {
  struct Piece {
    std::string set, part;
    Job job;
  };
  std::vector<Piece> pieces;
  for (const std::string& set : options.sets) {
    static_cast<void>(set_title(set));  // refuses unknown names
    for (const Job& job : table_jobs()) pieces.push_back({set, "table", job});
  }
  if (options.ablations) {
    for (const Job& job : ablation_jobs()) pieces.push_back({"90", "ablation", job});
  }
  const std::size_t total = pieces.size() * static_cast<std::size_t>(options.seeds);
  std::size_t done = 0;
  std::string loaded;
  Sets sets;
  for (const Piece& piece : pieces) {
    if (loaded != piece.set) sets = make_set(piece.set, train, test);
    loaded = piece.set;
    results["sets"][piece.set] = {{"train_rows", sets.train.rows()},
                                  {"test_rows", sets.test.rows()},
                                  {"labels", sets.train.labels()},
                                  {"features", features_of(sets.train).cols}};
    for (int seed = 0; seed < options.seeds; ++seed, ++done) {
      throw_if_cancelled();
      report(options.progress, piece.job.method, static_cast<double>(done) / static_cast<double>(total),
             set_title(piece.set));
      ordered_json& cell = results[piece.part][piece.set][piece.job.method][fmt::format(
          "{} @ {:g}", piece.job.variant, piece.job.settings.head_rate)][std::to_string(seed)];
      if (!cell.is_null()) continue;
      cell = run_job(piece.job, sets, static_cast<std::uint64_t>(seed), piece.set == "dropped");
      if (options.save) options.save(results);
    }
  }
}

}  // namespace mmo::deep
