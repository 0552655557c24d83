#include "deep/train/inputs.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "mmo/core/parallel.h"
#include "mmo/core/random.h"

namespace mmo::deep {
namespace {

constexpr std::size_t pool_batches = 50;  // sorted together: enough to save padding, few enough to mix

Batches cut(std::span<const std::uint32_t> rows, std::size_t batch_rows) {
  Batches out;
  for (std::size_t at = 0; at < rows.size(); at += batch_rows) {
    const auto part = rows.subspan(at, std::min(batch_rows, rows.size() - at));
    out.emplace_back(part.begin(), part.end());
  }
  return out;
}

void sort_by_length(std::span<std::uint32_t> rows, std::span<const std::uint32_t> lengths) {
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return lengths[a] < lengths[b]; });
}

}  // namespace

Tensor row_index(std::span<const std::uint32_t> rows) {
  Tensor index = at::empty({static_cast<std::int64_t>(rows.size())}, at::kLong);
  std::copy(rows.begin(), rows.end(), index.data_ptr<std::int64_t>());
  return index;
}

std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

FeatureInputs::FeatureInputs(const DenseMatrix& x)
    : x_ND_(at::empty({static_cast<std::int64_t>(x.rows), static_cast<std::int64_t>(x.cols)})) {
  std::memcpy(x_ND_.data_ptr<float>(), x.values.data(), x.values.size() * sizeof(float));
}

Batch FeatureInputs::batch(std::span<const std::uint32_t> rows, std::uint64_t /*seed*/) const {
  Batch out;
  out.features_ND = x_ND_.index_select(0, row_index(rows));
  return out;
}

TextInputs::TextInputs(const std::vector<std::string>& documents, const WordPiece& tokenizer,
                       std::size_t most_tokens)
    : tokens_(documents.size()), lengths_(documents.size()), padding_(tokenizer.padding()) {
  parallel_for(documents.size(), [&](std::size_t i) {
    tokens_[i] = tokenizer.encode(documents[i], most_tokens);
    lengths_[i] = static_cast<std::uint32_t>(tokens_[i].size());
  });
}

Batch TextInputs::batch(std::span<const std::uint32_t> rows, std::uint64_t /*seed*/) const {
  std::size_t width = 0;
  for (const std::uint32_t i : rows) width = std::max(width, tokens_[i].size());
  const std::vector<std::int64_t> shape{static_cast<std::int64_t>(rows.size()),
                                        static_cast<std::int64_t>(width)};
  Batch out;
  out.ids_NT = at::full(shape, padding_, at::kLong);
  out.mask_NT = at::zeros(shape, at::kBool);
  auto* ids = out.ids_NT.data_ptr<std::int64_t>();
  auto* mask = out.mask_NT.data_ptr<bool>();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto& tokens = tokens_[rows[r]];
    std::copy(tokens.begin(), tokens.end(), ids + r * width);
    std::fill_n(mask + r * width, tokens.size(), true);
  }
  return out;
}

Batches epoch_batches(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> lengths,
                      std::size_t batch_rows, std::uint64_t seed, std::size_t epoch) {
  std::vector<std::uint32_t> order(rows.begin(), rows.end());
  Random random(seed * 1'000'003 + epoch);
  random.shuffle(order);
  if (lengths.empty()) return cut(order, batch_rows);
  const std::size_t pool_rows = pool_batches * batch_rows;
  for (std::size_t at = 0; at < order.size(); at += pool_rows)
    sort_by_length(std::span(order).subspan(at, std::min(pool_rows, order.size() - at)), lengths);
  Batches out = cut(order, batch_rows);
  random.shuffle(out);
  return out;
}

Batches ordered_batches(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> lengths,
                        std::size_t batch_rows) {
  std::vector<std::uint32_t> order(rows.begin(), rows.end());
  if (!lengths.empty()) sort_by_length(order, lengths);
  return cut(order, batch_rows);
}

Tensor target_tensor(const LabelMatrix& labels, const LabelMatrix& unknown) {
  Tensor out = at::zeros({static_cast<std::int64_t>(labels.rows), static_cast<std::int64_t>(labels.cols)});
  auto* values = out.data_ptr<float>();
  for (std::size_t i = 0; i < labels.rows; ++i) {
    for (const std::uint32_t j : labels.row(i)) values[i * labels.cols + j] = 1;
  }
  for (std::size_t i = 0; i < unknown.rows; ++i) {
    for (const std::uint32_t j : unknown.row(i))
      values[i * labels.cols + j] = std::numeric_limits<float>::quiet_NaN();
  }
  return out;
}

}  // namespace mmo::deep
