// The model's four stages as ONNX nodes: features [N, d] → feature map → Gemm → mix → "scores" [N, l] and the
// decisions "labels" [N, l] (0 or 1).
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/model/model.h"
#include "mmo/model/onnx_graph.h"

namespace mmo {
namespace {

using Shape = OnnxGraph::Shape;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::size_t largest_model = std::numeric_limits<std::int32_t>::max();  // protobuf's limit

std::int64_t count(std::size_t n) { return static_cast<std::int64_t>(n); }

std::string row_constant(OnnxGraph& graph, const std::vector<float>& values) {
  return graph.constant(values, {1, count(values.size())});
}

// The largest k with knots[k] ≤ x, found by halving: all cells at once, log₂(knots) steps, no N × d × knots
// tensor. Columns are padded with +∞ to a power of two; entry (j, k) lies at j·padded + k of the flat table.
std::string rank_gauss(OnnxGraph& graph, const FeatureMap& map, std::size_t columns, const std::string& x) {
  const std::size_t padded = std::bit_ceil(map.knots);
  std::vector<float> values;
  std::vector<float> scores;
  std::vector<std::int64_t> bases;
  for (std::size_t j = 0; j < columns; ++j) {
    const auto first = static_cast<std::ptrdiff_t>(j * map.knots);
    const auto last = static_cast<std::ptrdiff_t>((j + 1) * map.knots);
    values.insert(values.end(), map.knot_values.begin() + first, map.knot_values.begin() + last);
    scores.insert(scores.end(), map.knot_scores.begin() + first, map.knot_scores.begin() + last);
    values.resize((j + 1) * padded, infinity);
    scores.resize((j + 1) * padded, scores.back());
    bases.push_back(count(j * padded));
  }
  const std::string value_table = graph.constant(values, {count(values.size())});
  const std::string score_table = graph.constant(scores, {count(scores.size())});
  const std::string base = graph.constant(bases, {1, count(columns)});
  const auto gather = [&](const std::string& table, const std::string& index) {
    return graph.node("Gather", {table, index});
  };

  std::string at = graph.node("Expand", {base, graph.node("Shape", {x})});
  for (std::size_t step = padded / 2; step > 0; step /= 2) {
    const std::string ahead = graph.node("Add", {at, graph.scalar(count(step))});
    const std::string reached = graph.node("GreaterOrEqual", {x, gather(value_table, ahead)});
    at = graph.node("Where", {reached, ahead, at});
  }
  const std::string last = graph.node("Add", {base, graph.scalar(count(padded - 1))});
  const std::string above = graph.node("Min", {graph.node("Add", {at, graph.scalar(std::int64_t{1})}), last});
  const std::string x0 = gather(value_table, at);
  const std::string s0 = gather(score_table, at);
  const std::string width = graph.node("Sub", {gather(value_table, above), x0});
  const std::string safe_width =
      graph.node("Where", {graph.node("Greater", {width, graph.scalar(0.0F)}), width, graph.scalar(1.0F)});
  const std::string share = graph.node("Clip", {graph.node("Div", {graph.node("Sub", {x, x0}), safe_width}),
                                                graph.scalar(0.0F), graph.scalar(1.0F)});
  const std::string rise = graph.node("Sub", {gather(score_table, above), s0});
  return graph.node("Add", {s0, graph.node("Mul", {share, rise})});
}

std::string unit_rows(OnnxGraph& graph, const std::string& x) {
  const std::string norm = graph.node("ReduceL2", {x}, {{"axes", Shape{1}}, {"keepdims", std::int64_t{1}}});
  const std::string positive = graph.node("Greater", {norm, graph.scalar(0.0F)});
  return graph.node("Div", {x, graph.node("Where", {positive, norm, graph.scalar(1.0F)})});
}

std::string feature_map(OnnxGraph& graph, const FeatureMap& map, std::size_t columns, const std::string& x) {
  using Kind = FeatureMap::Kind;
  const auto scaled = [&] {
    const std::string centred = graph.node("Sub", {x, row_constant(graph, map.centre)});
    return graph.node("Mul", {centred, row_constant(graph, map.scale)});
  };
  switch (map.kind) {
    case Kind::identity:
      return x;
    case Kind::standardise:
      return scaled();
    case Kind::arcsinh:
      return graph.node("Sub", {graph.node("Asinh", {scaled()}), row_constant(graph, map.offset)});
    case Kind::rank_gauss:
      return rank_gauss(graph, map, columns, x);
    case Kind::l2_rows:
      return unit_rows(graph, x);
    case Kind::idf_l2:
      return unit_rows(graph, graph.node("Mul", {x, row_constant(graph, map.scale)}));
    case Kind::sqrt_l2:
      break;
  }
  const std::string root = graph.node("Sqrt", {graph.node("Abs", {x})});
  return unit_rows(graph, graph.node("Mul", {graph.node("Sign", {x}), root}));
}

// z′ = a·z + (σ(z) − centre)·V + c.
std::string label_mix(OnnxGraph& graph, const LabelMix& mix, const std::string& z) {
  const std::int64_t labels = count(mix.centre.size());
  const std::string centred =
      graph.node("Sub", {graph.node("Sigmoid", {z}), row_constant(graph, mix.centre)});
  const std::string influence =
      graph.node("MatMul", {centred, graph.constant(mix.weights.values, {labels, labels})});
  const std::string own = graph.node("Mul", {z, graph.scalar(mix.scale)});
  return graph.node("Add", {graph.node("Add", {own, graph.scalar(mix.shift)}), influence});
}

// Each label's place (0 = first) among the `top` largest keys of its row; l elsewhere. TopK breaks ties as
// the rule does: the lower label first.
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

// In double, as decide_row does, so that near ties fall alike.
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

void export_onnx(const Model& model, const std::string& path, bool overwrite) {
  const std::size_t columns = model.weights.rows;
  const std::size_t labels = model.labels();
  const std::size_t weight_bytes =
      sizeof(float) * (model.weights.values.size() + (model.mix ? model.mix->weights.values.size() : 0));
  const auto refuse_if_too_large = [&](std::size_t bytes) {
    if (bytes > largest_model) {
      throw ModelError(path + ": ONNX files can't exceed 2 GB, this model needs " + std::to_string(bytes) +
                       " bytes");
    }
  };
  refuse_if_too_large(weight_bytes);

  OnnxGraph graph;
  graph.input("features", OnnxType::float32, columns);
  const std::string mapped = feature_map(graph, model.feature_map, columns, "features");
  std::string z =
      graph.node("Gemm", {mapped, graph.constant(model.weights.values, {count(columns), count(labels)}),
                          graph.constant(model.bias, {count(labels)})});
  if (model.mix) z = label_mix(graph, *model.mix, z);
  const std::string chosen = model.rule.kind == DecisionRule::Kind::thresholds
                                 ? by_thresholds(graph, model.rule, z)
                                 : by_expected_count(graph, model.rule, z, labels);
  graph.output("scores", z, OnnxType::float32, labels);
  graph.output("labels", graph.cast(chosen, OnnxType::int64), OnnxType::int64, labels);

  nlohmann::json about{{"metric", model.metric.name}, {"labels", nlohmann::json::array()}};
  for (std::size_t j = 0; j < labels; ++j) about["labels"].push_back(model.label_name(j));
  graph.metadata("mmo", about.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));

  const std::string bytes = graph.model_bytes();
  refuse_if_too_large(bytes.size());
  AtomicFile file(path, overwrite);
  file.write(bytes);
  file.commit();
}

}  // namespace mmo
