#include "mmo/data/unseen_labels.h"

#include <fmt/format.h>

#include <algorithm>

#include "mmo/data/label_columns.h"

namespace mmo {

UnseenLabelsFound find_unseen_labels(const Dataset& data, std::size_t known) {
  UnseenLabelsFound found;
  for (std::size_t j = known; j < data.labels(); ++j) found.names.push_back(data.label_name(j));
  for (std::size_t i = 0; i < data.rows() && !found.names.empty(); ++i) {
    const auto row = data.y.row(i);
    found.rows += std::any_of(row.begin(), row.end(), [&](std::uint32_t j) { return j >= known; }) ? 1 : 0;
  }
  return found;
}

std::string unseen_labels_text(const Dataset& data, std::size_t known) {
  const UnseenLabelsFound found = find_unseen_labels(data, known);
  if (found.names.empty()) return {};
  constexpr std::size_t most = 5;
  std::string names;
  for (std::size_t k = 0; k < std::min(most, found.names.size()); ++k)
    names += (k > 0 ? ", " : "") + shown(found.names[k]);
  const bool one = found.names.size() == 1;
  return fmt::format(
      "{}: {} label{} that the model was not trained on ({}{}), in {} row{}, count{} as missed", data.source,
      found.names.size(), one ? "" : "s", names, found.names.size() > most ? ", …" : "", found.rows,
      found.rows == 1 ? "" : "s", one ? "s" : "");
}

}  // namespace mmo
