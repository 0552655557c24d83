// The parts of a model file that say how raw columns become numbers.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "mmo/model/model_parts.h"
#include "mmo/text/vectorizer.h"
#include "mmo/transform/encoder.h"

namespace mmo {

// Tensors `name`.vocabulary and `name`.idf; returns the options.
[[nodiscard]] nlohmann::json save_words(const Vectorizer& text, const std::string& name, PartWriter& out);
[[nodiscard]] Vectorizer load_words(const nlohmann::json& from, const std::string& name,
                                    const PartReader& in);

[[nodiscard]] nlohmann::json save_encoder(const Encoder& encoder, PartWriter& out);
[[nodiscard]] Encoder load_encoder(const nlohmann::json& from, const PartReader& in);

// Whether programs that read format version 1 understand the encoder.
[[nodiscard]] bool is_plain_input(const Encoder& encoder);

}  // namespace mmo
