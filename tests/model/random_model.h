// Small models of every kind with random numbers, for tests.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "mmo/core/random.h"
#include "mmo/model/model.h"

namespace mmo {

struct ModelShape {
  std::size_t columns = 7;
  std::size_t labels = 5;
  FeatureMap::Kind map = FeatureMap::Kind::identity;
  bool mix = false;
  DecisionRule::Kind rule = DecisionRule::Kind::thresholds;
  std::size_t min_labels = 0;
  std::size_t max_labels = 0;
  bool infinite_thresholds = false;
};

inline std::vector<float> random_values(std::size_t count, Random& random, double spread = 1) {
  std::vector<float> out(count);
  for (float& v : out) v = static_cast<float>(spread * random.normal());
  return out;
}

// Skewed, with many zeros in the odd columns.
inline DenseMatrix random_features(std::size_t rows, std::size_t columns, Random& random) {
  DenseMatrix x(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double value = random.normal() * std::exp(random.normal());
      x(i, j) = j % 2 == 1 && random.uniform() < 0.5 ? 0.0F : static_cast<float>(value);
    }
  }
  return x;
}

inline Model random_model(const ModelShape& shape, Random& random) {
  Model model;
  model.metric.name = "micro-f1";
  model.metric.ratios = {CountRatio{{2, 0, 0, 0}, {2, 1, 1, 0}}};
  for (std::size_t j = 0; j < shape.labels; ++j) model.label_names.push_back("label " + std::to_string(j));
  model.encoder.raw_columns = shape.columns;
  model.feature_map = fit_feature_map(shape.map, random_features(600, shape.columns, random));
  model.weights = DenseMatrix(shape.columns, shape.labels);
  model.weights.values = random_values(shape.columns * shape.labels, random);
  model.bias = random_values(shape.labels, random);
  if (shape.mix) {
    LabelMix mix;
    mix.scale = 0.8F;
    mix.shift = 0.1F;
    for (std::size_t j = 0; j < shape.labels; ++j) mix.centre.push_back(static_cast<float>(random.uniform()));
    mix.weights = DenseMatrix(shape.labels, shape.labels);
    mix.weights.values = random_values(shape.labels * shape.labels, random);
    model.mix = mix;
  }
  model.rule.kind = shape.rule;
  model.rule.thresholds = random_values(shape.labels, random);
  if (shape.infinite_thresholds) {
    model.rule.thresholds.front() = std::numeric_limits<float>::infinity();
    model.rule.thresholds.back() = -std::numeric_limits<float>::infinity();
  }
  model.rule.ratio = model.metric.ratios.front();
  model.rule.min_labels = shape.min_labels;
  model.rule.max_labels = shape.max_labels;
  model.history = {{"method", "auto"}, {"seed", 7}, {"lambda", 0.625}};
  return model;
}

}  // namespace mmo
