#include "deep/cli/encoder_flags.h"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <variant>

#include "mmo/core/error.h"

namespace mmo::deep::cli {

void add_encoder_flags(CLI::App& command, EncoderFlags& flags, bool required) {
  command
      .add_option("--backbone", flags.backbone,
                  "pretrained weights: folder (config.json, model.safetensors, vocab.txt) or .safetensors")
      ->type_name("PATH")
      ->required(required);
  command.add_option("--network", flags.network, "weights without config.json: resnet50, efficientnet-lite0")
      ->type_name("NAME");
  command.add_option("--pooling", flags.pooling, "text: mean of the tokens (default) or first ([CLS])")
      ->check(CLI::IsMember({"mean", "first"}))
      ->type_name("HOW");
  command.add_option("--tokens", flags.tokens, "text: longest row in tokens (128)")
      ->check(CLI::Range(2, 4096))
      ->type_name("N");
}

Pretrained load_encoder(const EncoderFlags& flags) {
  Pretrained out = load_pretrained(flags.backbone, flags.network);
  out.encoder.pooling = flags.pooling == "first" ? Pooling::first : Pooling::mean;
  const auto positions = static_cast<std::size_t>(out.encoder.text.positions);
  if (out.encoder.kind == EncoderKind::text && flags.tokens > positions)
    throw UsageError(fmt::format("--tokens {}: this encoder has {} positions", flags.tokens, positions));
  return out;
}

std::unique_ptr<Inputs> make_inputs(const Dataset& data, const Reading& reading) {
  if (data.is_text()) {
    if (reading.kind != EncoderKind::text)
      throw DataError(data.source, 0, "raw text needs a text encoder: name its weights by --backbone");
    const WordPiece tokenizer(reading.vocabulary, reading.vocabulary_source);
    return std::make_unique<TextInputs>(data.documents, tokenizer, reading.tokens);
  }
  const auto* features = std::get_if<DenseMatrix>(&data.x);
  if (features == nullptr)
    throw DataError(data.source, 0,
                    "sparse features are for `mmo train`; a network needs text or dense features");
  if (reading.width > 0 && features->cols != static_cast<std::size_t>(reading.width)) {
    throw DataError(
        data.source, 0,
        fmt::format("{} features per row where the network takes {}", features->cols, reading.width));
  }
  return std::make_unique<FeatureInputs>(*features);
}

void use_threads(const Common& common) {
  if (common.threads > 0) at::set_num_threads(common.threads);
}

}  // namespace mmo::deep::cli
