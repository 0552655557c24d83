#include "mmo/learn/linear/choose_map.h"

#include <algorithm>
#include <cmath>

#include "mmo/calibrate/calibration.h"
#include "mmo/learn/held_out_rows.h"
#include "mmo/learn/linear/fold_fit.h"
#include "mmo/learn/sub_problem.h"

namespace mmo {
namespace {

constexpr std::size_t screening_rows = 6000;
constexpr double screening_rho = 0.1;

bool rows_have_length_one(const Features& x) {
  const auto* sparse = std::get_if<CsrMatrix>(&x);
  if (sparse == nullptr) return false;
  for (std::size_t i = 0; i < sparse->rows; ++i) {
    double square = 0;
    for (const float v : sparse->row_values(i)) square += static_cast<double>(v) * v;
    if (square > 0 && std::abs(square - 1.0) > 1e-4) return false;
  }
  return true;
}

// Values 0 and 1 are their own square roots.
bool values_are_ones(const Features& x) {
  const auto* sparse = std::get_if<CsrMatrix>(&x);
  return sparse != nullptr &&
         std::all_of(sparse->values.begin(), sparse->values.end(), [](float v) { return v == 1.0F; });
}

// A smaller problem that ranks the maps alike: every so many rows, the labels spread over all frequencies.
// Held-out rows (fold 0) and the others are thinned apart, so that a small validation file stays whole.
std::vector<std::uint32_t> screened_rows(const Problem& full) {
  const std::vector<std::uint32_t>& fold_of_row = full.hold_out.fold_of_row();
  const auto held_out =
      static_cast<std::size_t>(std::count(fold_of_row.begin(), fold_of_row.end(), std::uint32_t{0}));
  const std::size_t every_held = std::max<std::size_t>(1, held_out / (screening_rows / 4));
  const std::size_t every_other = std::max<std::size_t>(1, (full.rows() - held_out) / screening_rows);
  std::vector<std::uint32_t> rows;
  std::size_t held = 0;
  std::size_t other = 0;
  for (std::size_t i = 0; i < full.rows(); ++i) {
    const bool keep = fold_of_row[i] == 0 ? held++ % every_held == 0 : other++ % every_other == 0;
    if (keep) rows.push_back(static_cast<std::uint32_t>(i));
  }
  return rows;
}

// Held-out log-loss over the screened labels.
double screen(const SubProblem& screening, FeatureMap::Kind kind) {
  const MappedProblem mapped =
      map_problem(screening.problem, screening.x, kind, screening.problem.trainable.size());
  FitSettings settings;
  // Maps differ by percents, and on sparse features, where an iteration is dear, the loss that takes least
  // time ranks them alike.
  const bool sparse = std::holds_alternative<CsrMatrix>(mapped.x());
  settings.tolerance = sparse ? 1e-2 : 1e-3;
  settings.pairs = pairs_kept(mapped.x());
  settings.ridge = screening_rho * mapped.mean_spread;
  if (sparse) {
    settings.loss.kind = ColumnLoss::Kind::squared_hinge;
    settings.ridge *= l2_scale(settings.loss);
  }
  const FoldFit fit = fit_folds(mapped, settings, 1, nullptr);
  const HeldOutRows held_out(screening.problem, 1, screening.problem.trainable);
  const Truth truth = held_out.truth();
  DenseMatrix buffer;
  return fit_calibration(held_out.of(fit.scores, buffer), *truth.labels, truth.unknown, truth.row_weights)
      .log_loss;
}

}  // namespace

ChosenMap choose_map(const Problem& problem, const Features& encoded,
                     const std::vector<FeatureMap::Kind>& kinds, std::size_t labels) {
  ChosenMap chosen;
  std::vector<FeatureMap::Kind> candidates = kinds;
  if (candidates.size() > 1 && values_are_ones(encoded))  // sqrt-l2 is l2-rows again
    std::erase(candidates, FeatureMap::Kind::sqrt_l2);
  if (candidates.size() > 1 && rows_have_length_one(encoded)) {  // l2-rows is the identity again
    std::erase(candidates, FeatureMap::Kind::identity);
    std::replace(candidates.begin(), candidates.end(), FeatureMap::Kind::l2_rows, FeatureMap::Kind::identity);
  }
  FeatureMap::Kind best = candidates.front();
  if (candidates.size() > 1 && !problem.trainable.empty()) {
    SubProblem screening(problem, encoded, {screened_rows(problem), {}});
    screening.problem.hold_out = screening.problem.hold_out.first_fold_as_validation();
    // By frequency in the full problem: a thinned one may have lost the rare labels' positives.
    screening.problem.trainable = spread_labels(problem, labels);
    for (const FeatureMap::Kind kind : candidates)
      chosen.candidates.push_back({kind, screen(screening, kind)});
    best = std::min_element(chosen.candidates.begin(), chosen.candidates.end(),
                            [](const auto& a, const auto& b) { return a.log_loss < b.log_loss; })
               ->kind;
  }
  constexpr std::size_t fits = 8;  // of every column: two losses, a few strengths of L2 each
  chosen.mapped =
      map_problem(problem, encoded, best, fits * problem.hold_out.folds() * problem.trainable.size());
  return chosen;
}

}  // namespace mmo
