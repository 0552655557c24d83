// Mulan's label header: <labels><label name="…"/>…</labels>, hierarchies as nested <label> elements.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mmo {

// The label names in document order, parents before their children. Throws DataError / IoError.
[[nodiscard]] std::vector<std::string> read_label_header(const std::string& path);

// The header that belongs to the data file `path`: "x.xml" beside "x.arff", or beside "x-train.arff" and
// "x-test.arff"; nothing if there is no such file.
[[nodiscard]] std::optional<std::string> label_header_beside(const std::string& path);

}  // namespace mmo
