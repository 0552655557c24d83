#include "mmo/learn/linear/linear_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mmo/learn/linear/memory.h"
#include "mmo/learn/linear/record.h"

namespace mmo {
namespace {

// Of a time limit: the rest is the final fit's.
constexpr double searching_share = 0.6;

bool is_sparse(const Features& x) { return std::holds_alternative<CsrMatrix>(x); }

// The weights of the calibrated scores; the bias is in the last row.
ColumnWeights calibrated(const ChosenLoss& loss) {
  ColumnWeights out = loss.weights;
  for (SolvedBlock& block : out.blocks) {
    for (float& w : block.weights) w *= static_cast<float>(loss.calibration.scale);
    for (std::size_t c = 0; c < block.stride; ++c)
      block.weights[block.weights.size() - block.stride + c] += static_cast<float>(loss.calibration.shift);
  }
  return out;
}

// The mean of the losses' scores, which are used up.
DenseMatrix mean_scores(std::vector<ChosenLoss>& losses) {
  DenseMatrix mean = std::move(losses[0].scores);
  for (std::size_t k = 1; k < losses.size(); ++k) {
    const DenseMatrix scores = std::move(losses[k].scores);
    for (std::size_t e = 0; e < mean.values.size(); ++e) mean.values[e] += scores.values[e];
  }
  const float share = 1.0F / static_cast<float>(losses.size());
  for (float& z : mean.values) z *= share;
  return mean;
}

}  // namespace

LinearLearner::LinearLearner(LinearOptions options, const Deadline& deadline, Progress progress)
    : options_(std::move(options)), deadline_(deadline), progress_(std::move(progress)) {}

// For the solver: true from that share of the time limit on.
std::function<bool()> LinearLearner::stop_at(double share) {
  return [this, share] {
    const bool late = deadline_.passed(share);
    if (late) cut_short_ = true;
    return late;
  };
}

Choosers LinearLearner::choosers(const Problem& problem) const {
  if (options_.all_choose) return {problem.hold_out.folds(), {}};
  Choosers out = enough_choosers(problem);
  if (options_.criterion) out.labels.clear();  // a metric is that of all labels
  return out;
}

ChosenLoss LinearLearner::walk(const LossPath& of) {
  report(progress_, "L2 path, " + of.name, of.progress);
  const Problem& problem = *map_.mapped.problem;
  const bool sparse = is_sparse(map_.mapped.x());
  FitSettings settings;
  settings.loss = of.loss;
  // A sparse iteration costs much, and of whitened columns a few are enough.
  settings.tolerance = sparse ? options_.sparse_tolerance : 1e-3;
  settings.pairs = pairs_kept(map_.mapped.x());
  PathOptions path;
  path.rhos = of.rhos;
  path.scale = l2_scale(of.loss);
  path.choosers = of.rhos.size() > 1 ? choosers(problem) : Choosers{problem.hold_out.folds(), {}};
  path.calibrate = options_.calibrate;
  path.criterion = options_.criterion;
  // Each loss has its part of the time to search; what did not choose L2 is fitted in the second half of it.
  const double part =
      searching_share / (options_.hinge_path.empty() || options_.logistic_path.empty() ? 1 : 2);
  const double end = part * static_cast<double>(losses_.size() + 1);
  settings.stop = stop_at(path.choosers.are_all_of(problem) ? end : end - part / 2);
  path.stop_the_rest = stop_at(end);
  // The calibrated scores of the loss before are this one's, nearly.
  ColumnWeights before;
  if (sparse && !losses_.empty()) {
    before = calibrated(losses_.back());
    path.start = &before;
  }
  return walk_l2_path(map_.mapped, settings, path);
}

// The surrogate's finer choices start from the plain logistic solution at the chosen L2.
void LinearLearner::fit_costs(ChosenLoss& logistic) {
  if (options_.lambda.search == LambdaSearch::none && options_.tau == 0 && !options_.joint) return;
  report(progress_, "lambda", 0.7);
  if (options_.joint) logistic.settings.loss = {.kind = ColumnLoss::Kind::joint};
  if (options_.tau > 0)
    logistic.settings.loss = {.kind = ColumnLoss::Kind::generalised, .tau = static_cast<float>(options_.tau)};
  LambdaFit fit = fit_with_lambda(map_.mapped, options_.metric, options_.lambda, logistic);
  record_lambda(record_, fit.lambda);
  logistic = std::move(fit.chosen);
}

DenseMatrix LinearLearner::held_out(const LearnerData& searched) {
  report(progress_, "feature map", 0.05);
  const Features& encoded = *searched.views.encoded;
  map_ =
      choose_map(*searched.problem, encoded, is_sparse(encoded) ? options_.sparse_maps : options_.dense_maps,
                 options_.screened_labels);
  record_map(record_, map_);
  const LossPath paths[] = {
      {"squared hinge", {.kind = ColumnLoss::Kind::squared_hinge}, options_.hinge_path, 0.15},
      {"logistic", {}, options_.logistic_path, 0.45}};
  Communicator& processes = *searched.problem->processes;
  std::vector<std::string> names;
  for (const LossPath& path : paths) {
    if (path.rhos.empty()) continue;
    if (!losses_.empty() && agree(processes, stop_at(searching_share)())) continue;
    losses_.push_back(walk(path));
    names.push_back(path.name);
  }
  if (agree(processes, cut_short_.load()))
    warn("the time limit cut the search short: L2 and the scores that the rule is chosen by are rough");
  if (names.back() == "logistic") fit_costs(losses_.back());
  for (std::size_t k = 0; k < losses_.size(); ++k) record_loss(record_, names[k], losses_[k]);
  if (std::none_of(losses_.begin(), losses_.end(),
                   [](const ChosenLoss& loss) { return loss.calibration.informative; }))
    warn(
        "held-out scores do not rank positives above negatives: the features carry no signal for these "
        "labels");
  return mean_scores(losses_);
}

Scorer LinearLearner::fit(const LearnerData& all) {
  // From a sample to all rows L2 stays what it is, as it does from the folds to all rows: more rows need no
  // more of it.
  if (map_.mapped.problem != all.problem) {
    const FeatureMap::Kind kind = map_.mapped.map.kind;
    map_.mapped = {};
    map_.mapped = map_problem(*all.problem, *all.views.encoded, kind, all.problem->trainable.size());
  }
  const MappedProblem& mapped = map_.mapped;
  const double tolerance = is_sparse(mapped.x()) ? 1e-3 : mapped.moments ? 1e-6 : 1e-5;
  const double share = 1.0 / static_cast<double>(losses_.size());
  DenseMatrix sum;  // bias last
  for (ChosenLoss& loss : losses_) {
    loss.settings.tolerance = tolerance;
    loss.settings.stop = [this] { return deadline_.passed(); };
    const FullFit full = fit_full(mapped, loss.settings, &loss.weights);
    if (sum.rows == 0) sum = DenseMatrix(full.weights.rows, full.weights.cols);
    const auto scale = static_cast<float>(share * loss.calibration.scale);
    for (std::size_t e = 0; e < sum.values.size(); ++e) sum.values[e] += scale * full.weights.values[e];
    for (std::size_t j = 0; j < sum.cols; ++j)
      sum(sum.rows - 1, j) += static_cast<float>(share * loss.calibration.shift);
    if (full.summary.unfinished > 0) {
      warn(fmt::format("{} of {} final fits stopped before full accuracy", full.summary.unfinished,
                       full.summary.columns));
    }
  }
  return linear_scorer(std::move(map_.mapped.map), std::move(sum));
}

nlohmann::json LinearLearner::record() const { return record_; }

LearnerCost LinearLearner::cost(const LearnerData& all, std::size_t searched_rows,
                                std::size_t threads) const {
  const LinearBytes bytes = linear_bytes(*all.problem, *all.views.encoded,
                                         static_cast<std::size_t>(!options_.logistic_path.empty()) +
                                             static_cast<std::size_t>(!options_.hinge_path.empty()),
                                         options_.hinge_path.size() > 1, threads, searched_rows);
  // Iterations × columns of both losses' paths, times the four operations that each non-zero of X costs.
  constexpr double iterations_on_path = 6;
  constexpr double iterations_warm = 4;   // folds that start from others, another λ
  constexpr double iterations_final = 9;  // to full accuracy
  constexpr std::size_t points_visited = 4;
  const Problem& problem = *all.problem;
  const Choosers own = choosers(problem);
  const auto* sparse = std::get_if<CsrMatrix>(all.views.encoded);
  const auto rows = static_cast<double>(problem.rows());
  const double nonzeros = sparse != nullptr ? static_cast<double>(sparse->nonzeros())
                                            : rows * static_cast<double>(feature_cols(*all.views.encoded));
  const double operations_per_second = sparse != nullptr ? 8e9 : 4e10;  // of one thread
  const auto folds = static_cast<double>(problem.hold_out.folds());
  const auto labels = static_cast<double>(problem.trainable.size());
  const double choosing_share = own.labels.empty() ? 1 : static_cast<double>(own.labels.size()) / labels;
  const double searched = static_cast<double>(searched_rows) / rows;
  double iterations = 0;  // over all rows, per label
  for (const auto* path : {&options_.logistic_path, &options_.hinge_path}) {
    if (path->empty()) continue;
    const auto points = static_cast<double>(std::min(path->size(), points_visited));
    const double choosing = points * static_cast<double>(own.folds) * iterations_on_path;
    iterations += searched * choosing_share * choosing + iterations_final;
    if (!own.are_all_of(problem)) iterations += searched * folds * iterations_on_path;
  }
  iterations += searched * lambda_fits(options_.lambda) * folds * iterations_warm;
  const double seconds =
      4.0 * nonzeros * labels * iterations / (operations_per_second * static_cast<double>(threads));
  return {seconds, bytes.searching, bytes.final_fit};
}

}  // namespace mmo
