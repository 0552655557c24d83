// The paper's Algorithm 4 as printed: a model per λ, trained by Adam, judged on a validation part.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "mmo/cost/lambda_search.h"
#include "mmo/metric/metric.h"
#include "study/adam_fit.h"

namespace mmo::study {

// The training, validation and test parts of one partition, features standardised by the training part.
struct Partition {
  Part train, valid, test;
};

// The result at one λ: label j is predicted where its score is ≥ 0.
struct PrintedFit {
  DenseMatrix weights;
  std::vector<Counts> valid, test;  // per label
  LabelMatrix valid_predicted, test_predicted;
};

// The fits of one partition and coupling, each computed once. Costs are those of `ratio`, the same for all
// labels.
class PrintedFits {
 public:
  PrintedFits(const Partition& data, const CountRatio& ratio, bool joint, std::size_t epochs,
              std::uint64_t seed)
      : data_(data), ratio_(ratio), joint_(joint), epochs_(epochs), seed_(seed) {}

  const PrintedFit& at(double lambda);
  // λ → validation metric and Ê[ℓ^λ] per row, for the λ searches: one coordinate, or one per label (macro).
  [[nodiscard]] EvaluateLambda evaluate(const Metric& metric);
  // The test value at the λ of a search.
  [[nodiscard]] double test_value(const Metric& metric, const std::vector<double>& lambda);

 private:
  const Partition& data_;
  CountRatio ratio_;
  bool joint_;
  std::size_t epochs_;
  std::uint64_t seed_;
  std::map<double, PrintedFit> fits_;
};

[[nodiscard]] PrintedFit judge(DenseMatrix weights, const Partition& data);

}  // namespace mmo::study
