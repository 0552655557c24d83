// What a training run is asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mmo/comm/communicator.h"
#include "mmo/core/progress.h"
#include "mmo/data/dataset.h"
#include "mmo/metric/metric.h"
#include "mmo/rule/constrained_rule.h"
#include "mmo/search/recipe.h"
#include "mmo/text/vectorizer.h"

namespace mmo {

struct SearchEstimate {
  std::uint64_t bytes = 0;
  double seconds = 0;
  std::size_t searched_rows = 0, rows = 0;  // fewer are searched where memory is short
};

struct TrainOptions {
  Metric metric;
  std::optional<Constraint> subject_to;  // maximise the metric only where this holds
  std::string method = "auto";           // a recipe's name; `mmo methods` lists them
  Effort effort = Effort::standard;
  const Dataset* valid = nullptr;  // select on these rows instead of out-of-fold scores
  int folds = 5;
  std::size_t min_positives = 1;     // labels with fewer training positives are never predicted
  std::vector<float> label_weights;  // l, or empty
  TextOptions text;                  // raw text only
  std::uint64_t seed = 0;
  std::uint64_t memory_limit = 0;               // bytes; 0 = 80 % of the machine's
  double time_limit = 0;                        // seconds; 0 = none
  std::map<std::string, std::string> settings;  // --set key=value: the finer choices of the recipe
  Communicator* processes = &alone();           // all of them call train() with the same data and options
  std::string checkpoint;                       // folder of results to go on from; empty: none
  bool keep_held_out = false;                   // TrainResult::held_out, for a report
  Progress progress;
  std::function<void(const SearchEstimate&)> estimated;  // called before the search starts; may be empty
};

}  // namespace mmo
