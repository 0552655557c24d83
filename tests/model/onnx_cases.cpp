// Writes models of every kind as ONNX, with inputs and our own scores and decisions, for onnx_parity.py:
// onnx_cases FOLDER → FOLDER/<case>.onnx, .features, .scores (float32), .labels (uint8) and cases.json.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mmo/core/atomic_file.h"
#include "mmo/core/file.h"
#include "mmo/model/model.h"
#include "model/random_model.h"

namespace mmo {
namespace {

using MapKind = FeatureMap::Kind;
using RuleKind = DecisionRule::Kind;

void write(const std::string& path, std::string_view bytes) {
  AtomicFile file(path, true);
  file.write(bytes);
  file.commit();
}

std::string_view raw(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

nlohmann::json write_case(const std::string& folder, const std::string& name, const Model& model,
                          const DenseMatrix& x) {
  const DenseMatrix scores = score(model, x);
  const LabelMatrix labels = predict(model, x);
  std::string indicator(scores.values.size(), '\0');
  for (std::size_t i = 0; i < labels.rows; ++i) {
    for (const std::uint32_t j : labels.row(i)) indicator[i * labels.cols + j] = '\1';
  }
  const std::string stem = folder + "/" + name;
  export_onnx(model, stem + ".onnx", true);
  write(stem + ".features", raw(x.values));
  write(stem + ".scores", raw(scores.values));
  write(stem + ".labels", indicator);
  return {{"name", name}, {"rows", x.rows}, {"columns", x.cols}, {"labels", scores.cols}};
}

std::vector<ModelShape> shapes() {
  std::vector<ModelShape> out;
  for (const MapKind map : {MapKind::identity, MapKind::standardise, MapKind::arcsinh, MapKind::rank_gauss,
                            MapKind::l2_rows, MapKind::idf_l2, MapKind::sqrt_l2}) {
    out.push_back({.map = map});
  }
  out.push_back({.labels = 1});
  out.push_back({.columns = 1, .map = MapKind::rank_gauss});
  for (const RuleKind rule : {RuleKind::thresholds, RuleKind::expected_count}) {
    for (const std::size_t least : {0U, 1U, 3U}) {
      for (const std::size_t most : {0U, 3U}) {
        for (const bool infinite : {false, true}) {
          out.push_back({.labels = 12,
                         .mix = infinite,
                         .rule = rule,
                         .min_labels = least,
                         .max_labels = most,
                         .infinite_thresholds = infinite});
        }
      }
    }
  }
  out.push_back({.labels = 1, .rule = RuleKind::expected_count});
  out.push_back({.columns = 40,
                 .labels = 300,
                 .map = MapKind::standardise,
                 .mix = true,
                 .rule = RuleKind::expected_count,
                 .min_labels = 1});
  out.push_back({.others = true});
  out.push_back({.labels = 1, .map = MapKind::standardise, .others = true});
  return out;
}

void write_cases(const std::string& folder) {
  Random random(20);
  nlohmann::json cases;
  for (const ModelShape& shape : shapes()) {
    const Model model = random_model(shape, random);
    DenseMatrix x = random_features(200, shape.columns, random);
    std::fill(x.row(0).begin(), x.row(0).end(), 0.0F);
    if (shape.columns > 1) std::fill(x.row(1).begin(), x.row(1).end(), 1e3F);  // beyond the training range
    cases.push_back(
        write_case(folder, fmt::format("case{:02}-{}", cases.size(), kind_name(shape.map)), model, x));
  }
  write(folder + "/cases.json", cases.dump());
}

}  // namespace
}  // namespace mmo

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  mmo::write_cases(argv[1]);
}
