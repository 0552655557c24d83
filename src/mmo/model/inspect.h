// The model card: what a model is for, how it is built and what it looks at.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mmo/model/model.h"

namespace mmo {

struct HeavyFeature {
  std::string name;
  float weight = 0;
};

// Which features a label's score depends on.
class FeatureWeights {
 public:
  explicit FeatureWeights(const Model& model);  // the model must outlive it
  // The `count` features of largest |weight|, heaviest first, leaving out those without weight. The weight is
  // that of the mapped feature; for words and idf-l2 columns it is that times the idf: one occurrence's.
  [[nodiscard]] std::vector<HeavyFeature> heaviest(std::size_t label, std::size_t count) const;

 private:
  const Model& model_;
  std::vector<float> units_;
  std::vector<std::string> names_;  // by vocabulary or encoder, else f0, f1, …
};

// metric, input, features, labels, weights, feature_map, mix, rule, history, and label_table: name, bias,
// threshold and heaviest features of every label.
[[nodiscard]] nlohmann::json model_card(const Model& model, std::size_t features_per_label);
// The card as readable text, with at most `max_labels` lines of the label table.
[[nodiscard]] std::string model_card_text(const nlohmann::json& card, std::size_t max_labels);

}  // namespace mmo
