// The data card: what a person wants to know about a data set before training on it.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mmo/data/dataset.h"

namespace mmo {

struct DataCard {
  std::string source;
  std::size_t rows = 0;
  std::size_t labels = 0;

  bool text = false;  // raw documents: the fields of features are 0
  double mean_document_bytes = 0;
  std::size_t features = 0;
  std::size_t nominal_features = 0;
  bool sparse = false;
  double feature_density = 0;   // share of cells that are not zero
  double missing_features = 0;  // share of cells that are unknown

  nlohmann::json columns;  // column_cards()

  double cardinality = 0;       // labels per row
  double density = 0;           // cardinality / labels
  std::size_t label_sets = 0;   // different ones
  std::size_t empty_rows = 0;   // without any label
  std::size_t most_labels = 0;  // of one row
  double unknown_labels = 0;    // share of cells that are unknown

  // By name, in the data's order.
  struct LabelCount {
    std::string name;
    std::size_t positives;
  };
  std::vector<std::string> never_positive;
  std::vector<std::string> always_positive;  // in every row where the label is known
  std::vector<LabelCount> rare;              // fewer than rare_positives, but some; rarest first
  static constexpr std::size_t rare_positives = 20;
  std::vector<LabelCount> most_frequent;  // up to ten, most frequent first
};

[[nodiscard]] DataCard describe(const Dataset& data);
[[nodiscard]] nlohmann::json card_json(const DataCard& card);
// Several lines for a terminal.
[[nodiscard]] std::string card_text(const DataCard& card);

}  // namespace mmo
