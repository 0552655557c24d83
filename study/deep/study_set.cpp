#include "study/deep/study_set.h"

#include <fmt/core.h>

#include <vector>

#include "deep/data/label_noise.h"
#include "mmo/core/error.h"

namespace mmo::deep {
namespace {

constexpr double dropped_share = 0.2;

// The rows that have one of the labels, keeping only these labels.
Dataset keep(const Dataset& data, const std::vector<std::uint32_t>& labels) {
  const Dataset narrow = take_labels(data, labels);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < narrow.rows(); ++i) {
    if (!narrow.y.row(i).empty()) rows.push_back(i);
  }
  return take_rows(narrow, rows);
}

}  // namespace

std::string set_title(const std::string& set) {
  if (set == "90") return "90 topics";
  if (set == "all") return "all labels";
  if (set == "dropped") return "90 topics, 20 % of the training positives dropped";
  throw UsageError(fmt::format("unknown set '{}'; known: 90, all, dropped", set));
}

StudySet make_set(const std::string& name, const Dataset& train, const Dataset& test) {
  if (name == "all") return {train, test};
  const std::vector<char> in_train = labels_in_use(train.y);
  const std::vector<char> in_test = labels_in_use(test.y);
  std::vector<std::uint32_t> shared;
  for (std::uint32_t j = 0; j < train.labels(); ++j) {
    if (in_train[j] == 1 && in_test[j] == 1) shared.push_back(j);
  }
  return {keep(train, shared), keep(test, shared)};
}

LabelMatrix training_labels(const std::string& set, const LabelMatrix& labels, std::uint64_t seed) {
  return set == "dropped" ? drop_positives(labels, dropped_share, seed) : labels;
}

}  // namespace mmo::deep
