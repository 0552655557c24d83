#include "deep/train/deep_model.h"

#include <fmt/core.h>

#include "deep/weights/load_weights.h"
#include "deep/weights/tensor_file.h"
#include "mmo/core/error.h"
#include "mmo/core/json.h"
#include "mmo/model/safetensors.h"

namespace mmo::deep {
namespace {

constexpr auto format_key = "mmo-deep";
constexpr auto format_version = "1";
constexpr auto thresholds_name = "rule.thresholds";

}  // namespace

void save_deep_model(const DeepModel& model, const std::string& path, bool overwrite) {
  Tensors tensors;
  std::vector<Tensor> kept;
  for (const auto& [name, parameter] : model.network.parameters.all())
    tensors[name] = view_tensor(parameter.tensor, kept);
  tensors[thresholds_name] =
      tensor_view(std::span<const float>(model.rule.thresholds), {model.rule.thresholds.size()});
  const nlohmann::json config{{"encoder", to_json(model.network.encoder)},
                              {"head", to_json(model.network.head)},
                              {"tokens", model.tokens},
                              {"labels", model.label_names},
                              {"metric", model.metric},
                              {"min_labels", model.rule.min_labels},
                              {"history", model.history}};
  write_safetensors(
      path, tensors,
      {{format_key, format_version}, {"config", config.dump()}, {"vocabulary", model.vocabulary}}, overwrite);
}

DeepModel load_deep_model(const std::string& path) {
  const TensorFile file = read_safetensors(FileContent::open(path));
  const auto text = [&](const char* key) -> const std::string& {
    const auto found = file.metadata.find(key);
    if (found == file.metadata.end())
      throw ModelError(fmt::format("{}: not a model of `mmo deep train` (it lacks '{}')", path, key));
    return found->second;
  };
  if (text(format_key) != format_version)
    throw ModelError(fmt::format("{}: format {} is newer than this program", path, text(format_key)));
  file.verify_checksum();
  DeepModel out;
  try {
    const nlohmann::json config = parse_json(text("config"));
    out.network.encoder = parse_encoder(config.at("encoder"), path);
    out.network.head = parse_head(config.at("head"));
    out.tokens = config.at("tokens");
    out.label_names = config.at("labels").get<std::vector<std::string>>();
    out.metric = config.at("metric");
    out.rule.min_labels = config.at("min_labels");
    out.history = config.at("history");
  } catch (const nlohmann::json::exception& error) {
    throw ModelError(fmt::format("{}: its configuration can't be read: {}", path, error.what()));
  }
  if (out.label_names.size() != static_cast<std::size_t>(out.network.head.labels))
    throw ModelError(fmt::format("{}: {} label names for {} labels", path, out.label_names.size(),
                                 out.network.head.labels));
  out.vocabulary = text("vocabulary");
  Specs specs = out.network.encoder.specs();
  const Specs head = out.network.head.specs();
  specs.insert(specs.end(), head.begin(), head.end());
  out.network.parameters = load_parameters(file, specs);
  const Tensor thresholds_L = copy_tensor(file, thresholds_name, {out.network.head.labels});
  if (at::isnan(thresholds_L).any().item<bool>())
    throw ModelError(fmt::format("{}: a decision threshold is NaN; train the model again", path));
  out.rule.thresholds.assign(thresholds_L.data_ptr<float>(),
                             thresholds_L.data_ptr<float>() + thresholds_L.numel());
  return out;
}

}  // namespace mmo::deep
