#include "deep/train/training.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <limits>

#include "deep/train/defaults.h"
#include "deep/train/extract.h"
#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/core/random.h"
#include "tests/deep/noisy_rows.h"

namespace mmo::deep {
namespace {

constexpr std::size_t rows = 120;
constexpr std::size_t labels = 3;
constexpr std::size_t width = 5;

struct Problem : NoisyRows {
  LabelMatrix unknown;

  Problem() : NoisyRows(rows, width, labels, 3) {}
};

Network head_only(std::int64_t hidden = 0, double dropout = 0) {
  Network network;
  network.head = {width, labels, hidden, dropout};
  network.parameters = Parameters(network.head.specs(), 11);
  return network;
}

struct Result {
  Network network;
  Training training;
};

TrainData rows_of(const Problem& problem, const Inputs& inputs) {
  TrainData data{inputs, problem.y, problem.unknown, {}, {}};
  for (std::uint32_t i = 0; i < rows; ++i) (i % 4 == 3 ? data.validation : data.train).push_back(i);
  return data;
}

Result train(const Problem& problem, const TrainSettings& settings, const TrainHooks& hooks = {},
             std::int64_t hidden = 0, double dropout = 0) {
  const FeatureInputs inputs(problem.x);
  const TrainData data = rows_of(problem, inputs);
  Result out{head_only(hidden, dropout), {}};
  out.training = train_network(out.network, data, parse_metric("macro-f1"), settings, hooks);
  return out;
}

TrainSettings quick() {
  TrainSettings settings;
  settings.epochs = 8;
  settings.batch_rows = 16;
  settings.head_rate = 0.02;
  settings.lambda.per_label = true;
  return settings;
}

void expect_equal(const Network& a, const Network& b) {
  for (const auto& [name, parameter] : a.parameters.all())
    EXPECT_TRUE(at::equal(parameter.tensor, b.parameters[name])) << name;
}

std::string scratch(const std::string& name) {
  const std::string path = testing::TempDir() + "mmo_deep_" + std::to_string(::getpid()) + "_" + name;
  std::filesystem::remove(path);
  return path;
}

TEST(Training, EveryLossLearns) {
  const Problem problem;
  for (const LossKind kind : {LossKind::bce, LossKind::sigmoid_f1, LossKind::asl, LossKind::mmo}) {
    TrainSettings settings = quick();
    settings.loss.kind = kind;
    settings.epochs = 20;
    const Result result = train(problem, settings);
    EXPECT_GT(result.training.history[result.training.best_epoch - 1].tuned, 0.7) << loss_name(kind);
  }
}

TEST(Training, TheSeedDecidesEverything) {
  const Problem problem;
  const Result a = train(problem, quick(), {}, 8, 0.2);
  expect_equal(a.network, train(problem, quick(), {}, 8, 0.2).network);
  TrainSettings other = quick();
  other.seed = 1;
  EXPECT_FALSE(at::equal(a.network.parameters["head.output.weight"],
                         train(problem, other, {}, 8, 0.2).network.parameters["head.output.weight"]));
}

struct Killed {};

TEST(Training, KilledAndResumedEqualsUninterrupted) {
  const Problem problem;
  for (const std::size_t every : {std::size_t{0}, std::size_t{4}}) {
    const Result whole = train(problem, quick(), {}, 8, 0.2);
    TrainHooks hooks;
    hooks.checkpoint = scratch("resume");
    hooks.checkpoint_steps = every;
    for (const std::size_t kill_at : {13U, 27U}) {  // within epochs 3 and 5
      hooks.on_step = [kill_at](std::size_t step) {
        if (step == kill_at) throw Killed{};
      };
      EXPECT_THROW(train(problem, quick(), hooks, 8, 0.2), Killed);
    }
    hooks.on_step = nullptr;
    const Result resumed = train(problem, quick(), hooks, 8, 0.2);
    expect_equal(whole.network, resumed.network);
    EXPECT_EQ(whole.training.validation_scores.values, resumed.training.validation_scores.values);
    ASSERT_EQ(whole.training.history.size(), resumed.training.history.size());
    for (std::size_t k = 0; k < whole.training.history.size(); ++k)
      EXPECT_EQ(to_json(whole.training.history[k]), to_json(resumed.training.history[k]));
    std::filesystem::remove(hooks.checkpoint);
  }
}

TEST(Training, ACheckpointOfAnotherRunIsRefused) {
  const Problem problem;
  TrainHooks hooks;
  hooks.checkpoint = scratch("other");
  train(problem, quick(), hooks);
  TrainSettings other = quick();
  other.batch_rows = 8;
  try {
    train(problem, other, hooks);
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("batch"), std::string::npos) << error.what();
  }
  std::filesystem::remove(hooks.checkpoint);
}

// Two batches of 8 in one step are one batch of 16; λ is switched off (bce), dropout too.
TEST(Training, AccumulatedBatchesEqualOneLargeBatch) {
  constexpr double tolerance = 1e-6;  // sums of float32 in another order
  const Problem problem;
  TrainSettings large = quick();
  large.loss.kind = LossKind::bce;
  large.epochs = 1;
  large.batch_rows = 16;
  TrainSettings small = large;
  small.batch_rows = 8;
  small.accumulate = 2;
  const Tensor a = train(problem, large).network.parameters["head.output.weight"];
  const Tensor b = train(problem, small).network.parameters["head.output.weight"];
  EXPECT_LT((a - b).abs().max().item<double>(), tolerance);
}

std::string bytes_of(const std::string& path) { return std::string(FileContent::open(path).bytes()); }

// Rows as they are, until the disease breaks out.
class SickInputs final : public Inputs {
 public:
  SickInputs(const DenseMatrix& x, std::size_t healthy) : inner_(x), healthy_(healthy) {}
  [[nodiscard]] std::size_t rows() const override { return inner_.rows(); }
  [[nodiscard]] Batch batch(std::span<const std::uint32_t> which, std::uint64_t seed) const override {
    Batch out = inner_.batch(which, seed);
    if (read_++ >= healthy_) out.features_ND.fill_(std::numeric_limits<float>::quiet_NaN());
    return out;
  }

 private:
  FeatureInputs inner_;
  std::size_t healthy_;
  mutable std::size_t read_ = 0;
};

TEST(Training, ALossThatIsNoNumberLeavesTheLastGoodCheckpoint) {
  const Problem problem;
  const Result whole = train(problem, quick());
  TrainHooks hooks;
  hooks.checkpoint = scratch("sick");
  hooks.checkpoint_steps = 1;
  std::string last;
  hooks.on_step = [&](std::size_t step) {
    if (step > 1) last = bytes_of(hooks.checkpoint);
  };
  const SickInputs inputs(problem.x, 9);
  Network network = head_only();
  try {
    train_network(network, rows_of(problem, inputs), parse_metric("macro-f1"), quick(), hooks);
    FAIL() << "went on";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(hooks.checkpoint), std::string::npos) << error.what();
  }
  EXPECT_FALSE(last.empty());
  EXPECT_NE(bytes_of(hooks.checkpoint), last);  // one good step more than on_step has seen
  hooks.on_step = nullptr;
  expect_equal(whole.network, train(problem, quick(), hooks).network);
  std::filesystem::remove(hooks.checkpoint);
}

// A limit on the size of files stands for a full disk: it fails the same way and needs no rights.
TEST(Training, AFullDiskLeavesTheCheckpointBefore) {
  const Problem problem;
  const Result whole = train(problem, quick());
  const std::string folder = scratch("full");
  std::filesystem::create_directory(folder);
  TrainHooks hooks;
  hooks.checkpoint = folder + "/state";
  hooks.checkpoint_steps = 1;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);  // the write fails instead of ending the program
  std::string last;
  hooks.on_step = [&](std::size_t step) {
    if (step < 4) return;
    last = bytes_of(hooks.checkpoint);
    rlimit full = before;
    full.rlim_cur = 100;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  };
  std::string message;
  try {
    train(problem, quick(), hooks);
  } catch (const IoError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("the checkpoint before it is intact"), std::string::npos) << message;
  EXPECT_NE(message.find(hooks.checkpoint), std::string::npos) << message;
  EXPECT_EQ(bytes_of(hooks.checkpoint), last);
  const auto files = std::filesystem::directory_iterator(folder);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "half a file was left behind";
  hooks.on_step = nullptr;
  expect_equal(whole.network, train(problem, quick(), hooks).network);
  std::filesystem::remove_all(folder);
}

TEST(Training, StopsWhenTheLossIsNoNumber) {
  Problem problem;
  problem.x(0, 0) = std::numeric_limits<float>::infinity();
  EXPECT_THROW(train(problem, quick()), UsageError);
}

TEST(Training, PatienceEndsARunThatNoLongerImproves) {
  const Problem problem;
  TrainSettings settings = quick();
  settings.epochs = 200;
  settings.patience = 3;
  const Training training = train(problem, settings).training;
  EXPECT_LT(training.history.size(), 200U);
  EXPECT_EQ(training.history.size(), training.best_epoch + 3);
}

TEST(Training, TheBestEpochIsKept) {
  const Problem problem;
  const Result result = train(problem, quick());
  const auto& history = result.training.history;
  for (const Epoch& epoch : history) EXPECT_LE(epoch.tuned, history[result.training.best_epoch - 1].tuned);
  const FeatureInputs inputs(problem.x);
  std::vector<std::uint32_t> validation;
  for (std::uint32_t i = 3; i < rows; i += 4) validation.push_back(i);
  EXPECT_EQ(score_rows(result.network, inputs, validation).values, result.training.validation_scores.values);
}

// Without a threshold at the end, the epoch that is best without one is kept.
TEST(Training, TheBestEpochIsThatOfTheRule) {
  const Problem problem;
  for (const bool tuned : {false, true}) {
    TrainSettings settings = quick();
    settings.tuned = tuned;
    const Training training = train(problem, settings).training;
    const auto value = [&](const Epoch& epoch) { return tuned ? epoch.tuned : epoch.at_zero; };
    for (const Epoch& epoch : training.history)
      EXPECT_LE(value(epoch), value(training.history[training.best_epoch - 1])) << epoch.epoch;
  }
}

TEST(Defaults, OneThresholdUnlessEachLabelHasItsOwnLambda) {
  TrainSettings settings;
  use_defaults(settings, /*per_label=*/false);
  EXPECT_EQ(default_rule(settings), RuleKind::global);
  use_defaults(settings, /*per_label=*/true);
  EXPECT_EQ(default_rule(settings), RuleKind::zero);
  settings.loss.kind = LossKind::bce;
  EXPECT_EQ(default_rule(settings), RuleKind::global);
}

TEST(Batches, HoldEveryRowOnceAndRowsOfSimilarLength) {
  std::vector<std::uint32_t> lengths;
  Random random(5);
  for (int i = 0; i < 1000; ++i) lengths.push_back(static_cast<std::uint32_t>(2 + random.below(127)));
  const Batches batches = epoch_batches(all_rows(1000), lengths, 10, 1, 0);
  std::vector<int> seen(1000, 0);
  std::size_t padded = 0;
  std::size_t tokens = 0;
  for (const auto& batch : batches) {
    std::uint32_t longest = 0;
    for (const std::uint32_t i : batch) {
      ++seen[i];
      longest = std::max(longest, lengths[i]);
      tokens += lengths[i];
    }
    padded += longest * batch.size();
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 1000);
  EXPECT_LT(static_cast<double>(padded), 1.1 * static_cast<double>(tokens));  // at random it is near 1.8
  EXPECT_NE(batches, epoch_batches(all_rows(1000), lengths, 10, 1, 1));
}

TEST(Schedule, RisesStaysAndFalls) {
  EXPECT_DOUBLE_EQ(rate_factor(Schedule::constant, 0, 0, 100), 1);
  EXPECT_DOUBLE_EQ(rate_factor(Schedule::linear, 4, 9, 100), 0.5);
  EXPECT_DOUBLE_EQ(rate_factor(Schedule::linear, 55, 10, 100), 0.5);
  EXPECT_DOUBLE_EQ(rate_factor(Schedule::cosine, 55, 10, 100), 0.5);
  EXPECT_NEAR(rate_factor(Schedule::cosine, 100, 10, 100), 0, 1e-15);
}

}  // namespace
}  // namespace mmo::deep
