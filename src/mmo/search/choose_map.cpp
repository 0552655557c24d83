#include "mmo/search/choose_map.h"

#include <algorithm>
#include <cmath>

#include "mmo/search/fold_fit.h"
#include "mmo/stack/calibration.h"

namespace mmo {
namespace {

constexpr std::size_t screening_rows = 6000, screening_labels = 64;
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

// A smaller problem that ranks the maps alike: every so many rows, the labels spread over all frequencies.
struct Screening {
  Problem problem;
  LabelMatrix labels, unknown;
  Features x;
};

void make_screening(const Problem& full, const Features& encoded, Screening& out) {
  // Held-out rows (fold 0) and the others are thinned apart, so that a small validation file stays whole.
  std::size_t held_out = 0;
  for (const std::uint32_t fold : full.fold_of_row) held_out += fold == 0 ? 1 : 0;
  const std::size_t every_held = std::max<std::size_t>(1, held_out / (screening_rows / 4));
  const std::size_t every_other = std::max<std::size_t>(1, (full.rows() - held_out) / screening_rows);
  std::vector<std::uint32_t> rows;
  std::size_t held = 0;
  std::size_t other = 0;
  for (std::size_t i = 0; i < full.rows(); ++i) {
    const bool keep = full.fold_of_row[i] == 0 ? held++ % every_held == 0 : other++ % every_other == 0;
    if (keep) rows.push_back(static_cast<std::uint32_t>(i));
  }
  Problem& small = out.problem;
  out.labels = take_rows(*full.labels, rows);
  out.x = take_rows(encoded, rows);
  small.labels = &out.labels;
  small.rows_of_label = transpose(out.labels);
  if (full.unknown != nullptr) {
    out.unknown = take_rows(*full.unknown, rows);
    small.unknown = &out.unknown;
    small.unknown_rows_of_label = transpose(out.unknown);
  }
  for (const std::uint32_t i : rows) {
    if (!full.row_weights.empty()) small.row_weights.push_back(full.row_weights[i]);
    small.fold_of_row.push_back(full.fold_of_row[i]);
  }
  small.folds = 1;  // only fold 0 is held out
  std::vector<std::uint32_t> by_frequency = full.trainable;
  std::stable_sort(by_frequency.begin(), by_frequency.end(), [&](std::uint32_t a, std::uint32_t b) {
    return full.rows_of_label.row(a).size() > full.rows_of_label.row(b).size();
  });
  const std::size_t count = std::min(screening_labels, by_frequency.size());
  for (std::size_t k = 0; k < count; ++k)
    small.trainable.push_back(by_frequency[k * by_frequency.size() / count]);
}

// Held-out log-loss over the screened labels.
double screen(const Screening& screening, FeatureMap::Kind kind, std::size_t memory) {
  const MappedProblem mapped = map_problem(screening.problem, screening.x, kind, false);
  FitSettings settings;
  settings.tolerance = 1e-3;
  settings.memory = memory;
  settings.ridge = screening_rho * mapped.mean_spread;
  const FoldFit fit = fit_folds(mapped, settings, screening.problem.folds, nullptr);
  // The held-out rows and screened labels alone.
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < screening.problem.rows(); ++i) {
    if (screening.problem.fold_of_row[i] == 0) rows.push_back(static_cast<std::uint32_t>(i));
  }
  std::vector<std::uint32_t> labels = screening.problem.trainable;
  std::sort(labels.begin(), labels.end());
  std::vector<std::uint32_t> place(screening.problem.label_count(), static_cast<std::uint32_t>(-1));
  for (std::size_t k = 0; k < labels.size(); ++k) place[labels[k]] = static_cast<std::uint32_t>(k);
  DenseMatrix scores(rows.size(), labels.size());
  LabelMatrix truth;
  LabelMatrix unknown;
  truth.cols = unknown.cols = labels.size();
  std::vector<float> weights;
  const auto narrow = [&](const LabelMatrix& from, std::size_t i, LabelMatrix& to) {
    std::vector<std::uint32_t> row;
    for (const std::uint32_t j : from.row(i)) {
      if (place[j] != static_cast<std::uint32_t>(-1)) row.push_back(place[j]);
    }
    to.push_row(row);
  };
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t k = 0; k < labels.size(); ++k) scores(r, k) = fit.scores(rows[r], labels[k]);
    narrow(*screening.problem.labels, rows[r], truth);
    if (screening.problem.unknown != nullptr) narrow(*screening.problem.unknown, rows[r], unknown);
    if (!screening.problem.row_weights.empty()) weights.push_back(screening.problem.row_weights[rows[r]]);
  }
  return fit_calibration(scores, truth, unknown.rows > 0 ? &unknown : nullptr, weights).log_loss;
}

}  // namespace

ChosenMap choose_map(const Problem& problem, const Features& encoded,
                     const std::vector<FeatureMap::Kind>& kinds, std::size_t memory) {
  ChosenMap chosen;
  std::vector<FeatureMap::Kind> candidates = kinds;
  if (candidates.size() > 1 && rows_have_length_one(encoded))
    std::erase(candidates, FeatureMap::Kind::l2_rows);  // the identity again
  FeatureMap::Kind best = candidates.front();
  if (candidates.size() > 1 && !problem.trainable.empty()) {
    Screening screening;
    make_screening(problem, encoded, screening);
    for (const FeatureMap::Kind kind : candidates)
      chosen.candidates.push_back({kind, screen(screening, kind, memory)});
    best = std::min_element(chosen.candidates.begin(), chosen.candidates.end(),
                            [](const auto& a, const auto& b) { return a.log_loss < b.log_loss; })
               ->kind;
  }
  chosen.mapped = map_problem(problem, encoded, best, true);
  return chosen;
}

}  // namespace mmo
