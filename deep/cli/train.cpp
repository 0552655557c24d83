// mmo deep train: a network for a metric, from raw text end to end or from features.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>

#include "cli/data_flags.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "deep/cli/commands.h"
#include "deep/cli/encoder_flags.h"
#include "deep/data/label_noise.h"
#include "deep/train/deep_model.h"
#include "deep/train/defaults.h"
#include "deep/train/extract.h"
#include "deep/train/start_head.h"
#include "deep/train/training.h"
#include "mmo/core/error.h"
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
  std::string rule = "global";
  std::string optimizer = "adamw";
  std::string schedule = "constant";
  std::size_t hidden = 0;
  double dropout = 0;
  double validation = 0.15;
  double drop_positives = 0;
  std::string checkpoint;
  std::size_t checkpoint_steps = 0;
  std::vector<std::string> set;
  TrainSettings settings;
};

// The finer settings, by name.
std::map<std::string, double*> finer_settings(TrainFlags& flags) {
  TrainSettings& s = flags.settings;
  return {{"tau", &s.loss.tau},
          {"coupling", &s.loss.kappa},
          {"gamma", &s.lambda.gamma},
          {"memory", &s.lambda.memory},
          {"shrinkage", &s.lambda.shrinkage},
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
  require_share("memory", s.lambda.memory);
  require_share("warmup", s.warmup);
  require_share("dropout", flags.dropout);
}

void settle(TrainFlags& flags, const Metric& metric, std::uint64_t seed) {
  TrainSettings& s = flags.settings;
  const bool per_label = flags.lambda_scope == "label" || (flags.lambda_scope == "auto" && by_label(metric));
  use_defaults(s, per_label);
  s.seed = seed;
  s.loss.kind = parse_loss(flags.loss);
  s.loss.sigmoid_f1.micro = metric.average != Average::macro;
  if (!flags.lambda.empty()) s.lambda.source = parse_lambda_source(flags.lambda);
  s.optimizer.decoupled = flags.optimizer == "adamw";
  s.schedule = parse_schedule(flags.schedule);
  apply_settings(flags);
}

std::vector<char> labels_with_positives(const LabelMatrix& labels) {
  std::vector<char> out(labels.cols, 0);
  for (const std::uint32_t j : labels.indices) out[j] = 1;
  return out;
}

// The encoder's features of all rows, where only the head is trained.
std::unique_ptr<Inputs> freeze(const Network& network, std::unique_ptr<Inputs> inputs, std::size_t rows,
                               const Progress& progress) {
  const DenseMatrix features =
      extract_features(network.encoder, network.parameters, *inputs, all_rows(rows), progress);
  return std::make_unique<FeatureInputs>(features);
}

Network new_network(const TrainFlags& flags, const Pretrained& pretrained, const Dataset& data) {
  Network network;
  network.encoder = pretrained.encoder;
  network.parameters = pretrained.parameters;
  const bool text = network.encoder.kind != EncoderKind::none;
  network.head = {text ? network.encoder.width() : static_cast<std::int64_t>(feature_cols(data.x)),
                  static_cast<std::int64_t>(data.labels()), static_cast<std::int64_t>(flags.hidden),
                  flags.dropout};
  network.parameters.add(Parameters(network.head.specs(), flags.settings.seed));
  return network;
}

void print_result(const Common& common, const DeepModel& model, const Training& training,
                  const FittedRule& rule) {
  if (common.json) {
    nlohmann::ordered_json out;
    out["metric"] = model.metric;
    out["validation"] = rule.value;
    out["best_epoch"] = training.best_epoch;
    out["history"] = model.history;
    mmo::cli::print_json(out);
    return;
  }
  std::vector<std::vector<std::string>> rows{{"epoch", "loss", "lambda", "valid @0", "valid +G"}};
  for (const Epoch& e : training.history) {
    rows.push_back({fmt::format("{}{}", e.epoch, e.epoch == training.best_epoch ? " *" : ""),
                    fmt::format("{:.4f}", e.loss), fmt::format("{:.3f}", e.lambda),
                    fmt::format("{:.4f}", e.at_zero), fmt::format("{:.4f}", e.tuned)});
  }
  mmo::cli::print(mmo::cli::table(rows));
  mmo::cli::print(fmt::format("\n{} on validation rows with the rule {}: {:.4f} (epoch {})\n", model.metric,
                              rule_name(rule.kind), rule.value, training.best_epoch));
}

void run_train(const Common& common, TrainFlags flags) {
  mmo::cli::require_writable(flags.model, common.force);
  use_threads(common);
  const Metric metric = parse_metric(flags.metric);
  settle(flags, metric, common.seed);
  const RuleKind rule_kind = parse_rule(flags.rule);
  if (rule_kind == RuleKind::automatic || rule_kind == RuleKind::expected)
    throw UsageError("--rule: a network's rule is zero, global, per-label, curves or blend");
  Pretrained pretrained;
  if (!flags.encoder.backbone.empty()) pretrained = load_encoder(flags.encoder);
  Dataset data =
      read_data(common, flags.read, pretrained.encoder.kind, mmo::cli::load_options(flags.read.data));
  require_labels(metric, data.labels());
  if (flags.drop_positives > 0) data.y = drop_positives(data.y, flags.drop_positives, common.seed);
  Network network = new_network(flags, pretrained, data);
  auto inputs = make_inputs(data, {.kind = network.encoder.kind,
                                   .width = network.head.in,
                                   .vocabulary = pretrained.vocabulary,
                                   .vocabulary_source = flags.encoder.backbone,
                                   .tokens = flags.encoder.tokens,
                                   .images = flags.read.images});
  const bool features = !data.is_text();
  flags.settings.frozen = flags.settings.frozen || features;

  mmo::cli::ProgressBar bar(common);
  if (flags.settings.frozen && !features)
    inputs = freeze(network, std::move(inputs), data.rows(), bar.listener());
  Split split{all_rows(data.rows()), {}};
  if (flags.validation > 0) split = stratified_split(data.y, flags.validation, common.seed, data.groups);
  const TrainData train_data{*inputs, data.y, data.unknown, split.train, split.test};
  start_head(network, train_data);
  TrainHooks hooks;
  hooks.progress = bar.listener();
  hooks.checkpoint = flags.checkpoint;
  hooks.checkpoint_steps = flags.checkpoint_steps;
  const Training training = train_network(network, train_data, metric, flags.settings, hooks);
  bar.erase();

  const LabelMatrix held_out = take_rows(data.y, split.test);
  const LabelMatrix unknown = data.unknown.rows > 0 ? take_rows(data.unknown, split.test) : LabelMatrix{};
  Truth truth;
  truth.labels = &held_out;
  truth.unknown = &unknown;
  RuleOptions options;
  options.kind = split.test.empty() ? RuleKind::zero : rule_kind;
  options.min_labels = 0;
  options.trainable = labels_with_positives(take_rows(data.y, split.train));
  const FittedRule rule = fit_rule(metric, training.validation_scores, truth, options);

  DeepModel model;
  model.network = network;
  model.vocabulary = pretrained.vocabulary;
  model.tokens = flags.encoder.tokens;
  for (std::size_t j = 0; j < data.labels(); ++j) model.label_names.push_back(data.label_name(j));
  model.metric = metric.name;
  model.rule = rule.rule;
  model.history = {{"settings", to_json(flags.settings)},
                   {"rule", rule_name(rule.kind)},
                   {"validation_rows", split.test.size()},
                   {"epochs", nlohmann::json::array()}};
  for (const Epoch& epoch : training.history) model.history["epochs"].push_back(to_json(epoch));
  save_deep_model(model, flags.model, common.force);
  if (!flags.checkpoint.empty()) std::filesystem::remove(flags.checkpoint);
  print_result(common, model, training, rule);
}

}  // namespace

void add_train(CLI::App& app, Session& session) {
  auto* command = mmo::cli::add_command(
      app, session, "train", "Train a network for a metric",
      "Examples:\n"
      "  mmo deep train train.npz --metric macro-f1 --model news.mmod            (features)\n"
      "  mmo deep train reuters/ --part train90 --backbone minilm/ --epochs 4 --model news.mmod");
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
  command->add_option("--batch", s.batch_rows, "rows per batch (32)")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command->add_option("--accumulate", s.accumulate, "batches per step (1)")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command->add_option("--hidden", flags->hidden, "a hidden layer of N units in the head (0: linear)")
      ->type_name("N");
  command->add_option("--validation", flags->validation, "share of rows held out (0.15)")
      ->check(CLI::Range(0.0, 0.9))
      ->type_name("P");
  command->add_option("--rule", flags->rule, "global (default), zero, per-label, curves, blend")
      ->type_name("R");
  command->add_option("--drop-positives", flags->drop_positives, "forget this share of the positive labels")
      ->check(CLI::Range(0.0, 0.99))
      ->type_name("P");
  command->add_option("--checkpoint", flags->checkpoint, "state of the run; goes on from it if it exists")
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
