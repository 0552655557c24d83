#include "mmo/learn/many/label_trees.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/learn/many/held_out_lists.h"

namespace mmo {
namespace {

constexpr std::size_t labels = 40;

struct Rows {
  CsrMatrix x;
  LabelMatrix y;
};

// Label j shows feature j; each row has one to three labels and two features by chance.
Rows random_rows(std::size_t rows) {
  Rows out;
  out.x.rows = rows;
  out.x.cols = out.y.cols = labels;
  Random random(3);
  for (std::size_t i = 0; i < rows; ++i) {
    std::set<std::uint32_t> own;
    for (std::size_t k = 0; k < 1 + i % 3; ++k) own.insert(static_cast<std::uint32_t>(random.below(labels)));
    std::set<std::uint32_t> features = own;
    for (int k = 0; k < 2; ++k) features.insert(static_cast<std::uint32_t>(random.below(labels)));
    for (const std::uint32_t k : features) {
      out.x.indices.push_back(k);
      out.x.values.push_back(0.5F);
    }
    out.x.offsets.push_back(out.x.indices.size());
    out.y.push_row(std::vector<std::uint32_t>(own.begin(), own.end()));
  }
  return out;
}

LabelTreesOptions small_trees() {
  LabelTreesOptions out;
  out.tree.arity = 4;
  out.tree.leaf = 8;
  out.count = 2;
  out.length = 10;
  return out;
}

std::map<std::uint32_t, float> scores_of(const LabelTreeScorer& tree, const CsrMatrix& x, std::size_t row) {
  ShortLists list;
  add_short_lists(tree, x, row, row + 1, labels, tree.nodes(), list);
  std::map<std::uint32_t, float> out;
  for (const auto& [label, score] : list.row(0)) out[label] = score;
  return out;
}

// Where no list is cut a score is the calibrated mean of the trees'.
TEST(LabelTrees, ScoresAreCalibratedMeans) {
  const Rows data = random_rows(300);
  LabelTrees trees = fit_label_trees(data.x, data.y, {}, small_trees().tree, 2);
  trees.length = labels;
  trees.width = 1000;
  for (std::size_t j = 0; j < labels; ++j) {
    trees.scale[j] = 1.0F + 0.01F * static_cast<float>(j);
    trees.shift[j] = -0.1F * static_cast<float>(j);
  }
  check(trees);
  ShortLists lists;
  add_short_lists(trees, data.x, 0, 20, lists);
  for (std::size_t i = 0; i < lists.rows; ++i) {
    auto first = scores_of(trees.trees[0], data.x, i);
    auto second = scores_of(trees.trees[1], data.x, i);
    ASSERT_EQ(lists.row(i).size(), first.size());
    for (const auto& [label, score] : lists.row(i)) {
      const float mean = 0.5F * (first.at(label) + second.at(label));
      EXPECT_NEAR(score, trees.scale[label] * mean + trees.shift[label], 1e-4F);
    }
  }
}

// A label that one of the lists lacks has that list's last score there.
TEST(LabelTrees, ListsThatLackALabelBoundItFromAbove) {
  const Rows data = random_rows(300);
  LabelTrees trees = fit_label_trees(data.x, data.y, {}, small_trees().tree, 2);
  trees.length = 5;
  trees.width = 1000;
  ShortLists lists, first, second;
  add_short_lists(trees, data.x, 0, 50, lists);
  add_short_lists(trees.trees[0], data.x, 0, 50, 5, 1000, first);
  add_short_lists(trees.trees[1], data.x, 0, 50, 5, 1000, second);
  const auto in = [](std::span<const LabelScore> list, std::uint32_t label) {
    for (const LabelScore& entry : list) {
      if (entry.label == label) return entry.score;
    }
    return list.back().score;
  };
  for (std::size_t i = 0; i < 50; ++i) {
    ASSERT_EQ(lists.row(i).size(), 5U);
    for (const auto& [label, score] : lists.row(i))
      EXPECT_NEAR(score, 0.5F * (in(first.row(i), label) + in(second.row(i), label)), 1e-4F);
  }
}

TEST(LabelTrees, TheSameForAnyNumberOfThreads) {
  const Rows data = random_rows(300);
  ShortLists lists[2];
  for (int run = 0; run < 2; ++run) {
    set_threads(run == 0 ? 1 : 4);
    const LabelTrees trees = fit_label_trees(data.x, data.y, {}, small_trees().tree, 2);
    add_short_lists(trees, data.x, 0, 300, lists[run]);
  }
  set_threads(0);
  ASSERT_EQ(lists[0].entries.size(), lists[1].entries.size());
  for (std::size_t e = 0; e < lists[0].entries.size(); ++e) {
    EXPECT_EQ(lists[0].entries[e].label, lists[1].entries[e].label);
    EXPECT_EQ(lists[0].entries[e].score, lists[1].entries[e].score);
  }
}

TEST(LabelTrees, PartsThatDoNotFitAreRefused) {
  const Rows data = random_rows(100);
  const LabelTrees good = fit_label_trees(data.x, data.y, {}, small_trees().tree, 2);
  LabelTrees bad = good;
  bad.scale.pop_back();
  EXPECT_THROW(check(bad), ModelError);
  bad = good;
  bad.trees[1].features += 1;
  EXPECT_THROW(check(bad), ModelError);
  bad = good;
  bad.trees.clear();
  EXPECT_THROW(check(bad), ModelError);
  bad = good;
  bad.length = 0;
  EXPECT_THROW(check(bad), ModelError);
}

Problem folds_of(const Rows& data, std::size_t folds) {
  Problem problem;
  problem.labels = &data.y;
  problem.rows_of_label = transpose(data.y);
  std::vector<std::uint32_t> fold_of_row;
  for (std::size_t i = 0; i < data.y.rows; ++i) fold_of_row.push_back(static_cast<std::uint32_t>(i % folds));
  problem.hold_out = HoldOut::by_folds(fold_of_row, folds);
  for (std::uint32_t j = 0; j < labels; ++j) problem.trainable.push_back(j);
  return problem;
}

const auto never_stop = [] { return false; };

// A row's list does not depend on its own labels, nor on those of the rest of its fold.
TEST(HeldOutLists, ComeFromFitsThatHaveNotSeenTheRow) {
  const Rows data = random_rows(120);
  Rows changed = data;
  changed.y = {};
  changed.y.cols = labels;
  for (std::size_t i = 0; i < data.y.rows; ++i) {
    if (i % 3 == 1) {
      changed.y.push_row(std::vector<std::uint32_t>{5});
    } else {
      changed.y.push_row(data.y.row(i));
    }
  }
  std::size_t folds = 3;
  const ShortLists lists = held_out_lists(folds_of(data, 3), data.x, small_trees(), never_stop, folds);
  const ShortLists others = held_out_lists(folds_of(changed, 3), changed.x, small_trees(), never_stop, folds);
  ASSERT_EQ(lists.rows, 120U);
  for (std::size_t i = 1; i < 120; i += 3) {
    for (std::size_t k = 0; k < lists.row(i).size(); ++k) {
      EXPECT_EQ(lists.row(i)[k].label, others.row(i)[k].label);
      EXPECT_EQ(lists.row(i)[k].score, others.row(i)[k].score);
    }
  }
}

TEST(HeldOutLists, StopsBetweenFolds) {
  const Rows data = random_rows(120);
  std::size_t folds = 3;
  const ShortLists lists =
      held_out_lists(folds_of(data, 3), data.x, small_trees(), [] { return true; }, folds);
  EXPECT_EQ(folds, 1U);
  EXPECT_EQ(lists.rows, 40U);
}

TEST(UnlearnableCells, AreThoseOfLabelsThatOneFoldHasAlone) {
  Rows data;
  data.y.cols = labels;
  data.y.push_row(std::vector<std::uint32_t>{0, 1});  // fold 0
  data.y.push_row(std::vector<std::uint32_t>{1, 2});  // fold 1
  data.y.push_row(std::vector<std::uint32_t>{0, 3});  // fold 0
  data.y.push_row(std::vector<std::uint32_t>{});      // fold 1
  const LabelMatrix cells = unlearnable_cells(folds_of(data, 2), std::vector<std::uint32_t>{0, 1, 2, 3});
  EXPECT_EQ(cells.indices, (std::vector<std::uint32_t>{0, 2, 0, 3}));
  EXPECT_EQ(cells.offsets, (std::vector<std::uint64_t>{0, 1, 2, 4, 4}));
}

}  // namespace
}  // namespace mmo
