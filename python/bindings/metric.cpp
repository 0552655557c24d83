// Metrics and their values.
#include "mmo/metric/metric.h"

#include <array>

#include "call.h"
#include "convert.h"
#include "mmo/core/error.h"
#include "mmo/cost/cost.h"
#include "mmo/cost/counted_lambda.h"
#include "mmo/eval/ranking_metrics.h"
#include "mmo/metric/class_weights.h"
#include "mmo/metric/ratio_check.h"

namespace mmo::python {
namespace {

// Rows of (a, b) of each label at its λ.
auto costs(const Metric& metric, std::size_t labels, const std::vector<double>& lambda) {
  require_labels(metric, labels);
  if (lambda.size() != 1 && lambda.size() != labels) throw UsageError("give one λ, or one per label");
  std::vector<double> out;
  for (std::size_t j = 0; j < labels; ++j) {
    const LabelCost cost = label_cost(metric.ratio(j), lambda[lambda.size() == 1 ? 0 : j]);
    out.insert(out.end(), {cost.false_negative, cost.false_positive});
  }
  return to_numpy(std::move(out), {labels, 2});
}

// Rows of TP, FP, FN, TN weights: the numerator's or the denominator's, one row or one per label.
auto coefficients(const Metric& metric, bool numerator) {
  std::vector<double> out;
  for (const CountRatio& ratio : metric.ratios) {
    const CountWeights& w = numerator ? ratio.numerator : ratio.denominator;
    out.insert(out.end(), {w.tp, w.fp, w.fn, w.tn});
  }
  return to_numpy(std::move(out), {metric.ratios.size(), 4});
}

Metric from_counts(const std::string& name, Average average, const DoubleMatrix& numerator,
                   const DoubleMatrix& denominator, double zero_division) {
  if (numerator.shape(1) != 4 || denominator.shape(1) != 4 || numerator.shape(0) != denominator.shape(0))
    throw UsageError(
        "numerator and denominator need the same number of rows of four weights: TP, FP, FN, TN");
  Metric metric{.name = name, .average = average, .ratios = {}, .zero_division = zero_division};
  const auto weights = [](const DoubleMatrix& m, std::size_t j) {
    return CountWeights{.tp = m(j, 0), .fp = m(j, 1), .fn = m(j, 2), .tn = m(j, 3)};
  };
  for (std::size_t j = 0; j < numerator.shape(0); ++j)
    metric.ratios.push_back({weights(numerator, j), weights(denominator, j)});
  check_ratios(metric, name);
  return metric;
}

using State = std::tuple<std::string, int, std::vector<std::vector<double>>, double>;

State state_of(const Metric& metric) {
  std::vector<std::vector<double>> ratios;
  for (const auto& [n, d] : metric.ratios) ratios.push_back({n.tp, n.fp, n.fn, n.tn, d.tp, d.fp, d.fn, d.tn});
  return {metric.name, static_cast<int>(metric.average), ratios, metric.zero_division};
}

Metric from_state(const State& state) {
  const auto& [name, average, ratios, zero_division] = state;
  Metric metric{
      .name = name, .average = static_cast<Average>(average), .ratios = {}, .zero_division = zero_division};
  for (const std::vector<double>& c : ratios) {
    if (c.size() != 8) throw UsageError("a pickled metric is damaged");
    metric.ratios.push_back({{c[0], c[1], c[2], c[3]}, {c[4], c[5], c[6], c[7]}});
  }
  return metric;
}

auto label_counts(const LabelMatrix& predicted, const OwnedTruth& truth) {
  std::vector<double> out;
  for (const Counts& c : count_labels(predicted, truth.view()))
    out.insert(out.end(), {c.tp, c.fp, c.fn, c.tn});
  return to_numpy(std::move(out), {predicted.cols, 4});
}

std::map<std::string, double> all_metrics(const LabelMatrix& predicted, const OwnedTruth& truth,
                                          double zero_division) {
  std::map<std::string, double> out;
  for (const NamedValue& value : standard_metrics(predicted, truth.view(), zero_division))
    out[value.name] = value.value;
  return out;
}

std::map<std::string, double> ranking_at(const Features& scores, const OwnedTruth& truth, std::size_t k,
                                         const std::vector<double>& propensity) {
  const RankingValues v = run(0, [&] {
    const Rankings rankings = rank_labels(scores, truth.view(), k);
    return ranking_metrics(rankings, truth.view(), std::array{k}, propensity)[0];
  });
  std::map<std::string, double> out{
      {"precision", v.precision}, {"recall", v.recall}, {"ndcg", v.ndcg}, {"coverage", v.coverage}};
  if (v.psprecision) out["psprecision"] = *v.psprecision;
  if (v.psndcg) out["psndcg"] = *v.psndcg;
  return out;
}

// What people with many labels report, of dense scores and of short lists.
void bind_ranking(nb::module_& module) {
  module.def(
      "ranking_dense",
      [](const AnyArray& scores, const OwnedTruth& truth, std::size_t k,
         const std::vector<double>& propensity) {
        return ranking_at(to_dense(scores), truth, k, propensity);
      },
      nb::arg("scores"), nb::arg("truth"), nb::arg("k"), nb::arg("propensity"));
  module.def(
      "ranking_sparse",
      [](const Offsets& offsets, const Indices& indices, const Weights& values, std::size_t cols,
         const OwnedTruth& truth, std::size_t k, const std::vector<double>& propensity) {
        return ranking_at(to_csr(offsets, indices, values, cols), truth, k, propensity);
      },
      nb::arg("offsets"), nb::arg("indices"), nb::arg("values"), nb::arg("cols"), nb::arg("truth"),
      nb::arg("k"), nb::arg("propensity"));
  module.def(
      "propensities",
      [](const LabelMatrix& training) { return to_numpy(propensities(training), {training.cols}); },
      nb::arg("training"));
}

}  // namespace

void bind_metric(nb::module_& module) {
  nb::enum_<Average>(module, "Average")
      .value("micro", Average::micro)
      .value("macro", Average::macro)
      .value("samples", Average::samples)
      .value("weighted", Average::weighted);

  nb::class_<Metric>(module, "Metric", "A ratio of TP, FP, FN, TN and how it is averaged.")
      .def(
          "__init__",
          [](Metric* self, const std::string& text, double zero_division) {
            new (self) Metric(parse_metric(text, zero_division));
          },
          nb::arg("text"), nb::arg("zero_division") = 0.0)
      .def_static("from_counts", from_counts, nb::arg("name"), nb::arg("average"), nb::arg("numerator"),
                  nb::arg("denominator"), nb::arg("zero_division") = 0.0)
      .def("__repr__", [](const Metric& metric) { return "Metric('" + metric.name + "')"; })
      .def("__getstate__", state_of)
      .def("__setstate__",
           [](Metric& metric, const State& state) { new (&metric) Metric(from_state(state)); })
      .def_ro("name", &Metric::name)
      .def_ro("average", &Metric::average)
      .def_ro("zero_division", &Metric::zero_division)
      .def_prop_ro("by_label", [](const Metric& metric) { return by_label(metric); })
      .def_prop_ro("formula", [](const Metric& metric) { return formula(metric.ratio(0)); })
      .def_prop_ro(
          "numerator", [](const Metric& metric) { return coefficients(metric, true); }, nb::rv_policy::move)
      .def_prop_ro(
          "denominator", [](const Metric& metric) { return coefficients(metric, false); },
          nb::rv_policy::move)
      .def_prop_ro("range",
                   [](const Metric& metric) {
                     const Range range = value_range(metric.ratio(0));
                     return std::pair(range.low, range.high);
                   })
      .def_prop_ro("start", [](const Metric& metric) { return start_lambda(metric.ratio(0)); })
      .def("costs", costs, nb::arg("labels"), nb::arg("lambdas"),
           "Costs of a false negative and a false positive, per label.");
  module.def("known_metrics", &known_metrics);
  module.def(
      "weight_classes",
      [](const Metric& metric, const DoubleMatrix& pairs) {
        std::vector<ClassWeights> weights;
        for (std::size_t j = 0; j < pairs.shape(0); ++j) weights.push_back({pairs(j, 0), pairs(j, 1)});
        return weight_classes(metric, weights);
      },
      nb::arg("metric"), nb::arg("pairs"), "The metric with each label's positives and negatives weighted.");

  nb::class_<LabelMatrix>(module, "Labels", "The labels present in each row.")
      .def(
          "__init__",
          [](LabelMatrix* self, const Offsets& offsets, const Indices& indices, std::size_t cols) {
            new (self) LabelMatrix(to_labels(offsets, indices, cols));
          },
          nb::arg("offsets"), nb::arg("indices"), nb::arg("cols"));
  nb::class_<OwnedTruth>(module, "Truth", "What predictions are compared with.")
      .def(
          "__init__",
          [](OwnedTruth* self, const LabelMatrix& labels, const std::optional<LabelMatrix>& unknown,
             const std::optional<Weights>& row_weights, const std::optional<Weights>& label_weights) {
            new (self) OwnedTruth{.labels = labels,
                                  .unknown = unknown.value_or(LabelMatrix{}),
                                  .row_weights = to_vector(row_weights),
                                  .label_weights = to_vector(label_weights)};
            if (!self->row_weights.empty() && self->row_weights.size() != labels.rows)
              throw DataError("sample_weight needs one value per row");
            if (!self->label_weights.empty() && self->label_weights.size() != labels.cols)
              throw DataError("label_weight needs one value per label");
          },
          nb::arg("labels"), nb::arg("unknown") = nb::none(), nb::arg("row_weights") = nb::none(),
          nb::arg("label_weights") = nb::none());

  module.def(
      "evaluate",
      [](const Metric& metric, const LabelMatrix& predicted, const OwnedTruth& truth) {
        return run(0, [&] { return evaluate(metric, predicted, truth.view()); });
      },
      nb::arg("metric"), nb::arg("predicted"), nb::arg("truth"));
  module.def(
      "row_values",
      [](const Metric& metric, const LabelMatrix& predicted, const OwnedTruth& truth) {
        auto values = run(0, [&] { return row_values(metric, predicted, truth.view()); });
        return to_numpy(std::move(values), {predicted.rows});
      },
      nb::arg("metric"), nb::arg("predicted"), nb::arg("truth"));
  module.def("label_counts", label_counts, nb::arg("predicted"), nb::arg("truth"));
  module.def(
      "subset_accuracy",
      [](const LabelMatrix& predicted, const OwnedTruth& truth) {
        return subset_accuracy(predicted, truth.view());
      },
      nb::arg("predicted"), nb::arg("truth"));
  module.def("standard_metrics", all_metrics, nb::arg("predicted"), nb::arg("truth"),
             nb::arg("zero_division"));
  module.def(
      "bootstrap",
      [](const Metric& metric, const LabelMatrix& predicted, const OwnedTruth& truth, int replicates,
         std::uint64_t seed, double coverage) {
        const Interval interval =
            run(0, [&] { return bootstrap(metric, predicted, truth.view(), replicates, seed, coverage); });
        return std::pair(interval.low, interval.high);
      },
      nb::arg("metric"), nb::arg("predicted"), nb::arg("truth"), nb::arg("replicates"), nb::arg("seed"),
      nb::arg("coverage"));
  bind_ranking(module);
}

}  // namespace mmo::python
