#include "study/deep/run_job.h"

#include "deep/train/extract.h"
#include "deep/train/start_head.h"
#include "mmo/eval/evaluate.h"
#include "mmo/rule/decision_rule.h"
#include "mmo/rule/empirical_thresholds.h"
#include "mmo/split/split.h"

namespace mmo::deep {
namespace {

using nlohmann::ordered_json;

constexpr double validation_share = 0.15;

double value_at(const Metric& metric, const DenseMatrix& scores, const LabelMatrix& labels,
                const std::vector<float>& thresholds) {
  DecisionRule rule;
  rule.thresholds = thresholds;
  Truth truth;
  truth.labels = &labels;
  return evaluate(metric, decide(rule, scores), truth);
}

// Keeps the epoch with the best validation value.
void offer(ordered_json& cell, std::size_t epoch, double validation, const std::function<double()>& test) {
  if (!cell.is_null() && validation <= cell["validation"].get<double>()) return;
  cell = {{"epoch", epoch}, {"validation", validation}, {"test", test()}};
}

}  // namespace

TrainData training_part(const Inputs& inputs, const LabelMatrix& labels, std::uint64_t seed) {
  static const LabelMatrix all_known;
  const Split split = stratified_split(labels, validation_share, seed);
  return {inputs, labels, all_known, split.train, split.test};
}

Network new_head(const TrainData& features, std::uint64_t seed) {
  const Tensor& x_ND = dynamic_cast<const FeatureInputs&>(features.inputs).all();
  Network network;
  network.head = {x_ND.size(1), static_cast<std::int64_t>(features.labels.cols), 0, 0};
  network.parameters = Parameters(network.head.specs(), seed);
  start_head(network, features);
  return network;
}

Training run_job(const Job& job, Network& network, const JobData& data, std::uint64_t seed,
                 ordered_json& best, TrainHooks hooks, const std::function<void()>& after_epoch) {
  const TrainData part = training_part(data.train, data.train_labels, seed);
  const LabelMatrix held_out = take_rows(data.train_labels, part.validation);
  const std::size_t labels = data.train_labels.cols;
  TrainSettings settings = job.settings;
  settings.seed = seed;
  hooks.on_epoch = [&](const Epoch& epoch, const DenseMatrix& scores) {
    const DenseMatrix test = score_rows(network, data.test, all_rows(data.test.rows()));
    Truth truth;
    truth.labels = &held_out;
    for (const std::string& name : job.serves) {
      const Metric metric = parse_metric(name);
      const auto offer_rule = [&](const char* rule, const std::vector<float>& thresholds, double validation) {
        offer(best[name][rule], epoch.epoch, validation,
              [&] { return value_at(metric, test, data.test_labels, thresholds); });
      };
      const std::vector<float> zero(labels, 0.0F);
      offer_rule("@0", zero, value_at(metric, scores, held_out, zero));
      const GlobalThreshold global = best_global_threshold(metric, scores, truth);
      offer_rule("+G", std::vector<float>(labels, global.threshold), global.value);
      if (!job.per_label_threshold) continue;
      std::vector<float> own;
      for (const LabelThreshold& t : best_label_thresholds(metric, scores, truth)) own.push_back(t.threshold);
      offer_rule("+P", own, value_at(metric, scores, held_out, own));
    }
    if (after_epoch) after_epoch();
  };
  return train_network(network, part, parse_metric(job.target), settings, hooks);
}

}  // namespace mmo::deep
