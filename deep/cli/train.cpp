// mmo deep train: a network for a metric, end to end from raw text or from features.
#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>

#include "cli/data_flags.h"
#include "cli/terminal.h"
#include "deep/cli/commands.h"
#include "deep/cli/encoder_flags.h"
#include "deep/cli/seeds.h"
#include "deep/data/label_noise.h"
#include "deep/train/deep_model.h"
#include "deep/train/defaults.h"
#include "deep/train/extract.h"
#include "deep/train/start_head.h"
#include "deep/train/training.h"
#include "mmo/comm/mpi/processes.h"
#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/rule/fit_rule.h"
#include "mmo/split/split.h"

namespace mmo::deep::cli {
namespace {

struct TrainFlags {
  ReadFlags read;
  EncoderFlags encoder;
  std::string metric = "micro-f1";
  std::string model;
  std::string loss = "mmo";
  std::string lambda;
  std::string lambda_scope = "auto";
  std::string rule = "auto";
  std::string optimizer = "adamw";
  std::string schedule = "constant";
  std::size_t hidden = 0;
  double dropout = 0;
  double validation = 0.15;
  double drop_positives = 0;
  std::string checkpoint;
  std::size_t checkpoint_steps = 0;
  std::size_t seeds = 1;
  std::vector<std::string> set;
  TrainSettings settings;
};

// The finer settings, by name.
std::map<std::string, double*> finer_settings(TrainFlags& flags) {
  TrainSettings& s = flags.settings;
  return {{"tau", &s.loss.tau},
          {"coupling", &s.loss.kappa},
          {"gamma", &s.lambda.gamma},
          {"memory", &s.lambda.counts.decay},
          {"shrinkage", &s.lambda.counts.shrinkage},
          {"asl_negative", &s.loss.asl.gamma_negative},
          {"asl_positive", &s.loss.asl.gamma_positive},
          {"asl_margin", &s.loss.asl.margin},
          {"sigmoid_beta", &s.loss.sigmoid_f1.beta},
          {"sigmoid_eta", &s.loss.sigmoid_f1.eta},
          {"weight_decay", &s.optimizer.weight_decay},
          {"beta1", &s.optimizer.beta1},
          {"beta2", &s.optimizer.beta2},
          {"warmup", &s.warmup},
          {"dropout", &flags.dropout}};
}

void apply_settings(TrainFlags& flags) {
  const auto known = finer_settings(flags);
  for (const std::string& text : flags.set) {
    const std::size_t equals = text.find('=');
    const auto found = known.find(text.substr(0, equals));
    if (equals == std::string::npos || found == known.end()) {
      std::string names;
      for (const auto& [name, value] : known) names += (names.empty() ? "" : ", ") + name;
      throw UsageError(fmt::format("--set {}: give key=value; keys: {}", text, names));
    }
    const char* begin = text.c_str() + equals + 1;
    char* end = nullptr;
    *found->second = std::strtod(begin, &end);
    if (end == begin || *end != '\0' || !(*found->second >= 0) || std::isinf(*found->second))
      throw UsageError(fmt::format("--set {}: the value must be a number, 0 or more", text));
  }
  const TrainSettings& s = flags.settings;
  const auto require_share = [](const char* name, double value) {
    if (value > 1) throw UsageError(fmt::format("--set {}={:g}: at most 1", name, value));
  };
  require_share("coupling", s.loss.kappa);
  require_share("gamma", s.lambda.gamma);
  require_share("memory", s.lambda.counts.decay);
  require_share("warmup", s.warmup);
  require_share("dropout", flags.dropout);
}

void settle(TrainFlags& flags, const Metric& metric) {
  TrainSettings& s = flags.settings;
  const bool per_label = flags.lambda_scope == "label" || (flags.lambda_scope == "auto" && by_label(metric));
  use_defaults(s, per_label);
  s.loss.kind = parse_loss(flags.loss);
  s.loss.sigmoid_f1.micro = metric.average != Average::macro;
  if (!flags.lambda.empty()) s.lambda.source = parse_lambda_source(flags.lambda);
  s.optimizer.decoupled = flags.optimizer == "adamw";
  s.schedule = parse_schedule(flags.schedule);
  apply_settings(flags);
}

// What the runs of different seeds have in common.
struct Task {
  const TrainFlags& flags;
  const Metric& metric;
  RuleKind rule;
  const Pretrained& pretrained;
  const Dataset& data;
  const Inputs& inputs;
  Communicator& processes;
};

Network new_network(const Task& task, std::uint64_t seed) {
  const Encoder& encoder = task.pretrained.encoder;
  const bool text = encoder.kind != EncoderKind::none;
  Network network;
  network.encoder = encoder;
  network.parameters = task.pretrained.copy_parameters();
  network.head = {text ? encoder.width() : static_cast<std::int64_t>(feature_cols(task.data.x)),
                  static_cast<std::int64_t>(task.data.labels()), static_cast<std::int64_t>(task.flags.hidden),
                  task.flags.dropout};
  network.parameters.add(Parameters(network.head.specs(), seed));
  return network;
}

Trained train_with(const Task& task, std::uint64_t seed, const std::string& checkpoint,
                   const Progress& progress) {
  const TrainFlags& flags = task.flags;
  const Dataset& data = task.data;
  TrainSettings settings = flags.settings;
  settings.seed = seed;
  const LabelMatrix labels =
      flags.drop_positives > 0 ? drop_positives(data.y, flags.drop_positives, seed) : data.y;
  Split split{all_rows(data.rows()), {}};
  if (flags.validation > 0) split = stratified_split(labels, flags.validation, seed, data.groups);
  const TrainData train_data{task.inputs, labels, data.unknown, split.train, split.test};
  Network network = new_network(task, seed);
  start_head(network, train_data, task.processes);
  TrainHooks hooks;
  hooks.progress = progress;
  hooks.checkpoint = checkpoint;
  hooks.checkpoint_steps = flags.checkpoint_steps;
  hooks.processes = &task.processes;
  Trained out;
  out.training = train_network(network, train_data, task.metric, settings, hooks);

  const LabelMatrix held_out = take_rows(labels, split.test);
  const LabelMatrix unknown = data.unknown.rows > 0 ? take_rows(data.unknown, split.test) : LabelMatrix{};
  Truth truth;
  truth.labels = &held_out;
  truth.unknown = &unknown;
  RuleOptions options;
  options.kind = split.test.empty() ? RuleKind::zero : task.rule;
  options.min_labels = 0;
  options.trainable = labels_in_use(take_rows(labels, split.train));
  out.rule = fit_rule(task.metric, out.training.validation_scores, truth, options);

  DeepModel& model = out.model;
  model.network = network;
  model.vocabulary = task.pretrained.vocabulary;
  model.tokens = flags.encoder.tokens;
  for (std::size_t j = 0; j < data.labels(); ++j) model.label_names.push_back(data.label_name(j));
  model.metric = task.metric.name;
  model.rule = out.rule.rule;
  model.history = {{"settings", to_json(settings)},
                   {"rule", rule_name(out.rule.kind)},
                   {"validation_rows", split.test.size()},
                   {"epochs", nlohmann::json::array()}};
  for (const Epoch& epoch : out.training.history) model.history["epochs"].push_back(to_json(epoch));
  return out;
}

// The progress of one of several runs.
Progress part_of(const Progress& whole, std::size_t k, std::size_t count) {
  if (!whole || count == 1) return whole;
  return [=](const ProgressEvent& event) {
    whole({fmt::format("seed {} of {}, {}", k + 1, count, event.stage),
           (static_cast<double>(k) + event.fraction) / static_cast<double>(count), event.detail});
  };
}

// Each process gets its share of the machine, unless --threads says how many.
void share_threads(const Common& common, const Communicator& processes) {
  use_threads(common);
  if (common.threads > 0 || processes.size() == 1) return;
  const int count = std::min(threads_per_process(), at::get_num_threads());
  set_threads(count);
  at::set_num_threads(count);
}

void train_together(const Common& common, TrainFlags flags, Communicator& processes) {
  require_writable(flags.model, common.force);
  share_threads(common, processes);
  const Metric metric = parse_metric(flags.metric);
  settle(flags, metric);
  flags.settings.batch_rows *= processes.size();
  RuleKind rule_kind = parse_rule(flags.rule);
  if (rule_kind == RuleKind::automatic) rule_kind = default_rule(flags.settings);
  if (rule_kind == RuleKind::expected)
    throw UsageError("--rule: a network's rule is zero, global, per-label, curves or blend");
  flags.settings.tuned = rule_kind != RuleKind::zero;
  if (flags.seeds > 1 && flags.validation == 0)
    throw UsageError("--seeds: without validation rows (--validation 0) there is no best seed");
  Pretrained pretrained;
  if (!flags.encoder.backbone.empty()) pretrained = load_encoder(flags.encoder);
  const Dataset data =
      read_data(common, flags.read, pretrained.encoder.kind, mmo::cli::load_options(flags.read.data));
  require_labels(metric, data.labels());
  auto inputs = make_inputs(data, pretrained, flags.encoder, flags.read.images);
  mmo::cli::ProgressBar bar(common);
  if (flags.settings.frozen && data.is_text()) {
    inputs =
        std::make_unique<FeatureInputs>(extract_features(pretrained.encoder, pretrained.parameters, *inputs,
                                                         all_rows(data.rows()), bar.listener(), processes));
  }
  flags.settings.frozen = flags.settings.frozen || !data.is_text();

  const Task task{flags, metric, rule_kind, pretrained, data, *inputs, processes};
  // The checkpoints of finished seeds stay until all are done.
  std::vector<std::string> checkpoints;
  Seeds seeds;
  for (std::size_t k = 0; k < flags.seeds; ++k) {
    const std::uint64_t seed = common.seed + k;
    const bool named = !flags.checkpoint.empty() && flags.seeds > 1;
    checkpoints.push_back(named ? fmt::format("{}.seed{}", flags.checkpoint, seed) : flags.checkpoint);
    seeds.add(seed, train_with(task, seed, checkpoints.back(), part_of(bar.listener(), k, flags.seeds)));
  }
  bar.erase();
  if (processes.rank() > 0) return;
  save_deep_model(seeds.kept().model, flags.model, common.force);
  for (const std::string& checkpoint : checkpoints) {
    if (!checkpoint.empty()) std::filesystem::remove(checkpoint);
  }
  print_seeds(seeds, common.json);
}

void run_train(Common common, const TrainFlags& flags) {
  Communicator& processes = join_processes();
  common.quiet = common.quiet || processes.rank() > 0;
  try {
    train_together(common, flags, processes);
  } catch (...) {
    let_first_report(processes);
    throw;
  }
}

}  // namespace

void add_train(CLI::App& app, Session& session) {
  auto* command = mmo::cli::add_command(
      app, session, "train", "Train a network for a metric",
      "Examples:\n"
      "  mmo deep train train.npz --metric macro-f1 --model news.mmod            (features)\n"
      "  mmo deep train reuters/ --part train90 --backbone minilm/ --epochs 4 --model news.mmod\n"
      "  mpirun -np 2 mmo deep train ... --batch 16       (two processes; as one with --batch 32)");
  auto flags = std::make_shared<TrainFlags>();
  TrainSettings& s = flags->settings;
  mmo::cli::add_data(*command, flags->read.data, mmo::cli::ReadingHelp::short_list);
  command->add_option("--metric", flags->metric, "what to maximise (micro-f1; see mmo methods)")
      ->type_name("M");
  command->add_option("--model", flags->model, "where to write the model")->required()->type_name("OUT");
  add_encoder_flags(*command, flags->encoder, false);
  add_image_flags(*command, flags->read.images, flags->read.skip_corrupt);
  command->add_flag("--frozen", s.frozen, "train the head only, on the encoder's features");
  command->add_option("--loss", flags->loss, "mmo (default), bce, sigmoid-f1 or asl")->type_name("L");
  command->add_option("--lambda", flags->lambda, "mmo: from counts (default), batch or validation")
      ->type_name("FROM");
  command
      ->add_option("--lambda-scope", flags->lambda_scope, "shared, label, or auto: by the metric's average")
      ->check(CLI::IsMember({"auto", "shared", "label"}))
      ->type_name("S");
  command->add_option("--lr", s.rate, "encoder's learning rate (5e-5)")
      ->check(CLI::PositiveNumber)
      ->type_name("R");
  command->add_option("--head-lr", s.head_rate, "head's learning rate (1e-3)")
      ->check(CLI::PositiveNumber)
      ->type_name("R");
  command->add_option("--optimizer", flags->optimizer, "adamw (default) or adam")
      ->check(CLI::IsMember({"adam", "adamw"}))
      ->type_name("O");
  command->add_option("--schedule", flags->schedule, "constant (default), linear or cosine")->type_name("S");
  command->add_option("--epochs", s.epochs, "at most (25)")->check(CLI::Range(1, 100000))->type_name("N");
  command->add_option("--patience", s.patience, "stop after N epochs without progress (0: never)")
      ->type_name("N");
  command->add_option("--batch", s.batch_rows, "rows per batch (32), of each process")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command->add_option("--accumulate", s.accumulate, "batches per step (1)")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command->add_option("--seeds", flags->seeds, "train with N seeds, from --seed on; keep the best (1)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command->add_option("--hidden", flags->hidden, "a hidden layer of N units in the head (0: linear)")
      ->type_name("N");
  command->add_option("--validation", flags->validation, "share of rows held out (0.15)")
      ->check(CLI::Range(0.0, 0.9))
      ->type_name("P");
  command
      ->add_option("--rule", flags->rule,
                   "zero, global, per-label, curves, blend, or auto: zero where λ is per label")
      ->type_name("R");
  command->add_option("--drop-positives", flags->drop_positives, "forget this share of the positive labels")
      ->check(CLI::Range(0.0, 0.99))
      ->type_name("P");
  command
      ->add_option("--checkpoint", flags->checkpoint,
                   "state of the run (with --seeds: FILE.seedS); resumes from it if it exists")
      ->type_name("FILE");
  command->add_option("--checkpoint-steps", flags->checkpoint_steps, "also every N steps (else every epoch)")
      ->type_name("N");
  command
      ->add_option("--set", flags->set,
                   "finer settings: memory, shrinkage, tau, coupling, dropout, warmup, ... (key=value)")
      ->type_name("K=V")
      ->take_all();
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_train(session.common, *flags); }; });
}

}  // namespace mmo::deep::cli
