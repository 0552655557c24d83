// Text encoders: BERT (MiniLM and others of that shape) and DistilBERT. Both are embeddings followed by
// layers of attention and a two-layer network, each with x ← norm(x + f(x)) after it; they differ in names,
// token types and dropout.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "deep/net/parameters.h"

namespace mmo::deep {

struct TransformerConfig {
  bool distil = false;
  std::int64_t vocabulary = 30522;
  std::int64_t positions = 512;
  std::int64_t token_types = 2;  // 0: none
  std::int64_t width = 384;
  std::int64_t layers = 6;
  std::int64_t heads = 12;
  std::int64_t inner = 1536;
  double norm_epsilon = 1e-12;
  double dropout = 0.1;
};

// Hugging Face's config.json (model_type bert or distilbert), and back. Throws ModelError for anything
// unsupported.
[[nodiscard]] TransformerConfig parse_transformer(const nlohmann::json& config, const std::string& source);
[[nodiscard]] nlohmann::json to_json(const TransformerConfig& config);

// The names of a layer's parts in the files of the two families.
struct LayerNames {
  std::string query, key, value, attention_out, attention_norm, inner, outer, outer_norm;
};
[[nodiscard]] LayerNames layer_names(const TransformerConfig& config, std::int64_t layer);

[[nodiscard]] Specs transformer_specs(const TransformerConfig& config);

// The last layer's hidden_NTD; mask_NT is true for tokens, false for padding.
Tensor transformer(const TransformerConfig& config, const Parameters& p, const Tensor& ids_NT,
                   const Tensor& mask_NT, bool training);

enum class Pooling { mean, first };
// features_ND: the mean over the row's tokens, or the first token's ([CLS]).
Tensor pool(const Tensor& hidden_NTD, const Tensor& mask_NT, Pooling pooling);

}  // namespace mmo::deep
