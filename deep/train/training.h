// Training a network for a metric: epochs of steps, λ followed on the way, validation after each epoch, the
// best epoch kept. Everything random comes from the seed and the step's number, so a run that was killed goes
// on from its last checkpoint to exactly the weights of an uninterrupted one.
//
// Several processes share the rows of each batch. Each runs its own through the network; the scores are
// gathered on all, where loss and λ are computed as one process would, so that every loss is exact; gradients
// are summed. Up to rounding (and dropout's masks, and batch normalisation, whose statistics are of a
// process's own rows) the weights are those of one process.
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
  std::size_t batch_rows = 32;  // of all processes together
  std::size_t accumulate = 1;   // batches per step
  std::size_t epochs = 25;
  std::size_t patience = 0;  // epochs without a better validation value before stopping; 0 = never
  bool frozen = false;       // train the head only
  bool tuned = true;         // epochs are compared with their best threshold each; false: at 0
  std::uint64_t seed = 0;
};
// What must agree between a checkpoint and the run that goes on from it.
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
  std::string checkpoint;                         // file; "" = none. An existing one is gone on from
  std::size_t checkpoint_steps = 0;               // also within epochs, every so many steps
  // All call train_network with the same arguments; the first writes the checkpoint, all must be able to read
  // it. The hooks are each process's own.
  Communicator* processes = &alone();
};

struct Training {
  std::vector<Epoch> history;
  std::size_t best_epoch = 0;
  DenseMatrix validation_scores;  // of the best epoch; the network has its weights
};

// Without validation rows the last epoch is kept. Throws UsageError when the loss is no number any more (a
// checkpoint keeps the last good state), ModelError when the checkpoint belongs to another run, IoError when
// it can't be written (the one before stays).
Training train_network(Network& network, const TrainData& data, const Metric& metric,
                       const TrainSettings& settings, const TrainHooks& hooks = {});

}  // namespace mmo::deep
