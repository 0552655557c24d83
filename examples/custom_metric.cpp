// A metric of your own: the paper's α, β ∈ ℝ^{4l}, one pair of four-vectors per label, in the order ŷy, y,
// ŷ, 1. Costs, search, rules and evaluation follow from it.
#include <fmt/core.h>

#include "mmo/cost/cost.h"
#include "mmo/data/generate.h"
#include "mmo/eval/evaluate.h"
#include "mmo/metric/ratio_check.h"
#include "mmo/search/train.h"

int main() {
  mmo::GenerateOptions shape;
  shape.rows = 600;
  shape.labels = 8;
  const mmo::Dataset data = mmo::generate_dataset(shape);

  // F1 for the first four labels, Jaccard for the others; one ratio of sums over all labels.
  mmo::Metric metric;
  metric.name = "F1 and Jaccard";
  metric.average = mmo::Average::micro;
  for (std::size_t j = 0; j < data.labels(); ++j) {
    const bool f1 = j < 4;
    mmo::CountRatio ratio;
    ratio.numerator = mmo::from_paper_form(f1 ? std::array{.5, .5, .5, .5} : std::array{.25, .25, .25, .25});
    ratio.denominator =
        mmo::from_paper_form(f1 ? std::array{0., .5, .5, 1.} : std::array{-.25, .25, .25, .75});
    metric.ratios.push_back(ratio);
  }
  mmo::check_ratios(metric, metric.name);  // throws where a denominator can change its sign

  for (const std::size_t j : {0U, 7U}) {
    const mmo::LabelCost cost = mmo::label_cost(metric.ratio(j), 0.6);
    fmt::print("label {}, {}: at λ = 0.6 a false negative costs {:.2f}, a false positive {:.2f}\n", j,
               mmo::formula(metric.ratio(j)), cost.false_negative, cost.false_positive);
  }

  mmo::TrainOptions options;
  options.metric = metric;
  options.method = "mmo";
  const mmo::Model model = mmo::train(data, options).model;
  const mmo::LabelMatrix predicted = mmo::predict(model, mmo::prepare(model, data));
  mmo::Truth truth;
  truth.labels = &data.y;
  fmt::print("{} on the training rows: {:.3f}\n", metric.name, mmo::evaluate(metric, predicted, truth));
}
