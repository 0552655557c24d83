// The kernel learner: ridge regression on kernels between rows, all labels at once. If there are few rows,
// every row is a landmark, otherwise a sample of them (Nyström). The fits without each fold follow from the
// fit on all rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mmo/learn/kernel/choose_kernel.h"
#include "mmo/learn/kernel/kernel_ridge.h"
#include "mmo/learn/learner.h"

namespace mmo {

struct KernelSettings {
  std::size_t exact_rows = 1600;  // up to this many rows, each is a landmark
  std::size_t landmarks = 1024;   // beyond; fewer for very many rows (landmarks × rows stay bounded)
  std::size_t choosing_rows = 640, choosing_labels = 64;
};

class KernelLearner final : public Learner {
 public:
  explicit KernelLearner(const KernelSettings& settings = {}) : settings_(settings) {}

  [[nodiscard]] std::string name() const override { return "kernel"; }
  [[nodiscard]] LearnerCost cost(const LearnerData& all, std::size_t searched_rows,
                                 std::size_t threads) const override;
  [[nodiscard]] DenseMatrix held_out(const LearnerData& searched) override;
  // What held_out() has fitted: on a sample of the rows if it saw only a sample.
  [[nodiscard]] Scorer fit(const LearnerData& all) override;
  [[nodiscard]] nlohmann::json record() const override;

  // The widths and ridges tried, best first.
  [[nodiscard]] const std::vector<KernelPoint>& tried() const { return tried_; }

 private:
  [[nodiscard]] std::size_t landmark_count(std::size_t rows) const;
  [[nodiscard]] bool exact(std::size_t rows) const { return rows <= settings_.exact_rows; }
  // `x`: the mapped features of these rows of the problem.
  void choose(const Problem& problem, const std::vector<std::uint32_t>& rows, const DenseMatrix& x,
              const std::vector<std::uint32_t>& by_content);
  [[nodiscard]] KernelScorer scorer() const;

  KernelSettings settings_;
  std::vector<KernelPoint> tried_;
  FeatureMap map_;
  DenseMatrix landmarks_;  // d × m
  DenseMatrix targets_;
  std::unique_ptr<KernelRidge> ridge_;
};

}  // namespace mmo
