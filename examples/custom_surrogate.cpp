// A surrogate of your own (here the cost-weighted exponential loss) through the library's λ search: you
// train, it asks for the metric and the linearised loss at λ. The gradient is checked by differences first.
#include <fmt/core.h>

#include <cmath>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/cost/cost.h"
#include "mmo/cost/lambda_search.h"

namespace {

struct Sample {
  double x, y;  // y = ±1
};

// a·e^{−s} where the label is present, b·e^{s} where it is absent; s = w·x + b.
double loss(const mmo::LabelCost& cost, double score, double y, double& slope) {
  const double value = (y > 0 ? cost.false_negative : cost.false_positive) * std::exp(-y * score);
  slope = -y * value;
  return value;
}

bool gradient_is_the_slope(const mmo::LabelCost& cost) {
  const double h = 1e-6;
  for (const double y : {-1.0, 1.0}) {
    for (double score = -2; score <= 2; score += 0.5) {
      double slope = 0;
      double ignored = 0;
      loss(cost, score, y, slope);
      const double difference =
          (loss(cost, score + h, y, ignored) - loss(cost, score - h, y, ignored)) / (2 * h);
      if (std::fabs(slope - difference) > 1e-6) return false;
    }
  }
  return true;
}

struct Line {
  double weight = 0, bias = 0;
};

Line train(const std::vector<Sample>& data, const mmo::LabelCost& cost) {
  Line line;
  for (int step = 0; step < 400; ++step) {
    Line gradient;
    for (const Sample& s : data) {
      double slope = 0;
      loss(cost, line.weight * s.x + line.bias, s.y, slope);
      gradient.weight += slope * s.x / static_cast<double>(data.size());
      gradient.bias += slope / static_cast<double>(data.size());
    }
    line.weight -= 0.3 * gradient.weight;
    line.bias -= 0.3 * gradient.bias;
  }
  return line;
}

}  // namespace

int main() {
  if (!gradient_is_the_slope({1.4, 0.6})) {
    fmt::print("the gradient is not the slope of the loss\n");
    return 1;
  }
  mmo::Random random(1);
  std::vector<Sample> data;
  for (int i = 0; i < 500; ++i) {
    const double x = random.normal();
    data.push_back({x, x + 1.5 * random.normal() > 1 ? 1.0 : -1.0});
  }
  const mmo::CountRatio f1 = mmo::parse_metric("f1").ratio(0);
  const mmo::EvaluateLambda at = [&](const std::vector<double>& lambda) {
    const Line line = train(data, mmo::label_cost(f1, lambda[0]));
    mmo::Counts counts;
    for (const Sample& s : data) {
      const bool predicted = line.weight * s.x + line.bias >= 0;
      (s.y > 0 ? (predicted ? counts.tp : counts.fn) : (predicted ? counts.fp : counts.tn)) += 1;
    }
    const auto rows = static_cast<double>(data.size());
    return std::vector<mmo::LambdaValue>{
        {mmo::ratio_value(f1, counts, 0), mmo::linearised_loss(f1, lambda[0], counts) / rows}};
  };
  const mmo::LambdaResult found = mmo::lambda_scan(at, {{.low = 0, .high = 1}}, 0.05);
  fmt::print("plain exponential loss: F1 {:.3f}\n", at({1.0})[0].metric);
  fmt::print("at the scan's λ = {:.2f}, the best of {} fits: F1 {:.3f}\n", found.lambda[0],
             found.steps.size(), found.metric[0]);
}
