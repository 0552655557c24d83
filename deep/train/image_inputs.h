// Pictures as batches, decoded on demand, several at a time.
#pragma once

#include "deep/data/image.h"
#include "deep/train/inputs.h"

namespace mmo::deep {

class ImageInputs final : public Inputs {
 public:
  ImageInputs(std::vector<std::string> paths, const Normalisation& normalisation)
      : paths_(std::move(paths)), normalisation_(normalisation) {}
  [[nodiscard]] std::size_t rows() const override { return paths_.size(); }
  // With a seed, half of the pictures are flipped.
  [[nodiscard]] Batch batch(std::span<const std::uint32_t> rows, std::uint64_t seed) const override;
  [[nodiscard]] bool slow() const override { return true; }

 private:
  std::vector<std::string> paths_;
  Normalisation normalisation_;
};

}  // namespace mmo::deep
