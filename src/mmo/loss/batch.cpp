#include "mmo/loss/batch.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "mmo/core/parallel.h"
#include "mmo/loss/batch_kernels.h"
#include "mmo/loss/cell_cost.h"

namespace mmo {
namespace {

// What the rows of one call share.
struct RowTask {
  const ScoreBatch& batch;
  double kappa, tau;
  float gradient_scale;  // 1, or one over the weight of all known cells
};

std::span<const std::uint32_t> unknown_labels(const ScoreBatch& batch, std::size_t row) {
  return batch.unknown == nullptr || batch.unknown->rows == 0 ? std::span<const std::uint32_t>{}
                                                              : batch.unknown->row(row);
}

float per_score(const ScoreBatch& batch) { return batch.logits ? 1.0F : 2.0F; }

float weight_of(const ScoreBatch& batch, std::size_t row) {
  return batch.row_weights.empty() ? 1.0F : batch.row_weights[row];
}

// Σ over known cells of the row's weight.
double known_weight(const ScoreBatch& batch) {
  double sum = 0;
  for (std::size_t i = 0; i < batch.rows; ++i) {
    const std::size_t known =
        batch.targets.empty()
            ? batch.labels_count - unknown_labels(batch, i).size()
            : count_known(batch.targets.data() + i * batch.labels_count, batch.labels_count);
    sum += static_cast<double>(weight_of(batch, i)) * static_cast<double>(known);
  }
  return sum;
}

// The pulls of TightRow for a row whose labels are all absent or all present.
struct TightTable {
  std::vector<float> pull;
  double all = 0;  // A

  TightTable(std::span<const LabelCost> costs, bool present) : pull(costs.size()) {
    for (std::size_t j = 0; j < costs.size(); ++j) {
      const CellCost cell = tight_cell(costs[j], present);
      pull[j] = static_cast<float>(cell.plus - cell.minus);
      all += cell.sum();
    }
  }
};

// Sparse targets: the row starts as all absent; present and unknown labels are put in before its loss and
// taken out after, so preparing a row costs its labels and not l.
class SparseRows {
 public:
  SparseRows(const RowTask& task, const TightTable& absent, const TightTable& present)
      : task_(task), absent_(absent), present_(present), pull_(absent.pull) {}

  double loss(std::size_t i, float* gradient) {
    const ScoreBatch& batch = task_.batch;
    const auto labels = batch.labels->row(i);
    const auto unknown = unknown_labels(batch, i);
    for (const std::uint32_t j : labels) pull_[j] = present_.pull[j];
    for (const std::uint32_t j : unknown) pull_[j] = 0;
    const TightRow row{.scores = batch.scores.data() + i * batch.labels_count,
                       .pull = pull_.data(),
                       .labels = batch.labels_count,
                       .per_score = per_score(batch)};
    const float scale = task_.gradient_scale * weight_of(batch, i);
    const double value = task_.kappa == 0 ? independent_row(row, scale, gradient)
                                          : joint_loss(row, labels, unknown, scale, gradient);
    for (const std::uint32_t j : labels) pull_[j] = absent_.pull[j];
    for (const std::uint32_t j : unknown) pull_[j] = absent_.pull[j];
    return value;
  }

 private:
  double joint_loss(const TightRow& row, std::span<const std::uint32_t> labels,
                    std::span<const std::uint32_t> unknown, float scale, float* gradient) const {
    // A of this row: every label that left its absent cell takes that cell's weight with it.
    double all = absent_.all;
    const auto move = [&](std::uint32_t j) { all += size_of(pull_[j]) - size_of(absent_.pull[j]); };
    for (const std::uint32_t j : labels) move(j);
    for (const std::uint32_t j : unknown) {
      if (!std::binary_search(labels.begin(), labels.end(), j)) move(j);
    }
    const auto kappa = static_cast<float>(task_.kappa);
    double value = joint_row(row, kappa, static_cast<float>(all), scale, gradient);
    for (const std::uint32_t j : unknown) {
      value -= cross_term(row.per_score * row.scores[j], kappa / 2, static_cast<float>(all));
      gradient[j] = 0;
    }
    return value;
  }

  static double size_of(float pull) { return std::fabs(static_cast<double>(pull)); }

  const RowTask& task_;
  const TightTable& absent_;
  const TightTable& present_;
  std::vector<float> pull_;
};

// Both sides of the cells of labels that are all absent or all present.
struct SoftTable {
  std::vector<float> plus, minus;

  SoftTable(std::span<const LabelCost> costs, bool present) : plus(costs.size()), minus(costs.size()) {
    for (std::size_t j = 0; j < costs.size(); ++j) {
      const CellCost cell = tight_cell(costs[j], present);
      plus[j] = static_cast<float>(cell.plus);
      minus[j] = static_cast<float>(cell.minus);
    }
  }
};

class DenseRows {
 public:
  DenseRows(const RowTask& task, const SoftTable& absent, const SoftTable& present)
      : task_(task),
        absent_(absent),
        present_(present),
        plus_(task.kappa == 0 ? 0 : absent.plus.size()),
        minus_(plus_.size()),
        known_(plus_.size()) {}

  double loss(std::size_t i, float* gradient) {
    const ScoreBatch& batch = task_.batch;
    const SoftCosts costs{.present_plus = present_.plus.data(),
                          .present_minus = present_.minus.data(),
                          .absent_plus = absent_.plus.data(),
                          .absent_minus = absent_.minus.data()};
    const std::size_t at = i * batch.labels_count;
    const float scale = task_.gradient_scale * weight_of(batch, i);
    if (task_.kappa == 0) {
      const TargetRow row{.scores = batch.scores.data() + at,
                          .targets = batch.targets.data() + at,
                          .labels = batch.labels_count,
                          .per_score = per_score(batch)};
      return (task_.tau == 0     ? logistic_row
              : task_.tau == 0.5 ? root_row
                                 : absolute_row)(costs, row, scale, gradient);
    }
    const double all = mix_targets(costs, batch.targets.data() + at, batch.labels_count, plus_.data(),
                                   minus_.data(), known_.data());
    const SoftRow row{.scores = batch.scores.data() + at,
                      .plus = plus_.data(),
                      .minus = minus_.data(),
                      .known = known_.data(),
                      .labels = batch.labels_count,
                      .per_score = per_score(batch)};
    return soft_row(row, static_cast<float>(task_.kappa / 2), static_cast<float>(all), scale, gradient);
  }

 private:
  const RowTask& task_;
  const SoftTable& absent_;
  const SoftTable& present_;
  std::vector<float> plus_, minus_, known_;
};

// Σ of row weight × row loss. Blocks depend on the shape alone, so the result does not depend on the threads.
template <class Rows, class Table>
double sum_over_rows(const RowTask& task, const Table& absent, const Table& present,
                     std::span<float> gradient) {
  const ScoreBatch& batch = task.batch;
  const std::size_t labels = batch.labels_count;
  const std::size_t block_rows = std::max<std::size_t>(8, 65536 / std::max<std::size_t>(labels, 1));
  std::vector<double> values(range_count(batch.rows, block_rows), 0.0);
  parallel_ranges(batch.rows, block_rows, [&](std::size_t first, std::size_t last) {
    Rows rows(task, absent, present);
    std::vector<float> unwanted(gradient.empty() ? labels : 0);
    for (std::size_t i = first; i < last; ++i) {
      float* slope = gradient.empty() ? unwanted.data() : gradient.data() + i * labels;
      values[first / block_rows] += static_cast<double>(weight_of(batch, i)) * rows.loss(i, slope);
    }
  });
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

double reduced(const ScoreBatch& batch, std::span<const LabelCost> costs, double kappa, double tau,
               Reduction reduction, std::span<float> gradient) {
  assert(costs.size() == batch.labels_count && batch.scores.size() == batch.rows * batch.labels_count);
  assert((batch.labels != nullptr) == batch.targets.empty());
  const double weight = reduction == Reduction::mean ? known_weight(batch) : 1.0;
  if (weight == 0) {
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    return 0;
  }
  const RowTask task{
      .batch = batch, .kappa = kappa, .tau = tau, .gradient_scale = static_cast<float>(1 / weight)};
  const double sum =
      batch.labels != nullptr
          ? sum_over_rows<SparseRows>(task, TightTable(costs, false), TightTable(costs, true), gradient)
          : sum_over_rows<DenseRows>(task, SoftTable(costs, false), SoftTable(costs, true), gradient);
  return sum / weight;
}

}  // namespace

double batch_surrogate(const ScoreBatch& batch, std::span<const LabelCost> costs, double kappa,
                       Reduction reduction, std::span<float> gradient) {
  assert(kappa >= 0 && kappa <= 1);
  return reduced(batch, costs, kappa, 0, reduction, gradient);
}

double batch_independent(const ScoreBatch& batch, std::span<const LabelCost> costs, double tau,
                         Reduction reduction, std::span<float> gradient) {
  assert(is_fast_tau(tau) && batch.labels == nullptr);
  return reduced(batch, costs, 0, tau, reduction, gradient);
}

}  // namespace mmo
