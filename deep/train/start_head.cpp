#include "deep/train/start_head.h"

#include <algorithm>

#include "deep/train/extract.h"

namespace mmo::deep {
namespace {

constexpr std::size_t rows_to_standardise =
    1024;  // enough for means and deviations if features must be computed

}  // namespace

void start_head(Network& network, const TrainData& data, Communicator& processes) {
  const auto* features = dynamic_cast<const FeatureInputs*>(&data.inputs);
  if (features != nullptr) {
    standardise(network.parameters, features->all().index_select(0, row_index(data.train)));
  } else {
    const auto rows = std::span(data.train).first(std::min(rows_to_standardise, data.train.size()));
    const DenseMatrix sample =
        extract_features(network.encoder, network.parameters, data.inputs, rows, {}, processes);
    standardise(network.parameters, FeatureInputs(sample).all());
  }
  const LabelMatrix unknown = data.unknown.rows > 0 ? take_rows(data.unknown, data.train) : LabelMatrix{};
  start_at_log_odds(network.parameters, target_tensor(take_rows(data.labels, data.train), unknown));
}

}  // namespace mmo::deep
