// A network: an encoder (or none, if rows are features already) and a multi-label head.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "deep/net/parameters.h"
#include "deep/net/transformer.h"

namespace mmo::deep {

// What a network reads; the tensors its encoder does not use stay undefined.
struct Batch {
  Tensor features_ND;  // no encoder, or features it computed earlier
  Tensor ids_NT, mask_NT;
  Tensor images_NCHW;
};

enum class EncoderKind { none, text, resnet50, efficientnet_lite0 };

struct Encoder {
  EncoderKind kind = EncoderKind::none;
  TransformerConfig text;
  Pooling pooling = Pooling::mean;

  [[nodiscard]] std::int64_t width() const;  // of its features; 0 without encoder
  [[nodiscard]] Specs specs() const;
  [[nodiscard]] Tensor features(const Parameters& p, const Batch& batch, bool training) const;  // N × D
};
[[nodiscard]] nlohmann::json to_json(const Encoder& encoder);
[[nodiscard]] Encoder parse_encoder(const nlohmann::json& config, const std::string& source);

// scores z_NL = W·f + b, or through one hidden layer with ReLU. Features are first standardised by the head's
// own mean and scale (0 and 1 unless set).
struct Head {
  std::int64_t in = 0;
  std::int64_t labels = 0;
  std::int64_t hidden = 0;  // 0: linear
  double dropout = 0;

  [[nodiscard]] Specs specs() const;
  [[nodiscard]] Tensor scores(const Parameters& p, const Tensor& features_ND, bool training) const;
};
[[nodiscard]] nlohmann::json to_json(const Head& head);
[[nodiscard]] Head parse_head(const nlohmann::json& config);

// Sets the head's mean and scale from the columns; columns that hardly vary (dead units) get scale 0.
void standardise(Parameters& p, const Tensor& features_ND);
// Sets the bias of label j to the log-odds of its share of positives.
void start_at_log_odds(Parameters& p, const Tensor& targets_NL);

struct Network {
  Encoder encoder;
  Head head;
  Parameters parameters;

  // Logits z_NL: label j is predicted where z_j ≥ 0, its probability is σ(z_j) (the paper's h is z / 2).
  [[nodiscard]] Tensor scores(const Batch& batch, bool training) const;
};

}  // namespace mmo::deep
