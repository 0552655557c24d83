// Every writer against its reader: what is written comes back, or is refused with the reason.
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "data/reading.h"
#include "mmo/data/load.h"

namespace mmo {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::expect_same;
using testing::TempFolder;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Numbers that only the shortest round-trip form (or nine digits) brings back.
const std::vector<float> awkward{0.1F,
                                 -1.0F / 3,
                                 16777216.0F,
                                 1e-45F,
                                 std::numeric_limits<float>::max(),
                                 std::numeric_limits<float>::min(),
                                 -123456.79F,
                                 1.0F};

Dataset with_labels(std::size_t rows) {
  Dataset data;
  data.label_names = {"alpha", "beta", "gamma"};
  data.y.cols = 3;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::uint32_t> row;
    for (std::uint32_t j = 0; j < 3; ++j) {
      if ((i >> j & 1) != 0) row.push_back(j);
    }
    data.y.push_row(row);
  }
  return data;
}

Dataset dense_data() {
  Dataset data = with_labels(8);
  DenseMatrix x(8, 3);
  for (std::size_t i = 0; i < 8; ++i) {
    x(i, 0) = awkward[i];
    x(i, 2) = static_cast<float>(i);
  }
  x(3, 1) = nan;
  data.x = std::move(x);
  data.features = {{"a", {}}, {"b", {}}, {"c", {}}};
  return data;
}

// Row 0 has neither labels nor features, row 3 no features; features 0 and 6 are never used.
Dataset sparse_data() {
  Dataset data = with_labels(8);
  CsrMatrix x;
  x.rows = 8;
  x.cols = 7;
  for (std::uint32_t i = 0; i < 8; ++i) {
    if (i != 0 && i != 3) {
      x.indices.push_back(1 + i % 3);
      x.indices.push_back(5);
      x.values.push_back(awkward[i]);
      x.values.push_back(i == 4 ? nan : 2.5F);
    }
    x.offsets.push_back(x.indices.size());
  }
  data.x = std::move(x);
  return data;
}

void add_unknown(Dataset& data) {
  data.unknown.cols = data.labels();
  for (std::size_t i = 0; i < data.rows(); ++i) {
    // Row 5 has labels 0 and 2.
    data.unknown.push_row(i == 5 ? std::vector<std::uint32_t>{1} : std::vector<std::uint32_t>{});
  }
}

void add_weights_and_groups(Dataset& data) {
  for (std::size_t i = 0; i < data.rows(); ++i) {
    data.row_weights.push_back(static_cast<float>(i) / 4);
    data.groups.push_back(i % 2 == 0 ? "g,1" : "it's \"2\"");
  }
}

void use_awkward_names(Dataset& data) {
  data.label_names = {"rock, 'n' \"roll\"", "Ünïcödé – 音楽", "100% {a\\b}; <c> & ?"};
  data.features.clear();
  for (std::size_t k = 0; k < feature_cols(data.x); ++k) {
    data.features.push_back({"f '" + std::to_string(k) + "\", {x} \\ é%", {}});
  }
}

Dataset dense_copy(Dataset data) {
  const auto& sparse = std::get<CsrMatrix>(data.x);
  DenseMatrix dense(sparse.rows, sparse.cols);
  for (std::size_t i = 0; i < sparse.rows; ++i) {
    for (std::size_t k = 0; k < sparse.row_indices(i).size(); ++k) {
      dense(i, sparse.row_indices(i)[k]) = sparse.row_values(i)[k];
    }
  }
  data.x = std::move(dense);
  return data;
}

Dataset sparse_copy(Dataset data) {
  const auto& dense = std::get<DenseMatrix>(data.x);
  CsrMatrix sparse;
  sparse.rows = dense.rows;
  sparse.cols = dense.cols;
  for (std::size_t i = 0; i < dense.rows; ++i) {
    for (std::uint32_t j = 0; j < dense.cols; ++j) {
      if (dense(i, j) == 0) continue;
      sparse.indices.push_back(j);
      sparse.values.push_back(dense(i, j));
    }
    sparse.offsets.push_back(sparse.indices.size());
  }
  data.x = std::move(sparse);
  return data;
}

std::vector<std::string> feature_names(const Dataset& data) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < feature_cols(data.x); ++k) names.push_back(data.feature_name(k));
  return names;
}

// Writes and reads, with the options a user would give.
Dataset round_trip(const Dataset& data, const std::string& ending, const SaveOptions& saving = {}) {
  const TempFolder folder;
  const std::string path = folder.path("data" + ending);
  save_dataset(data, path, saving);
  LoadOptions options;
  options.unknown_labels = data.unknown.rows > 0;
  options.need_labels = data.labels() > 0;
  const bool table = ending.starts_with(".csv") || ending.starts_with(".tsv");
  if (table && data.labels() > 0) options.labels = "last:" + std::to_string(data.labels());
  if (table || ending.starts_with(".arff")) {
    if (!data.row_weights.empty()) options.weight_column = "weight";
    if (!data.groups.empty()) options.group_column = "group";
    if (data.is_text()) options.text_column = "text";
  }
  return load_dataset(path, options);
}

void expect_comes_back(const Dataset& expected, const Dataset& written, const std::string& ending,
                       const SaveOptions& saving = {}) {
  SCOPED_TRACE(ending);
  const Dataset read = round_trip(written, ending, saving);
  expect_same(read, expected);
  EXPECT_EQ(feature_cols(read.x), feature_cols(expected.x));
  EXPECT_EQ(feature_names(read), feature_names(expected));
}

Dataset without_feature_names(Dataset data) {
  data.features.clear();
  return data;
}

Dataset without_names(Dataset data) {
  data.features.clear();
  data.label_names.clear();
  return data;
}

TEST(RoundTrip, DenseFeatures) {
  const Dataset data = dense_data();
  for (const char* ending : {".arff", ".csv", ".tsv", ".npz", ".arff.gz", ".csv.zst", ".npz.gz"}) {
    expect_comes_back(data, data, ending);
  }
  expect_comes_back(without_feature_names(sparse_copy(data)), data, ".svm");
  expect_comes_back(without_names(sparse_copy(data)), data, ".txt");
}

TEST(RoundTrip, SparseFeatures) {
  const Dataset data = sparse_data();
  for (const char* ending : {".arff", ".npz", ".svm", ".svm.gz"}) expect_comes_back(data, data, ending);
  SaveOptions zero;
  zero.index_base = IndexBase::zero;
  expect_comes_back(data, data, ".svmlight", zero);
  expect_comes_back(without_names(data), data, ".txt");
  expect_comes_back(dense_copy(data), data, ".csv");
}

TEST(RoundTrip, AwkwardNames) {
  Dataset dense = dense_data();
  use_awkward_names(dense);
  for (const char* ending : {".arff", ".csv", ".tsv", ".npz"}) expect_comes_back(dense, dense, ending);
  Dataset sparse = sparse_data();
  use_awkward_names(sparse);
  for (const char* ending : {".arff", ".npz"}) expect_comes_back(sparse, sparse, ending);
  sparse.label_names = {"a;b", "x'\"y", "Ünï"};  // svmlight orders them by their bytes
  expect_comes_back(without_feature_names(sparse), sparse, ".svm");
}

TEST(RoundTrip, UnknownLabelsWeightsAndGroups) {
  Dataset dense = dense_data();
  add_unknown(dense);
  add_weights_and_groups(dense);
  for (const char* ending : {".arff", ".csv", ".tsv", ".npz"}) expect_comes_back(dense, dense, ending);
  Dataset sparse = sparse_data();
  add_unknown(sparse);
  add_weights_and_groups(sparse);
  for (const char* ending : {".arff", ".npz"}) expect_comes_back(sparse, sparse, ending);
}

TEST(RoundTrip, SvmlightKeepsGroups) {
  Dataset data = sparse_data();
  for (std::size_t i = 0; i < data.rows(); ++i) data.groups.push_back(std::to_string(i % 3));
  expect_comes_back(data, data, ".svm");
}

TEST(RoundTrip, NominalFeatures) {
  Dataset data = dense_data();
  data.features[2].categories = {"'", "a b", "b,c", "d\"e", "e", "f", "g", "é"};
  for (const char* ending : {".arff", ".csv", ".tsv"}) {
    expect_comes_back(data, data, ending);
    EXPECT_EQ(round_trip(data, ending).features[2].categories, data.features[2].categories);
  }
  const Dataset sparse = sparse_copy(data);
  expect_comes_back(sparse, sparse, ".arff");
}

TEST(RoundTrip, Text) {
  Dataset data = with_labels(5);
  data.x = DenseMatrix(5, 0);
  data.documents = {"plain words", "commas, \"quotes\" and 'more'", " blanks around ", "?",
                    "naïve 音楽 100% \\n {x}"};
  for (const char* ending : {".arff", ".csv", ".tsv"}) expect_comes_back(data, data, ending);
  data.documents[2] = "two\nlines\r\nand\ttabs";
  for (const char* ending : {".arff", ".csv", ".tsv"}) expect_comes_back(data, data, ending);
  Dataset one_line = data;
  one_line.documents[2] = "two lines  and\ttabs";
  expect_comes_back(one_line, data, ".fasttext");
}

TEST(RoundTrip, DataWithoutLabels) {
  Dataset data = dense_data();
  data.y = {};
  data.label_names.clear();
  for (int i = 0; i < 8; ++i) data.y.push_row({});
  for (const char* ending : {".arff", ".csv", ".tsv", ".npz"}) expect_comes_back(data, data, ending);
  expect_comes_back(without_names(sparse_copy(data)), data, ".svm");
  expect_comes_back(without_names(sparse_copy(data)), data, ".txt");
}

TEST(RoundTrip, LabelHeaderBesideArff) {
  const TempFolder folder;
  Dataset data = dense_data();
  use_awkward_names(data);
  save_dataset(data, folder.path("x.arff.gz"), {});
  LoadOptions options;
  options.labels = folder.path("x.xml");
  expect_same(load_dataset(folder.path("x.arff.gz"), options), data);
}

void expect_refused(const Dataset& data, const std::string& ending, const std::string& reason) {
  const TempFolder folder;
  const std::string path = folder.path("data" + ending);
  expect_contains(error_of([&] { save_dataset(data, path, {}); }), reason);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << ending;  // nothing half-written stays
}

TEST(RoundTrip, WhatAFormatCannotHoldIsRefused) {
  Dataset unknown = sparse_data();
  add_unknown(unknown);
  Dataset weights = sparse_data();
  weights.row_weights.assign(8, 1);
  for (const char* ending : {".svm", ".txt"}) {
    expect_refused(unknown, ending,
                   "has no place for labels that are not known; ARFF, CSV, TSV and npz have");
    expect_refused(weights, ending, "has no place for row weights; ARFF, CSV, TSV and npz have");
  }
  Dataset groups = sparse_data();
  groups.groups.assign(8, "g");
  expect_refused(groups, ".txt", "has no place for groups; ARFF, svmlight");
  groups.groups[3] = "a b";
  expect_refused(groups, ".svm", "svmlight can't hold the group 'a b'");
  Dataset nominal = dense_data();
  nominal.features[2].categories = {"a", "b", "c", "d", "e", "f", "g", "h"};
  for (const char* ending : {".svm", ".txt", ".npz"})
    expect_refused(nominal, ending, "nominal features; ARFF, CSV");
  Dataset text = with_labels(1);
  text.x = DenseMatrix(1, 0);
  text.documents = {"words"};
  for (const char* ending : {".svm", ".txt", ".npz"})
    expect_refused(text, ending, "no place for raw text; CSV");
  text.documents[0] = "a __label__b";
  expect_refused(text, ".fasttext", "the text of row 1");
  expect_refused(dense_data(), ".fasttext", "no place for numeric features");
}

TEST(RoundTrip, NamesThatWouldNotSurviveAreRefused) {
  const auto named = [](const std::string& label) {
    Dataset data = dense_data();
    data.label_names[1] = label;
    return data;
  };
  for (const char* label : {"a b", "a,b", "a:b", "a#b", ""}) {
    expect_refused(named(label), ".svm", "svmlight can't hold the label");
  }
  expect_refused(named("alpha"), ".arff", "two columns called 'alpha'");
  expect_refused(named("b"), ".csv", "two columns called 'b'");  // a feature's name
  expect_refused(named(""), ".tsv", "a column without a name");
  expect_refused(named(" a"), ".csv", "CSV can't hold the column name ' a'");
  expect_refused(named("\xFF"), ".npz", "is not UTF-8");
  Dataset numbers = dense_data();
  numbers.label_names.clear();
  numbers.features = {{"10", {}}, {"11", {}}, {"12", {}}};
  expect_refused(numbers, ".csv", "all called by numbers");
  Dataset text = with_labels(1);
  text.x = DenseMatrix(1, 0);
  text.documents = {"words"};
  text.label_names[0] = "a b";
  expect_refused(text, ".fasttext", "fastText can't hold the label 'a b'");
}

TEST(RoundTrip, NothingIsOverwrittenUnasked) {
  const TempFolder folder;
  for (const char* name : {"x.arff", "x.csv", "x.svm", "x.txt", "x.npz"}) {
    save_dataset(dense_data(), folder.path(name), {});
    expect_contains(error_of([&] { save_dataset(dense_data(), folder.path(name), {}); }), " exists");
    SaveOptions force;
    force.overwrite = true;
    save_dataset(dense_data(), folder.path(name), force);
  }
}

}  // namespace
}  // namespace mmo
