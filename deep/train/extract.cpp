#include "deep/train/extract.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "mmo/core/parallel.h"

namespace mmo::deep {
namespace {

constexpr std::size_t network_rows = 32;   // per batch through an encoder
constexpr std::size_t feature_rows = 512;  // when there is only a head

template <class Apply>
DenseMatrix for_all(const Inputs& inputs, std::span<const std::uint32_t> rows, std::size_t batch_rows,
                    std::int64_t width, const std::string& stage, const Progress& progress,
                    Communicator& processes, const Apply& apply) {
  const c10::NoGradGuard no_gradient;
  DenseMatrix out(rows.size(), static_cast<std::size_t>(width));
  // Batches hold positions in `rows`, so repeated rows do no harm.
  std::vector<std::uint32_t> lengths;
  for (const std::uint32_t i : rows) {
    if (!inputs.lengths().empty()) lengths.push_back(inputs.lengths()[i]);
  }
  std::size_t done = 0;
  std::size_t turn = 0;  // batches sorted by length are dealt like cards: every process gets long ones too
  for (const auto& places : ordered_batches(all_rows(rows.size()), lengths, batch_rows)) {
    throw_if_cancelled();
    done += places.size();
    if (turn++ % processes.size() != processes.rank()) continue;
    std::vector<std::uint32_t> part;
    for (const std::uint32_t place : places) part.push_back(rows[place]);
    const Tensor values_NX = apply(inputs.batch(part, 0)).contiguous();
    const auto* values = values_NX.template data_ptr<float>();
    for (std::size_t r = 0; r < places.size(); ++r)
      std::copy_n(values + r * out.cols, out.cols, out.row(places[r]).begin());
    report(progress, stage, static_cast<double>(done) / static_cast<double>(rows.size()),
           fmt::format("{} of {} rows", done, rows.size()));
  }
  processes.sum(out.values);
  return out;
}

}  // namespace

DenseMatrix extract_features(const Encoder& encoder, const Parameters& p, const Inputs& inputs,
                             std::span<const std::uint32_t> rows, const Progress& progress,
                             Communicator& processes) {
  return for_all(inputs, rows, network_rows, encoder.width(), "features", progress, processes,
                 [&](const Batch& batch) { return encoder.features(p, batch, false); });
}

DenseMatrix score_rows(const Network& network, const Inputs& inputs, std::span<const std::uint32_t> rows,
                       const Progress& progress, Communicator& processes) {
  const bool features_only = network.encoder.kind == EncoderKind::none;
  return for_all(inputs, rows, features_only ? feature_rows : network_rows, network.head.labels, "scores",
                 progress, processes, [&](const Batch& batch) { return network.scores(batch, false); });
}

}  // namespace mmo::deep
