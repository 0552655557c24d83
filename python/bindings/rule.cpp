// Decision rules for the scores of any other system.
#include "call.h"
#include "convert.h"
#include "mmo/calibrate/score_map.h"
#include "mmo/core/error.h"
#include "mmo/rule/constrained_rule.h"
#include "mmo/rule/fit_rule.h"
#include "mmo/rule/margins.h"

namespace mmo::python {
namespace {

// Scores as they come, their calibration and the rule for the calibrated ones.
struct ScoreRule {
  ScoreMap map;
  DecisionRule rule;
  std::string kind;
  double value = 0;  // the metric on the scores it was fitted on

  [[nodiscard]] DenseMatrix logits(const AnyArray& scores) const {
    DenseMatrix values = to_dense(scores);
    if (values.cols != rule.thresholds.size())
      throw DataError("the scores have another number of labels than those the rule was fitted on");
    return map.apply(std::move(values));
  }
};

ScoreRule fit_scores(const Metric& metric, const AnyArray& array, const OwnedTruth& owned,
                     const std::string& kind, int min_labels, const std::string& subject_to,
                     const std::vector<std::uint32_t>& fold_of_row, std::optional<bool> probabilities,
                     bool accept_reversed, std::size_t max_labels) {
  const DenseMatrix scores = to_dense(array);
  const Truth truth = owned.view();
  require_labels(metric, scores.cols);
  if (truth.labels->rows != scores.rows || truth.labels->cols != scores.cols)
    throw DataError("scores and labels have different shapes");
  return run(0, [&] {
    ScoreRule out;
    out.map = fit_score_map(scores, *truth.labels, truth.unknown, truth.row_weights, "scores", probabilities,
                            accept_reversed);
    const DenseMatrix logits = out.map.apply(scores);
    std::vector<char> trainable(scores.cols, 0);
    for (const std::uint32_t j : truth.labels->indices) trainable[j] = 1;
    if (subject_to.empty()) {
      FittedRule fitted = fit_rule(metric, logits, truth,
                                   {.kind = parse_rule(kind),
                                    .min_labels = min_labels,
                                    .max_labels = max_labels,
                                    .trainable = std::move(trainable)});
      out.rule = std::move(fitted.rule);
      out.kind = rule_name(fitted.kind);
      out.value = fitted.value;
    } else {
      ConstrainedRule fitted =
          fit_constrained_rule(metric, parse_constraint(subject_to, metric.zero_division), logits, truth,
                               {.fold_of_row = fold_of_row, .trainable = std::move(trainable)});
      out.rule = std::move(fitted.rule);
      out.kind = fitted.per_label ? "per-label" : "global";
      out.value = fitted.value;
    }
    return out;
  });
}

using State = std::tuple<bool, double, double, int, std::vector<float>, std::vector<double>, std::size_t,
                         std::size_t, std::string, double>;

State state_of(const ScoreRule& r) {
  const CountWeights& n = r.rule.ratio.numerator;
  const CountWeights& d = r.rule.ratio.denominator;
  return {r.map.probabilities,
          r.map.calibration.scale,
          r.map.calibration.shift,
          static_cast<int>(r.rule.kind),
          r.rule.thresholds,
          {n.tp, n.fp, n.fn, n.tn, d.tp, d.fp, d.fn, d.tn},
          r.rule.min_labels,
          r.rule.max_labels,
          r.kind,
          r.value};
}

ScoreRule from_state(const State& state) {
  ScoreRule r;
  r.map.probabilities = std::get<0>(state);
  r.map.calibration.scale = std::get<1>(state);
  r.map.calibration.shift = std::get<2>(state);
  r.rule.kind = static_cast<DecisionRule::Kind>(std::get<3>(state));
  r.rule.thresholds = std::get<4>(state);
  const std::vector<double>& c = std::get<5>(state);
  if (c.size() != 8) throw UsageError("a pickled rule is damaged");
  r.rule.ratio = {{c[0], c[1], c[2], c[3]}, {c[4], c[5], c[6], c[7]}};
  r.rule.min_labels = std::get<6>(state);
  r.rule.max_labels = std::get<7>(state);
  r.kind = std::get<8>(state);
  r.value = std::get<9>(state);
  return r;
}

}  // namespace

void bind_rule(nb::module_& module) {
  nb::class_<ScoreRule>(module, "ScoreRule", "A metric's decision rule for scores.")
      .def_ro("kind", &ScoreRule::kind)
      .def_ro("value", &ScoreRule::value)
      .def_prop_ro("min_labels", [](const ScoreRule& r) { return r.rule.min_labels; })
      .def_prop_ro("by_threshold",
                   [](const ScoreRule& r) { return r.rule.kind == DecisionRule::Kind::thresholds; })
      .def(
          "thresholds",
          [](const ScoreRule& r, const AnyArray& scores) {
            auto found = input_thresholds(r.rule.thresholds, r.map, to_dense(scores));
            return to_numpy(std::move(found), {r.rule.thresholds.size()});
          },
          nb::arg("scores"), "In the scale of the scores, deciding these scores as the rule does.")
      .def(
          "predict",
          [](const ScoreRule& r, const AnyArray& scores) {
            const DenseMatrix logits = r.logits(scores);
            return from_labels(run(0, [&] { return decide(r.rule, logits); }));
          },
          nb::arg("scores"))
      .def(
          "margins",
          [](const ScoreRule& r, const AnyArray& scores) {
            const DenseMatrix logits = r.logits(scores);
            return to_numpy(run(0, [&] { return margins(r.rule, logits); }));
          },
          nb::arg("scores"))
      .def(
          "calibrated", [](const ScoreRule& r, const AnyArray& scores) { return to_numpy(r.logits(scores)); },
          nb::arg("scores"), "Logits of the posteriors.")
      .def("__getstate__", state_of)
      .def("__setstate__", [](ScoreRule& r, const State& state) { new (&r) ScoreRule(from_state(state)); });
  module.def("fit_scores", fit_scores, nb::arg("metric"), nb::arg("scores"), nb::arg("truth"),
             nb::arg("rule"), nb::arg("min_labels"), nb::arg("subject_to"), nb::arg("fold_of_row"),
             nb::arg("probabilities") = nb::none(), nb::arg("accept_reversed") = false,
             nb::arg("max_labels") = 0);
}

}  // namespace mmo::python
