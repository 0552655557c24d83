// A learner of your own, here nearest neighbours: whatever gives scores of rows that it has not seen gets the
// decisions that the metric wants.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "mmo/data/generate.h"
#include "mmo/eval/evaluate.h"
#include "mmo/rule/decision_rule.h"
#include "mmo/rule/fit_rule.h"

namespace {

constexpr std::size_t neighbours = 15;

float squared_distance(const mmo::DenseMatrix& x, std::size_t i, std::size_t k) {
  float sum = 0;
  for (std::size_t c = 0; c < x.cols; ++c) sum += (x(i, c) - x(k, c)) * (x(i, c) - x(k, c));
  return sum;
}

// Row i's logits from the share of the nearest rows that carry each label; the row itself has no vote.
void score_row(const mmo::DenseMatrix& x, const mmo::LabelMatrix& y, std::size_t i, std::size_t known,
               std::span<float> logits) {
  std::vector<std::pair<float, std::size_t>> near;
  for (std::size_t k = 0; k < known; ++k) {
    if (k != i) near.emplace_back(squared_distance(x, i, k), k);
  }
  std::nth_element(near.begin(), near.begin() + neighbours, near.end());
  std::vector<float> votes(logits.size(), 0.5F);
  for (std::size_t n = 0; n < neighbours; ++n) {
    for (const std::uint32_t j : y.row(near[n].second)) votes[j] += 1;
  }
  for (std::size_t j = 0; j < logits.size(); ++j)
    logits[j] = std::log(votes[j] / (static_cast<float>(neighbours) + 1 - votes[j]));
}

// Rows first … last − 1.
mmo::LabelMatrix part(const mmo::LabelMatrix& y, std::size_t first, std::size_t last) {
  mmo::LabelMatrix out;
  out.cols = y.cols;
  for (std::size_t i = first; i < last; ++i) out.push_row(y.row(i));
  return out;
}

}  // namespace

int main() {
  mmo::GenerateOptions shape;
  shape.rows = 900;
  shape.features = 12;
  shape.labels = 6;
  const mmo::Dataset data = mmo::generate_dataset(shape);
  const auto& x = std::get<mmo::DenseMatrix>(data.x);
  const std::size_t known = 600;

  // Scores of the known rows leave the row itself out, so that a rule may be fitted to them.
  mmo::DenseMatrix held_out(known, data.labels());
  mmo::DenseMatrix fresh(data.rows() - known, data.labels());
  for (std::size_t i = 0; i < data.rows(); ++i)
    score_row(x, data.y, i, known, i < known ? held_out.row(i) : fresh.row(i - known));

  const mmo::Metric metric = mmo::parse_metric("macro-f1");
  const mmo::LabelMatrix known_labels = part(data.y, 0, known);
  const mmo::LabelMatrix fresh_labels = part(data.y, known, data.rows());
  mmo::Truth seen;
  seen.labels = &known_labels;
  mmo::Truth unseen;
  unseen.labels = &fresh_labels;

  const mmo::FittedRule fitted = mmo::fit_rule(metric, held_out, seen, {});
  mmo::DecisionRule half;  // probability 0.5
  half.thresholds.assign(data.labels(), 0.0F);
  const double tuned = mmo::evaluate(metric, mmo::decide(fitted.rule, fresh), unseen);
  const double plain = mmo::evaluate(metric, mmo::decide(half, fresh), unseen);
  fmt::print("nearest neighbours, {}: {:.3f} at probability 0.5, {:.3f} with the rule\n", metric.name, plain,
             tuned);
}
