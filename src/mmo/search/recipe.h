// A method is a recipe: which feature maps, losses, λ search, label mix and decision rule are tried. All
// methods, baselines and ablations are entries of one table; `--set key=value` changes one entry.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mmo/cost/lambda_search.h"
#include "mmo/learn/linear/minibatch_fit.h"
#include "mmo/rule/fit_rule.h"
#include "mmo/transform/encoder.h"
#include "mmo/transform/feature_map.h"

namespace mmo {

enum class Effort { quick, standard, thorough };

// V of the label mix is l × l and its fit costs n·l²: beyond this many labels it is left out.
inline constexpr std::size_t most_mixed_labels = 4000;

// What may compete and be blended. `forest` is a random forest and extra trees.
enum class LearnerKind { linear, kernel, forest, boosted };

// All labels at once, each with scores of every row, or short lists from trees of labels; by size.
enum class LabelWay { automatic, all, tree };

struct Recipe {
  std::string name, summary;
  std::vector<LearnerKind> learners{LearnerKind::linear};
  bool menu = false;  // of these learners only those that suit the data
  std::vector<FeatureMap::Kind> dense_maps{FeatureMap::Kind::standardise};
  std::vector<FeatureMap::Kind> sparse_maps{FeatureMap::Kind::identity};
  // Candidate strengths of L2 as multiples ρ of tr(XcᵀXc)/d, strong to weak; empty = this loss is not used.
  std::vector<double> logistic_path;
  std::vector<double> hinge_path;
  bool l2_by_metric = true;  // else by log-loss
  LambdaSearch lambda = LambdaSearch::none;
  double lambda_value = 0.5;  // fixed
  double lambda_step = 0.02;  // scan
  double tau = 0;             // of the logistic-type loss
  bool joint = false;         // coupling
  MiniBatch minibatch = MiniBatch::none;
  bool stack = false;
  RuleKind rule = RuleKind::automatic;
  int min_labels = 0;          // −1 = chosen
  std::size_t max_labels = 0;  // 0 = no limit
  LabelWay labels = LabelWay::automatic;
  MissingFeatures missing = MissingFeatures::mark;
};

// The recipe of a method with the settings applied. Throws UsageError listing the candidates.
[[nodiscard]] Recipe make_recipe(const std::string& method, Effort effort,
                                 const std::map<std::string, std::string>& settings);

// One of the recipe's settings, for `mmo methods` and the error that lists candidates.
struct SettingInfo {
  std::string key, values, meaning;
};
struct MethodInfo {
  std::string name, summary;
};
[[nodiscard]] std::vector<MethodInfo> known_methods();
[[nodiscard]] std::vector<SettingInfo> known_settings();

}  // namespace mmo
