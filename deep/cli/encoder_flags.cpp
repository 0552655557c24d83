#include "deep/cli/encoder_flags.h"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <variant>

#include "cli/terminal.h"
#include "deep/data/coco.h"
#include "deep/train/image_inputs.h"
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

namespace {

bool is_image_encoder(EncoderKind kind) {
  return kind == EncoderKind::resnet50 || kind == EncoderKind::efficientnet_lite0;
}

}  // namespace

void add_image_flags(CLI::App& command, std::string& images, bool& skip_corrupt) {
  command
      .add_option("--images", images, "folder of the pictures that DATA (COCO's .json, or file names) lists")
      ->type_name("DIR");
  command.add_flag("--skip-corrupt", skip_corrupt, "leave damaged pictures out instead of stopping");
}

Dataset read_data(const Common& common, const ReadFlags& flags, EncoderKind kind,
                  const LoadOptions& options) {
  const std::string& path = flags.data.data;
  const bool coco = is_image_encoder(kind) && path.ends_with(".json");
  Dataset data = coco ? read_coco(path, options) : mmo::cli::load(common, flags.data, options);
  if (!is_image_encoder(kind) || !data.is_text() || !flags.skip_corrupt) return data;
  const std::vector<std::uint32_t> rows = readable_pictures(picture_paths(data, flags.images));
  if (rows.empty()) throw DataError(path, 0, "no picture can be decoded");
  if (rows.size() < data.rows())
    mmo::cli::warn(common, fmt::format("{}: {} damaged pictures left out", path, data.rows() - rows.size()));
  return take_rows(data, rows);
}

std::unique_ptr<Inputs> make_inputs(const Dataset& data, const Reading& reading) {
  if (data.is_text() && is_image_encoder(reading.kind)) {
    return std::make_unique<ImageInputs>(
        picture_paths(data, reading.images),
        reading.kind == EncoderKind::resnet50 ? imagenet_normalisation : lite_normalisation);
  }
  if (data.is_text()) {
    if (reading.kind != EncoderKind::text)
      throw DataError(data.source, 0, "raw text needs a text encoder: name its weights with --backbone");
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

std::unique_ptr<Inputs> make_inputs(const Dataset& data, const Pretrained& pretrained,
                                    const EncoderFlags& flags, const std::string& images) {
  return make_inputs(data, {.kind = pretrained.encoder.kind,
                            .width = pretrained.encoder.width(),
                            .vocabulary = pretrained.vocabulary,
                            .vocabulary_source = flags.backbone,
                            .tokens = flags.tokens,
                            .images = images});
}

void use_threads(const Common& common) {
  if (common.threads > 0) at::set_num_threads(common.threads);
}

}  // namespace mmo::deep::cli
