#include "mmo/rule/fit_rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mmo/core/error.h"
#include "mmo/rule/empirical_thresholds.h"
#include "mmo/rule/rank_curves.h"

namespace mmo {
namespace {

constexpr float never = std::numeric_limits<float>::infinity();

struct NamedRule {
  const char* name;
  RuleKind kind;
};
constexpr std::array named_rules = {
    NamedRule{"auto", RuleKind::automatic},   NamedRule{"zero", RuleKind::zero},
    NamedRule{"global", RuleKind::global},    NamedRule{"per-label", RuleKind::per_label},
    NamedRule{"curves", RuleKind::curves},    NamedRule{"blend", RuleKind::blend},
    NamedRule{"expected", RuleKind::expected}};

// Scores: a matrix or short lists.
template <class Scores>
std::vector<float> fit_thresholds(RuleKind kind, const Metric& metric, const Scores& scores,
                                  const Truth& truth) {
  const std::size_t labels = truth.labels->cols;
  switch (kind) {
    case RuleKind::zero:
      return std::vector<float>(labels, 0.0F);
    case RuleKind::global:
      return std::vector<float>(labels, best_global_threshold(metric, scores, truth).threshold);
    case RuleKind::per_label: {
      std::vector<float> thresholds;
      for (const LabelThreshold& t : best_label_thresholds(metric, scores, truth))
        thresholds.push_back(t.threshold);
      return thresholds;
    }
    case RuleKind::curves: {
      const RankCurves curves(scores, truth);
      const bool micro = metric.average == Average::micro || metric.average == Average::samples;
      return micro ? curves.maximise_sum(metric, truth.label_weights).thresholds
                   : curves.maximise_each(metric);
    }
    case RuleKind::blend: {
      const float global = best_global_threshold(metric, scores, truth).threshold;
      std::vector<float> thresholds = fit_thresholds(RuleKind::curves, metric, scores, truth);
      for (float& t : thresholds) {
        if (std::isfinite(t)) t = 0.5F * (t + global);
      }
      return thresholds;
    }
    case RuleKind::expected:
      return std::vector<float>(labels, 0.0F);
    case RuleKind::automatic:
      break;
  }
  throw std::logic_error("rule not resolved");
}

template <class Scores>
FittedRule fit_freely(const Metric& metric, const Scores& scores, const Truth& truth,
                      const RuleOptions& options) {
  FittedRule fitted;
  fitted.kind = resolve_rule(options.kind, metric);
  DecisionRule& rule = fitted.rule;
  rule.thresholds = fit_thresholds(fitted.kind, metric, scores, truth);
  if (fitted.kind == RuleKind::expected) {
    rule.kind = DecisionRule::Kind::expected_count;
    rule.ratio = metric.ratio(0);
  }
  for (std::size_t j = 0; j < options.trainable.size(); ++j) {
    if (options.trainable[j] == 0) rule.thresholds[j] = never;
  }
  rule.min_labels = static_cast<std::size_t>(std::max(options.min_labels, 0));
  rule.max_labels = options.max_labels;
  fitted.value = evaluate(metric, decide(rule, scores), truth);
  if (options.min_labels < 0) {  // a row without labels gets its best one, if that pays
    DecisionRule at_least_one = rule;
    at_least_one.min_labels = 1;
    const double value = evaluate(metric, decide(at_least_one, scores), truth);
    if (value > fitted.value) {
      fitted.value = value;
      rule = at_least_one;
    }
  }
  return fitted;
}

// Of each row the labels that a rule ranks first.
ShortLists ranked_first(const DecisionRule& rule, const ShortLists& lists, std::size_t most) {
  ShortLists out;
  out.labels = lists.labels;
  std::vector<LabelScore> by_margin;
  std::vector<LabelScore> kept;
  for (std::size_t i = 0; i < lists.rows; ++i) {
    const auto list = lists.row(i);
    by_margin.assign(list.begin(), list.end());
    for (LabelScore& entry : by_margin) entry.score -= rule.thresholds[entry.label];
    keep_best(by_margin, most);
    kept.clear();
    for (const LabelScore& entry : list) {
      if (std::any_of(by_margin.begin(), by_margin.end(),
                      [&](const LabelScore& best) { return best.label == entry.label; }))
        kept.push_back(entry);
    }
    out.push_row(kept);
  }
  return out;
}

}  // namespace

RuleKind parse_rule(const std::string& name) {
  std::string known;
  for (const auto& rule : named_rules) {
    if (name == rule.name) return rule.kind;
    known += (known.empty() ? "" : ", ") + std::string(rule.name);
  }
  throw UsageError("unknown rule '" + name + "'; choose one of " + known);
}

std::string rule_name(RuleKind kind) {
  for (const auto& rule : named_rules) {
    if (kind == rule.kind) return rule.name;
  }
  throw std::logic_error("rule without a name");
}

RuleKind resolve_rule(RuleKind kind, const Metric& metric) {
  if (kind == RuleKind::expected && metric.ratios.size() > 1) {
    throw UsageError(
        "rule=expected needs one ratio for all labels, but the metric has one per label; use rule=global");
  }
  if (kind != RuleKind::automatic) return kind;
  switch (metric.average) {
    case Average::micro:
      return RuleKind::blend;
    case Average::macro:
    case Average::weighted:
      return RuleKind::curves;
    case Average::samples:
      return metric.ratios.size() > 1 ? RuleKind::global : RuleKind::expected;
  }
  throw std::logic_error("unknown average");
}

FittedRule fit_rule(const Metric& metric, const DenseMatrix& scores, const Truth& truth,
                    const RuleOptions& options) {
  if (options.max_labels > 0) return fit_rule(metric, short_lists(scores, scores.cols), truth, options);
  return fit_freely(metric, scores, truth, options);
}

// Thresholds with a limit on a row's labels: a label competes only where it is among the row's first ones,
// which depends on the thresholds themselves. They are fitted anew to the lists that they leave, as long as
// that pays.
FittedRule fit_rule(const Metric& metric, const ShortLists& lists, const Truth& truth,
                    const RuleOptions& options) {
  constexpr int most_rounds = 4;
  FittedRule best = fit_freely(metric, lists, truth, options);
  if (options.max_labels == 0 || best.rule.kind != DecisionRule::Kind::thresholds) return best;
  for (int round = 0; round < most_rounds; ++round) {
    FittedRule next = fit_freely(metric, ranked_first(best.rule, lists, options.max_labels), truth, options);
    next.value = evaluate(metric, decide(next.rule, lists), truth);
    if (!(next.value > best.value)) break;
    best = std::move(next);
  }
  return best;
}

}  // namespace mmo
