#include "mmo/model/scorer_parts.h"

#include <algorithm>
#include <cmath>

#include "mmo/core/error.h"
#include "mmo/learn/kernel/kernel_scores.h"

namespace mmo {

using nlohmann::json;

json save_feature_map(const FeatureMap& map, const std::string& name, PartWriter& out) {
  out.add(name + ".centre", map.centre);
  out.add(name + ".scale", map.scale);
  out.add(name + ".offset", map.offset);
  const std::size_t columns = map.knots > 0 ? map.knot_values.size() / map.knots : 0;
  out.add(name + ".knot_values", map.knot_values, {columns, map.knots});
  out.add(name + ".knot_scores", map.knot_scores, {columns, map.knots});
  return {{"kind", kind_name(map.kind)}, {"knots", map.knots}};
}

FeatureMap load_feature_map(const json& from, const std::string& name, const PartReader& in,
                            std::size_t columns) {
  using Kind = FeatureMap::Kind;
  FeatureMap map;
  map.kind = parse_feature_map(from.at("kind").get<std::string>());
  map.knots = from.at("knots").get<std::size_t>();
  const bool shifted = map.kind == Kind::standardise || map.kind == Kind::arcsinh;
  const bool ranked = map.kind == Kind::rank_gauss;
  in.require((map.knots > 0) == ranked, "its feature map has a wrong number of knots");
  map.centre = in.read<float>(name + ".centre", shifted ? columns : 0);
  map.scale = in.read<float>(name + ".scale", shifted || map.kind == Kind::idf_l2 ? columns : 0);
  map.offset = in.read<float>(name + ".offset", map.kind == Kind::arcsinh ? columns : 0);
  map.knot_values = in.read<float>(name + ".knot_values", {ranked ? columns : 0, map.knots});
  map.knot_scores = in.read<float>(name + ".knot_scores", {ranked ? columns : 0, map.knots});
  return map;
}

namespace {

json save_scorer(const KernelScorer& scorer, const std::string& name, PartWriter& out) {
  out.add_matrix(name + ".landmarks", scorer.landmarks);
  out.add_matrix(name + ".weights", scorer.weights);
  out.add(name + ".bias", scorer.bias);
  return {{"learner", "kernel"},
          {"gaussian", scorer.kernel.kind == Kernel::Kind::gaussian},
          {"decay", scorer.kernel.decay},
          {"map", save_feature_map(scorer.map, name + ".map", out)}};
}

KernelScorer load_kernel(const json& from, const std::string& name, const PartReader& in, std::size_t columns,
                         std::size_t labels) {
  KernelScorer scorer;
  scorer.kernel.kind = from.at("gaussian").get<bool>() ? Kernel::Kind::gaussian : Kernel::Kind::exponential;
  scorer.kernel.decay = from.at("decay").get<float>();
  scorer.map = load_feature_map(from.at("map"), name + ".map", in, columns);
  in.require(scorer.map.kind == FeatureMap::Kind::rank_gauss, "its kernel machine has a wrong feature map");
  scorer.weights = in.read_matrix(name + ".weights", labels);
  scorer.landmarks = in.read_matrix(name + ".landmarks", scorer.weights.rows);
  in.require(scorer.landmarks.rows == columns, "its landmarks have different features");
  scorer.bias = in.read<float>(name + ".bias", labels);
  check(scorer);
  return scorer;
}

json save_scorer(const ForestScorer& scorer, const std::string& name, PartWriter& out) {
  const auto add = [&](const char* part, const auto& values) { out.add(name + "." + part, values); };
  add("categories", scorer.categories);
  add("roots", scorer.roots);
  add("child", scorer.child);
  add("feature", scorer.feature);
  add("threshold", scorer.threshold);
  add("set", scorer.set);
  add("set_words", scorer.set_words);
  add("leaf_offsets", scorer.leaf_offsets);
  add("leaf_labels", scorer.leaf_labels);
  add("leaf_values", scorer.leaf_values);
  add("base", scorer.base);
  return {{"learner", "trees"},
          {"columns", scorer.columns},
          {"shares", scorer.link == ForestScorer::Link::shares},
          {"smoothing", scorer.smoothing}};
}

// Columns and their categories are those of the table the trees score.
ForestScorer load_forest(const json& from, const std::string& name, const PartReader& in, std::size_t columns,
                         const std::vector<std::uint32_t>& categories, std::size_t labels) {
  ForestScorer scorer;
  const auto read = [&](const char* part, auto& values) {
    using Value = typename std::remove_reference_t<decltype(values)>::value_type;
    values = in.read<Value>(name + "." + part, in.length(name + "." + part));
  };
  scorer.columns = from.at("columns").get<std::size_t>();
  scorer.labels = labels;
  scorer.link = from.at("shares").get<bool>() ? ForestScorer::Link::shares : ForestScorer::Link::logits;
  scorer.smoothing = from.at("smoothing").get<float>();
  read("categories", scorer.categories);
  read("roots", scorer.roots);
  read("child", scorer.child);
  read("feature", scorer.feature);
  read("threshold", scorer.threshold);
  read("set", scorer.set);
  read("set_words", scorer.set_words);
  read("leaf_offsets", scorer.leaf_offsets);
  read("leaf_labels", scorer.leaf_labels);
  read("leaf_values", scorer.leaf_values);
  read("base", scorer.base);
  in.require(scorer.columns == columns, "its trees are for a different number of features");
  in.require(scorer.categories == categories, "its trees are for different categories");
  check(scorer);
  return scorer;
}

WeightedScorer load_scorer(const json& from, const std::string& name, const PartReader& in,
                           const Model& model) {
  const std::size_t labels = model.labels();
  const std::size_t columns = model.weights.rows;
  WeightedScorer out;
  const auto learner = from.at("learner").get<std::string>();
  in.require(learner == "kernel" || learner == "trees", "it has an unknown learner '" + learner + "'");
  try {
    if (learner == "kernel") {
      out.scorer = load_kernel(from, name, in, columns, labels);
    } else {
      out.on_table = from.value("on_table", false);
      in.require(!out.on_table || !model.text, "its trees want columns, its input is text");
      out.scorer = out.on_table ? load_forest(from, name, in, model.encoder.raw_columns,
                                              model.encoder.category_counts(), labels)
                                : load_forest(from, name, in, columns, {}, labels);
    }
  } catch (const ModelError& error) {
    in.fail(error.what());
  }
  out.weights = in.read<float>(name + ".scale", labels);
  in.require(std::all_of(out.weights.begin(), out.weights.end(), [](float w) { return std::isfinite(w); }),
             "a learner's weights are not finite");
  return out;
}

std::string scorer_name(std::size_t k) { return "learner" + std::to_string(k); }

}  // namespace

json save_others(const std::vector<WeightedScorer>& others, PartWriter& out) {
  json all = json::array();
  for (std::size_t k = 0; k < others.size(); ++k) {
    const std::string name = scorer_name(k);
    all.push_back(
        std::visit([&](const auto& scorer) { return save_scorer(scorer, name, out); }, others[k].scorer));
    if (others[k].on_table) all.back()["on_table"] = true;
    out.add(name + ".scale", others[k].weights);
  }
  return all;
}

std::vector<WeightedScorer> load_others(const json& from, const PartReader& in, const Model& model) {
  constexpr std::size_t most_learners = 64;
  in.require(from.is_array() && from.size() <= most_learners, "its list of learners is damaged");
  std::vector<WeightedScorer> out;
  for (std::size_t k = 0; k < from.size(); ++k)
    out.push_back(load_scorer(from[k], scorer_name(k), in, model));
  return out;
}

}  // namespace mmo
