// Flags that name an encoder, and how a data set becomes what it reads.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/data_flags.h"
#include "deep/cli/commands.h"
#include "deep/train/inputs.h"
#include "deep/weights/load_weights.h"
#include "mmo/data/dataset.h"

namespace mmo::deep::cli {

struct EncoderFlags {
  std::string backbone;
  std::string network;
  std::string pooling = "mean";
  std::size_t tokens = 128;
};

void add_encoder_flags(CLI::App& command, EncoderFlags& flags, bool required);
[[nodiscard]] Pretrained load_encoder(const EncoderFlags& flags);

// A data set for an encoder. An image encoder takes COCO's annotations (.json)
// or any file with a column of file names (--text-column); `images` is their
// folder. With `skip_corrupt`, rows with damaged pictures are left out, with a
// warning.
struct ReadFlags {
  mmo::cli::DataFlags data;
  std::string images;
  bool skip_corrupt = false;
};
void add_image_flags(CLI::App& command, std::string& images, bool& skip_corrupt);
[[nodiscard]] Dataset read_data(const Common& common, const ReadFlags& flags, EncoderKind kind,
                                const LoadOptions& options);

// What the network reads: text becomes tokens, file names become pictures; dense features are used as they
// are with any encoder that makes as many. Throws DataError for what does not fit.
struct Reading {
  EncoderKind kind = EncoderKind::none;
  std::int64_t width = 0;  // of the features; 0 = any
  const std::string& vocabulary;
  std::string vocabulary_source;
  std::size_t tokens = 0;
  std::string images;
};
[[nodiscard]] std::unique_ptr<Inputs> make_inputs(const Dataset& data, const Reading& reading);
// For the encoder named by these flags.
[[nodiscard]] std::unique_ptr<Inputs> make_inputs(const Dataset& data, const Pretrained& pretrained,
                                                  const EncoderFlags& flags, const std::string& images);

// --threads for torch too.
void use_threads(const Common& common);

}  // namespace mmo::deep::cli
