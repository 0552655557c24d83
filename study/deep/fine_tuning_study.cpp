#include "study/deep/fine_tuning_study.h"

#include <fmt/core.h>

#include <filesystem>

#include "deep/train/extract.h"
#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "study/deep/run_job.h"

namespace mmo::deep {
namespace {

using nlohmann::ordered_json;

constexpr double warmup = 0.1;

// The head with the best validation value among the candidates, and the job it came from.
struct BestHead {
  Network network;
  Job job;
  double validation = -1;
};

BestHead best_head(const std::vector<Job>& candidates, const TrainData& features, std::uint64_t seed) {
  BestHead best;
  for (const Job& job : candidates) {
    Network network = new_head(features, seed);
    TrainSettings settings = job.settings;
    settings.seed = seed;
    const Training training = train_network(network, features, parse_metric(job.target), settings);
    const double validation = training.history[training.best_epoch - 1].tuned;
    if (validation > best.validation) best = {network, job, validation};
  }
  return best;
}

// Puts the pretrained encoder under this head.
Network with_encoder(const Network& head, const Pretrained& pretrained) {
  Network network;
  network.encoder = pretrained.encoder;
  network.head = head.head;
  network.parameters = pretrained.copy_parameters();
  network.parameters.add(head.parameters);
  return network;
}

// All cells of a table must come from the same recipe.
void set_recipe(const ordered_json& recipe, ordered_json& before) {
  if (!before.is_null() && before != recipe) {
    throw UsageError(
        fmt::format("the results so far were made with --epochs {} --lr {}: give these, or another --out",
                    before.value("epochs", 0), before.value("rate", 0.0)));
  }
  before = recipe;
}

}  // namespace

void run_fine_tuning_study(const StudySet& sets, const Pretrained& pretrained,
                           const std::function<std::unique_ptr<Inputs>(const Dataset&)>& inputs,
                           const FineTuningOptions& options, ordered_json& results) {
  const auto train = inputs(sets.train);
  const auto test = inputs(sets.test);
  const FeatureInputs features(extract_features(pretrained.encoder, pretrained.parameters, *train,
                                                all_rows(train->rows()), options.progress));
  results["sets"][options.set] = {{"train_rows", sets.train.rows()},
                                  {"test_rows", sets.test.rows()},
                                  {"labels", sets.train.labels()},
                                  {"features", pretrained.encoder.width()}};
  set_recipe({{"epochs", options.epochs}, {"rate", options.rate}, {"warmup", warmup}},
             results["fine_tuning"][options.set]);
  ordered_json& table = results["fine_tuned"][options.set];
  for (int run = 0; run < options.seeds; ++run) {
    const auto seed = static_cast<std::uint64_t>(run);
    const LabelMatrix labels = training_labels(options.set, sets.train.y, seed);
    for (const std::vector<Job>& candidates : fine_tuning_groups()) {
      throw_if_cancelled();
      const Job& first = candidates.front();
      ordered_json& cell = table[first.method][first.target][std::to_string(run)];
      if (cell.is_null()) cell = ordered_json::object();
      if (cell.value("finished", false)) continue;
      const BestHead start = best_head(candidates, training_part(features, labels, seed), seed);
      Job job = start.job;
      job.settings.frozen = false;
      job.settings.epochs = options.epochs;
      job.settings.rate = options.rate;
      job.settings.schedule = Schedule::linear;
      job.settings.warmup = warmup;
      Network network = with_encoder(start.network, pretrained);
      TrainHooks hooks;
      hooks.progress = options.progress;
      hooks.checkpoint =
          fmt::format("{}.{}-{}-{}-{}", options.checkpoint, options.set, first.method, first.target, seed);
      hooks.checkpoint_steps = options.checkpoint_steps;
      run_job(job, network, {*train, *test, labels, sets.test.y}, seed, cell, hooks,
              [&] { options.save(results); });
      cell["head"] = candidate_name(start.job);
      cell["finished"] = true;
      options.save(results);
      std::filesystem::remove(hooks.checkpoint);
    }
  }
}

}  // namespace mmo::deep
