// Sorting floats by their bits: a few passes over the values instead of log n comparisons of each.
#pragma once

#include <vector>

namespace mmo {

// Ascending. No value may be NaN.
void sort_floats(std::vector<float>& values);

}  // namespace mmo
