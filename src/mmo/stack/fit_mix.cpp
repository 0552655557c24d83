#include "mmo/stack/fit_mix.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "mmo/calibrate/logistic_fit.h"
#include "mmo/core/parallel.h"
#include "mmo/core/product.h"

namespace mmo {
namespace {

constexpr std::size_t rows_per_task = 256;
constexpr std::size_t labels_per_task = 64;

// What the mix is fitted on: P = σ(z) and its weighted mean.
struct Probabilities {
  DenseMatrix p;
  std::vector<float> centre;
};

Probabilities probabilities(const DenseMatrix& scores, std::span<const float> row_weights) {
  const std::size_t l = scores.cols;
  Probabilities out{DenseMatrix(scores.rows, l), std::vector<float>(l)};
  std::vector<std::vector<double>> sums(range_count(scores.rows, rows_per_task));
  parallel_ranges(scores.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
    std::vector<double>& sum = sums[first / rows_per_task];
    sum.assign(l, 0.0);
    for (std::size_t i = first; i < last; ++i) {
      const double weight = row_weights.empty() ? 1.0 : row_weights[i];
      const auto p = out.p.row(i);
      sigmoids(scores.row(i), p);
      for (std::size_t j = 0; j < l; ++j) sum[j] += weight * p[j];
    }
  });
  double mass = static_cast<double>(scores.rows);
  if (!row_weights.empty()) {
    mass = 0;
    for (const float weight : row_weights) mass += weight;
  }
  for (std::size_t j = 0; j < l; ++j) {
    double total = 0;
    for (const auto& sum : sums) total += sum[j];
    out.centre[j] = static_cast<float>(total / std::max(mass, 1e-12));
  }
  return out;
}

// PcᵀPc and (Y − P)ᵀPc over some rows; unknown cells count as Y = P.
struct Moments {
  DenseMatrix gram, cross;

  void add(const Moments& other, float sign) {
    const auto add_to = [sign](DenseMatrix& to, const DenseMatrix& from) {
      const float* next = from.values.data();
      for (float& value : to.values) value += sign * *next++;
    };
    add_to(gram, other.gram);
    add_to(cross, other.cross);
  }
};

Moments moments(const Probabilities& from, const LabelMatrix& labels, const LabelMatrix* unknown,
                std::span<const float> row_weights, const std::vector<std::uint32_t>& rows) {
  const std::size_t l = from.p.cols;
  const auto root = [&](std::size_t i) { return row_weights.empty() ? 1.0F : std::sqrt(row_weights[i]); };
  DenseMatrix centred(rows.size(), l);  // √weight·Pc
  parallel_ranges(rows.size(), rows_per_task, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) {
      const float scale = root(rows[r]);
      const float* p = from.p.row(rows[r]).data();
      float* to = centred.row(r).data();
      for (std::size_t j = 0; j < l; ++j) to[j] = scale * (p[j] - from.centre[j]);
    }
  });
  // Y − P = T − Pc − 1·p̄ᵀ, where T is Y with P in the unknown cells: sparse, unlike Y − P. So
  // (Y − P)ᵀPc = TᵀPc − PcᵀPc − p̄·(1ᵀPc) costs little more than PcᵀPc.
  Moments out{gram(centred), DenseMatrix(l, l)};
  parallel_ranges(l, labels_per_task, [&](std::size_t first, std::size_t last) {
    std::vector<float> sum(last - first);
    const auto add_row = [&](std::size_t r, float by, float* to) {
      const float* pc = centred.row(r).data();
      for (std::size_t j = first; j < last; ++j) to[j - first] += by * pc[j];
    };
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::size_t i = rows[r];
      const auto hidden =
          unknown != nullptr && unknown->rows > 0 ? unknown->row(i) : std::span<const std::uint32_t>{};
      add_row(r, root(i), sum.data());
      for (const std::uint32_t k : labels.row(i)) {
        if (!std::binary_search(hidden.begin(), hidden.end(), k))
          add_row(r, root(i), out.cross.row(k).data() + first);
      }
      for (const std::uint32_t k : hidden)
        add_row(r, root(i) * from.p(i, k), out.cross.row(k).data() + first);
    }
    for (std::size_t k = 0; k < l; ++k) {
      float* cross = out.cross.row(k).data();
      const float* gram_row = out.gram.row(k).data();
      for (std::size_t j = first; j < last; ++j) cross[j] -= gram_row[j] + from.centre[k] * sum[j - first];
    }
  });
  return out;
}

// V = (gram + ridge·tr/l·I)⁻¹·crossᵀ.
DenseMatrix solve(const Moments& from, double ridge) {
  const auto l = static_cast<Eigen::Index>(from.gram.rows);
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::MatrixXf shifted = Eigen::Map<const Eigen::MatrixXf>(from.gram.values.data(), l, l);
  shifted.diagonal().array() += static_cast<float>(ridge * shifted.trace() / static_cast<double>(l) + 1e-6);
  DenseMatrix v(from.gram.rows, from.gram.rows);
  // Row-major cross read column by column is crossᵀ.
  Eigen::Map<RowMajor>(v.values.data(), l, l) =
      shifted.llt().solve(Eigen::Map<const Eigen::MatrixXf>(from.cross.values.data(), l, l));
  return v;
}

// Q = Pc·V, using for each row the V of its fold.
DenseMatrix corrections(const Probabilities& from,
                        const std::vector<std::vector<std::uint32_t>>& rows_of_fold,
                        const std::vector<DenseMatrix>& v, Communicator& processes) {
  const std::size_t l = from.p.cols;
  DenseMatrix q(from.p.rows, l);
  const auto correct = [&](std::size_t f) {
    const auto& rows = rows_of_fold[f];
    parallel_ranges(rows.size(), rows_per_task, [&](std::size_t first, std::size_t last) {
      DenseMatrix centred(last - first, l);
      DenseMatrix out(last - first, l);
      for (std::size_t r = first; r < last; ++r) {
        const float* p = from.p.row(rows[r]).data();
        float* to = centred.row(r - first).data();
        for (std::size_t j = 0; j < l; ++j) to[j] = p[j] - from.centre[j];
      }
      add_product(centred, 0, centred.rows, v[f], out.values.data());
      for (std::size_t r = first; r < last; ++r)
        std::copy_n(out.row(r - first).data(), l, q.row(rows[r]).data());
    });
  };
  processes.share(rows_of_fold.size(), {correct,
                                        [&](std::size_t f, ByteWriter& out) {
                                          for (const std::uint32_t i : rows_of_fold[f]) out.put_all(q.row(i));
                                        },
                                        [&](std::size_t f, ByteReader& in) {
                                          for (const std::uint32_t i : rows_of_fold[f]) in.get_into(q.row(i));
                                        },
                                        /*threads_inside=*/true});
  return q;
}

}  // namespace

std::uint64_t mix_bytes(std::size_t rows, std::size_t labels, std::size_t folds, std::size_t threads) {
  const std::uint64_t matrices = 3 * folds + 3 + 4 * std::min<std::uint64_t>(threads, folds + 1);
  const std::uint64_t l = labels;
  return l * l * sizeof(float) * matrices + rows * l * 3 * sizeof(float);
}

FittedMix fit_mix(const DenseMatrix& scores, const LabelMatrix& labels, const LabelMatrix* unknown,
                  std::span<const float> row_weights, std::span<const std::uint32_t> fold_of_row,
                  Communicator& processes, double ridge) {
  const Probabilities from = probabilities(scores, row_weights);
  std::vector<std::vector<std::uint32_t>> rows_of_fold(
      fold_of_row.empty() ? 1 : 1 + *std::max_element(fold_of_row.begin(), fold_of_row.end()));
  for (std::size_t i = 0; i < scores.rows; ++i)
    rows_of_fold[fold_of_row.empty() ? 0 : fold_of_row[i]].push_back(static_cast<std::uint32_t>(i));
  const std::size_t folds = rows_of_fold.size();

  const DenseMatrix nothing(scores.cols, scores.cols);
  std::vector<Moments> of_fold(folds, {nothing, nothing});
  processes.share(folds, {[&](std::size_t f) {
                            of_fold[f] = moments(from, labels, unknown, row_weights, rows_of_fold[f]);
                          },
                          [&](std::size_t f, ByteWriter& out) {
                            out.put_all(of_fold[f].gram.values);
                            out.put_all(of_fold[f].cross.values);
                          },
                          [&](std::size_t f, ByteReader& in) {
                            in.get_into(std::span<float>(of_fold[f].gram.values));
                            in.get_into(std::span<float>(of_fold[f].cross.values));
                          },
                          /*threads_inside=*/true});
  Moments all{nothing, nothing};
  for (const Moments& one : of_fold) all.add(one, 1.0F);
  // V without each fold, then V of all rows.
  std::vector<DenseMatrix> v(folds + 1, nothing);
  processes.share(v.size(),
                  {[&](std::size_t f) {
                     Moments others = all;
                     if (f < folds && folds > 1) others.add(of_fold[f], -1.0F);
                     v[f] = solve(others, ridge);
                   },
                   [&](std::size_t f, ByteWriter& out) { out.put_all(v[f].values); },
                   [&](std::size_t f, ByteReader& in) { in.get_into(std::span<float>(v[f].values)); }});

  FittedMix fitted;
  fitted.scores = corrections(from, rows_of_fold, v, processes);
  const ScoreCells cells(scores, &fitted.scores, labels, unknown, row_weights);
  const ScoreCells::Theta unchanged{1.0, 0.0, 0.0};
  const auto before = cells.expand(unchanged);
  auto after = cells.minimise(unchanged);
  if (!(after.theta[0] > 0)) after = before;  // the scores themselves say nothing: leave them alone
  fitted.log_loss_before = before.value;
  fitted.log_loss_after = after.value;

  const auto a = static_cast<float>(after.theta[0]);
  const auto b = static_cast<float>(after.theta[1]);
  const auto c = static_cast<float>(after.theta[2]);
  fitted.mix = {a, c, from.centre, std::move(v.back())};
  for (float& weight : fitted.mix.weights.values) weight *= b;
  for (std::size_t i = 0; i < scores.rows; ++i) {
    const float* z = scores.row(i).data();
    for (float& q : fitted.scores.row(i)) q = a * *z++ + b * q + c;
  }
  return fitted;
}

}  // namespace mmo
