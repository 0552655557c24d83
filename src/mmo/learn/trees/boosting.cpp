#include "mmo/learn/trees/boosting.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/learn/trees/boost_fit.h"
#include "mmo/learn/trees/row_keys.h"

namespace mmo {
namespace {

using trees::BoostFit;
using trees::BoostGround;
using Fits = std::vector<std::unique_ptr<BoostFit>>;

constexpr std::size_t rounds_between_looks = 10;

Fits make_fits(const BoostGround& ground, const RowFolds& folds) {
  Fits out(folds.folds);
  parallel_for(folds.folds, [&](std::size_t f) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < ground.bins.rows; ++i) {
      if (folds.fold_of_row[i] != f && ground.weights[i] > 0) rows.push_back(i);
    }
    out[f] = std::make_unique<BoostFit>(ground, std::move(rows),
                                        trees::mix_bits(ground.options.seed * 1000003 + f));
  });
  return out;
}

// Every row's scores by the fit that holds it out; rows that no fit holds out keep the first fit's base.
DenseMatrix held_out_scores(const Fits& fits, const RowFolds& folds) {
  DenseMatrix out(fits[0]->scores().rows, fits[0]->scores().cols);
  for (std::size_t i = 0; i < out.rows; ++i) {
    const std::size_t f = folds.fold_of_row[i];
    const auto from = f < folds.folds ? fits[f]->scores().row(i) : std::span<const float>(fits[0]->base());
    std::copy(from.begin(), from.end(), out.row(i).begin());
  }
  return out;
}

double held_out_loss(const BoostGround& ground, const RowFolds& folds, const DenseMatrix& scores) {
  double sum = 0;
  double rows = 0;
  for (std::size_t i = 0; i < scores.rows; ++i) {
    if (folds.fold_of_row[i] >= folds.folds) continue;
    sum += trees::logistic_loss(ground.truth, ground.options.costs, i, scores.row(i).data());
    rows += ground.weights[i];
  }
  return sum / std::max(rows, 1e-30);
}

void mean_of_fits(const Fits& fits, const Table& table, Boosted& out) {
  const auto share = 1.0F / static_cast<float>(fits.size());
  out.scorer.columns = feature_cols(table.values);
  out.scorer.labels = fits[0]->base().size();
  out.scorer.categories = table.categories;
  out.scorer.link = ForestScorer::Link::logits;
  out.scorer.base.assign(out.scorer.labels, 0.0F);
  trees::ForestBuilder builder(out.scorer);
  for (const auto& fit : fits) {
    for (std::size_t j = 0; j < out.scorer.labels; ++j) out.scorer.base[j] += share * fit->base()[j];
    fit->add_trees(out.rounds, share, builder);
  }
}

std::vector<float> weights_of(const Truth& truth) {
  std::vector<float> out(truth.labels->rows, 1.0F);
  std::copy(truth.row_weights.begin(), truth.row_weights.end(), out.begin());
  return out;
}

trees::GrowOptions grow_options(const Table& table, const BoostOptions& options) {
  trees::GrowOptions out;
  const auto columns = static_cast<double>(feature_cols(table.values));
  out.columns_per_split = options.columns_per_split > 0
                              ? options.columns_per_split
                              : static_cast<std::size_t>(std::ceil(std::sqrt(columns)));
  out.depth = options.depth;
  out.min_leaf = options.min_leaf;
  out.categories = table.categories;
  return out;
}

}  // namespace

Boosted fit_boosted(const Table& table, const Truth& truth, const RowFolds& folds,
                    const BoostOptions& options) {
  if (folds.folds == 0) throw UsageError("boosted trees need rows held out: set at least one fold");
  const BoostGround ground{table,
                           truth,
                           options,
                           trees::make_bins(table, truth.row_weights),
                           weights_of(truth),
                           grow_options(table, options)};
  const auto fits = make_fits(ground, folds);
  Boosted out;
  out.held_out = held_out_scores(fits, folds);
  out.loss = held_out_loss(ground, folds, out.held_out);
  for (std::size_t done = 0; done < options.rounds && done < out.rounds + options.patience;) {
    const std::size_t more = std::min(rounds_between_looks, options.rounds - done);
    parallel_for(fits.size(), [&](std::size_t f) { fits[f]->run(more); });
    done += more;
    DenseMatrix scores = held_out_scores(fits, folds);
    const double loss = held_out_loss(ground, folds, scores);
    if (!(loss < out.loss)) continue;
    out.loss = loss;
    out.rounds = done;
    out.held_out = std::move(scores);
  }
  mean_of_fits(fits, table, out);
  return out;
}

}  // namespace mmo
