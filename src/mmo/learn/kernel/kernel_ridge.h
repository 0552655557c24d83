// Kernel ridge regression, all labels at once: f(x) = Σ_c k(x, c)·α_c + b minimises
//   Σ_i w_i·(t_i − f(x_i))² + λ·αᵀKα,
// with b free. One inverse serves every label, and also yields what f would say about a fold's rows without
// having seen them: no further fit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mmo/core/matrix.h"

namespace mmo {

struct RidgeRows {
  std::span<const float> weights = {};              // empty = all 1
  std::span<const std::uint32_t> fold_of_row = {};  // rows of folds 0 … folds − 1 are left out in turn
  std::size_t folds = 0;

  // The rows of each fold, ascending.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> by_fold() const;
};

class KernelRidge {
 public:
  KernelRidge() = default;
  KernelRidge(const KernelRidge&) = delete;
  KernelRidge& operator=(const KernelRidge&) = delete;
  virtual ~KernelRidge() = default;

  // Rows × labels: each row's scores by the fit without its fold; 0 for rows in no fold.
  [[nodiscard]] virtual DenseMatrix left_out(const DenseMatrix& targets) const = 0;

  struct Fit {
    DenseMatrix weights;      // α: landmarks × labels
    std::vector<float> bias;  // per label
  };
  [[nodiscard]] virtual Fit fit(const DenseMatrix& targets) const = 0;
};

// Every row is a landmark; `kernel`: n × n.
[[nodiscard]] std::unique_ptr<KernelRidge> exact_ridge(DenseMatrix kernel, const RidgeRows& rows,
                                                       double ridge);
// Nyström: α over m landmarks only; `kernel`: n × m, `between`: m × m.
[[nodiscard]] std::unique_ptr<KernelRidge> landmark_ridge(const DenseMatrix& kernel,
                                                          const DenseMatrix& between, const RidgeRows& rows,
                                                          double ridge);

// Unknown targets take the scores that the other rows give them, which amounts to leaving them out; a few
// rounds come close.
void fill_unknown(const KernelRidge& ridge, std::span<const std::pair<std::uint32_t, std::uint32_t>> cells,
                  DenseMatrix& targets);

}  // namespace mmo
