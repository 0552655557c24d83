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
  bool others = false;  // learners beside the linear one
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

inline KernelScorer random_kernel(const ModelShape& shape, Kernel::Kind kind, Random& random) {
  constexpr std::size_t landmarks = 11;
  KernelScorer out;
  out.map = fit_feature_map(FeatureMap::Kind::rank_gauss, random_features(600, shape.columns, random));
  out.kernel = {kind, 0.3F};
  out.landmarks = DenseMatrix(shape.columns, landmarks);
  out.landmarks.values = random_values(shape.columns * landmarks, random);
  out.weights = DenseMatrix(landmarks, shape.labels);
  out.weights.values = random_values(landmarks * shape.labels, random);
  out.bias = random_values(shape.labels, random);
  return out;
}

// Two stumps; the third leaf has no label, the second tree only a leaf.
inline ForestScorer random_forest(const ModelShape& shape, ForestScorer::Link link, Random& random) {
  ForestScorer out;
  out.columns = shape.columns;
  out.labels = shape.labels;
  out.link = link;
  out.roots = {0, 3, 4, 7};
  out.child = {1, 0, 0, 0, 1, 0, 0};
  const auto last = static_cast<std::uint32_t>(shape.columns - 1);
  out.feature = {last | trees::missing_left_flag, 0, 1, 0, 0, 1, 2};
  out.threshold = {0.1F, 0, 0, 0, -0.4F, 0, 0};
  out.leaf_offsets = {0, 1, 2, 2};
  out.leaf_labels = {0, static_cast<std::uint32_t>(shape.labels - 1)};
  out.leaf_values = {0.75F, 0.5F};
  out.base = std::vector<float>(shape.labels, 0.2F);
  out.base[0] = 0.3F + 0.1F * static_cast<float>(random.uniform());
  out.smoothing = link == ForestScorer::Link::shares ? 0.01F : 0.0F;
  return out;
}

inline void add_others(const ModelShape& shape, Random& random, Model& model) {
  using Kind = Kernel::Kind;
  using Link = ForestScorer::Link;
  const auto add = [&](auto scorer) {
    model.others.push_back({std::move(scorer), random_values(shape.labels, random)});
  };
  add(random_kernel(shape, Kind::gaussian, random));
  add(random_kernel(shape, Kind::exponential, random));
  add(random_forest(shape, Link::shares, random));
  add(random_forest(shape, Link::logits, random));
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
  if (shape.others) add_others(shape, random, model);
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
