#include "deep/train/training.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <future>
#include <limits>
#include <numeric>

#include "deep/train/checkpoint.h"
#include "deep/train/extract.h"
#include "deep/train/together.h"
#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/eval/evaluate.h"
#include "mmo/rule/decision_rule.h"
#include "mmo/rule/empirical_thresholds.h"

namespace mmo::deep {
namespace {

std::span<const float> values_of(const Tensor& x) {
  return {x.data_ptr<float>(), static_cast<std::size_t>(x.numel())};
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

class Run {
 public:
  Run(Network& network, const TrainData& data, const Metric& metric, const TrainSettings& settings,
      const TrainHooks& hooks)
      : network_(network),
        data_(data),
        metric_(metric),
        settings_(settings),
        hooks_(hooks),
        processes_(*hooks.processes),
        targets_NL_(target_tensor(data.labels, data.unknown)),
        validation_labels_(take_rows(data.labels, data.validation)),
        validation_unknown_(data.unknown.rows > 0 ? take_rows(data.unknown, data.validation) : LabelMatrix{}),
        optimizer_((choose_trained(), network.parameters), settings.optimizer),
        lambda_(metric, data.labels.cols, settings.lambda) {
    require_usable(settings.loss, data.labels.cols, data.unknown.positives() > 0);
    const std::size_t batches = (data.train.size() + settings.batch_rows - 1) / settings.batch_rows;
    steps_per_epoch_ = (batches + settings.accumulate - 1) / settings.accumulate;
  }

  Training run() {
    if (as_first_says(!hooks_.checkpoint.empty() && std::filesystem::exists(hooks_.checkpoint), processes_))
      restore();
    try {
      while (epoch_ < settings_.epochs && !patience_is_over()) {
        train_epoch();
        finish_epoch();
        if (!hooks_.checkpoint.empty()) save();
      }
    } catch (const Interrupted&) {
      if (hooks_.checkpoint.empty() || !std::filesystem::exists(hooks_.checkpoint)) throw;
      throw Interrupted(fmt::format(
          "{} holds the state of its last save, and the same command resumes from it", hooks_.checkpoint));
    }
    if (best_epoch_ > 0) copy_into_network(best_);
    Training out;
    out.history = history_;
    out.best_epoch = best_epoch_ > 0 ? best_epoch_ : history_.size();
    out.validation_scores = best_scores_.rows > 0
                                ? std::move(best_scores_)
                                : score_rows(network_, data_.inputs, data_.validation, {}, processes_);
    return out;
  }

 private:
  // The head, and the encoder unless it is frozen.
  void choose_trained() {
    for (const auto& [name, parameter] : network_.parameters.all()) {
      const bool trained = parameter.role != Role::buffer && (!settings_.frozen || name.starts_with("head."));
      parameter.tensor.requires_grad_(trained);
    }
  }

  // What training changes: trained tensors, and the running statistics of an encoder that is not frozen.
  [[nodiscard]] bool changes(const std::string& name, const Parameter& parameter) const {
    return parameter.tensor.requires_grad() || name.starts_with("head.") ||
           (parameter.role == Role::buffer && !settings_.frozen);
  }

  [[nodiscard]] std::map<std::string, Tensor> copy_of_network() const {
    std::map<std::string, Tensor> out;
    for (const auto& [name, parameter] : network_.parameters.all()) {
      if (changes(name, parameter)) out[name] = parameter.tensor.detach().clone();
    }
    return out;
  }

  void copy_into_network(const std::map<std::string, Tensor>& values) {
    const c10::NoGradGuard no_gradient;
    for (const auto& [name, value] : values) network_.parameters[name].copy_(value);
  }

  void train_epoch() {
    batches_ =
        epoch_batches(data_.train, data_.inputs.lengths(), settings_.batch_rows, settings_.seed, epoch_);
    for (; next_batch_ < batches_.size(); next_batch_ += settings_.accumulate) {
      throw_if_cancelled();
      const std::size_t end = std::min(batches_.size(), next_batch_ + settings_.accumulate);
      step(std::span<const std::vector<std::uint32_t>>(batches_).subspan(next_batch_, end - next_batch_));
      const std::size_t done = optimizer_.steps();
      report(hooks_.progress, fmt::format("epoch {}", epoch_ + 1),
             static_cast<double>(done) / static_cast<double>(steps_per_epoch_ * settings_.epochs),
             fmt::format("loss {:.4f}", loss_sum_ / static_cast<double>(loss_batches_)));
      if (hooks_.on_step) hooks_.on_step(done);
      if (!hooks_.checkpoint.empty() && hooks_.checkpoint_steps > 0 && done % hooks_.checkpoint_steps == 0) {
        next_batch_ += settings_.accumulate;  // as it will be when the loop continues
        save();
        next_batch_ -= settings_.accumulate;
      }
    }
  }

  // One step of the optimizer on all these batches.
  void step(std::span<const std::vector<std::uint32_t>> batches) {
    const std::size_t done = optimizer_.steps();
    at::manual_seed(settings_.seed * 0x9e3779b97f4a7c15ULL + done +
                    processes_.rank() * 0xd1342543de82ef95ULL);  // so that each process drops different units
    std::size_t rows = 0;
    std::size_t my_rows = 0;
    for (const auto& batch : batches) {
      rows += batch.size();
      my_rows += my_part(batch).size();
    }
    optimizer_.clear_gradients();
    for (const auto& batch : batches) {
      const double share = static_cast<double>(batch.size()) / static_cast<double>(rows);
      add_gradient(batch, static_cast<float>(share));
    }
    sum_gradients(optimizer_.slots(), running_statistics(),
                  static_cast<double>(my_rows) / static_cast<double>(rows), processes_);
    const std::size_t total = steps_per_epoch_ * settings_.epochs;
    const auto warmup = static_cast<std::size_t>(settings_.warmup * static_cast<double>(total));
    const double factor = rate_factor(settings_.schedule, done, warmup, total);
    optimizer_.step(settings_.rate * factor, settings_.head_rate * factor);
  }

  [[nodiscard]] std::span<const std::uint32_t> my_part(const std::vector<std::uint32_t>& rows) const {
    const Share mine = share_of(rows.size(), processes_);
    return std::span(rows).subspan(mine.begin, mine.end - mine.begin);
  }

  // Those of a trained encoder; the head's own buffers never change.
  [[nodiscard]] std::vector<Tensor> running_statistics() const {
    std::vector<Tensor> out;
    for (const auto& [name, parameter] : network_.parameters.all()) {
      if (parameter.role == Role::buffer && !settings_.frozen && !name.starts_with("head."))
        out.push_back(parameter.tensor);
    }
    return out;
  }

  // Loss and λ from the whole batch, the gradient from this process's rows.
  void add_gradient(const std::vector<std::uint32_t>& rows, float share) {
    const Batch batch = prefetched_.valid() ? prefetched_.get() : read_batch(rows);
    prefetch_after(rows);
    const auto labels = static_cast<std::size_t>(network_.head.labels);
    const Share mine = share_of(rows.size(), processes_);
    Tensor mine_ML;
    if (mine.begin < mine.end) mine_ML = network_.scores(batch, true).contiguous();
    const Tensor scores_NL = gather_scores(mine_ML, rows.size(), labels, processes_);
    const Tensor targets_NL = targets_NL_.index_select(0, row_index(rows));
    const ScoredBatch scored{labels, values_of(scores_NL), values_of(targets_NL)};
    if (settings_.loss.kind == LossKind::mmo) lambda_.update(scored);
    Tensor gradient_NL = at::empty(scores_NL.sizes());
    const std::span<float> gradient(gradient_NL.data_ptr<float>(), scored.logits.size());
    const double loss = batch_loss(settings_.loss, scored, lambda_.costs(), gradient);
    if (!std::isfinite(loss)) {
      throw UsageError(fmt::format(
          "the loss is {} at step {} (epoch {}): lower the learning rates{}", loss, optimizer_.steps() + 1,
          epoch_ + 1,
          hooks_.checkpoint.empty() ? "" : fmt::format("; {} holds the last good state", hooks_.checkpoint)));
    }
    for (float& slope : gradient) slope *= share;
    if (mine_ML.defined())
      mine_ML.backward(gradient_NL.narrow(0, static_cast<std::int64_t>(mine.begin), mine_ML.size(0)));
    loss_sum_ += loss;
    ++loss_batches_;
  }

  // This process's rows. A batch's seed comes from its epoch, so pictures are flipped the same way wherever a
  // run was interrupted.
  [[nodiscard]] Batch read_batch(const std::vector<std::uint32_t>& rows) const {
    return data_.inputs.batch(my_part(rows), settings_.seed * 2'000'003 + epoch_ + 1);
  }

  // Slow inputs: the batch after this one is read while the network works.
  void prefetch_after(const std::vector<std::uint32_t>& rows) {
    if (!data_.inputs.slow()) return;
    const auto next = std::find(batches_.begin(), batches_.end(), rows) + 1;
    if (next == batches_.end()) return;
    prefetched_ = std::async(std::launch::async, [this, next] { return read_batch(*next); });
  }

  void finish_epoch() {
    Epoch epoch;
    epoch.epoch = ++epoch_;
    epoch.loss = loss_sum_ / static_cast<double>(loss_batches_);
    next_batch_ = 0;
    loss_sum_ = 0;
    loss_batches_ = 0;
    if (data_.validation.empty()) {
      epoch.lambda = mean_of(lambda_.lambda());
      history_.push_back(epoch);
      return;
    }
    DenseMatrix scores = score_rows(network_, data_.inputs, data_.validation, {}, processes_);
    Truth truth;
    truth.labels = &validation_labels_;
    truth.unknown = &validation_unknown_;
    DecisionRule zero;
    zero.thresholds.assign(scores.cols, 0.0F);
    const LabelMatrix predicted = decide(zero, scores);
    epoch.at_zero = evaluate(metric_, predicted, truth);
    const GlobalThreshold tuned = best_global_threshold(metric_, scores, truth);
    epoch.tuned = tuned.value;
    epoch.threshold = tuned.threshold;
    lambda_.validate(predicted, truth);
    epoch.lambda = mean_of(lambda_.lambda());
    history_.push_back(epoch);
    if (hooks_.on_epoch) hooks_.on_epoch(epoch, scores);
    if (best_epoch_ == 0 || validation_value(epoch) > validation_value(history_[best_epoch_ - 1])) {
      best_epoch_ = epoch_;
      best_ = copy_of_network();
      best_scores_ = std::move(scores);
    }
  }

  [[nodiscard]] double validation_value(const Epoch& epoch) const {
    return settings_.tuned ? epoch.tuned : epoch.at_zero;
  }

  [[nodiscard]] bool patience_is_over() const {
    return settings_.patience > 0 && best_epoch_ > 0 && epoch_ >= best_epoch_ + settings_.patience;
  }

  // The settings and sizes that identify this run.
  [[nodiscard]] nlohmann::json identity() const {
    nlohmann::json out = to_json(settings_);
    out["metric"] = metric_.name;
    out["train_rows"] = data_.train.size();
    out["validation_rows"] = data_.validation.size();
    out["encoder"] = to_json(network_.encoder);
    out["head"] = to_json(network_.head);
    return out;
  }

  void save() {
    if (processes_.rank() > 0) return;
    Checkpoint out;
    for (const auto& [name, value] : copy_of_network()) out.tensors["now/" + name] = value;
    for (const auto& [name, value] : best_) out.tensors["best/" + name] = value;
    for (const Optimizer::Slot& slot : optimizer_.slots()) {
      out.tensors["first/" + slot.name] = slot.first;
      out.tensors["second/" + slot.name] = slot.second;
    }
    out.lambda = lambda_.state();
    out.run = identity();
    out.state = {{"epoch", epoch_},
                 {"next_batch", next_batch_},
                 {"steps", optimizer_.steps()},
                 {"loss_sum", loss_sum_},
                 {"loss_batches", loss_batches_},
                 {"best_epoch", best_epoch_},
                 {"history", nlohmann::json::array()}};
    for (const Epoch& epoch : history_) out.state["history"].push_back(to_json(epoch));
    save_checkpoint(out, hooks_.checkpoint);
  }

  void restore() {
    const Checkpoint stored = load_checkpoint(hooks_.checkpoint, identity());
    std::map<std::string, Tensor> now;
    for (const auto& [name, value] : stored.tensors) {
      if (name.starts_with("now/")) now[name.substr(4)] = value;
      if (name.starts_with("best/")) best_[name.substr(5)] = value;
    }
    copy_into_network(now);
    const c10::NoGradGuard no_gradient;
    for (Optimizer::Slot& slot : optimizer_.slots()) {
      slot.first.copy_(stored.tensors.at("first/" + slot.name));
      slot.second.copy_(stored.tensors.at("second/" + slot.name));
    }
    lambda_.restore(stored.lambda);
    epoch_ = stored.state.at("epoch");
    next_batch_ = stored.state.at("next_batch");
    optimizer_.set_steps(stored.state.at("steps"));
    loss_sum_ = stored.state.at("loss_sum");
    loss_batches_ = stored.state.at("loss_batches");
    best_epoch_ = stored.state.at("best_epoch");
    for (const nlohmann::json& epoch : stored.state.at("history")) {
      const nlohmann::json& threshold = epoch.at("threshold");  // JSON has no infinity: null
      history_.push_back(
          {epoch.at("epoch"), epoch.at("loss"), epoch.at("at_zero"), epoch.at("tuned"),
           threshold.is_null() ? std::numeric_limits<float>::infinity() : threshold.get<float>(),
           epoch.at("lambda")});
    }
  }

  Network& network_;
  const TrainData& data_;
  const Metric& metric_;
  const TrainSettings& settings_;
  const TrainHooks& hooks_;
  Communicator& processes_;
  Tensor targets_NL_;
  LabelMatrix validation_labels_, validation_unknown_;
  Optimizer optimizer_;
  LambdaTracker lambda_;
  std::size_t steps_per_epoch_ = 0;

  Batches batches_;  // of the current epoch
  std::future<Batch> prefetched_;

  std::size_t epoch_ = 0;       // finished ones
  std::size_t next_batch_ = 0;  // of the current epoch
  double loss_sum_ = 0;         // of its batches so far
  std::size_t loss_batches_ = 0;
  std::vector<Epoch> history_;
  std::size_t best_epoch_ = 0;
  std::map<std::string, Tensor> best_;  // the weights of the best epoch
  DenseMatrix best_scores_;             // theirs, of the validation rows; empty if a checkpoint had them
};

}  // namespace

nlohmann::json to_json(const TrainSettings& s) {
  return {{"loss", loss_name(s.loss.kind)},
          {"tau", s.loss.tau},
          {"kappa", s.loss.kappa},
          {"asl", {s.loss.asl.gamma_positive, s.loss.asl.gamma_negative, s.loss.asl.margin}},
          {"sigmoid_f1", {s.loss.sigmoid_f1.beta, s.loss.sigmoid_f1.eta, s.loss.sigmoid_f1.micro}},
          {"lambda", lambda_source_name(s.lambda.source)},
          {"lambda_per_label", s.lambda.per_label},
          {"gamma", s.lambda.gamma},
          {"memory", s.lambda.counts.decay},
          {"shrinkage", s.lambda.counts.shrinkage},
          {"adamw", s.optimizer.decoupled},
          {"weight_decay", s.optimizer.weight_decay},
          {"rate", s.rate},
          {"head_rate", s.head_rate},
          {"schedule", static_cast<int>(s.schedule)},
          {"warmup", s.warmup},
          {"batch", s.batch_rows},
          {"accumulate", s.accumulate},
          {"epochs", s.epochs},
          {"patience", s.patience},
          {"frozen", s.frozen},
          {"tuned", s.tuned},
          {"seed", s.seed}};
}

nlohmann::json to_json(const Epoch& e) {
  return {{"epoch", e.epoch}, {"loss", e.loss},           {"at_zero", e.at_zero},
          {"tuned", e.tuned}, {"threshold", e.threshold}, {"lambda", e.lambda}};
}

Training train_network(Network& network, const TrainData& data, const Metric& metric,
                       const TrainSettings& settings, const TrainHooks& hooks) {
  return Run(network, data, metric, settings, hooks).run();
}

}  // namespace mmo::deep
