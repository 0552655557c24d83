// Values that no encoder accepts.
#pragma once

#include "mmo/data/dataset.h"
#include "mmo/transform/encoder.h"

namespace mmo {

// Throws DataError for the first cell, in row order, that is infinite or (when refusing) unknown.
void check_cells(const Dataset& data, MissingFeatures missing);

}  // namespace mmo
