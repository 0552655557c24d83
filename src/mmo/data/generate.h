// Made-up multi-label data with the traits of real sets: labels that occur together because they share
// topics, long-tailed label frequencies, features that a label changes only in part, noise in the labels.
//
// A row draws one to three topics, then labels from these topics (label j with a weight of about j^−1.5),
// then features from its labels and topics:
//   dense   x = Σ label prototypes + Σ topic prototypes + noise; every fourth column is skewed;
//   sparse  word counts: each word comes from one of the row's labels, from one of its topics, or (most
//   often)
//           from the whole vocabulary, where word k has a frequency ~ 1 / k.
// Last, a share `noise` of the labels is replaced by others.
// The same options give the same data on every platform; the first rows do not depend on how many follow.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mmo/data/dataset.h"

namespace mmo {

struct GenerateOptions {
  std::size_t rows = 2000;
  std::size_t features = 100;
  std::size_t labels = 20;
  double labels_per_row = 2.5;       // mean; some rows have none
  std::size_t nonzeros_per_row = 0;  // mean; 0 = dense features
  double noise = 0.05;               // share of the labels that are wrong, 0 … 1
  std::uint64_t seed = 1;
};

// Throws UsageError for options that make no sense.
[[nodiscard]] Dataset generate_dataset(const GenerateOptions& options);

}  // namespace mmo
