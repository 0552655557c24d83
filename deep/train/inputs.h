// The rows that a network reads, as batches of tensors.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "deep/data/wordpiece.h"
#include "deep/net/network.h"
#include "mmo/core/matrix.h"

namespace mmo::deep {

class Inputs {
 public:
  virtual ~Inputs() = default;
  [[nodiscard]] virtual std::size_t rows() const = 0;
  // In training, `seed` varies pictures at random (flips); 0 = as they are.
  [[nodiscard]] virtual Batch batch(std::span<const std::uint32_t> rows, std::uint64_t seed) const = 0;
  // Worth preparing the next batch while the network works on this one.
  [[nodiscard]] virtual bool slow() const { return false; }
  // Tokens of each row if their number varies; empty otherwise.
  [[nodiscard]] virtual std::span<const std::uint32_t> lengths() const { return {}; }
};

class FeatureInputs final : public Inputs {
 public:
  explicit FeatureInputs(Tensor x_ND) : x_ND_(std::move(x_ND)) {}
  explicit FeatureInputs(const DenseMatrix& x);
  [[nodiscard]] std::size_t rows() const override { return static_cast<std::size_t>(x_ND_.size(0)); }
  [[nodiscard]] Batch batch(std::span<const std::uint32_t> rows, std::uint64_t seed) const override;
  [[nodiscard]] const Tensor& all() const { return x_ND_; }

 private:
  Tensor x_ND_;
};

// Texts as WordPiece tokens; a batch is as wide as its longest row.
class TextInputs final : public Inputs {
 public:
  TextInputs(const std::vector<std::string>& documents, const WordPiece& tokenizer, std::size_t most_tokens);
  [[nodiscard]] std::size_t rows() const override { return tokens_.size(); }
  [[nodiscard]] Batch batch(std::span<const std::uint32_t> rows, std::uint64_t seed) const override;
  [[nodiscard]] std::span<const std::uint32_t> lengths() const override { return lengths_; }

 private:
  std::vector<std::vector<std::int32_t>> tokens_;
  std::vector<std::uint32_t> lengths_;
  std::int32_t padding_;
};

using Batches = std::vector<std::vector<std::uint32_t>>;
// The batches of one epoch, determined by seed and epoch. Rows of similar length share a batch: shuffled rows
// are sorted by length within pools of `pool` batches, then the batches are shuffled.
[[nodiscard]] Batches epoch_batches(std::span<const std::uint32_t> rows,
                                    std::span<const std::uint32_t> lengths, std::size_t batch_rows,
                                    std::uint64_t seed, std::size_t epoch);
// In order of length (or as they are), for scoring.
[[nodiscard]] Batches ordered_batches(std::span<const std::uint32_t> rows,
                                      std::span<const std::uint32_t> lengths, std::size_t batch_rows);

// targets_NL: 1 present, 0 absent, NaN unknown.
[[nodiscard]] Tensor target_tensor(const LabelMatrix& labels, const LabelMatrix& unknown);
[[nodiscard]] Tensor row_index(std::span<const std::uint32_t> rows);
[[nodiscard]] std::vector<std::uint32_t> all_rows(std::size_t count);

}  // namespace mmo::deep
