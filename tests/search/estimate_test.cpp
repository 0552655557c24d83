#include "mmo/search/estimate.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "mmo/core/lend.h"
#include "mmo/data/generate.h"
#include "mmo/learn/linear/mapped_problem.h"
#include "mmo/search/train.h"

namespace mmo {
namespace {

std::uint64_t estimated_bytes(std::size_t rows, std::size_t features, bool lent = false) {
  LabelMatrix labels;
  labels.cols = 2;
  for (std::size_t i = 0; i < rows; ++i)
    labels.push_row(std::vector<std::uint32_t>{static_cast<std::uint32_t>(i % 2)});
  Problem problem;
  problem.labels = &labels;
  problem.hold_out = HoldOut::by_folds(std::vector<std::uint32_t>(rows), 5);
  problem.trainable = {0, 1};
  const Features own = DenseMatrix(rows, features);
  const Features borrowed = lend(own);
  const Features& x = lent ? borrowed : own;
  const LearnerData all{{&x, nullptr}, &problem};
  const Learners learners = make_learners({LearnerKind::linear}, make_recipe("linear", Effort::standard, {}),
                                          {}, std::vector<char>(2, 1), Deadline());
  return estimate_search(learners, all, /*mixes=*/true, rows, 1).bytes;
}

// Wider features are not whitened: they do not take d² of memory.
TEST(EstimateSearch, CountsMomentsOfWhitenedFeaturesOnly) {
  EXPECT_LT(estimated_bytes(1700, most_whitened_features + 1), estimated_bytes(1700, most_whitened_features));
  EXPECT_GT(estimated_bytes(1700, 1200), estimated_bytes(1700, 1100));
}

// They lie in a file or with the caller.
TEST(EstimateSearch, LeavesOutLentFeatures) {
  EXPECT_EQ(estimated_bytes(500, 40) - estimated_bytes(500, 40, true), 500U * 40 * sizeof(float));
}

// Of this process, in bytes; 0 where the system does not tell.
double memory_line(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ":", 0) == 0) return 1024 * std::stod(line.substr(name.size() + 1));
  }
  return 0;
}

// An upper bound, but not an idle one.
TEST(EstimateSearch, BoundsTheMemoryThatASearchTakes) {
  GenerateOptions generate;
  generate.rows = 40000;
  generate.features = 100;
  generate.labels = 12;
  for (const std::size_t nonzeros_per_row : {0U, 20U}) {
    generate.nonzeros_per_row = nonzeros_per_row;
    const Dataset data = generate_dataset(generate);
    TrainOptions options;
    options.metric = parse_metric("micro-f1");
    options.effort = Effort::quick;
    double estimated = 0;
    options.estimated = [&](const SearchEstimate& estimate) {
      estimated = static_cast<double>(estimate.bytes);
    };
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts anew
    const double before = memory_line("VmRSS");
    if (before == 0 || memory_line("VmHWM") > 1.1 * before) GTEST_SKIP() << "the system keeps no peak";
    (void)train(data, options);
    const double taken = memory_line("VmHWM") - before;
    EXPECT_LT(taken, 1.1 * estimated) << nonzeros_per_row;
    EXPECT_GT(taken, 0.2 * estimated) << nonzeros_per_row;
  }
}

}  // namespace
}  // namespace mmo
