// Training a network for a metric: epochs of steps, with λ following along, validation after each epoch, and
// the best epoch kept. Everything random comes from the seed and the step's number, so a run that was killed
// resumes from its last checkpoint and ends with exactly the weights of an uninterrupted one.
//
// Several processes share the rows of each batch. Each runs its own through the network; the scores are
// gathered on all of them, where loss and λ are computed as a single process would, so every loss is exact;
// gradients are summed. Up to rounding (and dropout's masks, and batch normalisation, whose statistics cover
// a process's own rows) the weights equal those of one process.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "deep/loss/lambda.h"
#include "deep/loss/losses.h"
#include "deep/net/network.h"
#include "deep/train/inputs.h"
#include "deep/train/optimizer.h"
#include "mmo/comm/communicator.h"
#include "mmo/core/progress.h"
#include "mmo/metric/metric.h"

namespace mmo::deep {

struct TrainSettings {
  LossSettings loss;
  LambdaSettings lambda;
  OptimizerSettings optimizer;
  double rate = 5e-5;       // of the encoder (the paper's, for text)
  double head_rate = 1e-3;  // of the head
  Schedule schedule = Schedule::constant;
  double warmup = 0;            // share of all steps
  std::size_t batch_rows = 32;  // over all processes
  std::size_t accumulate = 1;   // batches per step
  std::size_t epochs = 25;
  std::size_t patience = 0;  // epochs without a better validation value before it stops; 0 = never
  bool frozen = false;       // train the head only
  bool tuned = true;         // compare epochs at their best threshold; false: at 0
  std::uint64_t seed = 0;
};
// What a checkpoint and the run that resumes from it must agree on.
[[nodiscard]] nlohmann::json to_json(const TrainSettings& settings);

struct TrainData {
  const Inputs& inputs;
  const LabelMatrix& labels;
  const LabelMatrix& unknown;  // 0 rows: all known
  std::vector<std::uint32_t> train, validation;
};

struct Epoch {
  std::size_t epoch = 0;  // from 1
  double loss = 0;        // mean of its batches
  double at_zero = 0;     // the metric on validation rows, predicting where z ≥ 0
  double tuned = 0;       // with the best single threshold
  float threshold = 0;    // that threshold
  double lambda = 0;      // mean over labels, at the end
};
[[nodiscard]] nlohmann::json to_json(const Epoch& epoch);

// All optional.
struct TrainHooks {
  Progress progress;
  std::function<void(const Epoch&, const DenseMatrix& validation_scores)> on_epoch;
  std::function<void(std::size_t step)> on_step;  // after each step
  std::string checkpoint;                         // file; "" = none. Resumes from an existing one
  std::size_t checkpoint_steps = 0;               // also within epochs, after this many steps
  // All call train_network with the same arguments; the first writes the checkpoint, all must be able to read
  // it. Each process has its own hooks.
  Communicator* processes = &alone();
};

struct Training {
  std::vector<Epoch> history;
  std::size_t best_epoch = 0;
  DenseMatrix validation_scores;  // of the best epoch; the network has its weights
};

// Without validation rows it keeps the last epoch. Throws UsageError if the loss is no longer a number (a
// checkpoint keeps the last good state), ModelError if the checkpoint belongs to another run, IoError if it
// can't be written (the previous one stays).
Training train_network(Network& network, const TrainData& data, const Metric& metric,
                       const TrainSettings& settings, const TrainHooks& hooks = {});

}  // namespace mmo::deep
