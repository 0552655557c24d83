#include "mmo/rule/constrained_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "mmo/core/error.h"
#include "mmo/cost/cost.h"
#include "mmo/eval/truth_rows.h"
#include "mmo/rule/empirical_thresholds.h"
#include "mmo/rule/label_scores.h"

namespace mmo {
namespace {

constexpr float never = std::numeric_limits<float>::infinity();
constexpr std::size_t most_candidates = 512;
constexpr double rounding = 1e-9;  // tallies and counted predictions sum in different orders

// The condition as "higher is better": its metric times ±1 against its bound times ±1.
double sign(const Constraint& c) { return c.at_least ? 1.0 : -1.0; }

struct Rows {
  DenseMatrix scores;
  TruthRows truth;

  Rows(const DenseMatrix& all, const Truth& all_truth, const std::vector<std::uint32_t>& rows)
      : scores(take_rows(all, rows)), truth(all_truth, rows) {}
};

// Every global threshold worth trying with both metrics there; "nothing is predicted" is the last.
struct GlobalCurve {
  std::vector<float> thresholds;
  std::vector<double> objective, condition;  // condition times sign

  GlobalCurve(const Metric& metric, const Constraint& c, const DenseMatrix& scores, const Truth& truth)
      : thresholds(threshold_candidates(scores, truth, most_candidates)) {
    // The score −∞ of a label that may not be predicted is no threshold.
    std::erase_if(thresholds, [](float t) { return !std::isfinite(t); });
    thresholds.push_back(never);
    objective = metric_at_thresholds(metric, scores, truth, thresholds);
    condition = metric_at_thresholds(c.metric, scores, truth, thresholds);
    for (double& v : condition) v *= sign(c);
  }
  [[nodiscard]] double best_condition() const {
    return *std::max_element(condition.begin(), condition.end());
  }
  // The best objective where condition ≥ bound; none if there is no such threshold.
  [[nodiscard]] std::optional<std::size_t> best(double bound) const {
    std::optional<std::size_t> at;
    for (std::size_t t = 0; t < thresholds.size(); ++t) {
      if (condition[t] >= bound && (!at || objective[t] > objective[*at])) at = t;
    }
    return at;
  }
};

// What one label adds to objective and condition at each of its thresholds.
struct LabelCurve {
  std::vector<float> thresholds;
  std::vector<Counts> counts;
};

std::vector<LabelCurve> label_curves(const DenseMatrix& scores, const Truth& truth) {
  std::vector<LabelCurve> curves(scores.cols);
  for_each_label_scores(scores, truth, 0.0, [&](std::size_t j, LabelScores& label) {
    LabelCurve& curve = curves[j];
    Counts counts{0, 0, label.positive_weight, label.negative_weight};
    curve.thresholds.push_back(never);
    curve.counts.push_back(counts);
    std::size_t above = 0;
    for (const WeightedScore& positive : label.positives) {
      if (!std::isfinite(positive.score)) break;  // −∞, and so are all that follow: never predicted
      counts.tp += positive.weight;
      counts.fn -= positive.weight;
      for (; above < label.negatives.size() && label.negatives[above].score >= positive.score; ++above) {
        counts.fp += label.negatives[above].weight;
        counts.tn -= label.negatives[above].weight;
      }
      curve.thresholds.push_back(positive.score);
      curve.counts.push_back(counts);
    }
  });
  return curves;
}

class LagrangianSearch {
 public:
  LagrangianSearch(const Metric& objective, const Constraint& c, const DenseMatrix& scores,
                   const Truth& truth)
      : objective_(objective), constraint_(c), truth_(truth), curves_(label_curves(scores, truth)) {}

  // Thresholds with condition ≥ bound (both times sign), started from the objective's value `lambda`.
  [[nodiscard]] std::optional<std::vector<float>> solve(double bound, double lambda) const {
    std::optional<Point> best;
    for (int round = 0; round < 4; ++round) {  // Dinkelbach on a micro objective; macro needs one round
      const std::optional<Point> point = solve_at(bound, lambda);
      if (!point || (best && point->objective <= best->objective + 1e-9)) break;
      best = point;
      lambda = point->objective;
      if (objective_.average != Average::micro) break;
    }
    if (!best) return std::nullopt;
    return best->thresholds;
  }

 private:
  struct Point {
    std::vector<float> thresholds;
    double objective = 0, condition = 0;
  };

  [[nodiscard]] double gain(const Metric& metric, std::size_t j, const Counts& counts, double lambda) const {
    const double weight = truth_.label_weights.empty() ? 1.0 : static_cast<double>(truth_.label_weights[j]);
    if (metric.average == Average::micro) return -weight * linearised_loss(metric.ratio(j), lambda, counts);
    const double share = metric.average == Average::weighted ? weight * (counts.tp + counts.fn) : weight;
    const double value = ratio_value(metric.ratio(j), counts, metric.zero_division);
    return std::isnan(value) ? 0.0 : share * value;
  }

  [[nodiscard]] Point at(double mu, double bound, double lambda) const {
    Point point;
    std::vector<Counts> chosen;
    for (std::size_t j = 0; j < curves_.size(); ++j) {
      const LabelCurve& curve = curves_[j];
      std::size_t best = 0;
      double best_gain = -std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < curve.thresholds.size(); ++k) {
        const double value =
            gain(objective_, j, curve.counts[k], lambda) +
            mu * sign(constraint_) * gain(constraint_.metric, j, curve.counts[k], sign(constraint_) * bound);
        if (value > best_gain) {
          best = k;
          best_gain = value;
        }
      }
      point.thresholds.push_back(curve.thresholds[best]);
      chosen.push_back(curve.counts[best]);
    }
    point.objective = evaluate_counts(objective_, chosen, truth_.label_weights);
    point.condition = sign(constraint_) * evaluate_counts(constraint_.metric, chosen, truth_.label_weights);
    return point;
  }

  // The smallest μ whose thresholds meet the bound, by bisection of log μ.
  [[nodiscard]] std::optional<Point> solve_at(double bound, double lambda) const {
    const auto met = [&](const Point& p) { return p.condition >= bound; };
    double low = -14;
    double high = 14;
    Point best = at(0, bound, lambda);
    if (met(best)) return best;
    best = at(std::exp(high), bound, lambda);
    if (!met(best)) return std::nullopt;
    for (int step = 0; step < 30; ++step) {
      const double middle = 0.5 * (low + high);
      Point point = at(std::exp(middle), bound, lambda);
      if (met(point)) {
        high = middle;
        if (point.objective >= best.objective) best = std::move(point);
      } else {
        low = middle;
      }
    }
    return best;
  }

  const Metric& objective_;
  const Constraint& constraint_;
  const Truth& truth_;
  std::vector<LabelCurve> curves_;
};

class ConstrainedFit {
 public:
  ConstrainedFit(const Metric& objective, const Constraint& c, std::span<const std::uint32_t> fold_of_row)
      : objective_(objective), constraint_(c), fold_of_row_(fold_of_row) {}

  // The thresholds for a signed bound; none if it can't be met.
  [[nodiscard]] std::optional<std::vector<float>> fit(const DenseMatrix& scores, const Truth& truth,
                                                      double bound, bool per_label) const {
    const GlobalCurve curve(objective_, constraint_, scores, truth);
    const auto best = curve.best(bound);
    if (!per_label)
      return best ? std::optional(std::vector<float>(scores.cols, curve.thresholds[*best])) : std::nullopt;
    const double lambda = best ? curve.objective[*best] : 0.5;
    return LagrangianSearch(objective_, constraint_, scores, truth).solve(bound, lambda);
  }

  struct Measured {
    double objective = 0, condition = 0;  // condition times sign
  };
  [[nodiscard]] Measured measure(const std::vector<float>& thresholds, const DenseMatrix& scores,
                                 const Truth& truth) const {
    DecisionRule rule;
    rule.thresholds = thresholds;
    return measure(decide(rule, scores), truth);
  }
  [[nodiscard]] Measured measure(const LabelMatrix& predicted, const Truth& truth) const {
    return {evaluate(objective_, predicted, truth),
            sign(constraint_) * evaluate(constraint_.metric, predicted, truth)};
  }

  // Both metrics over all rows, each decided by thresholds fitted without its fold; none if a fold has none.
  [[nodiscard]] std::optional<Measured> cross_fitted(const DenseMatrix& scores, const Truth& truth,
                                                     double bound, bool per_label) const {
    const auto predicted = cross_fitted_labels(scores, truth, bound, per_label);
    return predicted ? std::optional(measure(*predicted, truth)) : std::nullopt;
  }
  [[nodiscard]] std::optional<LabelMatrix> cross_fitted_labels(const DenseMatrix& scores, const Truth& truth,
                                                               double bound, bool per_label) const {
    std::vector<std::vector<std::uint32_t>> decided(scores.rows);
    for (std::uint32_t fold = 0; fold < folds(); ++fold) {
      const Rows others(scores, truth, rows_where([&](std::uint32_t f) { return f != fold; }));
      const auto thresholds = fit(others.scores, others.truth.truth(), bound, per_label);
      if (!thresholds) return std::nullopt;
      DecisionRule rule;
      rule.thresholds = *thresholds;
      for (const std::uint32_t i : rows_where([&](std::uint32_t f) { return f == fold; }))
        decide_row(rule, scores.row(i), decided[i]);
    }
    LabelMatrix predicted;
    predicted.cols = scores.cols;
    for (const auto& row : decided) predicted.push_row(row);
    return predicted;
  }

  // What the rule that `bound` gives reaches on rows it was not fitted on.
  [[nodiscard]] std::optional<ConstrainedRule::HeldOut> held_out(const DenseMatrix& scores,
                                                                 const Truth& truth, double bound,
                                                                 bool per_label) const {
    constexpr int replicates = 200;
    const auto predicted = cross_fitted_labels(scores, truth, bound, per_label);
    if (!predicted) return std::nullopt;
    const Measured measured = measure(*predicted, truth);
    return ConstrainedRule::HeldOut{measured.objective, sign(constraint_) * measured.condition,
                                    bootstrap(constraint_.metric, *predicted, truth, replicates, 0)};
  }

  // Standard error of the condition's mean over folds.
  [[nodiscard]] double standard_error(const std::vector<float>& thresholds, const DenseMatrix& scores,
                                      const Truth& truth) const {
    std::vector<double> values;
    for (std::uint32_t fold = 0; fold < folds(); ++fold) {
      const Rows part(scores, truth, rows_where([&](std::uint32_t f) { return f == fold; }));
      const double value = measure(thresholds, part.scores, part.truth.truth()).condition;
      if (!std::isnan(value)) values.push_back(value);
    }
    if (values.size() < 2) return 0;
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double square = 0;
    for (const double v : values) square += (v - mean) * (v - mean);
    return std::sqrt(square / (n - 1) / n);
  }

 private:
  [[nodiscard]] std::uint32_t folds() const {
    return fold_of_row_.empty() ? 0 : *std::max_element(fold_of_row_.begin(), fold_of_row_.end()) + 1;
  }
  template <class Wanted>
  [[nodiscard]] std::vector<std::uint32_t> rows_where(const Wanted& wanted) const {
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < fold_of_row_.size(); ++i) {
      if (wanted(fold_of_row_[i])) rows.push_back(static_cast<std::uint32_t>(i));
    }
    return rows;
  }

  const Metric& objective_;
  const Constraint& constraint_;
  std::span<const std::uint32_t> fold_of_row_;
};

// Labels that may not be predicted score −∞: below every threshold, and none themselves.
DenseMatrix without_untrainable(DenseMatrix scores, const std::vector<char>& trainable) {
  for (std::size_t j = 0; j < trainable.size(); ++j) {
    if (trainable[j] != 0) continue;
    for (std::size_t i = 0; i < scores.rows; ++i) scores(i, j) = -never;
  }
  return scores;
}

}  // namespace

Constraint parse_constraint(const std::string& text, double zero_division) {
  std::size_t at = text.rfind(">=");
  const bool at_least = at != std::string::npos;
  if (!at_least) at = text.rfind("<=");
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format(
        "constraint '{}': {}; write METRIC>=NUMBER or METRIC<=NUMBER, e.g. precision>=0.9", text, why));
  };
  if (at == std::string::npos) refuse("no >= or <= in it");
  const auto trim = [](const std::string& s) {
    const std::size_t first = s.find_first_not_of(" \t");
    if (first == std::string::npos) return std::string();
    return s.substr(first, s.find_last_not_of(" \t") - first + 1);
  };
  const std::string name = trim(text.substr(0, at));
  const std::string number = trim(text.substr(at + 2));
  Constraint c{text, {}, at_least, 0};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), c.bound);
  if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(c.bound))
    refuse(fmt::format("'{}' is not a number", number));
  if (name.empty()) refuse("no metric in it");
  c.metric = parse_metric(name, zero_division);
  return c;
}

ConstrainedRule fit_constrained_rule(const Metric& objective, const Constraint& constraint,
                                     const DenseMatrix& all_scores, const Truth& truth,
                                     const ConstrainedOptions& options) {
  const DenseMatrix scores = without_untrainable(all_scores, options.trainable);
  const ConstrainedFit fit(objective, constraint, options.fold_of_row);
  const double bound = sign(constraint) * constraint.bound;
  const GlobalCurve curve(objective, constraint, scores, truth);
  const double reachable = curve.best_condition();
  const bool separable =
      objective.average != Average::samples && constraint.metric.average != Average::samples;
  auto thresholds = fit.fit(scores, truth, bound, false);
  ConstrainedRule out;
  if (separable) {
    const auto global = fit.cross_fitted(scores, truth, bound, false);
    const auto each = fit.cross_fitted(scores, truth, bound, true);
    out.per_label = each && (!global || (each->condition >= std::min(bound, global->condition) &&
                                         each->objective > global->objective));
    if (out.per_label) thresholds = fit.fit(scores, truth, bound, true);
  }
  const auto unreachable = [&](double best) {
    return UsageError(fmt::format("{} can't be met: the best {} on held-out rows is {:.4f}; {} the bound",
                                  constraint.text, constraint.metric.name, sign(constraint) * best,
                                  constraint.at_least ? "lower" : "raise"));
  };
  if (!thresholds) throw unreachable(reachable);
  out.rule.thresholds = *thresholds;
  // A margin that can't be reached is halved until it can.
  double margin = fit.standard_error(*thresholds, scores, truth);
  while (margin > 1e-4) {
    if (const auto safer = fit.fit(scores, truth, bound + margin, out.per_label)) {
      out.rule.thresholds = *safer;
      out.margin = margin;
      break;
    }
    margin *= 0.5;
  }
  for (std::size_t j = 0; j < options.trainable.size(); ++j) {
    if (options.trainable[j] == 0) out.rule.thresholds[j] = never;
  }
  const auto measured = fit.measure(out.rule.thresholds, scores, truth);
  if (!(measured.condition >= bound - rounding)) throw unreachable(measured.condition);
  out.value = measured.objective;
  out.constraint = sign(constraint) * measured.condition;
  out.unbound = *std::max_element(curve.objective.begin(), curve.objective.end());
  out.held_out = fit.held_out(scores, truth, bound + out.margin, out.per_label);
  return out;
}

std::vector<std::string> constraint_warnings(const Metric& objective, const Constraint& constraint,
                                             const ConstrainedRule& fitted) {
  constexpr double little = 0.25;  // of what can be had without the condition
  std::vector<std::string> warnings;
  if (fitted.value < little * fitted.unbound) {
    warnings.push_back(fmt::format(
        "{} leaves {} at {:.4f}, where {:.4f} can be had without it: almost nothing is predicted; "
        "{} the bound",
        constraint.text, objective.name, fitted.value, fitted.unbound,
        constraint.at_least ? "lower" : "raise"));
  }
  if (fitted.held_out &&
      sign(constraint) * fitted.held_out->constraint < sign(constraint) * constraint.bound) {
    warnings.push_back(
        fmt::format("{} may not hold on new rows: rows that the rule was not fitted on reach {:.4f} (95 % "
                    "interval {:.4f} to {:.4f}); ask for more if it must hold",
                    constraint.text, fitted.held_out->constraint, fitted.held_out->interval.low,
                    fitted.held_out->interval.high));
  }
  return warnings;
}

double constrained_value(const Metric& objective, const Constraint& constraint, const DenseMatrix& scores,
                         const Truth& truth, const std::vector<char>& trainable) {
  const GlobalCurve curve(objective, constraint, without_untrainable(scores, trainable), truth);
  const double bound = sign(constraint) * constraint.bound;
  const auto best = curve.best(bound);
  return best ? curve.objective[*best] : -1 - (bound - curve.best_condition());
}

}  // namespace mmo
