#include "study/paper_data.h"

#include <algorithm>
#include <filesystem>

#include "mmo/core/product.h"
#include "mmo/core/random.h"
#include "mmo/data/load.h"
#include "mmo/split/split.h"
#include "mmo/transform/encoder.h"
#include "mmo/transform/feature_map.h"
#include "mmo/transform/principal_axes.h"

namespace mmo::study {
namespace {

constexpr std::size_t least_positives = 20;
constexpr std::size_t principal_components = 8;
constexpr double dropped_share = 0.2;

std::vector<std::uint32_t> frequent_labels(const std::vector<const LabelMatrix*>& parts) {
  std::vector<std::size_t> positives(parts[0]->cols);
  for (const LabelMatrix* part : parts) {
    for (const std::uint32_t j : part->indices) ++positives[j];
  }
  std::vector<std::uint32_t> labels;
  for (std::size_t j = 0; j < positives.size(); ++j) {
    if (positives[j] >= least_positives) labels.push_back(static_cast<std::uint32_t>(j));
  }
  return labels;
}

void keep_labels(TrainTestPair& pair, const std::vector<std::uint32_t>& labels) {
  pair.train = take_labels(pair.train, labels);
  pair.test = take_labels(pair.test, labels);
}

// Standardises by the training part, then projects onto its leading principal axes.
void reduce_features(TrainTestPair& pair) {
  const Encoder encoder = fit_encoder(pair.train, MissingFeatures::refuse);
  const Features encoded = encode(encoder, pair.train);
  const FeatureMap map = fit_feature_map(FeatureMap::Kind::standardise, encoded);
  const DenseMatrix axes = principal_axes(std::get<DenseMatrix>(map.apply(encoded)), principal_components);
  for (Dataset* part : {&pair.train, &pair.test}) {
    const auto x = std::get<DenseMatrix>(map.apply(encode(encoder, *part)));
    DenseMatrix reduced(x.rows, axes.cols);
    add_product(x, 0, x.rows, axes, reduced.values.data());
    part->x = std::move(reduced);
    part->features.clear();
  }
}

void drop_positives(Dataset& data, std::uint64_t seed) {
  Random random(seed);
  LabelMatrix kept;
  kept.cols = data.y.cols;
  for (std::size_t i = 0; i < data.y.rows; ++i) {
    std::vector<std::uint32_t> row;
    for (const std::uint32_t j : data.y.row(i)) {
      if (random.uniform() >= dropped_share) row.push_back(j);
    }
    kept.push_row(row);
  }
  data.y = std::move(kept);
}

}  // namespace

const std::vector<VariantInfo>& paper_variants() {
  static const std::vector<VariantInfo> variants{
      {PaperVariant::primary, "primary",
       "labels with ≥ 20 positives in the whole set; cal500: random 400/102"},
      {PaperVariant::train_count, "train-count", "≥ 20 positives counted on the training part"},
      {PaperVariant::half_split, "half-split", "cal500 split 251/251"},
      {PaperVariant::few_features, "few-features", "restricted capacity: 8 principal components"},
      {PaperVariant::dropped, "dropped", "20 % of the training positives dropped"},
  };
  return variants;
}

const char* variant_name(PaperVariant variant) {
  const auto& all = paper_variants();
  return std::find_if(all.begin(), all.end(), [&](const VariantInfo& v) { return v.variant == variant; })
      ->name;
}

PaperSet::PaperSet(const std::string& folder, const std::string& name) {
  const std::filesystem::path base = std::filesystem::path(folder) / name;
  LoadOptions options;
  options.labels = (base / (name + ".xml")).string();
  const std::filesystem::path whole = base / (name + ".arff");
  if (std::filesystem::exists(whole)) {
    train_ = load_dataset(whole.string(), options);
  } else {
    train_ = load_dataset((base / (name + "-train.arff")).string(), options);
    test_ = load_dataset((base / (name + "-test.arff")).string(), options);
  }
}

TrainTestPair PaperSet::run(PaperVariant variant, std::uint64_t seed) const {
  TrainTestPair pair{train_, test_};
  if (splits()) {
    const double test_share = variant == PaperVariant::half_split ? 0.5 : 102.0 / 502.0;
    const Split split = random_split(train_.rows(), test_share, seed);
    pair = {take_rows(train_, split.train), take_rows(train_, split.test)};
  }
  if (variant == PaperVariant::train_count) {
    keep_labels(pair, frequent_labels({&pair.train.y}));
  } else {
    keep_labels(pair, frequent_labels({&pair.train.y, &pair.test.y}));
  }
  if (variant == PaperVariant::few_features) reduce_features(pair);
  if (variant == PaperVariant::dropped) drop_positives(pair.train, seed);
  return pair;
}

}  // namespace mmo::study
