// What each column is worth to a model: permutation importance (Breiman, "Random forests", 2001), for
// learners of every kind. The column's values are shuffled among the rows; whatever that costs the metric and
// the log-loss, on rows the model was not trained on, is what the column was worth. Columns that carry the
// same information can replace each other, so each of them may look worthless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mmo/core/progress.h"
#include "mmo/data/dataset.h"
#include "mmo/model/model.h"

namespace mmo {

struct ImportanceOptions {
  std::size_t repeats = 3;
  std::size_t most_rows = 1000;      // more are sampled;
  std::size_t most_scored = 200000;  // fewer (at least 200) if rows × columns × repeats exceed this
  std::size_t most_columns = 1000;   // of more, those that most rows have
  std::uint64_t seed = 0;
  Progress progress;
};

struct ColumnImportance {
  std::string name;
  double metric = 0;                   // mean loss of the metric over the repeats,
  double metric_deviation = 0;         // and its standard deviation
  double log_loss = 0;                 // mean rise of the log-loss of a cell
  std::vector<double> label_log_loss;  // the same of each label's cells
};

struct Importance {
  std::size_t rows = 0;            // rows scored
  std::size_t columns_in_all = 0;  // may be more than were tried
  double metric = 0, log_loss = 0;
  std::vector<ColumnImportance> columns;  // by falling rise of the log-loss
};

// Throws what prepare() throws, and DataError if rows are raw text or fewer than two.
[[nodiscard]] Importance permutation_importance(const Model& model, const Dataset& data,
                                                const ImportanceOptions& options = {});

}  // namespace mmo
