#include "mmo/search/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "mmo/comm/checkpoint.h"
#include "mmo/core/deadline.h"
#include "mmo/core/error.h"
#include "mmo/core/lend.h"
#include "mmo/core/memory.h"
#include "mmo/core/parallel.h"
#include "mmo/learn/held_out_rows.h"
#include "mmo/learn/sub_problem.h"
#include "mmo/search/estimate.h"
#include "mmo/search/learners.h"
#include "mmo/search/many_labels.h"
#include "mmo/search/prepare_training.h"
#include "mmo/search/record.h"
#include "mmo/search/same_training.h"
#include "mmo/search/stages.h"

namespace mmo {
namespace {

// Of the machine's memory, unless another limit is given.
constexpr double machine_share = 0.8;

void refuse_two_rules(const TrainOptions& options) {
  if (options.subject_to && (options.settings.contains("rule") || options.settings.contains("min-labels")))
    throw UsageError("a goal subject to a constraint has its own rule; leave out --set rule and min-labels");
}

std::uint64_t memory_limit(const TrainOptions& options, const Features& encoded) {
  if (options.memory_limit > 0) return options.memory_limit;
  const std::uint64_t physical = agree(*options.processes, physical_memory());
  // What was loaded takes about as much as the numbers that it was turned into.
  const auto loaded = static_cast<double>(feature_bytes(encoded));
  return static_cast<std::uint64_t>(std::max(0.0, machine_share * static_cast<double>(physical) - loaded));
}

// All rows, or as many as fit into the memory that may be used.
std::size_t searched_rows(const TrainOptions& options, const Recipe& recipe, const Learners& learners,
                          const LearnerData& all) {
  // Mini-batches have no final fit on all rows, and a validation file is small for its purpose.
  if (recipe.minibatch != MiniBatch::none || options.valid != nullptr) return all.problem->rows();
  return rows_within(memory_limit(options, *all.views.encoded), learners, all, mixes(recipe, *all.problem));
}

std::string sample_warning(std::uint64_t limit, std::size_t searched, std::size_t rows) {
  return fmt::format(
      "to keep below {:.1f} GB of memory the search sees {} of {} rows; the final fit sees all",
      static_cast<double>(limit) / (1024.0 * 1024.0 * 1024.0), searched, rows);
}

// A search that can't fit is not even begun: without such a limit the system would kill it half-way.
void tell_estimate(const TrainOptions& options, const SearchEstimate& estimate) {
  const std::uint64_t limit =
      options.memory_limit > 0 ? options.memory_limit : agree(*options.processes, physical_memory());
  if (estimate.bytes > limit) refuse_memory(limit, estimate.bytes);
  if (options.estimated) options.estimated(estimate);
}

// What trees learn from: the raw columns, or the encoded features where these are the same.
Table lend_table(const Training& training) {
  if (!training.table) return {lend(training.encoded), {}};
  return {lend(training.table->values), training.table->categories};
}

// The same of the rows that a search sees; `encoded` is theirs.
Table sample_table(const Training& training, const RowSample& sample, const Features& encoded) {
  if (!training.table) return {lend(encoded), {}};
  return {take_rows(training.table->values, sample.rows), training.table->categories};
}

void move_into(Model& model, Training& training) {
  model.label_names = training.label_names;
  model.text = std::move(training.text);
  model.encoder = std::move(training.encoder);
  for (WeightedScorer& other : model.others)
    other.on_table = training.table && std::holds_alternative<ForestScorer>(other.scorer);
}

// Rows of weight 0 say nothing: bins, landmarks and maps are made as if they were not there.
std::vector<std::uint32_t> rows_with_weight(const Dataset& data) {
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < data.row_weights.size(); ++i) {
    if (data.row_weights[i] > 0) rows.push_back(static_cast<std::uint32_t>(i));
  }
  return rows;
}

TrainResult train_many(const Recipe& recipe, const TrainOptions& options, const Deadline& deadline,
                       Training& training) {
  TrainResult result;
  result.model.metric = options.metric;
  if (!options.checkpoint.empty())
    training.warnings.emplace_back("label trees keep no checkpoint: what is cut short starts anew");
  tell_estimate(options, estimate_label_trees(options, training));
  train_label_trees(recipe, options, deadline, training, result.model);
  move_into(result.model, training);
  record_run(result.model.history, options, recipe, training);
  result.warnings = std::move(training.warnings);
  report(options.progress, "done", 1.0);
  return result;
}

TrainResult train_on_all(const Dataset& data, const TrainOptions& options) {
  const Deadline deadline(options.time_limit);
  const Recipe recipe = make_recipe(options.method, options.effort, options.settings);
  refuse_two_rules(options);
  report(options.progress, "features", 0.02);
  Communicator& processes = *options.processes;
  Training training;
  together(processes, [&] { prepare_training(data, options, recipe.missing, training); });
  require_same_training(options, training);
  if (takes_label_trees(recipe, options, training)) return train_many(recipe, options, deadline, training);
  std::optional<Checkpoint> checkpoint;
  if (!options.checkpoint.empty())
    checkpoint.emplace(processes, options.checkpoint, describe_work(options, training));
  training.problem.processes = checkpoint ? &*checkpoint : &processes;
  const Table table = lend_table(training);
  const LearnerData all{{&training.encoded, &table}, &training.problem};
  const std::vector<LearnerKind> kinds = suitable_learners(recipe, data, all);
  Learners learners = make_learners(kinds, recipe, options, training.may_predict, deadline);
  const auto threads_here = static_cast<std::size_t>(agree(processes, threads()));
  keep_within_limits(all, options, {memory_limit(options, training.encoded), threads_here}, learners,
                     training.warnings);
  // One linear learner needs no blend: its scores are calibrated, or, where recipes want it so, raw.
  std::optional<LearnerBlend> blend;
  if (kinds != std::vector{LearnerKind::linear}) blend.emplace();
  LearnerBlend* const blended = blend ? &*blend : nullptr;

  TrainResult result;
  Model& model = result.model;
  std::vector<std::string>& warnings = training.warnings;
  model.metric = options.metric;

  LearnerData searched = all;
  std::optional<SubProblem> sample;
  Table sampled_table;
  if (const std::size_t rows = searched_rows(options, recipe, learners, all); rows < all.problem->rows()) {
    const RowSample chosen = sample_rows(training.problem, rows);
    sample.emplace(training.problem, training.encoded, chosen);
    sample->problem.processes = training.problem.processes;
    sampled_table = sample_table(training, chosen, sample->x);
    searched = {{&sample->x, &sampled_table}, &sample->problem};
    model.history["searched_rows"] = searched.problem->rows();
    warnings.push_back(sample_warning(memory_limit(options, training.encoded), searched.problem->rows(),
                                      all.problem->rows()));
  }
  tell_estimate(options, estimate_search(learners, all, mixes(recipe, *all.problem), searched.problem->rows(),
                                         threads_here));

  {
    const HeldOutRows held_out(*searched.problem);
    DenseMatrix scores =
        held_out_scores(learners, searched, held_out, options.progress, blended, model.history, warnings);
    // Learners of many kinds know most of what labels say about each other.
    const double least_gain = blend ? 0.005 : std::numeric_limits<double>::lowest();
    model.mix = mix_labels(recipe, held_out, least_gain, options.progress, scores, model.history, warnings);
    model.rule =
        choose_rule(recipe, options, training.may_predict, held_out, scores, model.history, warnings);
    if (options.keep_held_out && !sample)
      result.held_out = {std::move(scores), held_out.rows(), held_out.fold_of_row()};
  }
  sample.reset();
  sampled_table = {};
  report(options.progress, "final fit", 0.85);
  fit_all_rows(learners, all, blended, model, warnings);
  move_into(model, training);
  record_run(model.history, options, recipe, training);
  result.warnings = std::move(warnings);
  report(options.progress, "done", 1.0);
  return result;
}

}  // namespace

TrainResult train(const Dataset& data, const TrainOptions& options) {
  const std::vector<std::uint32_t> rows = rows_with_weight(data);
  if (data.row_weights.empty() || rows.size() == data.rows()) {
    TrainResult result = train_on_all(data, options);
    throw_if_changed(data);
    return result;
  }
  if (rows.empty()) throw DataError(data.source + ": all row weights are 0");
  TrainResult result = train_on_all(take_rows(data, rows), options);
  throw_if_changed(data);
  if (result.held_out) {
    for (std::uint32_t& row : result.held_out->rows)
      row = row < rows.size() ? rows[row] : static_cast<std::uint32_t>(row - rows.size() + data.rows());
  }
  return result;
}

}  // namespace mmo
