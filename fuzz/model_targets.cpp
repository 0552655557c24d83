// Model files, also with a right checksum around wrong content, and what is done with those that were
// accepted.
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/history.h"
#include "fuzz/input_file.h"
#include "fuzz/mutators.h"
#include "fuzz/targets.h"
#include "mmo/core/error.h"
#include "mmo/model/inspect.h"
#include "mmo/model/model.h"
#include "mmo/model/safetensors.h"
#include "mmo/report/model_report.h"
#include "mmo/report/read_report.h"

namespace mmo::fuzz {
namespace {

constexpr std::size_t rows = 3;

// Rows with the columns that the model asks for; every third cell is missing where the model fills it.
Dataset fitting_data(const Model& model) {
  Dataset data;
  data.source = "data";
  data.y.cols = model.labels();
  for (std::size_t i = 0; i < rows; ++i) data.y.push_row({});
  if (model.text) {
    data.documents.assign(
        rows, "two words and " + (model.text->vocabulary().empty() ? "" : model.text->vocabulary()[0]));
    return data;
  }
  data.features = model.encoder.columns;
  DenseMatrix x(rows, model.encoder.raw_columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < x.cols; ++k) {
      const bool nominal = k < data.features.size() && data.features[k].nominal();
      x(i, k) =
          nominal ? static_cast<float>(i % data.features[k].categories.size()) : static_cast<float>(i) - 1.5F;
      if ((i + k) % 3 == 0 && !model.encoder.fill.empty()) x(i, k) = std::numeric_limits<float>::quiet_NaN();
    }
  }
  data.x = std::move(x);
  for (const std::string& name : model.encoder.inputs().texts)
    data.texts.push_back({name, std::vector<std::string>(rows, "two words")});
  return data;
}

void use(const Model& model) {
  constexpr std::size_t most_columns = 1'000'000;
  static_cast<void>(model_card_text(model_card(model, 3), 5));
  static_cast<void>(cli::history_text(model));
  static_cast<void>(model_report(model, "data", "").dump());
  if (model.encoder.raw_columns > most_columns) return;
  const Prepared x = prepare(model, fitting_data(model));
  const LabelMatrix predicted = predict(model, x);
  if (predicted.rows != rows) throw std::logic_error("rows are missing");
  for (const std::uint32_t j : predicted.indices) {
    if (j >= model.labels()) throw std::logic_error("a label that does not exist");
  }
  if (model.wants_table()) return;
  export_onnx(model, InputFile("", ".onnx").path(), true);
}

void model(const std::string& bytes) {
  const TensorFile file = read_safetensors(FileContent::from_string(bytes, "data"));
  use(load_model(FileContent::from_string(safetensors_bytes(file.tensors, file.metadata), "data")));
}
void safetensors(const std::string& bytes) {
  static_cast<void>(load_model(FileContent::from_string(bytes, "data")));
}
void report(const std::string& bytes) {
  static_cast<void>(read_report(InputFile(bytes, ".json").path()).dump());
}

}  // namespace

std::span<const Target> model_targets() {
  static const Target targets[] = {
      {"model", model,
       "src/mmo/model/model_file.cpp src/mmo/model/model_parts.cpp src/mmo/model/input_parts.cpp "
       "src/mmo/model/scorer_parts.cpp",
       mutate_model},
      {"safetensors", safetensors, "src/mmo/model/safetensors.cpp"},
      {"report", report, "src/mmo/report/read_report.cpp", mutate_json_text},
  };
  return targets;
}

}  // namespace mmo::fuzz
