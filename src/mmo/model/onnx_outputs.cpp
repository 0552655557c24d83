#include "mmo/model/onnx_outputs.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace mmo {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::int64_t count(std::size_t n) { return static_cast<std::int64_t>(n); }

std::string row_constant(OnnxGraph& graph, const std::vector<float>& values) {
  return graph.constant(values, {1, count(values.size())});
}

// Each label's rank (0 = first) among the `top` largest keys of its row; l elsewhere. TopK breaks ties as the
// rule does: the lower label first.
struct Places {
  std::string order;  // [N, top] labels, best first
  std::string place;  // [N, l]
};

Places places(OnnxGraph& graph, const std::string& key, std::size_t top, std::size_t labels) {
  const std::string order =
      graph.node("TopK", {key, graph.constant(std::vector<std::int64_t>{count(top)}, {1})}, 2,
                 {{"axis", std::int64_t{1}}})[1];
  std::vector<std::int64_t> numbers(top);
  for (std::size_t k = 0; k < top; ++k) numbers[k] = count(k);
  const std::string ranks =
      graph.node("Expand", {graph.constant(numbers, {1, count(top)}), graph.node("Shape", {order})});
  const std::string nowhere = graph.node("Expand", {graph.scalar(count(labels)), graph.node("Shape", {key})});
  return {order, graph.node("ScatterElements", {nowhere, order, ranks}, {{"axis", std::int64_t{1}}})};
}

std::string by_thresholds(OnnxGraph& graph, const DecisionRule& rule, const std::string& z) {
  const std::size_t labels = rule.thresholds.size();
  const std::string thresholds = row_constant(graph, rule.thresholds);
  std::string chosen = graph.node("GreaterOrEqual", {z, thresholds});
  const auto excluded =
      static_cast<std::size_t>(std::count(rule.thresholds.begin(), rule.thresholds.end(), infinity));
  const std::size_t most = std::min(rule.max_labels > 0 ? rule.max_labels : labels, labels - excluded);
  const std::size_t least = std::min(rule.min_labels, most);
  const std::size_t top = rule.max_labels > 0 ? most : least;
  if (top == 0) return chosen;

  const std::string place = places(graph, graph.node("Sub", {z, thresholds}), top, labels).place;
  if (rule.max_labels > 0) {
    chosen = graph.node("And", {chosen, graph.node("Less", {place, graph.scalar(count(most))})});
  }
  return graph.node("Or", {chosen, graph.node("Less", {place, graph.scalar(count(least))})});
}

// N(k) = per_sum·Σ_{i≤k}p + per_label·k + per_total·Σp + tn·l, as in decision_rule.cpp, for k = 0 … l.
std::string expected_count(OnnxGraph& graph, const CountWeights& w, const std::string& sums,
                           const std::string& total, std::size_t labels) {
  std::vector<double> fixed(labels + 1);
  for (std::size_t k = 0; k <= labels; ++k) {
    fixed[k] = (w.fp - w.tn) * static_cast<double>(k) + w.tn * static_cast<double>(labels);
  }
  const std::string by_sum = graph.node("Mul", {sums, graph.scalar(w.tp - w.fp - w.fn + w.tn)});
  const std::string by_total = graph.node("Mul", {total, graph.scalar(w.fn - w.tn)});
  const std::string by_count = graph.constant(fixed, {1, count(labels + 1)});
  return graph.node("Add", {graph.node("Add", {by_sum, by_count}), by_total});
}

// σ(z) in double, clamped as in decision_rule.cpp.
std::string probability(OnnxGraph& graph, const std::string& z) {
  const std::string clamped = graph.node(
      "Clip", {graph.cast(z, OnnxType::float64), graph.scalar(-largest_logit), graph.scalar(largest_logit)});
  const std::string odds_against = graph.node("Exp", {graph.node("Neg", {clamped})});
  return graph.node("Div", {graph.scalar(1.0), graph.node("Add", {graph.scalar(1.0), odds_against})});
}

// In double, as decide_row does, so that near ties go the same way.
std::string by_expected_count(OnnxGraph& graph, const DecisionRule& rule, const std::string& z,
                              std::size_t labels) {
  // TopK's key: +∞ for labels always predicted, −∞ for those never predicted, else z.
  std::vector<float> lowest(labels, -infinity);
  std::vector<float> highest(labels, infinity);
  std::size_t forced = 0;
  std::size_t allowed = labels;
  for (std::size_t j = 0; j < rule.thresholds.size(); ++j) {
    if (rule.thresholds[j] == -infinity) {
      lowest[j] = infinity;
      ++forced;
    } else if (rule.thresholds[j] == infinity) {
      highest[j] = -infinity;
      --allowed;
    }
  }
  const std::string above = graph.node("Max", {z, row_constant(graph, lowest)});
  const std::string key = graph.node("Min", {above, row_constant(graph, highest)});
  const Places ranked = places(graph, key, labels, labels);

  const std::string p = probability(graph, z);
  const std::string sorted = graph.node("GatherElements", {p, ranked.order}, {{"axis", std::int64_t{1}}});
  const std::string axis = graph.constant(std::vector<std::int64_t>{1}, {1});
  const std::string total = graph.node("ReduceSum", {p, axis}, {{"keepdims", std::int64_t{1}}});
  const std::string nothing = graph.node("Mul", {total, graph.scalar(0.0)});
  const std::string prefix = graph.node("CumSum", {sorted, graph.scalar(std::int64_t{1})});
  const std::string sums = graph.node("Concat", {nothing, prefix}, {{"axis", std::int64_t{1}}});

  const std::string above_line = expected_count(graph, rule.ratio.numerator, sums, total, labels);
  const std::string below_line = expected_count(graph, rule.ratio.denominator, sums, total, labels);
  const std::string defined = graph.node("Greater", {below_line, graph.scalar(0.0)});
  const std::string safe = graph.node("Where", {defined, below_line, graph.scalar(1.0)});
  const std::string ratio =
      graph.node("Where", {defined, graph.node("Div", {above_line, safe}), graph.scalar(0.0)});

  const std::size_t most = std::min(rule.max_labels > 0 ? rule.max_labels : allowed, allowed);
  const std::size_t least = std::min(std::max(rule.min_labels, forced), most);
  std::vector<double> penalty(labels + 1, -std::numeric_limits<double>::infinity());
  for (std::size_t k = least; k <= most; ++k) penalty[k] = 0;
  const std::string value = graph.node("Add", {ratio, graph.constant(penalty, {1, count(labels + 1)})});
  const std::string best =
      graph.node("ArgMax", {value}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{1}}});
  return graph.node("Less", {ranked.place, best});
}

}  // namespace

void add_outputs(OnnxGraph& graph, const DecisionRule& rule, const std::string& z,
                 const std::vector<std::string>& label_names, const std::string& metric) {
  const std::size_t labels = label_names.size();
  const std::string chosen = rule.kind == DecisionRule::Kind::thresholds
                                 ? by_thresholds(graph, rule, z)
                                 : by_expected_count(graph, rule, z, labels);
  graph.output("scores", z, OnnxType::float32, {"N", count(labels)});
  graph.output("labels", graph.cast(chosen, OnnxType::int64), OnnxType::int64, {"N", count(labels)});
  const nlohmann::json about{{"metric", metric}, {"labels", label_names}};
  graph.metadata("mmo", about.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace mmo
