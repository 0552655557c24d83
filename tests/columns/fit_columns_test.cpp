#include "mmo/columns/fit_columns.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>

#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/loss/softplus.h"

namespace mmo {
namespace {

// A small problem: x normal, labels from a noisy linear rule.
struct Small {
  Features x;
  LabelMatrix rows_of_label;
  std::vector<float> sizes, weights;
  std::vector<std::uint32_t> folds;
  std::unique_ptr<LazyTranspose> transposed;
  std::optional<Whitening> whitening;

  Small(std::size_t n, std::size_t d, std::size_t labels, bool sparse, bool weighted = false) {
    Random random(7);
    DenseMatrix dense(n, d);
    for (float& v : dense.values)
      v = sparse && random.uniform() < 0.7 ? 0.0F : static_cast<float>(random.normal());
    LabelMatrix y;
    y.cols = labels;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<std::uint32_t> row;
      for (std::size_t j = 0; j < labels; ++j) {
        const double score = dense(i, j % d) + 0.5 * dense(i, (j + 1) % d) - 0.7 + random.normal();
        if (score > 0) row.push_back(static_cast<std::uint32_t>(j));
      }
      y.push_row(row);
      folds.push_back(static_cast<std::uint32_t>(i % 3));
      if (weighted) weights.push_back(static_cast<float>(0.5 + random.uniform()));
    }
    rows_of_label = transpose(y);
    if (sparse) {
      CsrMatrix csr;
      csr.rows = n;
      csr.cols = d;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < d; ++k) {
          if (dense(i, k) == 0.0F) continue;
          csr.indices.push_back(static_cast<std::uint32_t>(k));
          csr.values.push_back(dense(i, k));
        }
        csr.offsets.push_back(csr.indices.size());
      }
      transposed = std::make_unique<LazyTranspose>();
      x = csr;
    } else {
      x = dense;
    }
    sizes = column_sizes(x, weights);
  }
  [[nodiscard]] ColumnData data() const {
    return {&x,
            &rows_of_label,
            nullptr,
            weights,
            folds,
            {},
            transposed.get(),
            sizes,
            whitening ? &*whitening : nullptr};
  }
};

// All columns' weights, (d + 1) each.
std::vector<std::vector<float>> solve(const Small& small, const ColumnLoss& loss,
                                      const std::vector<Column>& columns, const SolverOptions& options,
                                      std::vector<ColumnStatus>* status = nullptr, std::size_t width = 0) {
  std::vector<std::vector<float>> out(columns.size());
  std::mutex guard;
  if (status != nullptr) status->resize(columns.size());
  const auto finish = [&](SolvedBlock&& block) {
    const std::lock_guard lock(guard);
    for (std::size_t c = 0; c < block.count; ++c) {
      for (std::size_t k = 0; k * block.stride < block.weights.size(); ++k) {
        out[block.first + c].push_back(block.weights[k * block.stride + c]);
      }
      if (status != nullptr) (*status)[block.first + c] = block.status[c];
    }
  };
  fit_columns(small.data(), loss, columns, options, {}, finish, width);
  return out;
}

// Newton's method in double on one column: the reference.
Eigen::VectorXd newton(const Small& small, const Column& column) {
  const auto* dense = std::get_if<DenseMatrix>(&small.x);
  const std::size_t n = feature_rows(small.x);
  const std::size_t d = feature_cols(small.x);
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(d + 1));
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = static_cast<Eigen::Index>(i);
    if (dense != nullptr) {
      for (std::size_t k = 0; k < d; ++k) x(r, static_cast<Eigen::Index>(k)) = (*dense)(i, k);
    } else {
      const auto& csr = std::get<CsrMatrix>(small.x);
      for (std::size_t e = 0; e < csr.row_indices(i).size(); ++e)
        x(r, csr.row_indices(i)[e]) = csr.row_values(i)[e];
    }
    x(r, static_cast<Eigen::Index>(d)) = 1;
  }
  std::vector<double> t(n, -1.0);
  for (const std::uint32_t i : small.rows_of_label.row(column.label)) t[i] = 1.0;
  Eigen::VectorXd w = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(d + 1));
  for (int round = 0; round < 50; ++round) {
    Eigen::VectorXd g = column.ridge * w;
    Eigen::MatrixXd h = column.ridge * Eigen::MatrixXd::Identity(w.size(), w.size());
    g(w.size() - 1) = 0;
    h(w.size() - 1, w.size() - 1) = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (column.held_out == static_cast<std::int32_t>(small.folds[i])) continue;
      const Eigen::VectorXd row = x.row(static_cast<Eigen::Index>(i));
      const double weight = (small.weights.empty() ? 1.0 : static_cast<double>(small.weights[i])) *
                            (t[i] > 0 ? column.positive : column.negative);
      const double p = sigmoid(-t[i] * row.dot(w));
      g -= weight * t[i] * p * row;
      h += weight * p * (1 - p) * row * row.transpose();
    }
    w -= h.ldlt().solve(g);
  }
  return w;
}

enum class Kind { dense, whitened, sparse };

TEST(FitColumns, MeetsNewtonsSolution) {
  for (const Kind kind : {Kind::dense, Kind::whitened, Kind::sparse}) {
    Small small(150, 9, 3, kind == Kind::sparse, true);
    if (kind == Kind::whitened)
      small.whitening.emplace(*feature_moments(std::get<DenseMatrix>(small.x), small.weights), 0.1, 1.0);
    std::vector<Column> columns;
    for (std::uint32_t j = 0; j < 3; ++j) {
      columns.push_back({j, -1, 1, 1, 2.0F});
      columns.push_back({j, 1, 1.4F, 0.6F, 0.5F});
    }
    std::vector<ColumnStatus> status;
    const auto w = solve(small, {}, columns, {.tolerance = 1e-7, .max_iterations = 300, .pairs = 8}, &status);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Eigen::VectorXd reference = newton(small, columns[c]);
      EXPECT_EQ(status[c].state, SolverState::converged);
      // A decrement of 1e-7·f ≈ 1e-5 = ½·curvature·Δ² with a curvature of at least the ridge, 0.5 … 2.
      for (std::size_t k = 0; k < w[c].size(); ++k)
        EXPECT_NEAR(w[c][k], reference[static_cast<Eigen::Index>(k)], 6e-3);
    }
  }
}

// Strongly correlated features, none of them centred: as they are they take many iterations.
TEST(FitColumns, WhiteningFindsTheSameWeightsInFewerIterations) {
  Small small(400, 30, 12, false);
  auto& x = std::get<DenseMatrix>(small.x);
  for (std::size_t i = 0; i < x.rows; ++i) {
    float running = 1;
    for (std::size_t k = 0; k < x.cols; ++k) running = x(i, k) = 0.9F * running + x(i, k);
  }
  small.sizes = column_sizes(small.x, {});
  std::vector<Column> columns;
  for (std::uint32_t j = 0; j < 12; ++j) columns.push_back({j, static_cast<std::int32_t>(j % 3), 1, 1, 1.0F});
  const SolverOptions options{.tolerance = 1e-6};
  for (const auto loss : {ColumnLoss::Kind::logistic, ColumnLoss::Kind::squared_hinge}) {
    const auto iterations = [](const std::vector<ColumnStatus>& status) {
      int sum = 0;
      for (const ColumnStatus& own : status) {
        EXPECT_EQ(own.state, SolverState::converged);
        sum += own.iterations;
      }
      return sum;
    };
    std::vector<ColumnStatus> status;
    small.whitening.reset();
    const auto plain = solve(small, {.kind = loss}, columns, options, &status);
    const int before = iterations(status);
    small.whitening.emplace(*feature_moments(x, {}), loss == ColumnLoss::Kind::logistic ? 0.05 : 0.5, 1.0);
    const auto whitened = solve(small, {.kind = loss}, columns, options, &status);
    EXPECT_LT(2 * iterations(status), before);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (std::size_t k = 0; k < plain[c].size(); ++k) EXPECT_NEAR(whitened[c][k], plain[c][k], 2e-2);
    }
  }
}

// Features that repeat each other at other scales, hardly any L2: nothing but rounding is left of most axes.
TEST(FitColumns, WhiteningSurvivesRepeatedFeatures) {
  Small small(500, 200, 8, false);
  auto& x = std::get<DenseMatrix>(small.x);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t k = 6; k < x.cols; ++k) x(i, k) = 30 * x(i, k % 6) + 1e-4F * x(i, k);
  }
  small.sizes = column_sizes(small.x, {});
  std::vector<Column> columns;
  for (std::uint32_t j = 0; j < 8; ++j) columns.push_back({j, -1, 1, 1, 1e-3F});
  const SolverOptions options{.tolerance = 1e-4};
  std::vector<ColumnStatus> plain;
  (void)solve(small, {}, columns, options, &plain);
  small.whitening.emplace(*feature_moments(x, {}), 0.05, 1e-3);
  std::vector<ColumnStatus> whitened;
  (void)solve(small, {}, columns, options, &whitened);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    EXPECT_EQ(whitened[c].state, SolverState::converged);
    EXPECT_LE(whitened[c].value, plain[c].value * 1.01);
    EXPECT_LE(whitened[c].iterations, 60);
  }
}

TEST(FitColumns, SquaredHingeReachesAStationaryPoint) {
  const Small small(200, 8, 2, false);
  const std::vector<Column> columns{{0, -1, 1, 1, 3.0F}, {1, 0, 1, 1, 3.0F}};
  std::vector<ColumnStatus> status;
  const auto w = solve(small, {.kind = ColumnLoss::Kind::squared_hinge}, columns,
                       {.tolerance = 1e-8, .max_iterations = 300, .pairs = 8}, &status);
  const auto& x = std::get<DenseMatrix>(small.x);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::vector<double> t(x.rows, -1.0);
    for (const std::uint32_t i : small.rows_of_label.row(columns[c].label)) t[i] = 1.0;
    for (std::size_t k = 0; k <= x.cols; ++k) {
      double g = k < x.cols ? columns[c].ridge * w[c][k] : 0.0;
      for (std::size_t i = 0; i < x.rows; ++i) {
        if (columns[c].held_out == static_cast<std::int32_t>(small.folds[i])) continue;
        double z = w[c][x.cols];
        for (std::size_t m = 0; m < x.cols; ++m) z += static_cast<double>(x(i, m)) * w[c][m];
        g -= 2 * t[i] * std::max(0.0, 1 - t[i] * z) * (k < x.cols ? static_cast<double>(x(i, k)) : 1.0);
      }
      EXPECT_NEAR(g, 0.0, 0.1);  // of gradients of order 100 at the start
    }
  }
}

// Rows and costs of all kinds: weights, an empty row, unknown cells, folds, costs below 0, far
// apart and next to the ridge, a ridge that takes few passes and one that takes more than there are.
TEST(FitColumns, DualDescentFindsWhatLbfgsFinds) {
  Small small(240, 30, 20, true, true);
  auto& x = std::get<CsrMatrix>(small.x);
  x.offsets.back() = x.offsets[x.rows - 1];
  x.indices.resize(x.offsets.back());
  x.values.resize(x.offsets.back());
  small.weights[7] = 0;
  std::vector<Column> columns;
  for (std::uint32_t j = 0; j < 20; ++j) {
    columns.push_back({j, -1, 1, 1, 30.0F});
    columns.push_back({j, 1, 1.7F, 0.3F, 5.0F});
    columns.push_back({j, 0, -0.4F, -1.6F, 1.0F});
    columns.push_back({j, 2, 1, 1, 0.05F});
    columns.push_back({j, -1, 0.002F, 2, 100.0F});
    columns.push_back({j, -1, 1, 1, 3000.0F});
  }
  LabelMatrix unknown;
  unknown.cols = 240;
  for (std::uint32_t j = 0; j < 20; ++j) unknown.push_row(std::vector<std::uint32_t>{j, j + 100});
  ColumnData data = small.data();
  data.unknown_rows_of_label = &unknown;
  for (const auto kind : {ColumnLoss::Kind::squared_hinge, ColumnLoss::Kind::logistic}) {
    const auto found = [&](int passes) {
      std::vector<std::vector<float>> weights(columns.size());
      std::vector<ColumnStatus> status(columns.size());
      const SolverOptions options{.tolerance = 1e-6, .dual_passes = passes};
      fit_columns(data, {.kind = kind}, columns, options, {}, [&](SolvedBlock&& block) {
        for (std::size_t c = 0; c < block.count; ++c) {
          status[block.first + c] = block.status[c];
          for (std::size_t k = 0; k * block.stride < block.weights.size(); ++k)
            weights[block.first + c].push_back(block.weights[k * block.stride + c]);
        }
      });
      return std::pair(weights, status);
    };
    set_threads(1);
    const auto [simple, simple_status] = found(0);
    for (const int passes : {1, 16, 300}) {
      const auto [fast, status] = found(passes);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        SCOPED_TRACE(testing::Message() << "column " << c << ", " << passes << " passes");
        EXPECT_EQ(status[c].state, SolverState::converged);
        // Dual descent tells the value that its rows saw during the last pass.
        EXPECT_NEAR(status[c].value, simple_status[c].value, 1e-3 * simple_status[c].value);
        const double slack = columns[c].ridge < 1 ? 5e-2 : 1e-2;  // ½·ridge·Δ² ≈ 1e-6·f
        for (std::size_t k = 0; k < simple[c].size(); ++k) EXPECT_NEAR(fast[c][k], simple[c][k], slack);
      }
    }
    set_threads(0);
  }
}

TEST(FitColumns, SameBitsForAnyThreadCountAndAnyNeighbours) {
  for (const Kind kind : {Kind::whitened, Kind::sparse}) {
    Small small(120, 12, 40, kind == Kind::sparse);
    if (kind == Kind::whitened)
      small.whitening.emplace(*feature_moments(std::get<DenseMatrix>(small.x), small.weights), 0.1, 1.0);
    std::vector<Column> columns;
    for (std::uint32_t j = 0; j < 40; ++j) {
      for (std::int32_t f = -1; f < 3; ++f) columns.push_back({j, f, 1, 1, j % 2 == 0 ? 1.0F : 30.0F});
    }
    const SolverOptions options{.tolerance = 1e-5, .max_iterations = 300, .pairs = 4};
    for (const auto loss : {ColumnLoss::Kind::logistic, ColumnLoss::Kind::squared_hinge}) {
      set_threads(1);
      const auto one = solve(small, {.kind = loss}, columns, options);
      set_threads(2);
      const auto two = solve(small, {.kind = loss}, columns, options);
      set_threads(0);
      EXPECT_EQ(one, two);
      for (std::size_t c = 0; c < columns.size(); c += 7) {
        const std::vector<Column> alone{columns[c]};
        EXPECT_EQ(solve(small, {.kind = loss}, alone, options)[0], one[c]) << c;
      }
    }
  }
}

TEST(FitColumns, FeaturesThatNoRowHasChangeNothing) {
  constexpr std::size_t features = 80, labels = 40;
  Small small(400, features, labels, true);
  std::vector<Column> columns;
  for (std::uint32_t j = 0; j < labels; ++j) columns.push_back({j, -1, 1, 1, 2.0F});
  const SolverOptions options{.tolerance = 1e-6};
  const auto wide = solve(small, {}, columns, options);
  auto& x = std::get<CsrMatrix>(small.x);
  x.cols = 20000;
  small.transposed = std::make_unique<LazyTranspose>();
  small.sizes = column_sizes(small.x, {});
  const auto narrow = solve(small, {}, columns, options, nullptr, 16);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t k = 0; k < features; ++k) EXPECT_NEAR(narrow[c][k], wide[c][k], 1e-4);
    EXPECT_NEAR(narrow[c].back(), wide[c].back(), 1e-4);
    EXPECT_EQ(narrow[c][features], 0.0F);
  }
}

TEST(FitColumns, TheWidthOfBlocksChangesNoBit) {
  for (const bool sparse : {false, true}) {
    const Small small(300, 30, 37, sparse);
    std::vector<Column> columns;
    for (std::uint32_t j = 0; j < 37; ++j) columns.push_back({j, -1, 1, 1, 2.0F});
    const SolverOptions options{.tolerance = 1e-5};
    for (const auto loss : {ColumnLoss::Kind::logistic, ColumnLoss::Kind::squared_hinge}) {
      const auto widest = solve(small, {.kind = loss}, columns, options, nullptr, 32);
      EXPECT_EQ(solve(small, {.kind = loss}, columns, options, nullptr, 8), widest);
      EXPECT_EQ(solve(small, {.kind = loss}, columns, options, nullptr, 16), widest);
    }
  }
}

TEST(FitColumns, BlocksAreNarrowWhereVectorsAreMostOfTheWork) {
  const ColumnLoss logistic;
  EXPECT_EQ(columns_per_block(DenseMatrix(10, 10), logistic, true), 32U);
  EXPECT_EQ(columns_per_block(DenseMatrix(16380, 5), logistic, true), 16U);
  CsrMatrix x;
  x.rows = 100;
  x.cols = 50;
  x.indices.resize(16 * 150 - 1);
  EXPECT_EQ(columns_per_block(x, logistic, true), 16U);
  EXPECT_EQ(columns_per_block(x, logistic, false), 32U);  // dual descent has no vectors
  EXPECT_EQ(columns_per_block(x, {.kind = ColumnLoss::Kind::squared_hinge}, true), 32U);
  x.indices.resize(16 * 150);
  EXPECT_EQ(columns_per_block(x, logistic, true), 32U);
}

TEST(FitColumns, LabelsThatAreNeverOrAlwaysThere) {
  Small small(60, 4, 2, false);
  LabelMatrix y = transpose(small.rows_of_label);
  LabelMatrix changed;
  changed.cols = 2;
  for (std::size_t i = 0; i < y.rows; ++i) changed.push_row(std::vector<std::uint32_t>{1});
  small.rows_of_label = transpose(changed);
  const auto w = solve(small, {}, {{0, -1, 1, 1, 1.0F}, {1, -1, 1, 1, 1.0F}}, {});
  EXPECT_LT(w[0].back(), -2.0F);
  EXPECT_GT(w[1].back(), 2.0F);
  for (const auto& column : w) {
    for (const float v : column) EXPECT_TRUE(std::isfinite(v));
  }
}

// A fold that holds out all of a label's positives leaves a column without a finite solution: its constant,
// made of the training rows alone, is the answer at once, whatever it started from.
TEST(FitColumns, ColumnsOfOneSideKeepTheirConstant) {
  Small small(90, 4, 2, true);
  LabelMatrix changed;
  changed.cols = 2;
  for (std::size_t i = 0; i < 90; ++i)
    changed.push_row(small.folds[i] == 1 ? std::vector<std::uint32_t>{0, 1} : std::vector<std::uint32_t>{});
  small.rows_of_label = transpose(changed);
  const std::vector<Column> columns{{0, 1, 1, 1, 1.0F}, {1, -1, 1, 1, 1.0F}, {1, 0, 1, 0, 1.0F}};
  for (const bool hinge : {false, true}) {
    const ColumnLoss loss{.kind = hinge ? ColumnLoss::Kind::squared_hinge : ColumnLoss::Kind::logistic};
    std::vector<ColumnStatus> status;
    const auto w = solve(small, loss, columns, {}, &status);
    const double low = hinge ? -60.0 / 61.0 : std::log(0.5 / 60.5);
    EXPECT_NEAR(w[0].back(), low, 1e-6);
    EXPECT_EQ(status[0].iterations, 0);
    EXPECT_EQ(status[0].state, SolverState::converged);
    EXPECT_GT(status[1].iterations, 0);
    EXPECT_GT(w[2].back(), 0.5F);  // false positives cost nothing
    EXPECT_EQ(status[2].iterations, 0);
    for (const std::size_t c : {0U, 2U}) {
      for (std::size_t k = 0; k + 1 < w[c].size(); ++k) EXPECT_EQ(w[c][k], 0.0F);
    }
  }
}

TEST(FitColumns, RowsTooLongForFloatsAreLeftToLbfgs) {
  Small small(80, 6, 3, true);
  std::get<CsrMatrix>(small.x).values[5] = 1e17F;
  small.sizes = column_sizes(small.x, {});
  const std::vector<Column> columns{{.label = 0}, {.label = 1}, {.label = 2}};
  for (const auto kind : {ColumnLoss::Kind::squared_hinge, ColumnLoss::Kind::logistic}) {
    const auto either = solve(small, {.kind = kind}, columns, {});
    EXPECT_EQ(either, solve(small, {.kind = kind}, columns, {.dual_passes = 0}));
    for (const auto& column : either) {
      for (const float w : column) EXPECT_TRUE(std::isfinite(w));
    }
  }
}

// Dual descent does without the start, unless there is no time for a single pass.
TEST(FitColumns, OutOfTimeBeforeAnyPassLeavesTheGivenStart) {
  const Small small(60, 4, 20, true);
  std::vector<Column> columns;
  for (std::uint32_t j = 0; j < 20; ++j) columns.push_back({.label = j});
  ColumnStart start;
  start.weights = [](std::size_t, std::size_t count, std::size_t stride, LineVector<float>& weights) {
    for (std::size_t c = 0; c < count; ++c) weights[stride + c] = 5.0F;
  };
  for (const int passes_in_time : {0, 1, 100}) {
    int asked = 0;
    const SolverOptions options{
        .tolerance = 1e-9, .dual_passes = 1, .stop = [&] { return ++asked > passes_in_time; }};
    set_threads(1);
    fit_columns(
        small.data(), {.kind = ColumnLoss::Kind::squared_hinge}, columns, options, start,
        [&](SolvedBlock&& block) {
          for (std::size_t c = 0; c < block.count; ++c) {
            const bool started = block.weights[block.stride + c] == 5.0F;
            EXPECT_EQ(started, block.status[c].iterations == 0);
            EXPECT_EQ(started, passes_in_time == 0 || (passes_in_time == 1 && block.first + c >= 16)) << c;
          }
        },
        16);
    set_threads(0);
  }
}

// All blocks of a fit with the squared hinge.
std::vector<SolvedBlock> blocks_of(const Small& small, const std::vector<Column>& columns,
                                   const SolverOptions& options, const ColumnStart& start) {
  std::vector<SolvedBlock> out((columns.size() + 31) / 32);
  fit_columns(
      small.data(), {.kind = ColumnLoss::Kind::squared_hinge}, columns, options, start,
      [&](SolvedBlock&& block) { out[block.first / 32] = std::move(block); }, 32);
  return out;
}

TEST(FitColumns, GoesOnFromTheDualsOfAnotherRidge) {
  Small small(200, 30, 37, true);
  LabelMatrix y = transpose(small.rows_of_label);
  LabelMatrix changed;  // label 3 has its positives in fold 1 alone
  changed.cols = 37;
  for (std::size_t i = 0; i < y.rows; ++i) {
    std::vector<std::uint32_t> row(y.row(i).begin(), y.row(i).end());
    std::erase(row, 3U);
    if (small.folds[i] == 1) row.insert(std::upper_bound(row.begin(), row.end(), 3U), 3U);
    changed.push_row(row);
  }
  small.rows_of_label = transpose(changed);
  const auto columns = [](float ridge) {
    std::vector<Column> out;
    for (std::uint32_t j = 0; j < 37; ++j) out.push_back({j, j == 3 ? 1 : -1, 1.5F, 0.7F, ridge});
    return out;
  };
  const SolverOptions options{.tolerance = 1e-4, .keep_duals = true};
  const auto strong = blocks_of(small, columns(30), options, {});
  EXPECT_EQ(strong[0].dual.duals.size(), 200U * 32);
  const auto cold = blocks_of(small, columns(12), options, {});
  ColumnStart start;
  start.solved = &strong;
  set_threads(1);
  const auto warm = blocks_of(small, columns(12), options, start);
  set_threads(2);
  const auto on_two = blocks_of(small, columns(12), options, start);
  set_threads(0);
  int passes = 0;
  for (std::size_t b = 0; b < cold.size(); ++b) {
    EXPECT_EQ(warm[b].weights, on_two[b].weights);
    for (std::size_t c = 0; c < cold[b].count; ++c) {
      EXPECT_EQ(warm[b].status[c].state, SolverState::converged);
      passes += warm[b].status[c].iterations - cold[b].status[c].iterations;
      for (std::size_t k = c; k < cold[b].weights.size(); k += cold[b].stride)
        EXPECT_NEAR(warm[b].weights[k], cold[b].weights[k], 4e-2);  // ½·ridge·Δ² ≈ 1e-4·f
    }
  }
  EXPECT_LT(passes, 0);
  EXPECT_EQ(warm[0].status[3].iterations, 0);  // a constant, and no feature
  for (std::size_t k = 0; k < 30; ++k) EXPECT_EQ(warm[0].weights[k * 32 + 3], 0.0F);

  // What L-BFGS had to finish leaves no duals, and the next fit starts anew.
  const SolverOptions one_pass{.tolerance = 1e-4, .dual_passes = 1, .keep_duals = true};
  const auto finished = blocks_of(small, columns(30), one_pass, {});
  EXPECT_TRUE(finished[0].dual.duals.empty());
  start.solved = &finished;
  EXPECT_EQ(blocks_of(small, columns(12), options, start)[0].weights, cold[0].weights);

  // Out of time: as it started, not halfway scaled.
  start.solved = &strong;
  start.weights = [&](std::size_t first, std::size_t, std::size_t, LineVector<float>& weights) {
    weights = strong[first / 32].weights;
  };
  SolverOptions late = options;
  late.stop = [] { return true; };
  EXPECT_EQ(blocks_of(small, columns(12), late, start)[1].weights, strong[1].weights);
}

TEST(FitColumns, OutOfTimeLeavesTheStartAndSaysSo) {
  const Small small(60, 4, 2, false);
  const std::vector<Column> columns{{.label = 0}, {.label = 1}};
  std::vector<ColumnStatus> status;
  const auto weights = solve(small, {}, columns, {.stop = [] { return true; }}, &status);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    EXPECT_EQ(status[c].state, SolverState::iteration_limit);
    EXPECT_EQ(status[c].iterations, 0);
    const auto& rows = small.rows_of_label;
    const auto up = static_cast<double>(rows.row(c).size());
    EXPECT_NEAR(weights[c].back(), std::log((up + 0.5) / (60 - up + 0.5)), 1e-5);  // the best constant
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(weights[c][k], 0.0F);
  }
}

}  // namespace
}  // namespace mmo
