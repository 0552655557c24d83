// The paper's Table 2 (tab:comparison-linear): test means of 10 runs, linear models.
#pragma once

#include <span>
#include <string>

namespace mmo::study {

struct PaperCell {
  const char* set;
  const char* metric;
  double binary_relevance, algorithm1, macro_thres, mmo;
  struct {
    double algorithm1, macro_thres, mmo;
  } spread;  // standard deviations over its ten runs; binary relevance has none printed
};

// All 24 cells, by metric, then by set in the paper's order.
[[nodiscard]] std::span<const PaperCell> paper_table();

}  // namespace mmo::study
