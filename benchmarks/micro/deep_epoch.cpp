// An epoch of training with mmo beside one with binary cross-entropy: the same network, rows and steps, one
// thread, alternating.
//   deep_epoch NETWORK ROWS LABELS METRIC ROUNDS   processor seconds of bce and of mmo, a line per round
//   deep_epoch NETWORK ROWS LABELS METRIC LOSS     one epoch with this loss, for valgrind to count
// NETWORK: head (on 384 features) or minilm (6 layers, texts of 16 tokens: with longer ones the loss weighs
// less).
#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/micro/measure.h"
#include "deep/train/defaults.h"
#include "deep/train/training.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"

namespace {

using namespace mmo;        // NOLINT(google-build-using-namespace)
using namespace mmo::deep;  // NOLINT(google-build-using-namespace)

constexpr std::int64_t width = 384;
constexpr std::int64_t tokens = 16;

// Random token numbers: what the tokens say makes no difference to the time.
class TokenInputs final : public Inputs {
 public:
  explicit TokenInputs(std::int64_t rows)
      : ids_NT_(at::randint(1000, 30000, {rows, tokens}, at::kLong)),
        mask_NT_(at::ones({rows, tokens}, at::kBool)) {}
  [[nodiscard]] std::size_t rows() const override { return static_cast<std::size_t>(ids_NT_.size(0)); }
  [[nodiscard]] Batch batch(std::span<const std::uint32_t> rows, std::uint64_t /*seed*/) const override {
    Batch out;
    out.ids_NT = ids_NT_.index_select(0, row_index(rows));
    out.mask_NT = mask_NT_.index_select(0, row_index(rows));
    return out;
  }

 private:
  Tensor ids_NT_, mask_NT_;
};

LabelMatrix random_labels(std::size_t rows, std::size_t labels) {
  Random random(3);
  LabelMatrix out;
  out.cols = labels;
  for (std::size_t i = 0; i < rows; ++i)
    out.push_row(std::vector<std::uint32_t>{static_cast<std::uint32_t>(random.below(labels))});
  return out;
}

// Parameters' own random numbers are slow under valgrind.
Parameters random_parameters(const Specs& specs) {
  Parameters out;
  for (const TensorSpec& spec : specs)
    out.set(spec.name, spec.start == Start::ones ? at::ones(spec.shape) : 0.02 * at::randn(spec.shape),
            spec.role);
  return out;
}

struct Task {
  Encoder encoder;
  Head head;
  std::unique_ptr<Inputs> inputs;
  LabelMatrix labels;

  double epoch_seconds(const Metric& metric, LossKind loss) const {
    Network network{encoder, head, random_parameters(encoder.specs())};
    network.parameters.add(random_parameters(head.specs()));
    TrainSettings settings;
    use_defaults(settings, by_label(metric));
    settings.loss.kind = loss;
    settings.epochs = 1;
    const LabelMatrix all_known;
    const TrainData data{*inputs, labels, all_known, all_rows(labels.rows), {}};
    const bench::ProcessorClock clock;
    train_network(network, data, metric, settings);
    return clock.seconds();
  }
};

Task make_task(const std::string& network, std::int64_t rows, std::int64_t labels) {
  Task task;
  task.head = {width, labels, 0, 0};
  task.labels = random_labels(static_cast<std::size_t>(rows), static_cast<std::size_t>(labels));
  if (network == "minilm") {
    task.encoder.kind = EncoderKind::text;
    task.inputs = std::make_unique<TokenInputs>(rows);
  } else {
    task.inputs = std::make_unique<FeatureInputs>(at::randn({rows, width}));
  }
  return task;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "deep_epoch head|minilm ROWS LABELS METRIC ROUNDS|LOSS\n");
    return 2;
  }
  set_threads(1);
  at::set_num_threads(1);
  at::manual_seed(1);
  const Task task = make_task(argv[1], std::stol(argv[2]), std::stol(argv[3]));
  const Metric metric = parse_metric(argv[4]);
  if (std::string(argv[5]) == "bce" || std::string(argv[5]) == "mmo") {
    task.epoch_seconds(metric, parse_loss(argv[5]));
    return 0;
  }
  task.epoch_seconds(metric, LossKind::mmo);  // warms up
  for (long round = 0; round < std::stol(argv[5]); ++round) {
    // Whoever comes second finds warmer caches: take turns.
    const bool mmo_first = round % 2 == 1;
    const double first = task.epoch_seconds(metric, mmo_first ? LossKind::mmo : LossKind::bce);
    const double second = task.epoch_seconds(metric, mmo_first ? LossKind::bce : LossKind::mmo);
    fmt::print("{:.6f} {:.6f}\n", mmo_first ? second : first, mmo_first ? first : second);
    std::fflush(stdout);
  }
  return 0;
}
