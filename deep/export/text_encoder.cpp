#include <cmath>
#include <numbers>

#include "deep/export/encoders.h"

namespace mmo::deep {
namespace {

using Ints = std::vector<std::int64_t>;
constexpr float no_attention = -1e30F;  // its exponential is 0

// Tokens are rows of one matrix [N·T, D]; only attention sees them by text and head.
class TextEncoder {
 public:
  TextEncoder(Nodes& nodes, const TransformerConfig& config)
      : nodes_(nodes), graph_(nodes.graph()), config_(config) {
    graph_.input("input_ids", OnnxType::int64, {"N", "T"});
    graph_.input("attention_mask", OnnxType::int64, {"N", "T"});
    shape_NT_ = graph_.node("Shape", {"input_ids"});
    mask_NT_ = graph_.cast("attention_mask", OnnxType::float32);
    const std::string present = graph_.node("Unsqueeze", {mask_NT_, ints({1, 2})});
    // 0 for tokens, far below zero for padding.
    const std::string absent = graph_.node("Sub", {graph_.scalar(1.0F), present});
    attention_bias_N11T_ = graph_.node("Mul", {absent, graph_.scalar(no_attention)});
    by_head_ = shaped({config.heads, config.width / config.heads});
    by_text_ = shaped({config.width});
  }

  // The last layer's [N, T, D].
  std::string hidden() {
    std::string x = embed();
    for (std::int64_t k = 0; k < config_.layers; ++k) {
      const LayerNames names = layer_names(config_, k);
      x = nodes_.layer_norm(names.attention_norm, add(x, attention(names, x)), config_.norm_epsilon);
      const std::string inner = gelu(nodes_.linear(names.inner, x));
      x = nodes_.layer_norm(names.outer_norm, add(x, nodes_.linear(names.outer, inner)),
                            config_.norm_epsilon);
    }
    return graph_.node("Reshape", {x, by_text_});
  }

  std::string pooled(const std::string& hidden_NTD, Pooling pooling) {
    if (pooling == Pooling::first)
      return graph_.node("Gather", {hidden_NTD, graph_.scalar(std::int64_t{0})}, {{"axis", std::int64_t{1}}});
    const std::string mask_NT1 = graph_.node("Unsqueeze", {mask_NT_, ints({2})});
    return graph_.node(
        "Div", {sum_over_tokens(graph_.node("Mul", {hidden_NTD, mask_NT1})), sum_over_tokens(mask_NT1)});
  }

 private:
  std::string ints(const Ints& values) {
    return graph_.constant(values, {static_cast<std::int64_t>(values.size())});
  }
  std::string add(const std::string& a, const std::string& b) { return graph_.node("Add", {a, b}); }
  // [N, T, sides …], as a tensor.
  std::string shaped(const Ints& sides) {
    return graph_.node("Concat", {shape_NT_, ints(sides)}, {{"axis", std::int64_t{0}}});
  }
  std::string sum_over_tokens(const std::string& x_NTD) {
    return graph_.node("ReduceSum", {x_NTD, ints({1})}, {{"keepdims", std::int64_t{0}}});
  }

  std::string embed() {
    const std::string words =
        graph_.node("Gather", {nodes_.weight("embeddings.word_embeddings.weight"), "input_ids"});
    const std::string tokens = graph_.node("Slice", {shape_NT_, ints({1}), ints({2})});
    const std::string places = graph_.node(
        "Slice", {nodes_.weight("embeddings.position_embeddings.weight"), ints({0}), tokens, ints({0})});
    std::string x = add(words, places);
    if (config_.token_types > 0) {
      const std::string types = nodes_.weight("embeddings.token_type_embeddings.weight");
      x = add(x, graph_.node("Gather", {types, graph_.scalar(std::int64_t{0})}));
    }
    const std::string rows = graph_.node("Reshape", {x, ints({-1, config_.width})});
    return nodes_.layer_norm("embeddings.LayerNorm", rows, config_.norm_epsilon);
  }

  // softmax(q·kᵀ / √d + bias)·v for each head.
  std::string attention(const LayerNames& names, const std::string& x) {
    const auto by_head = [&](const std::string& name, const Ints& order) {
      const std::string parts = graph_.node("Reshape", {nodes_.linear(name, x), by_head_});
      return graph_.node("Transpose", {parts}, {{"perm", order}});
    };
    const double width = static_cast<double>(config_.width / config_.heads);
    const std::string products =
        graph_.node("MatMul", {by_head(names.query, {0, 2, 1, 3}), by_head(names.key, {0, 2, 3, 1})});
    const std::string scaled =
        graph_.node("Mul", {products, graph_.scalar(static_cast<float>(1 / std::sqrt(width)))});
    const std::string shares =
        graph_.node("Softmax", {add(scaled, attention_bias_N11T_)}, {{"axis", std::int64_t{-1}}});
    const std::string mixed = graph_.node("MatMul", {shares, by_head(names.value, {0, 2, 1, 3})});
    const std::string by_token = graph_.node("Transpose", {mixed}, {{"perm", Ints{0, 2, 1, 3}}});
    return nodes_.linear(names.attention_out, graph_.node("Reshape", {by_token, ints({-1, config_.width})}));
  }

  // x/2·(1 + erf(x/√2))
  std::string gelu(const std::string& x) {
    const std::string erf =
        graph_.node("Erf", {graph_.node("Div", {x, graph_.scalar(std::numbers::sqrt2_v<float>)})});
    const std::string twice = graph_.node("Mul", {x, add(erf, graph_.scalar(1.0F))});
    return graph_.node("Mul", {twice, graph_.scalar(0.5F)});
  }

  Nodes& nodes_;
  OnnxGraph& graph_;
  const TransformerConfig& config_;
  std::string shape_NT_, mask_NT_, attention_bias_N11T_;
  std::string by_head_, by_text_;  // shapes
};

}  // namespace

std::string text_features(Nodes& nodes, const TransformerConfig& config, Pooling pooling) {
  TextEncoder encoder(nodes, config);
  return encoder.pooled(encoder.hidden(), pooling);
}

}  // namespace mmo::deep
