#include "deep/weights/load_weights.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "deep/net/convnets.h"
#include "mmo/core/error.h"
#include "mmo/core/json.h"
#include "mmo/model/safetensors.h"

namespace mmo::deep {
namespace {

constexpr std::array<std::string_view, 4> prefixes{"module.", "bert.", "distilbert.", "model."};

// The name that the specs use.
std::string plain_name(std::string name) {
  for (const std::string_view prefix : prefixes) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  }
  return resnet50_name(name);
}

std::string read_text(const std::filesystem::path& path) {
  return std::string(FileContent::open(path.string()).bytes());
}

}  // namespace

Tensor copy_tensor(const TensorFile& file, const std::string& name, const std::vector<std::int64_t>& shape) {
  const std::string source = file.content.name();
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end()) {
    throw ModelError(fmt::format("{}: the tensor {} [{}] is missing; give the weights of this network",
                                 source, name, fmt::join(shape, ", ")));
  }
  const mmo::Tensor& stored = found->second;
  const std::vector<std::int64_t> stored_shape(stored.shape.begin(), stored.shape.end());
  if (stored_shape != shape) {
    throw ModelError(fmt::format("{}: the tensor {} should be [{}] but is [{}]", source, name,
                                 fmt::join(shape, ", "), fmt::join(stored_shape, ", ")));
  }
  if (stored.dtype != Dtype::f32) {
    throw ModelError(fmt::format("{}: the tensor {} holds {}; only F32 is supported", source, name,
                                 dtype_name(stored.dtype)));
  }
  Tensor out = at::empty(shape);
  std::memcpy(out.data_ptr<float>(), stored.bytes.data(), stored.bytes.size());
  return out;
}

Parameters load_parameters(const TensorFile& file, const Specs& specs) {
  std::map<std::string, std::string> stored_name;
  for (const auto& [name, tensor] : file.tensors) stored_name[plain_name(name)] = name;
  Parameters out;
  for (const TensorSpec& spec : specs) {
    const auto found = stored_name.find(spec.name);
    const std::string& name = found == stored_name.end() ? spec.name : found->second;
    Tensor values = copy_tensor(file, name, spec.shape);
    if (!at::isfinite(values).all().item<bool>()) {
      throw ModelError(fmt::format("{}: the tensor {} holds values that are not finite numbers",
                                   file.content.name(), name));
    }
    out.set(spec.name, std::move(values), spec.role);
  }
  return out;
}

Parameters Pretrained::copy_parameters() const {
  Parameters out;
  for (const auto& [name, parameter] : parameters.all())
    out.set(name, parameter.tensor.detach().clone(), parameter.role);
  return out;
}

Pretrained load_pretrained(const std::string& path, const std::string& kind) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::is_directory(path) ? fs::path(path) : fs::path(path).parent_path();
  const fs::path weights = fs::is_directory(path) ? folder / "model.safetensors" : fs::path(path);
  if (weights.extension() == ".pth" || weights.extension() == ".pt" || weights.extension() == ".bin") {
    throw ModelError(
        fmt::format("{}: convert it first: python3 tools/pth_to_safetensors.py {} OUT.safetensors", path,
                    weights.string()));
  }
  nlohmann::json config{{"model_type", kind}};
  std::string config_name = "--network";
  if (kind.empty()) {
    config_name = (folder / "config.json").string();
    if (!fs::exists(config_name)) {
      throw ModelError(
          fmt::format("{}: no config.json next to the weights; say what they are with --network "
                      "resnet50 or --network efficientnet-lite0",
                      path));
    }
    config = try_parse_json(read_text(config_name));
  }
  Pretrained out;
  out.encoder = parse_encoder(config, config_name);
  out.parameters =
      load_parameters(read_safetensors(FileContent::open(weights.string())), out.encoder.specs());
  if (out.encoder.kind == EncoderKind::text) out.vocabulary = read_text(folder / "vocab.txt");
  return out;
}

}  // namespace mmo::deep
