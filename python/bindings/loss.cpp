// Losses: the fused training step of mmo.torch, gradients for boosting, and what torch's own forms are
// compared with.
#include <limits>

#include "call.h"
#include "convert.h"
#include "mmo/core/error.h"
#include "mmo/cost/counted_lambda.h"
#include "mmo/loss/asl.h"
#include "mmo/loss/batch_counts.h"
#include "mmo/loss/logit_rows.h"
#include "mmo/loss/row_ratios.h"
#include "mmo/loss/sigmoid_f1.h"

namespace mmo::python {
namespace {

using ByteMatrix = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<LabelCost> to_costs(const DoubleMatrix& costs) {
  std::vector<LabelCost> out;
  for (std::size_t j = 0; j < costs.shape(0); ++j) out.push_back({costs(j, 0), costs(j, 1)});
  return out;
}

template <class Matrix>
auto cells(const Matrix& m) {
  return std::span(m.data(), m.size());
}

// One training step on torch's own memory, given by address: going through DLPack costs more than the loss of
// a small batch. mmo.torch checks type, shape and layout.
class FusedLoss {
 public:
  FusedLoss(Metric metric, std::pair<double, double> memory, double kappa, bool mean, bool nan_is_unknown)
      : metric_(std::move(metric)),
        memory_{.decay = memory.first, .shrinkage = memory.second},
        kappa_(kappa),
        reduction_(mean ? Reduction::mean : Reduction::sum),
        nan_is_unknown_(nan_is_unknown) {}

  // state: rows TP, FP, FN, TN, λ of `groups` float32 each (metrics averaged over rows: Σ of ratios, rows, -,
  // -, λ), updated in place when `update`; gradient 0 = not wanted.
  double step(std::uintptr_t logits, std::uintptr_t targets, std::size_t rows, std::size_t labels,
              std::uintptr_t state, std::size_t groups, bool update, std::uintptr_t gradient,
              int threads) const {
    ScoreBatch batch;
    batch.rows = rows;
    batch.labels_count = labels;
    batch.scores = {reinterpret_cast<const float*>(logits), rows * labels};
    batch.targets = {reinterpret_cast<const float*>(targets), rows * labels};
    batch.logits = true;
    auto* const stored = reinterpret_cast<float*>(state);
    const ThreadCount count(threads);
    const nb::gil_scoped_release release;
    std::vector<double> lambda(stored + 4 * groups, stored + 5 * groups);
    if (update) follow(batch, stored, lambda);
    return batch_surrogate(batch, label_costs(metric_, labels, lambda), kappa_, reduction_,
                           {reinterpret_cast<float*>(gradient), gradient == 0 ? 0 : rows * labels});
  }

 private:
  static void refuse_unknown(const std::vector<Counts>& counts, std::size_t cells) {
    double known = 0;
    for (const Counts& c : counts) known += c.tp + c.fp + c.fn + c.tn;
    if (known < static_cast<double>(cells) - 0.5)
      throw UsageError("targets hold NaN; give ignore_value=float(\"nan\") if they are unknown");
  }

  void follow(const ScoreBatch& batch, float* stored, std::vector<double>& lambda) const {
    const std::size_t groups = lambda.size();
    std::vector<Counts> fresh(groups);
    batch_counts(batch, fresh);
    if (!nan_is_unknown_) refuse_unknown(fresh, batch.targets.size());
    if (metric_.average == Average::samples) {
      RowRatios kept{.sum = stored[0], .rows = stored[1]};
      follow_rows(row_ratios(metric_, batch, std::numeric_limits<double>::quiet_NaN()), memory_.decay, kept,
                  lambda[0]);
      stored[0] = static_cast<float>(kept.sum);
      stored[1] = static_cast<float>(kept.rows);
    } else {
      follow_all(fresh, stored, lambda);
    }
    for (std::size_t j = 0; j < groups; ++j) stored[4 * groups + j] = static_cast<float>(lambda[j]);
  }

  void follow_all(const std::vector<Counts>& fresh, float* stored, std::vector<double>& lambda) const {
    const std::size_t groups = lambda.size();
    std::vector<Counts> kept(groups);
    for (std::size_t j = 0; j < groups; ++j) {
      kept[j] = {.tp = stored[j],
                 .fp = stored[groups + j],
                 .fn = stored[2 * groups + j],
                 .tn = stored[3 * groups + j]};
    }
    follow_counts(metric_, fresh, memory_, kept, lambda);
    for (std::size_t j = 0; j < groups; ++j) {
      stored[j] = static_cast<float>(kept[j].tp);
      stored[groups + j] = static_cast<float>(kept[j].fp);
      stored[2 * groups + j] = static_cast<float>(kept[j].fn);
      stored[3 * groups + j] = static_cast<float>(kept[j].tn);
    }
  }

  Metric metric_;
  CountMemory memory_;
  double kappa_;
  Reduction reduction_;
  bool nan_is_unknown_;
};

using Array = nb::ndarray<nb::numpy, double>;

std::tuple<Array, Array, Array> surrogate(const DoubleMatrix& logits, const DoubleMatrix& targets,
                                          const DoubleMatrix& costs, double tau, bool joint, int threads) {
  const std::size_t rows = logits.shape(0);
  const std::size_t labels = logits.shape(1);
  if (targets.shape(0) != rows || targets.shape(1) != labels || costs.shape(0) != labels)
    throw UsageError("logits, targets and costs differ in rows or labels");
  std::vector<double> gradient(rows * labels);
  std::vector<double> curvature(joint && tau > 0 ? 0 : rows * labels);
  auto values = run(threads, [&] {
    return surrogate_of_logits({rows, labels, cells(logits), cells(targets)}, to_costs(costs), {tau, joint},
                               gradient, curvature);
  });
  const std::size_t curved = curvature.empty() ? 0 : rows;
  return {to_numpy(std::move(values), {rows}), to_numpy(std::move(gradient), {rows, labels}),
          to_numpy(std::move(curvature), {curved, labels})};
}

std::pair<double, Array> asl_loss(const DoubleMatrix& logits, const ByteMatrix& present,
                                  double gamma_positive, double gamma_negative, double margin) {
  std::vector<double> gradient(logits.size());
  const double value =
      asl(cells(logits), cells(present),
          {.gamma_positive = gamma_positive, .gamma_negative = gamma_negative, .margin = margin}, gradient);
  return {value, to_numpy(std::move(gradient), {logits.shape(0), logits.shape(1)})};
}

std::pair<double, Array> sigmoid_f1_loss(const DoubleMatrix& logits, const ByteMatrix& present, double beta,
                                         double eta, bool micro) {
  std::vector<double> gradient(logits.size());
  const double value = sigmoid_f1(logits.shape(1), cells(logits), cells(present),
                                  {.beta = beta, .eta = eta, .micro = micro}, gradient);
  return {value, to_numpy(std::move(gradient), {logits.shape(0), logits.shape(1)})};
}

}  // namespace

void bind_loss(nb::module_& module) {
  nb::class_<FusedLoss>(module, "FusedLoss", "Counts, λ, loss and gradient in one call.")
      .def(nb::init<Metric, std::pair<double, double>, double, bool, bool>(), nb::arg("metric"),
           nb::arg("memory"), nb::arg("kappa"), nb::arg("mean"), nb::arg("nan_is_unknown"))
      .def("step", &FusedLoss::step);
  module.def(
      "default_memory",
      [](bool per_label) {
        const CountMemory memory = default_memory(per_label);
        return std::pair(memory.decay, memory.shrinkage);
      },
      nb::arg("per_label"), "Decay per batch and shrinkage of the counts that λ follows.");
  module.def(
      "counted_lambda",
      [](const Metric& metric, const DoubleMatrix& counts, double shrinkage) {
        std::vector<Counts> fresh;
        for (std::size_t j = 0; j < counts.shape(0); ++j)
          fresh.push_back({.tp = counts(j, 0), .fp = counts(j, 1), .fn = counts(j, 2), .tn = counts(j, 3)});
        std::vector<Counts> kept(fresh.size());
        std::vector<double> lambda(fresh.size());
        follow_counts(metric, fresh, {.decay = 0, .shrinkage = shrinkage}, kept, lambda);
        const std::size_t labels = lambda.size();
        return to_numpy(std::move(lambda), {labels});
      },
      nb::arg("metric"), nb::arg("counts"), nb::arg("shrinkage"),
      "λ of each label's counts; 0 where they show nothing.");
  module.def("surrogate", surrogate, nb::arg("logits"), nb::arg("targets"), nb::arg("costs"), nb::arg("tau"),
             nb::arg("joint"), nb::arg("threads") = 0,
             "Loss of each row, its gradient and (but for joint τ > 0) its curvature by the logits.");
  module.def("asl", asl_loss, nb::arg("logits"), nb::arg("present"), nb::arg("gamma_positive"),
             nb::arg("gamma_negative"), nb::arg("margin"));
  module.def("sigmoid_f1", sigmoid_f1_loss, nb::arg("logits"), nb::arg("present"), nb::arg("beta"),
             nb::arg("eta"), nb::arg("micro"));
}

}  // namespace mmo::python
