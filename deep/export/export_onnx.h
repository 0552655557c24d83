// A trained network as an ONNX file.
#pragma once

#include <string>
#include <vector>

#include "deep/train/deep_model.h"

namespace mmo::deep {

// The names of the file's inputs: "features"; "input_ids" and "attention_mask"; or "images" (encoders.h).
[[nodiscard]] std::vector<std::string> onnx_inputs(EncoderKind kind);

// Encoder, head and decision rule; outputs "scores" and "labels" as for a linear model
// (mmo/model/onnx_outputs.h). Metadata holds a text model's vocabulary and longest text.
void export_network(const DeepModel& model, const std::string& path, bool overwrite);

}  // namespace mmo::deep
