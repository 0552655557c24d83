#include "deep/net/network.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "deep/net/convnets.h"
#include "mmo/core/error.h"

namespace mmo::deep {
namespace {

constexpr double least_deviation = 1e-6;  // below this a feature is constant up to rounding

}  // namespace

std::int64_t Encoder::width() const {
  switch (kind) {
    case EncoderKind::text:
      return text.width;
    case EncoderKind::resnet50:
      return resnet50_width;
    case EncoderKind::efficientnet_lite0:
      return efficientnet_lite0_width;
    default:
      return 0;
  }
}

Specs Encoder::specs() const {
  switch (kind) {
    case EncoderKind::text:
      return transformer_specs(text);
    case EncoderKind::resnet50:
      return resnet50_specs();
    case EncoderKind::efficientnet_lite0:
      return efficientnet_lite0_specs();
    default:
      return {};
  }
}

Tensor Encoder::features(const Parameters& p, const Batch& batch, bool training) const {
  if (batch.features_ND.defined()) return batch.features_ND;
  switch (kind) {
    case EncoderKind::text:
      return pool(transformer(text, p, batch.ids_NT, batch.mask_NT, training), batch.mask_NT, pooling);
    case EncoderKind::resnet50:
      return resnet50(p, batch.images_NCHW, training);
    default:
      return efficientnet_lite0(p, batch.images_NCHW, training);
  }
}

nlohmann::json to_json(const Encoder& encoder) {
  switch (encoder.kind) {
    case EncoderKind::text: {
      nlohmann::json out = to_json(encoder.text);
      out["pooling"] = encoder.pooling == Pooling::mean ? "mean" : "first";
      return out;
    }
    case EncoderKind::resnet50:
      return {{"model_type", "resnet50"}};
    case EncoderKind::efficientnet_lite0:
      return {{"model_type", "efficientnet-lite0"}};
    default:
      return {{"model_type", "none"}};
  }
}

Encoder parse_encoder(const nlohmann::json& config, const std::string& source) {
  if (!config.is_object()) throw ModelError(fmt::format("{}: not a JSON object", source));
  const std::string type = config.value("model_type", "");
  Encoder out;
  if (type == "none") return out;
  if (type == "resnet50" || type == "efficientnet-lite0") {
    out.kind = type == "resnet50" ? EncoderKind::resnet50 : EncoderKind::efficientnet_lite0;
    return out;
  }
  if (type == "resnet") {
    const nlohmann::json fifty{3, 4, 6, 3};
    if (config.value("depths", fifty) != fifty || config.value("layer_type", "bottleneck") != "bottleneck")
      throw ModelError(
          fmt::format("{}: only ResNet-50 is supported (bottleneck blocks, depths 3, 4, 6, 3)", source));
    out.kind = EncoderKind::resnet50;
    return out;
  }
  out.kind = EncoderKind::text;
  out.text = parse_transformer(config, source);
  out.pooling = config.value("pooling", "mean") == "first" ? Pooling::first : Pooling::mean;
  return out;
}

Specs Head::specs() const {
  Specs specs;
  specs.push_back({"head.mean", {in}, Role::buffer, Start::zeros});
  specs.push_back({"head.scale", {in}, Role::buffer, Start::ones});
  if (hidden > 0) add_linear(specs, "head.hidden", in, hidden);
  if (hidden > 0) specs[specs.size() - 2].start = Start::he;
  add_linear(specs, "head.output", hidden > 0 ? hidden : in, labels);
  return specs;
}

Tensor Head::scores(const Parameters& p, const Tensor& features_ND, bool training) const {
  Tensor x_ND = (features_ND - p["head.mean"]) * p["head.scale"];
  if (hidden > 0) x_ND = at::relu(linear(p, "head.hidden", x_ND));
  if (training && dropout > 0) x_ND = at::dropout(x_ND, dropout, true);
  return linear(p, "head.output", x_ND);
}

nlohmann::json to_json(const Head& head) {
  return {{"in", head.in}, {"labels", head.labels}, {"hidden", head.hidden}, {"dropout", head.dropout}};
}

Head parse_head(const nlohmann::json& config) {
  return {config.at("in").get<std::int64_t>(), config.at("labels").get<std::int64_t>(),
          config.at("hidden").get<std::int64_t>(), config.at("dropout").get<double>()};
}

void standardise(Parameters& p, const Tensor& features_ND) {
  const Tensor deviation_D = features_ND.std(0, /*unbiased=*/false);
  const Tensor scale_D =
      at::where(deviation_D > least_deviation, deviation_D.reciprocal(), at::zeros_like(deviation_D));
  p.set("head.mean", features_ND.mean(0), Role::buffer);
  p.set("head.scale", scale_D, Role::buffer);
}

void start_at_log_odds(Parameters& p, const Tensor& targets_NL) {
  // Half a row either way keeps labels without positives (or negatives) finite.
  const auto rows = static_cast<double>(targets_NL.size(0));
  const Tensor positives_L = targets_NL.nan_to_num(0).sum(0);
  const c10::NoGradGuard no_gradient;
  p["head.output.bias"].copy_(((positives_L + 0.5) / (rows - positives_L + 0.5)).log());
}

Tensor Network::scores(const Batch& batch, bool training) const {
  return head.scores(parameters, encoder.features(parameters, batch, training), training);
}

}  // namespace mmo::deep
