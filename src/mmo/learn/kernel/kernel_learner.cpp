#include "mmo/learn/kernel/kernel_learner.h"

#include <algorithm>
#include <span>

#include "mmo/learn/kernel/content_order.h"
#include "mmo/learn/kernel/kernel_scores.h"
#include "mmo/learn/kernel/kernel_values.h"
#include "mmo/learn/kernel/multiply.h"

namespace mmo {
namespace {

// The first `count` of `rows`, ascending.
std::vector<std::uint32_t> first_of(std::span<const std::uint32_t> rows, std::size_t count) {
  std::vector<std::uint32_t> out(rows.begin(),
                                 rows.begin() + static_cast<std::ptrdiff_t>(std::min(count, rows.size())));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::size_t KernelLearner::landmark_count(std::size_t rows) const {
  constexpr std::size_t fewest = 256;
  constexpr std::size_t most_values = 20'000'000;  // of the kernel
  const std::size_t affordable = std::max(most_values / std::max<std::size_t>(rows, 1), fewest);
  return std::min(settings_.landmarks, affordable);
}

LearnerCost KernelLearner::cost(const LearnerData& all, std::size_t searched_rows,
                                std::size_t threads) const {
  constexpr double operations_per_second = 3e10;  // per thread
  constexpr double points = 7;                    // tried for width and ridge
  const auto n = static_cast<double>(searched_rows);
  const auto d = static_cast<double>(feature_cols(*all.views.encoded));
  const auto l = static_cast<double>(all.problem->label_count());
  const bool every_row = exact(searched_rows);
  const double m = every_row ? n : static_cast<double>(landmark_count(searched_rows));
  const double chosen = std::min(n, static_cast<double>(settings_.choosing_rows));
  const double operations =
      2 * points * chosen * chosen * (chosen + d) + n * m * (2 * d + 4 * l + (every_row ? 2 * m : 6 * m));
  const double floats = 2 * n * d + (every_row ? 2 * n * n : 4 * n * m + 4 * m * m) + 4 * n * l;
  return {operations / (operations_per_second * static_cast<double>(threads)),
          static_cast<std::uint64_t>(4 * floats), static_cast<std::uint64_t>(4 * m * (d + l))};
}

void KernelLearner::choose(const Problem& problem, const std::vector<std::uint32_t>& rows,
                           const DenseMatrix& x, const std::vector<std::uint32_t>& by_content) {
  const std::vector<std::uint32_t> own = first_of(by_content, settings_.choosing_rows);
  std::vector<std::uint32_t> choosing;
  for (const std::uint32_t i : own) choosing.push_back(rows[i]);
  const std::vector<std::uint32_t> labels = spread_labels(problem, settings_.choosing_labels);
  // If every row is a landmark, the exponential kernel has the lower log-loss; a sample of landmarks follows
  // the smooth kernel better.
  const Kernel::Kind kind = exact(rows.size()) ? Kernel::Kind::exponential : Kernel::Kind::gaussian;
  tried_ = choose_kernel(take_rows(x, own), ridge_data(problem, choosing, labels), kind);
}

DenseMatrix KernelLearner::held_out(const LearnerData& searched) {
  const Problem& problem = *searched.problem;
  const bool separate = problem.hold_out.is_validation();
  const std::vector<std::uint32_t> rows = problem.hold_out.training_rows();
  const Features training = separate ? take_rows(*searched.views.encoded, rows) : Features{};
  const Features& encoded = separate ? training : *searched.views.encoded;
  map_ = fit_feature_map(FeatureMap::Kind::rank_gauss, encoded);
  const Features mapped = map_.apply(encoded);
  const auto& x = std::get<DenseMatrix>(mapped);
  const ContentOrder order = content_order(x);
  choose(problem, rows, x, order.rows);
  const Kernel& kernel = tried_.front().kernel;
  RidgeData data = ridge_data(problem, rows, {});
  landmarks_ =
      transposed(exact(rows.size()) ? x : take_rows(x, first_of(order.unique, landmark_count(rows.size()))));
  const Landmarks landmarks(landmarks_);
  if (exact(rows.size())) {
    ridge_ = exact_ridge(kernel_values(x, landmarks, kernel), data.rows(), tried_.front().ridge);
  } else {
    ridge_ = landmark_ridge(kernel_values(x, landmarks, kernel),
                            kernel_values(transposed(landmarks_), landmarks, kernel), data.rows(),
                            tried_.front().ridge);
  }
  fill_unknown(*ridge_, data.unknown_cells, data.targets);
  targets_ = std::move(data.targets);
  if (!separate) return ridge_->left_out(targets_);
  DenseMatrix out(problem.rows(), problem.label_count());
  add_scores(scorer(), std::get<DenseMatrix>(map_.apply(*searched.views.encoded)), out.values.data());
  return out;
}

KernelScorer KernelLearner::scorer() const {
  KernelRidge::Fit fitted = ridge_->fit(targets_);
  return {map_, tried_.front().kernel, landmarks_, std::move(fitted.weights), std::move(fitted.bias)};
}

Scorer KernelLearner::fit(const LearnerData&) {
  KernelScorer out = scorer();
  ridge_.reset();
  return out;
}

nlohmann::json KernelLearner::record() const {
  nlohmann::json points = nlohmann::json::array();
  for (const KernelPoint& point : tried_)
    points.push_back({{"width", point.width}, {"ridge", point.ridge}, {"log_loss", point.log_loss}});
  const bool gaussian = tried_.front().kernel.kind == Kernel::Kind::gaussian;
  return {
      {"kernel",
       {{"kind", gaussian ? "gaussian" : "exponential"}, {"landmarks", landmarks_.cols}, {"tried", points}}}};
}

}  // namespace mmo
