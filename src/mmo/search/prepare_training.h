// From a loaded file to a training problem: raw columns or text to numbers, folds, which labels can be
// trained, and everything the user should be warned about.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mmo/data/dataset.h"
#include "mmo/learn/problem.h"
#include "mmo/search/train_options.h"
#include "mmo/text/vectorizer.h"
#include "mmo/transform/encoder.h"

namespace mmo {

struct Training {
  std::optional<Vectorizer> text;
  Encoder encoder;
  Features encoded;
  std::optional<Table> table;     // the raw columns, where encoding changes them
  LabelMatrix labels, unknown;    // with the validation rows, if any, appended
  Problem problem;                // points to labels and unknown: not copyable
  std::vector<char> may_predict;  // per label
  std::vector<std::string> label_names;
  std::vector<std::string> warnings;
  nlohmann::json columns;  // what each was read as; empty for numbers alone
  std::size_t training_rows = 0;

  Training() = default;
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;
  ~Training() = default;
};

// Throws DataError or UsageError when nothing can be trained.
void prepare_training(const Dataset& data, const TrainOptions& options, MissingFeatures missing,
                      Training& out);

}  // namespace mmo
