#include "mmo/learn/many/list_calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/random.h"

namespace mmo {
namespace {

constexpr std::size_t labels = 8;

struct Listed {
  ShortLists lists;
  LabelMatrix y;
  std::vector<float> frequencies;
};

// y ~ Bernoulli(σ((a + c·f)·s + b + d·f)).
Listed drawn(const std::array<double, 4>& theta, std::size_t rows) {
  Listed out;
  out.lists.labels = out.y.cols = labels;
  for (std::size_t j = 0; j < labels; ++j) out.frequencies.push_back(0.5F * static_cast<float>(j));
  Random random(11);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<LabelScore> list;
    std::vector<std::uint32_t> own;
    for (std::uint32_t j = 0; j < labels; ++j) {
      const double s = 1.5 * random.normal();
      const double f = static_cast<double>(out.frequencies[j]);
      const double z = (theta[0] + theta[2] * f) * s + theta[1] + theta[3] * f;
      list.push_back({j, static_cast<float>(s)});
      if (random.uniform() < 1 / (1 + std::exp(-z))) own.push_back(j);
    }
    keep_best(list, labels);
    out.lists.push_row(list);
    out.y.push_row(own);
  }
  return out;
}

TEST(ListCalibration, FindsWhatTheLabelsWereDrawnBy) {
  const std::array<double, 4> theta{1.5, -0.5, -0.2, 0.4};
  const Listed data = drawn(theta, 20000);
  const ListCalibration fitted =
      fit_list_calibration(data.lists, {&data.y, nullptr, {}, {}}, data.frequencies);
  for (std::size_t a = 0; a < 4; ++a) EXPECT_NEAR(fitted.theta[a], theta[a], 0.06) << a;
}

TEST(ListCalibration, NeverTurnsALabelsScoresRound) {
  const Listed data = drawn({1.0, 0.0, -1.0, 0.0}, 5000);
  const ListCalibration fitted =
      fit_list_calibration(data.lists, {&data.y, nullptr, {}, {}}, data.frequencies);
  for (const float f : data.frequencies) EXPECT_GT(fitted.scale(f), 0.0F);
}

TEST(ListCalibration, KeepsScoresWhereThereIsNothingToLearnFrom) {
  Listed data = drawn({1, 0, 0, 0}, 3);
  data.y = {};
  data.y.cols = labels;
  for (std::size_t i = 0; i < 3; ++i) data.y.push_row({});
  const ListCalibration fitted =
      fit_list_calibration(data.lists, {&data.y, nullptr, {}, {}}, data.frequencies);
  EXPECT_EQ(fitted.theta, (std::array<double, 4>{1, 0, 0, 0}));
}

TEST(ListCalibration, ListsAreInOrderAgain) {
  Listed data = drawn({1, 0, 0, 0}, 50);
  ListCalibration calibration;
  calibration.theta = {0.5, 0.1, 0.3, -1.0};
  const ShortLists before = data.lists;
  apply_calibration(calibration, data.frequencies, data.lists);
  for (std::size_t i = 0; i < 50; ++i) {
    const auto row = data.lists.row(i);
    for (std::size_t k = 1; k < row.size(); ++k) EXPECT_GE(row[k - 1].score, row[k].score);
    for (const LabelScore& entry : before.row(i)) {
      const float f = data.frequencies[entry.label];
      const auto now = std::find_if(row.begin(), row.end(), [&](auto& e) { return e.label == entry.label; });
      EXPECT_FLOAT_EQ(now->score, calibration.scale(f) * entry.score + calibration.shift(f));
    }
  }
}

}  // namespace
}  // namespace mmo
