#include "mmo/model/label_tree_parts.h"

#include <string>

#include "mmo/core/error.h"

namespace mmo {
namespace {

std::string tree_name(std::size_t t) { return "label_trees." + std::to_string(t); }

// Calls visit(part's name, its values) for each array of a tree.
template <class Tree, class Visit>
void visit_parts(Tree& tree, const Visit& visit) {
  visit("first_child", tree.first_child);
  visit("child", tree.child);
  visit("bias", tree.bias);
  visit("first_feature", tree.first_feature);
  visit("feature", tree.feature);
  visit("first_weight", tree.first_weight);
  visit("sibling", tree.sibling);
  visit("weight", tree.weight);
}

}  // namespace

nlohmann::json save_label_trees(const LabelTrees& trees, PartWriter& out) {
  out.add("label_trees.scale", trees.scale);
  out.add("label_trees.shift", trees.shift);
  for (std::size_t t = 0; t < trees.trees.size(); ++t) {
    visit_parts(trees.trees[t],
                [&](const char* part, const auto& values) { out.add(tree_name(t) + "." + part, values); });
  }
  return {{"trees", trees.trees.size()},
          {"features", trees.features()},
          {"length", trees.length},
          {"width", trees.width}};
}

LabelTrees load_label_trees(const nlohmann::json& from, const PartReader& in, std::size_t labels) {
  constexpr std::size_t most_trees = 64;
  LabelTrees out;
  const auto count = from.at("trees").get<std::size_t>();
  in.require(count > 0 && count <= most_trees, "its number of label trees is damaged");
  out.length = from.at("length").get<std::size_t>();
  out.width = from.at("width").get<std::size_t>();
  out.scale = in.read<float>("label_trees.scale", labels);
  out.shift = in.read<float>("label_trees.shift", labels);
  for (std::size_t t = 0; t < count; ++t) {
    LabelTreeScorer& tree = out.trees.emplace_back();
    tree.features = from.at("features").get<std::size_t>();
    tree.labels = labels;
    visit_parts(tree, [&](const char* part, auto& values) {
      using Value = typename std::remove_reference_t<decltype(values)>::value_type;
      const std::string name = tree_name(t) + "." + part;
      values = in.read<Value>(name, in.length(name));
    });
  }
  try {
    check(out);
  } catch (const ModelError& error) {
    in.fail(error.what());
  }
  return out;
}

}  // namespace mmo
