#include "mmo/loss/batch.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "mmo/core/parallel.h"
#include "mmo/core/simd.h"
#include "mmo/loss/batch_kernels.h"
#include "mmo/loss/cell_cost.h"

namespace mmo {
namespace {

// What the rows of one call have in common.
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
  const bool all_known = batch.targets.empty() && batch.unknown == nullptr;
  if (all_known && batch.row_weights.empty()) return static_cast<double>(batch.scores.size());
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

// What TightCells hold for labels that are absent or present.
struct TightTables {
  std::vector<float> absent, present;                // pulls
  std::vector<double> absent_weight, weight_gained;  // of a cell, and how much more if the label is present
  double all_absent = 0;                             // A of a row without labels

  explicit TightTables(std::span<const LabelCost> costs) {
    for (const LabelCost& cost : costs) {
      const CellCost without = tight_cell(cost, false);
      const CellCost with = tight_cell(cost, true);
      absent.push_back(static_cast<float>(without.plus - without.minus));
      present.push_back(static_cast<float>(with.plus - with.minus));
      absent_weight.push_back(without.sum());
      weight_gained.push_back(with.sum() - without.sum());
      all_absent += without.sum();
    }
  }
};

// Sparse targets: a row starts out all absent; present and unknown labels are put in before its loss and
// taken out again after, so preparing a row costs its labels, not l.
class SparseRows {
 public:
  // Rows of few labels share a kernel call: a call for ten labels costs more than their loss. Weighted rows
  // have different scales.
  static std::size_t rows_at_once(const ScoreBatch& batch) {
    constexpr std::size_t cells = 512;
    return batch.row_weights.empty()
               ? std::max<std::size_t>(1, cells / std::max<std::size_t>(batch.labels_count, 1))
               : 1;
  }

  SparseRows(const RowTask& task, const TightTables& tables)
      : task_(task), tables_(tables), all_(rows_at_once(task.batch)) {
    for (std::size_t k = 0; k < all_.size(); ++k)
      pull_.insert(pull_.end(), tables.absent.begin(), tables.absent.end());
    if (all_.size() > 1) {
      all_absent_ = pull_;
      cell_all_.resize(pull_.size() + lanes);
    }
  }

  // Σ over rows first … last − 1 of weight × loss; there are at most rows_at_once.
  double loss(std::size_t first, std::size_t last, float* gradient) {
    const ScoreBatch& batch = task_.batch;
    const std::size_t labels = batch.labels_count;
    const TightCells cells{.scores = batch.scores.data() + first * labels,
                           .pull = pull_.data(),
                           .count = (last - first) * labels,
                           .per_score = per_score(batch)};
    const float weight = weight_of(batch, first);
    const float scale = task_.gradient_scale * weight;
    for (std::size_t i = first; i < last; ++i)
      all_[i - first] = enter(i, pull_.data() + (i - first) * labels);
    double value = 0;
    if (task_.kappa == 0) {
      value = independent_cells(cells, scale, gradient);
    } else {
      value = joint_loss(cells, scale, gradient);
      for (std::size_t i = first; i < last; ++i)
        value -= take_unknown_out(i, all_[i - first], gradient + (i - first) * labels);
    }
    if (all_absent_.empty()) {
      leave(first, pull_.data());
    } else {
      pull_ = all_absent_;
    }
    return static_cast<double>(weight) * value;
  }

 private:
  // Returns A of the row: every label that leaves its absent cell takes that cell's weight along.
  double enter(std::size_t i, float* pull) const {
    double all = tables_.all_absent;
    const auto labels = task_.batch.labels->row(i);
    for (const std::uint32_t j : labels) {
      pull[j] = tables_.present[j];
      all += tables_.weight_gained[j];
    }
    for (const std::uint32_t j : unknown_labels(task_.batch, i)) {
      pull[j] = 0;
      all -= tables_.absent_weight[j];
      if (std::binary_search(labels.begin(), labels.end(), j)) all -= tables_.weight_gained[j];
    }
    return all;
  }

  void leave(std::size_t i, float* pull) const {
    for (const std::uint32_t j : task_.batch.labels->row(i)) pull[j] = tables_.absent[j];
    for (const std::uint32_t j : unknown_labels(task_.batch, i)) pull[j] = tables_.absent[j];
  }

  double joint_loss(const TightCells& cells, float scale, float* gradient) {
    const auto kappa = static_cast<float>(task_.kappa);
    if (all_.size() == 1) return joint_row(cells, kappa, static_cast<float>(all_[0]), scale, gradient);
    repeat_each(all_.data(), task_.batch.labels_count, cells.count, cell_all_.data());
    return joint_cells(cells, kappa, cell_all_.data(), scale, gradient);
  }

  // The kernel treats every cell as known. Returns what it added for those that are not.
  double take_unknown_out(std::size_t i, double all, float* gradient) const {
    const ScoreBatch& batch = task_.batch;
    double value = 0;
    for (const std::uint32_t j : unknown_labels(batch, i)) {
      const float x = per_score(batch) * batch.scores[i * batch.labels_count + j];
      value += cross_term(x, static_cast<float>(task_.kappa / 2), static_cast<float>(all));
      gradient[j] = 0;
    }
    return value;
  }

  const RowTask& task_;
  const TightTables& tables_;
  std::vector<double> all_;        // A of each row
  std::vector<float> pull_;        // of every cell
  std::vector<float> all_absent_;  // pull_ at the start, where several rows share a call
  std::vector<float> cell_all_;    // A of its row, for every cell
};

// Both sides of the cells of labels that are absent or present in full.
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

struct SoftTables {
  SoftTable absent, present;

  explicit SoftTables(std::span<const LabelCost> costs) : absent(costs, false), present(costs, true) {}
};

class DenseRows {
 public:
  DenseRows(const RowTask& task, const SoftTables& tables)
      : task_(task),
        tables_(tables),
        plus_(task.kappa == 0 ? 0 : tables.absent.plus.size()),
        minus_(plus_.size()),
        known_(plus_.size()) {}

  static std::size_t rows_at_once(const ScoreBatch&) { return 1; }

  double loss(std::size_t i, std::size_t /*last*/, float* gradient) {
    const float weight = weight_of(task_.batch, i);
    return static_cast<double>(weight) * row_loss(i, task_.gradient_scale * weight, gradient);
  }

 private:
  double row_loss(std::size_t i, float scale, float* gradient) {
    const ScoreBatch& batch = task_.batch;
    const SoftCosts costs{.present_plus = tables_.present.plus.data(),
                          .present_minus = tables_.present.minus.data(),
                          .absent_plus = tables_.absent.plus.data(),
                          .absent_minus = tables_.absent.minus.data()};
    const std::size_t at = i * batch.labels_count;
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

  const RowTask& task_;
  const SoftTables& tables_;
  std::vector<float> plus_, minus_, known_;
};

// Σ of row weight × row loss. Blocks and strips of rows depend on the shape alone, so the result does not
// depend on the number of threads.
template <class Rows, class Tables>
double sum_over_rows(const RowTask& task, const Tables& tables, std::span<float> gradient) {
  const ScoreBatch& batch = task.batch;
  const std::size_t labels = batch.labels_count;
  const std::size_t block_rows = std::max<std::size_t>(8, 65536 / std::max<std::size_t>(labels, 1));
  std::vector<double> values(range_count(batch.rows, block_rows), 0.0);
  parallel_ranges(batch.rows, block_rows, [&](std::size_t first, std::size_t last) {
    Rows rows(task, tables);
    const std::size_t step = Rows::rows_at_once(batch);
    std::vector<float> unwanted(gradient.empty() ? step * labels : 0);
    for (std::size_t i = first; i < last; i += step) {
      float* slope = gradient.empty() ? unwanted.data() : gradient.data() + i * labels;
      values[first / block_rows] += rows.loss(i, std::min(i + step, last), slope);
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
  const double sum = batch.labels != nullptr ? sum_over_rows<SparseRows>(task, TightTables(costs), gradient)
                                             : sum_over_rows<DenseRows>(task, SoftTables(costs), gradient);
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
