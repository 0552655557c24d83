#include "deep/train/checkpoint.h"

#include <fmt/core.h>

#include <filesystem>

#include "deep/weights/load_weights.h"
#include "deep/weights/tensor_file.h"
#include "mmo/core/error.h"
#include "mmo/core/json.h"
#include "mmo/model/safetensors.h"

namespace mmo::deep {
namespace {

constexpr auto lambda_name = "lambda";

std::string first_difference(const nlohmann::json& a, const nlohmann::json& b) {
  for (const auto& [key, value] : a.items()) {
    if (!b.contains(key) || b[key] != value)
      return fmt::format("{} was {} and is {}", key, b.contains(key) ? b[key].dump() : "absent",
                         value.dump());
  }
  return "settings differ";
}

}  // namespace

void save_checkpoint(const Checkpoint& checkpoint, const std::string& path) {
  Tensors tensors;
  std::vector<Tensor> kept;
  for (const auto& [name, tensor] : checkpoint.tensors) tensors[name] = view_tensor(tensor, kept);
  tensors[lambda_name] = tensor_view(std::span<const double>(checkpoint.lambda), {checkpoint.lambda.size()});
  try {
    write_safetensors(path, tensors, {{"state", checkpoint.state.dump()}, {"run", checkpoint.run.dump()}},
                      /*overwrite=*/true);
  } catch (const IoError& error) {
    if (!std::filesystem::exists(path)) throw;
    throw IoError(fmt::format("{}; the checkpoint before it is intact, and the same command resumes from it",
                              error.what()));
  }
}

Checkpoint load_checkpoint(const std::string& path, const nlohmann::json& run) {
  const TensorFile file = read_safetensors(FileContent::open(path));
  file.verify_checksum();
  const auto part = [&](const char* key) {
    const auto found = file.metadata.find(key);
    if (found == file.metadata.end())
      throw ModelError(fmt::format("{}: not a checkpoint of `mmo deep train`", path));
    try {
      return parse_json(found->second);
    } catch (const JsonError& error) {
      throw ModelError(fmt::format("{}: '{}' can't be read: {}", path, key, error.what()));
    }
  };
  Checkpoint out;
  out.run = part("run");
  if (out.run != run) {
    throw ModelError(
        fmt::format("{}: the checkpoint belongs to another run ({}); remove it or name another file", path,
                    first_difference(run, out.run)));
  }
  out.state = part("state");
  for (const auto& [name, tensor] : file.tensors) {
    if (name == lambda_name) {
      out.lambda.resize(tensor.bytes.size() / sizeof(double));
      tensor.bytes.copy(reinterpret_cast<char*>(out.lambda.data()), tensor.bytes.size());
    } else {
      out.tensors[name] = copy_tensor(file, name, {tensor.shape.begin(), tensor.shape.end()});
    }
  }
  return out;
}

}  // namespace mmo::deep
