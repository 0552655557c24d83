// COCO's annotation files (instances_*.json) as a multi-label data set: a category is present in a picture
// that shows an object of it.
#pragma once

#include <string>
#include <vector>

#include "mmo/data/load.h"

namespace mmo::deep {

// Rows are the pictures listed in the file, in its order; documents are their file names; labels are the
// categories in order of their numbers, or those that `options` expects. Throws DataError naming the
// annotation, picture or category at fault.
[[nodiscard]] Dataset read_coco(const std::string& path, const LoadOptions& options = {});

// Paths of the rows' pictures in `folder`. Throws IoError naming the first one that does not exist.
[[nodiscard]] std::vector<std::string> picture_paths(const Dataset& data, const std::string& folder);
// The rows whose pictures can be decoded.
[[nodiscard]] std::vector<std::uint32_t> readable_pictures(const std::vector<std::string>& paths);

}  // namespace mmo::deep
