// The data of the paper's linear experiments under every reading of its protocol, and of its two ablations,
// transferred to linear models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mmo/data/dataset.h"

namespace mmo::study {

enum class PaperVariant {
  primary,       // labels with ≥ 20 positives in the whole set; cal500: random 400/102
  train_count,   // the same, counted on the training part
  half_split,    // cal500 only: random 251/251
  few_features,  // primary, features replaced by their first principal components
  dropped,       // primary, 20 % of the training positives made negative at random
};
struct VariantInfo {
  PaperVariant variant;
  const char* name;
  const char* meaning;
};
[[nodiscard]] const std::vector<VariantInfo>& paper_variants();
[[nodiscard]] const char* variant_name(PaperVariant variant);

struct TrainTestPair {
  Dataset train, test;
};

// One set of the Mulan folder: a training and a test file, or a single file to be split at random.
class PaperSet {
 public:
  // DIR/scene/scene-train.arff and -test.arff, or DIR/cal500/cal500.arff. Throws IoError, DataError.
  PaperSet(const std::string& folder, const std::string& name);

  // The data of run r, whose seeds are r.
  [[nodiscard]] TrainTestPair run(PaperVariant variant, std::uint64_t seed) const;
  [[nodiscard]] bool splits() const { return test_.rows() == 0; }

 private:
  Dataset train_, test_;  // test_ is empty if the set comes without a split
};

}  // namespace mmo::study
