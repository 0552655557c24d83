#include "deep/net/transformer.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "deep/net/attention.h"
#include "mmo/core/error.h"

namespace mmo::deep {
namespace {

Tensor drop(const Tensor& x, double share, bool training) {
  return training && share > 0 ? at::dropout(x, share, true) : x;
}

Tensor attend(const TransformerConfig& config, const Parameters& p, const LayerNames& names,
              const Tensor& x_NTD, const Tensor& mask_NT, bool training) {
  const auto by_head = [&](const std::string& name) {
    return linear(p, name, x_NTD)
        .view({x_NTD.size(0), x_NTD.size(1), config.heads, config.width / config.heads})
        .transpose(1, 2);
  };
  const Tensor mixed_NHTd = attention(by_head(names.query), by_head(names.key), by_head(names.value), mask_NT,
                                      training ? config.dropout : 0.0);
  return linear(p, names.attention_out, mixed_NHTd.transpose(1, 2).reshape(x_NTD.sizes()));
}

Tensor embed(const TransformerConfig& config, const Parameters& p, const Tensor& ids_NT) {
  Tensor x_NTD = at::embedding(p["embeddings.word_embeddings.weight"], ids_NT) +
                 p["embeddings.position_embeddings.weight"].narrow(0, 0, ids_NT.size(1));
  if (config.token_types > 0) x_NTD = x_NTD + p["embeddings.token_type_embeddings.weight"][0];
  return layer_norm(p, "embeddings.LayerNorm", x_NTD, config.norm_epsilon);
}

}  // namespace

LayerNames layer_names(const TransformerConfig& config, std::int64_t layer) {
  const std::string at = fmt::format("{}.layer.{}.", config.distil ? "transformer" : "encoder", layer);
  if (config.distil) {
    return {at + "attention.q_lin", at + "attention.k_lin", at + "attention.v_lin", at + "attention.out_lin",
            at + "sa_layer_norm",   at + "ffn.lin1",        at + "ffn.lin2",        at + "output_layer_norm"};
  }
  return {at + "attention.self.query",
          at + "attention.self.key",
          at + "attention.self.value",
          at + "attention.output.dense",
          at + "attention.output.LayerNorm",
          at + "intermediate.dense",
          at + "output.dense",
          at + "output.LayerNorm"};
}

TransformerConfig parse_transformer(const nlohmann::json& config, const std::string& source) {
  const auto text = [&](const char* key, const char* otherwise) {
    return config.contains(key) && config[key].is_string() ? config[key].get<std::string>() : otherwise;
  };
  const auto number = [&](const char* key, auto otherwise) -> decltype(otherwise) {
    if (!config.contains(key)) return otherwise;
    if (!config[key].is_number())
      throw ModelError(fmt::format("{}: {} is {}, not a number", source, key, config[key].dump()));
    return config[key].get<decltype(otherwise)>();
  };
  const std::string type = text("model_type", "");
  if (type != "bert" && type != "distilbert")
    throw ModelError(
        fmt::format("{}: model_type '{}' is not supported; known: bert, distilbert", source, type));
  TransformerConfig out;
  out.distil = type == "distilbert";
  const std::string activation = text(out.distil ? "activation" : "hidden_act", "gelu");
  if (activation != "gelu")
    throw ModelError(fmt::format("{}: activation '{}' is not supported; only gelu", source, activation));
  out.vocabulary = number("vocab_size", out.vocabulary);
  out.positions = number("max_position_embeddings", out.positions);
  out.token_types = out.distil ? 0 : number("type_vocab_size", out.token_types);
  out.width = number(out.distil ? "dim" : "hidden_size", std::int64_t{768});
  out.layers = number(out.distil ? "n_layers" : "num_hidden_layers", std::int64_t{out.distil ? 6 : 12});
  out.heads = number(out.distil ? "n_heads" : "num_attention_heads", std::int64_t{12});
  out.inner = number(out.distil ? "hidden_dim" : "intermediate_size", std::int64_t{3072});
  out.norm_epsilon = number("layer_norm_eps", out.norm_epsilon);
  out.dropout = number(out.distil ? "dropout" : "hidden_dropout_prob", out.dropout);
  if (!(out.dropout >= 0 && out.dropout < 1))
    throw ModelError(fmt::format("{}: a dropout of {} is not a share below 1", source, out.dropout));
  if (out.heads < 1 || out.width < 1 || out.width % out.heads != 0)
    throw ModelError(
        fmt::format("{}: a width of {} can't be divided into {} heads", source, out.width, out.heads));
  return out;
}

nlohmann::json to_json(const TransformerConfig& config) {
  const bool d = config.distil;
  nlohmann::json out{{"model_type", d ? "distilbert" : "bert"},
                     {"vocab_size", config.vocabulary},
                     {"max_position_embeddings", config.positions},
                     {d ? "dim" : "hidden_size", config.width},
                     {d ? "n_layers" : "num_hidden_layers", config.layers},
                     {d ? "n_heads" : "num_attention_heads", config.heads},
                     {d ? "hidden_dim" : "intermediate_size", config.inner},
                     {d ? "dropout" : "hidden_dropout_prob", config.dropout},
                     {"layer_norm_eps", config.norm_epsilon}};
  if (!d) out["type_vocab_size"] = config.token_types;
  return out;
}

Specs transformer_specs(const TransformerConfig& config) {
  Specs specs;
  specs.push_back({"embeddings.word_embeddings.weight", {config.vocabulary, config.width}});
  specs.push_back({"embeddings.position_embeddings.weight", {config.positions, config.width}});
  if (config.token_types > 0)
    specs.push_back({"embeddings.token_type_embeddings.weight", {config.token_types, config.width}});
  add_norm(specs, "embeddings.LayerNorm", config.width);
  for (std::int64_t k = 0; k < config.layers; ++k) {
    const LayerNames names = layer_names(config, k);
    for (const std::string& name : {names.query, names.key, names.value, names.attention_out})
      add_linear(specs, name, config.width, config.width);
    add_norm(specs, names.attention_norm, config.width);
    add_linear(specs, names.inner, config.width, config.inner);
    add_linear(specs, names.outer, config.inner, config.width);
    add_norm(specs, names.outer_norm, config.width);
  }
  return specs;
}

Tensor transformer(const TransformerConfig& config, const Parameters& p, const Tensor& ids_NT,
                   const Tensor& mask_NT, bool training) {
  Tensor x_NTD = drop(embed(config, p, ids_NT), config.dropout, training);
  for (std::int64_t k = 0; k < config.layers; ++k) {
    const LayerNames names = layer_names(config, k);
    const Tensor attended_NTD = attend(config, p, names, x_NTD, mask_NT, training);
    x_NTD = layer_norm(p, names.attention_norm,
                       x_NTD + drop(attended_NTD, config.distil ? 0 : config.dropout, training),
                       config.norm_epsilon);
    const Tensor inner_NTK = at::gelu(linear(p, names.inner, x_NTD));
    x_NTD = layer_norm(p, names.outer_norm,
                       x_NTD + drop(linear(p, names.outer, inner_NTK), config.dropout, training),
                       config.norm_epsilon);
  }
  return x_NTD;
}

Tensor pool(const Tensor& hidden_NTD, const Tensor& mask_NT, Pooling pooling) {
  if (pooling == Pooling::first) return hidden_NTD.select(1, 0);
  const Tensor mask_NT1 = mask_NT.to(hidden_NTD.scalar_type()).unsqueeze(2);
  return (hidden_NTD * mask_NT1).sum(1) / mask_NT1.sum(1);
}

}  // namespace mmo::deep
