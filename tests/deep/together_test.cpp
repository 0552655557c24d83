// Several processes of one training run, played by threads: the weights and λ must be those of one process.
#include "deep/train/together.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <barrier>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "deep/train/extract.h"
#include "deep/train/training.h"
#include "mmo/core/random.h"
#include "mmo/model/safetensors.h"
#include "tests/deep/noisy_rows.h"

namespace mmo::deep {
namespace {

constexpr std::size_t rows = 50;
constexpr std::size_t labels = 4;
constexpr std::size_t width = 6;

// What the threads share.
struct Meeting {
  explicit Meeting(std::size_t size) : gate(static_cast<std::ptrdiff_t>(size)), parts(size), messages(size) {}
  std::barrier<> gate;
  std::vector<std::vector<double>> parts;
  std::vector<Bytes> messages;
};

class ThreadProcess final : public Communicator {
 public:
  ThreadProcess(Meeting& meeting, std::size_t rank) : meeting_(meeting), rank_(rank) {}
  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t size() const override { return meeting_.parts.size(); }
  void sum(std::span<float> values) override { sum_as(values); }
  void sum(std::span<double> values) override { sum_as(values); }
  [[nodiscard]] std::vector<Bytes> gather(Bytes own) override {
    meeting_.messages[rank_] = std::move(own);
    meeting_.gate.arrive_and_wait();
    std::vector<Bytes> all = meeting_.messages;
    meeting_.gate.arrive_and_wait();
    return all;
  }

 private:
  template <class T>
  void sum_as(std::span<T> values) {
    meeting_.parts[rank_].assign(values.begin(), values.end());
    meeting_.gate.arrive_and_wait();
    for (std::size_t i = 0; i < values.size(); ++i) {
      double sum = 0;
      for (const auto& part : meeting_.parts) sum += part.at(i);
      values[i] = static_cast<T>(sum);
    }
    meeting_.gate.arrive_and_wait();
  }

  Meeting& meeting_;
  std::size_t rank_;
};

struct Problem : NoisyRows {
  LabelMatrix unknown;
  std::vector<std::uint32_t> train, validation;

  Problem() : NoisyRows(rows, width, labels, 4) {
    for (std::uint32_t i = 0; i < rows; ++i) (i % 4 == 3 ? validation : train).push_back(i);
  }
};

struct Result {
  Network network;
  Training training;
  std::string lambda;  // LambdaTracker's state at the end: λ and counts, bit by bit
};

std::string scratch(const std::string& name) {
  const std::string path =
      testing::TempDir() + "mmo_deep_together_" + std::to_string(::getpid()) + "_" + name;
  std::filesystem::remove(path);
  return path;
}

// Every process's result; the λ's state, which the checkpoint holds, is that of the first.
std::vector<Result> train(const Problem& problem, const Metric& metric, const TrainSettings& settings,
                          std::size_t size, const std::string& checkpoint = scratch("state"),
                          std::size_t checkpoint_steps = 0, std::size_t kill_at = 0) {
  struct Killed {};
  const FeatureInputs inputs(problem.x);
  const TrainData data{inputs, problem.y, problem.unknown, problem.train, problem.validation};
  std::vector<Result> out(size);
  Meeting meeting(size);
  const auto run = [&](std::size_t rank) {
    ThreadProcess process(meeting, rank);
    Network& network = out[rank].network;
    network.head = {width, labels, 5, 0};
    network.parameters = Parameters(network.head.specs(), 11);
    TrainHooks hooks;
    hooks.processes = &process;
    hooks.checkpoint = checkpoint;
    hooks.checkpoint_steps = checkpoint_steps;
    if (kill_at > 0) {
      hooks.on_step = [kill_at](std::size_t step) {
        if (step == kill_at) throw Killed{};
      };
    }
    try {
      out[rank].training = train_network(network, data, metric, settings, hooks);
    } catch (const Killed&) {
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t k = 0; k < size; ++k) threads.emplace_back(run, k);
  threads.clear();
  if (kill_at > 0) return out;
  out[0].lambda = read_safetensors(FileContent::open(checkpoint)).tensors.at("lambda").bytes;
  std::filesystem::remove(checkpoint);
  return out;
}

double largest_difference(const Network& a, const Network& b) {
  Tensor largest = at::zeros({});
  for (const auto& [name, parameter] : a.parameters.all())
    largest = at::maximum(largest, (parameter.tensor - b.parameters[name]).abs().max());  // NaN stays NaN
  return largest.item<double>();
}

const Tensor& a_running_mean(const Network& network) {
  for (const auto& [name, parameter] : network.parameters.all()) {
    if (name.ends_with("running_mean")) return parameter.tensor;
  }
  throw std::logic_error("no batch normalisation");
}

// 38 training rows in batches of 12: the last one has 2, of which a process of three gets none.
TrainSettings quick(LossKind kind, bool per_label) {
  TrainSettings settings;
  settings.loss.kind = kind;
  settings.loss.tau = kind == LossKind::mmo ? 0.5 : 0;
  settings.lambda = default_lambda(per_label);
  settings.epochs = 4;
  settings.batch_rows = 12;
  settings.head_rate = 0.02;
  return settings;
}

TEST(Together, ProcessesTrainWhatOneDoes) {
  // Sums of float32 in another order differ by about 1e-7 of the gradient, and Adam's steps, of 0.02 at most
  // and 16 in number, by little more where the gradient is not itself of that size.
  constexpr double tolerance = 2e-5;
  constexpr double apart = 100 * tolerance;  // another batch size is told from that
  const Problem problem;
  for (const LossKind kind : {LossKind::bce, LossKind::sigmoid_f1, LossKind::asl, LossKind::mmo}) {
    for (const bool macro : {false, true}) {
      for (const std::size_t accumulate : {1U, 3U}) {
        const Metric metric = parse_metric(macro ? "macro-f1" : "micro-f1");
        TrainSettings settings = quick(kind, macro);
        settings.accumulate = accumulate;
        SCOPED_TRACE(loss_name(kind) + (macro ? " macro" : " micro"));
        const Result one = train(problem, metric, settings, 1)[0];
        for (const std::size_t size : {2U, 3U}) {
          const std::vector<Result> all = train(problem, metric, settings, size);
          EXPECT_LT(largest_difference(one.network, all[0].network), tolerance);
          EXPECT_EQ(one.lambda, all[0].lambda);
          for (const Result& other : all) EXPECT_EQ(largest_difference(other.network, all[0].network), 0);
          EXPECT_EQ(one.training.best_epoch, all[0].training.best_epoch);
        }
        settings.batch_rows = 6;
        EXPECT_GT(largest_difference(one.network, train(problem, metric, settings, 1)[0].network), apart);
      }
    }
  }
}

TEST(Together, KilledAndResumedEqualsUninterrupted) {
  const Problem problem;
  const Metric metric = parse_metric("macro-f1");
  const TrainSettings settings = quick(LossKind::mmo, true);
  const std::vector<Result> whole = train(problem, metric, settings, 2);
  const std::string checkpoint = scratch("resume");
  train(problem, metric, settings, 2, checkpoint, 1, 6);  // the second of epoch 2's four steps
  ASSERT_TRUE(std::filesystem::exists(checkpoint));
  const std::vector<Result> resumed = train(problem, metric, settings, 2, checkpoint);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(largest_difference(whole[k].network, resumed[k].network), 0);
  EXPECT_EQ(whole[0].lambda, resumed[0].lambda);
}

// Small random pictures.
class Pictures final : public Inputs {
 public:
  [[nodiscard]] std::size_t rows() const override { return count; }
  [[nodiscard]] Batch batch(std::span<const std::uint32_t> which, std::uint64_t /*seed*/) const override {
    Batch out;
    out.images_NCHW = at::empty({static_cast<std::int64_t>(which.size()), 3, side, side});
    auto* pixels = out.images_NCHW.data_ptr<float>();
    for (const std::uint32_t i : which) {
      Random random(i + 1);
      for (std::int64_t k = 0; k < 3 * side * side; ++k) *pixels++ = static_cast<float>(random.normal());
    }
    return out;
  }

  static constexpr std::size_t count = 9;
  // The encoder makes 2 × 2 of it: of 1 × 1 and one row, a channel would have one value and no variance.
  static constexpr std::int64_t side = 64;
};

// Batch normalisation sees the rows of its own process only, so the weights are not those of one process; but
// all processes have the same ones, running statistics included.
TEST(Together, BatchNormalisationKeepsProcessesEqual) {
  const Pictures inputs;
  LabelMatrix y;
  y.cols = 2;
  for (std::uint32_t i = 0; i < Pictures::count; ++i) y.push_row(std::vector<std::uint32_t>{i % 2});
  const LabelMatrix unknown;
  const TrainData data{inputs, y, unknown, {0, 1, 2, 3, 4}, {5, 6, 7, 8}};
  TrainSettings settings;
  settings.epochs = 2;
  settings.batch_rows = 4;  // the second batch has one row: the first process gets none
  settings.rate = 1e-3;
  std::vector<Network> networks(2);
  Tensor before;
  Meeting meeting(2);
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < 2; ++k) {
      Network& network = networks[k];
      network.encoder.kind = EncoderKind::efficientnet_lite0;
      network.head = {network.encoder.width(), 2, 0, 0};
      network.parameters = Parameters(network.encoder.specs(), 3);
      network.parameters.add(Parameters(network.head.specs(), 3));
      if (k == 0) before = a_running_mean(network).clone();
      threads.emplace_back([&, k] {
        ThreadProcess process(meeting, k);
        TrainHooks hooks;
        hooks.processes = &process;
        train_network(networks[k], data, parse_metric("micro-f1"), settings, hooks);
      });
    }
  }
  for (const auto& [name, parameter] : networks[0].parameters.all())
    EXPECT_TRUE(at::isfinite(parameter.tensor).all().item<bool>()) << name;
  EXPECT_EQ(largest_difference(networks[0], networks[1]), 0);
  EXPECT_FALSE(at::equal(before, a_running_mean(networks[0])));
}

TEST(Together, ScoresAreThoseOfOneProcess) {
  const Problem problem;
  const FeatureInputs inputs(problem.x);
  Network network;
  network.head = {width, labels, 0, 0};
  network.parameters = Parameters(network.head.specs(), 2);
  std::vector<std::uint32_t> many;  // several batches
  for (std::uint32_t i = 0; i < 1500; ++i) many.push_back(i * 7 % rows);
  const DenseMatrix one = score_rows(network, inputs, many);
  Meeting meeting(2);
  std::vector<DenseMatrix> both(2);
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < 2; ++k) {
      threads.emplace_back([&, k] {
        ThreadProcess process(meeting, k);
        both[k] = score_rows(network, inputs, many, {}, process);
      });
    }
  }
  EXPECT_EQ(one.values, both[0].values);
  EXPECT_EQ(one.values, both[1].values);
}

// A gradient that one process has is everybody's, one that none has stays away (Adam would decay its tensor);
// running statistics are means weighted by rows.
TEST(Together, GradientsAndRunningStatistics) {
  Meeting meeting(2);
  std::vector<std::vector<Optimizer::Slot>> slots(2);
  std::vector<Tensor> running;
  for (std::size_t k = 0; k < 2; ++k) {
    for (const char* name : {"both", "one", "none"}) {
      const Tensor value = at::zeros({2}).requires_grad_(true);
      slots[k].push_back({name, value, at::zeros({2}), at::zeros({2})});
    }
    slots[k][0].tensor.mutable_grad() = at::full({2}, static_cast<double>(k + 1));
    running.push_back(at::full({3}, static_cast<double>(10 * k)));
  }
  slots[1][1].tensor.mutable_grad() = at::full({2}, 5.0);
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < 2; ++k) {
      threads.emplace_back([&, k] {
        ThreadProcess process(meeting, k);
        sum_gradients(slots[k], {running[k]}, k == 0 ? 0.75 : 0.25, process);
      });
    }
  }
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_TRUE(at::equal(slots[k][0].tensor.grad(), at::full({2}, 3.0)));
    EXPECT_TRUE(at::equal(slots[k][1].tensor.grad(), at::full({2}, 5.0)));
    EXPECT_FALSE(slots[k][2].tensor.grad().defined());
    EXPECT_TRUE(at::equal(running[k], at::full({3}, 2.5)));
  }
}

}  // namespace
}  // namespace mmo::deep
