#include "mmo/data/parts.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "data/reading.h"
#include "mmo/core/error.h"

namespace mmo {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::expect_same;
using testing::TempFolder;

TEST(Parts, AFolderAndAPatternAreReadInOrderOfTheirNames) {
  const TempFolder folder;
  (void)folder.put("b.svm", "20 1:3 9:4\n");
  (void)folder.put("a.svm", "3,20 1:1\n100 2:2\n");
  (void)folder.put("README", "not data");
  const TempFolder other;
  const Dataset expected = load_dataset(other.put("all.svm", "3,20 1:1\n100 2:2\n20 1:3 9:4\n"), {});
  for (const std::string& path : {folder.path(), folder.path("*.svm"), folder.path("[ab].svm")}) {
    const Dataset joined = load_dataset(path, {});
    expect_same(joined, expected);
    EXPECT_EQ(joined.label_names, (std::vector<std::string>{"3", "20", "100"}));
    ASSERT_FALSE(joined.notes.empty());
    expect_contains(joined.notes.back(), "2 parts are read as one set");
  }
}

TEST(Parts, CountFeaturesFromZeroIfAnyOfThemDoes) {
  const TempFolder folder;
  (void)folder.put("a.svm", "1 1:1\n");
  (void)folder.put("b.svm", "1 0:1 2:1\n");
  const Dataset joined = load_dataset(folder.path(), {});
  const auto& x = std::get<CsrMatrix>(joined.x);
  EXPECT_EQ(x.cols, 3U);
  EXPECT_EQ(x.row_indices(0)[0], 1U);
  EXPECT_EQ(joined.index_base, 0);
}

TEST(Parts, XmcPartsMustAgreeInTheirHeaders) {
  const TempFolder folder;
  (void)folder.put("a.txt", "1 4 3\n0,2 1:1\n");
  (void)folder.put("b.txt", "2 4 3\n1 0:2\n 3:1\n");
  const Dataset joined = load_dataset(folder.path(), {});
  EXPECT_EQ(joined.rows(), 3U);
  EXPECT_EQ(joined.labels(), 3U);
  (void)folder.put("c.txt", "1 5 3\n1 0:2\n");
  const std::string message = error_of([&] { (void)load_dataset(folder.path(), {}); });
  expect_contains(message, "c.txt: it does not go with");
  expect_contains(message, "5 features and 3 labels, not 4 and 3");
}

TEST(Parts, NpzPartsAreOneSet) {
  const TempFolder source;
  const Dataset whole = load_dataset(source.put("x.svm", "1 1:1 2:3\n2 2:1\n1,2 1:7\n2 1:1\n"), {});
  const TempFolder folder;
  save_dataset(take_rows(whole, std::vector<std::uint32_t>{0, 1}), folder.path("1.npz"), {});
  save_dataset(take_rows(whole, std::vector<std::uint32_t>{2, 3}), folder.path("2.npz"), {});
  const Dataset joined = load_dataset(folder.path("*.npz"), {});
  expect_same(joined, whole);
  EXPECT_FALSE(joined.lender.has_value());
}

TEST(Parts, LabelsOfAModelAreFoundInAllParts) {
  const TempFolder folder;
  (void)folder.put("a.svm", "b 1:1\n");
  (void)folder.put("b.svm", "a,c 2:1\n");
  LoadOptions options;
  options.expected_labels = {"c", "b", "a"};
  options.expected_features = 4;
  const Dataset joined = load_dataset(folder.path(), options);
  EXPECT_EQ(joined.label_names, *options.expected_labels);
  EXPECT_EQ(testing::row_of(joined.y, 0), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(testing::row_of(joined.y, 1), (std::vector<std::uint32_t>{0, 2}));
  options.expected_labels = {"b", "a"};
  expect_contains(error_of([&] { (void)load_dataset(folder.path(), options); }), "'c'");
}

TEST(Parts, WhatDoesNotFitIsAnErrorThatNamesTheFile) {
  const TempFolder folder;
  (void)folder.put("a.svm", "1 1:1\n");
  (void)folder.put("b.svm", "1 qid:1 1:1\n");
  expect_contains(error_of([&] { (void)load_dataset(folder.path(), {}); }), "b.svm: it does not go with");
  (void)folder.put("b.svm", "1 1:x\n");
  expect_contains(error_of([&] { (void)load_dataset(folder.path(), {}); }), "b.svm:1: ");
  expect_contains(error_of([&] { (void)load_dataset(folder.path("*.none"), {}); }),
                  "no file has such a name");
  const TempFolder tables;
  (void)tables.put("a.csv", "x,y\n1,1\n");
  (void)tables.put("b.csv", "x,y\n1,1\n");
  expect_contains(error_of([&] { (void)load_dataset(tables.path("*.csv"), {}); }),
                  "csv files are not read in parts");
  expect_contains(error_of([&] { (void)load_dataset(tables.path(), {}); }), "the folder has no .svm");
}

// A file whose own name looks like a pattern is that file.
TEST(Parts, AFileNamedLikeAPatternIsAFile) {
  const TempFolder folder;
  (void)folder.put("a1.svm", "1 1:1\n");
  const std::string odd = folder.put("a[1].svm", "1 1:1\n2 1:2\n");
  EXPECT_EQ(load_dataset(odd, {}).rows(), 2U);
}

}  // namespace
}  // namespace mmo
