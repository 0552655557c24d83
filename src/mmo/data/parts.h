// One data set in several files: a folder, or a pattern like 'parts/*.svm'.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mmo/data/dataset.h"
#include "mmo/data/load.h"

namespace mmo {

// The files that `path` stands for, in the order of their names; none where it is a file itself, or a folder
// of Reuters' .sgm files. Of a folder those with an ending of svmlight, XMC or .npz files count. Throws
// DataError where there are none.
[[nodiscard]] std::vector<std::string> part_files(const std::string& path);

// The rows of all parts one after the other, read by read(file, options). Svmlight parts count features from
// the same base, and have the labels that any of them has; parts of other formats must have the same columns.
[[nodiscard]] Dataset read_parts(const std::string& path, const std::vector<std::string>& files,
                                 const LoadOptions& options,
                                 const std::function<Dataset(const std::string&, const LoadOptions&)>& read);

}  // namespace mmo
