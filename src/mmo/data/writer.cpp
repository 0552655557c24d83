#include "mmo/data/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "mmo/core/error.h"
#include "mmo/data/label_columns.h"

namespace mmo {

void refuse_what_does_not_fit(const Dataset& data, const std::string& format, const Holds& holds) {
  const auto refuse = [&](bool present, bool fits, const char* what, const char* others) {
    if (present && !fits) throw UsageError(fmt::format("{} has no place for {}; {}", format, what, others));
  };
  refuse(data.is_text(), holds.text, "raw text", "CSV, TSV, ARFF and fastText have");
  refuse(!data.texts.empty(), false, "columns of text that were read for learning", "read them as_written");
  refuse(!data.is_text() && feature_cols(data.x) > 0, holds.features, "numeric features",
         "ARFF, svmlight, XMC, CSV, TSV and npz have");
  refuse(std::any_of(data.features.begin(), data.features.end(), [](const auto& f) { return f.nominal(); }),
         holds.nominal, "nominal features", "ARFF, CSV and TSV have");
  refuse(data.unknown.rows > 0, holds.unknown_labels, "labels that are not known",
         "ARFF, CSV, TSV and npz have");
  refuse(!data.row_weights.empty(), holds.weights, "row weights", "ARFF, CSV, TSV and npz have");
  refuse(!data.groups.empty(), holds.groups, "groups", "ARFF, svmlight, CSV, TSV and npz have");
}

void refuse_bad_names(const std::vector<std::string>& names, const std::string& format) {
  std::unordered_set<std::string_view> seen;
  for (const auto& name : names) {
    if (name.empty()) throw UsageError(format + " can't hold a column without a name: name it");
    if (!seen.insert(name).second) {
      throw UsageError(fmt::format("{} can't hold two columns called {}: rename one", format, shown(name)));
    }
  }
}

std::span<const float> full_row(const Features& x, std::size_t i, std::vector<float>& buffer) {
  if (const auto* dense = std::get_if<DenseMatrix>(&x)) return dense->row(i);
  buffer.assign(feature_cols(x), 0.0F);
  for_each_nonzero(x, i, [&](std::uint32_t j, float value) { buffer[j] = value; });
  return buffer;
}

}  // namespace mmo
