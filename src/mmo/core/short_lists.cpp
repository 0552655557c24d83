#include "mmo/core/short_lists.h"

#include <algorithm>

namespace mmo {

void keep_best(std::vector<LabelScore>& scores, std::size_t most) {
  if (scores.size() > most) {
    std::nth_element(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(most), scores.end(),
                     ranks_before);
    scores.resize(most);
  }
  std::sort(scores.begin(), scores.end(), ranks_before);
}

void ShortLists::push_row(std::span<const LabelScore> best_first) {
  entries.insert(entries.end(), best_first.begin(), best_first.end());
  offsets.push_back(entries.size());
  ++rows;
}

void ShortLists::push_rows(const ShortLists& more) {
  const std::uint64_t shift = entries.size();
  entries.insert(entries.end(), more.entries.begin(), more.entries.end());
  for (std::size_t i = 1; i <= more.rows; ++i) offsets.push_back(shift + more.offsets[i]);
  rows += more.rows;
}

ShortLists short_lists(const DenseMatrix& scores, std::size_t most) {
  ShortLists out;
  out.labels = scores.cols;
  std::vector<LabelScore> all;
  for (std::size_t i = 0; i < scores.rows; ++i) {
    all.clear();
    for (std::size_t j = 0; j < scores.cols; ++j)
      all.push_back({static_cast<std::uint32_t>(j), scores(i, j)});
    keep_best(all, most);
    out.push_row(all);
  }
  return out;
}

}  // namespace mmo
