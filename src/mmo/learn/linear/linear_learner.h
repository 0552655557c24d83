// The linear learner: one feature map, a path of L2 for each loss, λ's costs where asked for. The losses
// share the map, so the mean of their calibrated scores is again linear: z = map(x)·W + b.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "mmo/core/deadline.h"
#include "mmo/core/progress.h"
#include "mmo/learn/learner.h"
#include "mmo/learn/linear/choose_map.h"
#include "mmo/learn/linear/l2_path.h"
#include "mmo/learn/linear/lambda_fit.h"
#include "mmo/metric/metric.h"

namespace mmo {

struct LinearOptions {
  std::vector<FeatureMap::Kind> dense_maps{FeatureMap::Kind::standardise};
  std::vector<FeatureMap::Kind> sparse_maps{FeatureMap::Kind::identity};
  std::size_t screened_labels = 32;  // at most so many labels choose the map
  // Candidate strengths of L2 as multiples ρ of tr(XcᵀXc)/d, strong to weak; empty = this loss is not used.
  std::vector<double> logistic_path, hinge_path;
  bool all_choose = false;         // all folds and labels choose L2, not only enough of them
  double sparse_tolerance = 4e-3;  // of the fits that choose, where features are sparse
  bool calibrate = true;           // else scores stay raw: threshold 0 means 0
  Criterion criterion;             // what chooses L2; empty: the calibrated log-loss
  double tau = 0;                  // of the logistic-type loss
  bool joint = false;              // its coupling
  LambdaOptions lambda;
  Metric metric;  // λ's
};

class LinearLearner : public Learner {
 public:
  LinearLearner(LinearOptions options, const Deadline& deadline, Progress progress);

  [[nodiscard]] std::string name() const override { return "linear"; }
  [[nodiscard]] LearnerCost cost(const LearnerData& all, std::size_t searched_rows,
                                 std::size_t threads) const override;
  [[nodiscard]] DenseMatrix held_out(const LearnerData& searched) override;
  [[nodiscard]] Scorer fit(const LearnerData& all) override;
  [[nodiscard]] nlohmann::json record() const override;

 private:
  struct LossPath {
    std::string name;
    ColumnLoss loss;
    const std::vector<double>& rhos;
    double progress;  // where the run is when this loss begins
  };
  [[nodiscard]] ChosenLoss walk(const LossPath& path);
  void fit_costs(ChosenLoss& logistic);
  [[nodiscard]] Choosers choosers(const Problem& problem) const;
  [[nodiscard]] std::function<bool()> stop_at(double share);

  LinearOptions options_;
  Deadline deadline_;
  Progress progress_;
  std::atomic<bool> cut_short_ = false;  // by the time limit
  ChosenMap map_;
  std::vector<ChosenLoss> losses_;  // without their scores once held_out() has returned
  nlohmann::json record_ = nlohmann::json::object();
};

}  // namespace mmo
