// A trained model: feature map → linear scores plus those of other learners → optional label mix → decision
// rule, and everything needed to apply it to a raw file. One data-only file: safetensors, with JSON metadata.
#pragma once

#include <concepts>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mmo/core/file.h"
#include "mmo/core/matrix.h"
#include "mmo/core/table.h"
#include "mmo/data/dataset.h"
#include "mmo/learn/many/label_trees.h"
#include "mmo/learn/scorer.h"
#include "mmo/metric/metric.h"
#include "mmo/model/reading.h"
#include "mmo/rule/decision_rule.h"
#include "mmo/stack/label_mix.h"
#include "mmo/text/vectorizer.h"
#include "mmo/transform/encoder.h"
#include "mmo/transform/feature_map.h"

namespace mmo {

class FileSet;

// A learner other than the linear one: its scores of label j count weights[j] times.
struct WeightedScorer {
  std::variant<KernelScorer, ForestScorer> scorer;
  std::vector<float> weights;  // l
  bool on_table = false;       // trees over the raw columns, else over the encoder's output
};

struct Model {
  Metric metric;
  std::vector<std::string> label_names;
  std::optional<Vectorizer> text;  // raw text → columns
  Encoder encoder;                 // raw columns → numbers
  FeatureMap feature_map;
  DenseMatrix weights;      // d × l: calibrated scores z = x·W + b + the others'; all 0 = no linear scores
  std::vector<float> bias;  // l
  std::vector<WeightedScorer> others;
  std::optional<LabelTrees> trees;  // of many labels, instead of weights, bias and others
  std::optional<LabelMix> mix;
  DecisionRule rule;
  Reading reading;
  // How it was trained: method, settings, λ, L2, out-of-fold values, seed, data card, version. For people to
  // read: nothing is decided by it.
  nlohmann::json history;

  [[nodiscard]] std::size_t labels() const { return trees ? trees->labels() : bias.size(); }
  [[nodiscard]] std::size_t features() const { return trees ? trees->features() : weights.rows; }
  [[nodiscard]] bool wants_table() const;  // does a learner score the raw columns?
  [[nodiscard]] std::string label_name(std::size_t j) const {
    return j < label_names.size() ? label_names[j] : std::to_string(j);
  }
};

// Rows in the form a model takes. Encoded features are enough for models that don't want the table.
struct Prepared {
  Features encoded;  // vectorizer or encoder applied
  Table table;       // table_of() if the model wants it, else empty

  template <class X>
    requires std::constructible_from<Features, X>
  Prepared(X&& x) : encoded(std::forward<X>(x)) {}  // NOLINT(google-explicit-constructor)
};

// Throws if the file does not fit the model.
[[nodiscard]] Prepared prepare(const Model& model, const Dataset& data);
// Scores z, after the mix. Where labels are many, those that are not among a row's best have the score
// −largest_logit.
[[nodiscard]] DenseMatrix score(const Model& model, const Prepared& x);
// The same, `block_rows` rows at a time in order, which avoids an n × l matrix. A row's scores do not depend
// on the size of the blocks.
void for_each_scored_block(const Model& model, const Prepared& x, std::size_t block_rows,
                           const std::function<void(std::size_t first_row, DenseMatrix& scores)>& callback);
// The best labels of rows first … last − 1, of a model of many labels.
void add_short_lists(const Model& model, const Prepared& x, std::size_t first, std::size_t last,
                     ShortLists& out);
// The decision rule's labels of every row, in bounded memory.
[[nodiscard]] LabelMatrix predict(const Model& model, const Prepared& x);

// Atomic; throws IoError if the file exists and !overwrite, or the disk is full. With `together` it appears
// when that set of files is committed.
void save_model(const Model& model, const std::string& path, bool overwrite, FileSet* together = nullptr);
// The bytes of such a file.
[[nodiscard]] std::string model_bytes(const Model& model);
// Validates every size and offset before touching memory; throws ModelError.
[[nodiscard]] Model load_model(const std::string& path);
[[nodiscard]] Model load_model(const FileContent& content);
// ONNX file computing scores and decisions from encoded features (float tensor "features" n × d). Throws
// ModelError for models that want the table.
void export_onnx(const Model& model, const std::string& path, bool overwrite);

}  // namespace mmo
