#include "mmo/learn/kernel/kernel_ridge.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mmo/core/random.h"
#include "mmo/learn/kernel/kernel_values.h"
#include "mmo/learn/kernel/multiply.h"

namespace mmo {
namespace {

constexpr double ridge = 0.3;
constexpr double tolerance = 2e-3;  // single precision, and the landmarks' jitter

struct Rows {
  DenseMatrix x{30, 3};
  DenseMatrix targets{30, 2};
  std::vector<float> weights;
  std::vector<std::uint32_t> folds;

  explicit Rows(bool weighted) {
    Random random(3);
    for (float& value : x.values) value = static_cast<float>(random.normal());
    for (std::size_t i = 0; i < x.rows; ++i) {
      for (std::size_t j = 0; j < 2; ++j) targets(i, j) = x(i, j) + random.normal() > 0 ? 1.0F : -1.0F;
      folds.push_back(static_cast<std::uint32_t>(i % 7));  // of which the first 6 are left out
      if (weighted) weights.push_back(0.5F + static_cast<float>(random.uniform()));
    }
  }
  [[nodiscard]] RidgeRows rows() const { return {weights, folds, 6}; }
  [[nodiscard]] Rows without_fold(std::uint32_t fold) const {
    Rows out = *this;
    std::vector<std::uint32_t> kept;
    out.weights.clear();
    for (std::uint32_t i = 0; i < x.rows; ++i) {
      if (folds[i] == fold) continue;
      kept.push_back(i);
      if (!weights.empty()) out.weights.push_back(weights[i]);
    }
    out.x = take_rows(x, kept);
    out.targets = take_rows(targets, kept);
    out.folds.assign(kept.size(), 0);
    return out;
  }
};

const Kernel kernel{Kernel::Kind::gaussian, 0.4F};

// f at `row` by the fit on other rows.
std::vector<double> scores_at(const DenseMatrix& row, const DenseMatrix& landmarks,
                              const KernelRidge::Fit& fit) {
  const DenseMatrix values = kernel_values(row, Landmarks(transposed(landmarks)), kernel);
  std::vector<double> out(fit.bias.begin(), fit.bias.end());
  for (std::size_t c = 0; c < landmarks.rows; ++c) {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += double{values(0, c)} * fit.weights(c, j);
  }
  return out;
}

void expect_left_out(bool weighted, bool exact) {
  const Rows rows(weighted);
  std::vector<std::uint32_t> some(12);
  std::iota(some.begin(), some.end(), 0U);
  const DenseMatrix landmarks = take_rows(rows.x, some);
  const auto fitted = [&](const Rows& on) {
    if (exact) return exact_ridge(kernel_values(on.x, Landmarks(transposed(on.x)), kernel), on.rows(), ridge);
    const Landmarks columns(transposed(landmarks));
    return landmark_ridge(kernel_values(on.x, columns, kernel), kernel_values(landmarks, columns, kernel),
                          on.rows(), ridge);
  };
  const DenseMatrix left_out = fitted(rows)->left_out(rows.targets);
  for (std::uint32_t i = 0; i < rows.x.rows; ++i) {
    if (rows.folds[i] == 6) {
      EXPECT_EQ(left_out(i, 0), 0);
      continue;
    }
    const Rows others = rows.without_fold(rows.folds[i]);
    const KernelRidge::Fit fit = fitted(others)->fit(others.targets);
    const std::vector<std::uint32_t> own{i};
    const auto expected = scores_at(take_rows(rows.x, own), exact ? others.x : landmarks, fit);
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(left_out(i, j), expected[j], tolerance) << i;
  }
}

TEST(KernelRidge, LeftOutScoresAreThoseOfAFitWithoutTheFold) {
  for (const bool weighted : {false, true}) {
    for (const bool exact : {false, true}) expect_left_out(weighted, exact);
  }
}

TEST(KernelRidge, AllRowsAsLandmarksIsTheExactFit) {
  const Rows rows(true);
  const Landmarks landmarks(transposed(rows.x));
  const DenseMatrix values = kernel_values(rows.x, landmarks, kernel);
  const DenseMatrix exact = exact_ridge(values, rows.rows(), ridge)->left_out(rows.targets);
  const DenseMatrix by_landmarks = landmark_ridge(values, values, rows.rows(), ridge)->left_out(rows.targets);
  for (std::size_t e = 0; e < exact.values.size(); ++e)
    EXPECT_NEAR(exact.values[e], by_landmarks.values[e], 0.02);
}

// Filling unknown cells ends near where the fold's own targets no longer matter.
TEST(KernelRidge, UnknownCellsCountForNothing) {
  Rows rows(false);
  const auto fitted =
      exact_ridge(kernel_values(rows.x, Landmarks(transposed(rows.x)), kernel), rows.rows(), ridge);
  const Rows others = rows.without_fold(2);
  const auto fit =
      exact_ridge(kernel_values(others.x, Landmarks(transposed(others.x)), kernel), others.rows(), ridge)
          ->fit(others.targets);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cells;
  for (std::uint32_t i = 2; i < rows.x.rows; i += 7) cells.insert(cells.end(), {{i, 0}, {i, 1}});
  fill_unknown(*fitted, cells, rows.targets);
  const std::vector<std::uint32_t> probe{9};
  const auto with = scores_at(take_rows(rows.x, probe), rows.x, fitted->fit(rows.targets));
  const auto without = scores_at(take_rows(rows.x, probe), others.x, fit);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(with[j], without[j], tolerance);
}

}  // namespace
}  // namespace mmo
