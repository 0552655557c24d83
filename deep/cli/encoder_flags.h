// Flags that name an encoder, and the way from a data set to what it reads.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

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

// What the encoder reads: raw text becomes tokens; dense features are taken as they are, whatever the
// encoder, if they are as many as it makes. Throws DataError for what does not fit.
struct Reading {
  EncoderKind kind = EncoderKind::none;
  std::int64_t width = 0;  // of the features; 0 = any
  const std::string& vocabulary;
  std::string vocabulary_source;
  std::size_t tokens = 0;
};
[[nodiscard]] std::unique_ptr<Inputs> make_inputs(const Dataset& data, const Reading& reading);

// --threads for torch too.
void use_threads(const Common& common);

}  // namespace mmo::deep::cli
