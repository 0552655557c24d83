// For the tests in Python. Reads published weights and inputs, writes what our networks make of them.
//   deep_probe features FOLDER INPUTS OUT [training]   features, and gradients of Σ features · cotangent
//   deep_probe tokens VOCAB TEXTS MOST                 token numbers of each text (ended by NUL), one line
//   each deep_probe pictures OUT JPEG...                    "images" N × 3 × 224 × 224, from 0 to 255
//   deep_probe adam STEPS IN OUT adam|adamw            a weight after steps with given gradients
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iostream>

#include "deep/data/wordpiece.h"
#include "deep/train/image_inputs.h"
#include "deep/train/optimizer.h"
#include "deep/weights/load_weights.h"
#include "deep/weights/tensor_file.h"

namespace mmo::deep {
namespace {

void write(const std::map<std::string, Tensor>& values, const std::string& path) {
  Tensors tensors;
  std::vector<Tensor> kept;
  for (const auto& [name, value] : values) tensors[name] = view_tensor(value, kept);
  write_safetensors(path, tensors, {}, true);
}

std::vector<std::int64_t> shape_of(const TensorFile& file, const std::string& name) {
  const auto& shape = file.tensors.at(name).shape;
  return {shape.begin(), shape.end()};
}

Tensor read(const TensorFile& file, const std::string& name) {
  return copy_tensor(file, name, shape_of(file, name));
}

int features(const std::vector<std::string>& arguments) {
  Pretrained pretrained = load_pretrained(arguments[0]);
  const TensorFile inputs = read_safetensors(FileContent::open(arguments[1]));
  const bool training = arguments.size() > 3;
  Batch batch;
  if (inputs.tensors.count("ids") > 0) {
    batch.ids_NT = read(inputs, "ids").to(at::kLong);
    batch.mask_NT = read(inputs, "mask").to(at::kBool);
  } else {
    batch.images_NCHW = read(inputs, "images");
  }
  for (const auto& [name, parameter] : pretrained.parameters.all())
    parameter.tensor.requires_grad_(parameter.role != Role::buffer);
  const Tensor out_ND = pretrained.encoder.features(pretrained.parameters, batch, training);
  out_ND.backward(read(inputs, "cotangent"));
  std::map<std::string, Tensor> out{{"features", out_ND}};
  for (const auto& [name, parameter] : pretrained.parameters.all()) {
    if (parameter.tensor.grad().defined()) out["gradient/" + name] = parameter.tensor.grad();
    if (training && parameter.role == Role::buffer) out["buffer/" + name] = parameter.tensor;
  }
  write(out, arguments[2]);
  return 0;
}

int tokens(const std::vector<std::string>& arguments) {
  const WordPiece tokenizer(std::string(FileContent::open(arguments[0]).bytes()), arguments[0]);
  const FileContent content = FileContent::open(arguments[1]);
  const std::size_t most = std::stoul(arguments[2]);
  std::string_view rest = content.bytes();
  for (std::size_t end = rest.find('\0'); end != std::string_view::npos; end = rest.find('\0')) {
    std::cout << fmt::format("{}\n", fmt::join(tokenizer.encode(rest.substr(0, end), most), " "));
    rest.remove_prefix(end + 1);
  }
  return 0;
}

int pictures(const std::vector<std::string>& arguments) {
  const std::vector<std::string> paths(arguments.begin() + 1, arguments.end());
  write({{"images", ImageInputs(paths, Normalisation{}).batch(all_rows(paths.size()), 0).images_NCHW}},
        arguments[0]);
  return 0;
}

int adam(const std::vector<std::string>& arguments) {
  const TensorFile in = read_safetensors(FileContent::open(arguments[1]));
  Parameters p;
  p.set("encoder.weight", read(in, "weight"), Role::weight);
  p["encoder.weight"].requires_grad_(true);
  OptimizerSettings settings;
  settings.decoupled = arguments[3] == "adamw";
  settings.weight_decay = 0.1;
  Optimizer optimizer(p, settings);
  for (std::size_t k = 0; k < std::stoul(arguments[0]); ++k) {
    p["encoder.weight"].mutable_grad() = read(in, fmt::format("gradient.{}", k));
    optimizer.step(0.01, 1.0);
  }
  write({{"weight", p["encoder.weight"]}}, arguments[2]);
  return 0;
}

}  // namespace
}  // namespace mmo::deep

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::vector<std::string> arguments(argv + std::min(argc, 2), argv + argc);
  try {
    if (what == "features") return mmo::deep::features(arguments);
    if (what == "tokens") return mmo::deep::tokens(arguments);
    if (what == "pictures") return mmo::deep::pictures(arguments);
    if (what == "adam") return mmo::deep::adam(arguments);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 2;
}
