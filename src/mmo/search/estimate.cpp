#include "mmo/search/estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "mmo/core/error.h"
#include "mmo/stack/fit_mix.h"

namespace mmo {

namespace {

const void* numbers(const Features& x) {
  return std::visit([](const auto& matrix) { return static_cast<const void*>(matrix.values.data()); }, x);
}

bool is_lent(const Features& x) {
  return std::visit([](const auto& matrix) { return matrix.values.is_lent(); }, x);
}

// The table may be the encoded features, and those may lie in a file or with the caller.
std::uint64_t view_bytes(const Views& views) {
  const std::uint64_t encoded = is_lent(*views.encoded) ? 0 : feature_bytes(*views.encoded);
  if (views.table == nullptr || numbers(views.table->values) == numbers(*views.encoded)) return encoded;
  return encoded + feature_bytes(views.table->values);
}

}  // namespace

SearchEstimate estimate_search(const Learners& learners, const LearnerData& all, bool mixes, std::size_t rows,
                               std::size_t threads) {
  const std::uint64_t labels = all.problem->label_count();
  const std::uint64_t scores = rows * labels * sizeof(float);
  SearchEstimate out{.searched_rows = rows, .rows = all.problem->rows()};
  std::uint64_t searching = 0;
  std::uint64_t fitting = 0;
  for (const auto& learner : learners) {
    const LearnerCost cost = learner->cost(all, rows, threads);
    out.seconds += cost.seconds;
    searching += cost.searching;  // what a learner found stays until the blend is known
    fitting += cost.fitting;
  }
  searching += 3 * scores;  // their mean, the rule's copies
  if (mixes) searching += mix_bytes(rows, labels, all.problem->hold_out.folds(), threads);
  // On all rows fitting takes no more than searching did.
  out.bytes = view_bytes(all.views) + std::max(searching, rows < out.rows ? fitting : std::uint64_t{0});
  return out;
}

std::size_t rows_within(std::uint64_t limit, const Learners& learners, const LearnerData& all, bool mixes) {
  const std::size_t count = all.problem->rows();
  const std::size_t least = std::min(count, std::max<std::size_t>(20'000, count / 10));
  std::size_t rows = count;
  while (rows > least && estimate_search(learners, all, mixes, rows, 1).bytes > limit)
    rows = std::max(least, rows / 10 * 9);
  return rows;
}

void refuse_memory(std::uint64_t limit, std::uint64_t estimate) {
  constexpr double mega = 1024.0 * 1024.0;
  throw UsageError(
      fmt::format("the search would take about {:.1f} MB, but {:.1f} MB are all that it may use; raise "
                  "--memory if there is "
                  "more, or use fewer --threads or --folds, --effort quick, --set stack=off or, with "
                  "many labels, --set labels=tree",
                  static_cast<double>(estimate) / mega, static_cast<double>(limit) / mega));
}

}  // namespace mmo
