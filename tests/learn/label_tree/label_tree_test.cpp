#include "mmo/learn/label_tree/label_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/random.h"
#include "mmo/learn/label_tree/hierarchy.h"

namespace mmo {
namespace {

struct Rows {
  CsrMatrix x;
  LabelMatrix y;
};

// Row i has one to three of the labels; label j shows feature j, and features are added at random.
Rows random_rows(std::size_t rows, std::size_t labels, std::size_t features) {
  Rows out;
  out.x.rows = rows;
  out.x.cols = features;
  out.y.cols = labels;
  Random random(7);
  for (std::size_t i = 0; i < rows; ++i) {
    std::set<std::uint32_t> own;
    for (std::size_t k = 0; k < 1 + i % 3; ++k) own.insert(static_cast<std::uint32_t>(random.below(labels)));
    std::set<std::uint32_t> columns(own.begin(), own.end());
    for (int k = 0; k < 3; ++k) columns.insert(static_cast<std::uint32_t>(random.below(features)));
    for (const std::uint32_t k : columns) {
      out.x.indices.push_back(k);
      out.x.values.push_back(0.5F + static_cast<float>(random.uniform()));
    }
    out.x.offsets.push_back(out.x.indices.size());
    out.y.push_row(std::vector<std::uint32_t>(own.begin(), own.end()));
  }
  return out;
}

LabelTreeOptions small_tree() {
  LabelTreeOptions options;
  options.arity = 3;
  options.leaf = 4;
  options.smallest = 0.01F;
  return options;
}

double logistic(double z) { return 1 / (1 + std::exp(-z)); }

double child_logit(const LabelTreeScorer& s, std::size_t node, std::size_t child,
                   const std::map<std::uint32_t, float>& row) {
  double z = s.bias[s.first_child[node] + child];
  for (auto k = s.first_feature[node]; k < s.first_feature[node + 1]; ++k) {
    for (auto w = s.first_weight[k]; w < s.first_weight[k + 1]; ++w) {
      if (s.sibling[w] == child && row.contains(s.feature[k]))
        z += double{from_half(s.weight[w])} * row.at(s.feature[k]);
    }
  }
  return z;
}

// Every label's probability: the product along its path, all paths taken.
std::map<std::uint32_t, double> all_probabilities(const LabelTreeScorer& s, const CsrMatrix& x,
                                                  std::size_t i) {
  std::map<std::uint32_t, float> row;
  for (std::size_t e = 0; e < x.row_indices(i).size(); ++e) row[x.row_indices(i)[e]] = x.row_values(i)[e];
  std::map<std::uint32_t, double> found;
  const std::function<void(std::size_t, double)> walk = [&](std::size_t node, double p) {
    for (std::size_t c = 0; c < s.first_child[node + 1] - s.first_child[node]; ++c) {
      const std::uint32_t child = s.child[s.first_child[node] + c];
      const double own = p * logistic(child_logit(s, node, c, row));
      if ((child & LabelTreeScorer::label_flag) != 0) {
        found[child & ~LabelTreeScorer::label_flag] = own;
      } else {
        walk(child, own);
      }
    }
  };
  walk(0, 1.0);
  return found;
}

ShortLists lists_of(const LabelTreeScorer& scorer, const Features& x, std::size_t most, std::size_t width) {
  ShortLists lists;
  add_short_lists(scorer, x, 0, feature_rows(x), most, width, lists);
  return lists;
}

TEST(LabelTree, WideBeamFindsTheProductsAlongAllPaths) {
  const Rows rows = random_rows(200, 30, 40);
  const LabelTreeScorer scorer = fit_label_tree(rows.x, rows.y, {}, small_tree());
  check(scorer);
  const ShortLists lists = lists_of(scorer, rows.x, 30, scorer.nodes());
  for (std::size_t i = 0; i < 20; ++i) {
    const auto expected = all_probabilities(scorer, rows.x, i);
    ASSERT_EQ(lists.row(i).size(), expected.size());
    for (const LabelScore& own : lists.row(i)) EXPECT_NEAR(logistic(own.score), expected.at(own.label), 1e-5);
  }
}

TEST(LabelTree, NarrowBeamFindsSomeOfTheSameScoresInOrder) {
  const Rows rows = random_rows(200, 30, 40);
  const LabelTreeScorer scorer = fit_label_tree(rows.x, rows.y, {}, small_tree());
  const ShortLists lists = lists_of(scorer, rows.x, 5, 2);
  for (std::size_t i = 0; i < rows.x.rows; ++i) {
    const auto all = all_probabilities(scorer, rows.x, i);
    ASSERT_EQ(lists.row(i).size(), 5U);
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(logistic(lists.row(i)[k].score), all.at(lists.row(i)[k].label), 1e-5);
      EXPECT_TRUE(k == 0 || ranks_before(lists.row(i)[k - 1], lists.row(i)[k]));
    }
  }
}

TEST(LabelTree, DenseRowsScoreAsSparseOnes) {
  const Rows rows = random_rows(50, 12, 20);
  const LabelTreeScorer scorer = fit_label_tree(rows.x, rows.y, {}, small_tree());
  DenseMatrix dense(rows.x.rows, rows.x.cols);
  for (std::size_t i = 0; i < rows.x.rows; ++i) {
    for (std::size_t e = 0; e < rows.x.row_indices(i).size(); ++e)
      dense(i, rows.x.row_indices(i)[e]) = rows.x.row_values(i)[e];
  }
  const ShortLists a = lists_of(scorer, rows.x, 6, 4);
  const ShortLists b = lists_of(scorer, dense, 6, 4);
  ASSERT_EQ(a.entries.size(), b.entries.size());
  for (std::size_t k = 0; k < a.entries.size(); ++k) {
    EXPECT_EQ(a.entries[k].label, b.entries[k].label);
    EXPECT_EQ(a.entries[k].score, b.entries[k].score);
  }
}

// Rows that say nothing: the best every node can do is its children's shares, whose product is the label's.
TEST(LabelTree, WithoutFeaturesALabelHasItsShareOfTheRows) {
  constexpr std::size_t labels = 9;
  Rows rows;
  rows.x.cols = 1;
  rows.y.cols = labels;
  std::vector<double> share(labels);
  for (std::uint32_t j = 0; j <= labels; ++j) {  // the last ones have no label
    for (std::uint32_t k = 0; k < 5 * (j + 1); ++k) {
      rows.y.push_row(j < labels ? std::vector<std::uint32_t>{j} : std::vector<std::uint32_t>{});
      rows.x.offsets.push_back(0);
      ++rows.x.rows;
      if (j < labels) share[j] += 1;
    }
  }
  LabelTreeOptions options = small_tree();
  options.tolerance = 1e-6;
  options.leaf = 3;
  const LabelTreeScorer scorer = fit_label_tree(rows.x, rows.y, {}, options);
  EXPECT_GT(scorer.nodes(), 1U);
  const auto found = all_probabilities(scorer, rows.x, 0);
  for (std::uint32_t j = 0; j < labels; ++j)
    EXPECT_NEAR(found.at(j), share[j] / static_cast<double>(rows.x.rows), 1e-3) << j;
}

TEST(LabelTree, LabelsThatAFeatureTellsComeFirst) {
  Rows rows;
  rows.x.cols = rows.y.cols = 24;
  for (std::uint32_t i = 0; i < 240; ++i) {
    rows.x.indices.push_back(i % 24);
    rows.x.values.push_back(1);
    rows.x.offsets.push_back(++rows.x.rows);
    rows.y.push_row(std::vector<std::uint32_t>{i % 24});
  }
  const LabelTreeScorer scorer = fit_label_tree(rows.x, rows.y, {}, small_tree());
  const ShortLists lists = lists_of(scorer, rows.x, 1, 3);
  for (std::uint32_t i = 0; i < 240; ++i) EXPECT_EQ(lists.row(i)[0].label, i % 24);
}

TEST(LabelTree, LabelsWithoutRowsAreInNoList) {
  Rows rows = random_rows(60, 10, 12);
  rows.y.cols = 13;
  const LabelTreeScorer scorer = fit_label_tree(rows.x, rows.y, {}, small_tree());
  check(scorer);
  const ShortLists lists = lists_of(scorer, rows.x, 13, scorer.nodes());
  EXPECT_EQ(lists.labels, 13U);
  for (const LabelScore& own : lists.entries) EXPECT_LT(own.label, 10U);
  LabelMatrix none;
  none.cols = 3;
  for (std::size_t i = 0; i < rows.x.rows; ++i) none.push_row({});
  EXPECT_THROW((void)fit_label_tree(rows.x, none, {}, small_tree()), UsageError);
}

// A row of weight 2 is as good as the row twice.
TEST(LabelTree, RowsCountByTheirWeights) {
  const Rows once = random_rows(80, 6, 10);
  std::vector<std::uint32_t> twice;
  std::vector<float> weights;
  for (std::uint32_t i = 0; i < 80; ++i) {
    weights.push_back(i % 2 == 0 ? 2.0F : 1.0F);
    twice.insert(twice.end(), i % 2 == 0 ? 2 : 1, i);
  }
  LabelTreeOptions options = small_tree();
  options.tolerance = 1e-7;
  options.passes = 200;
  options.leaf = 6;  // one node: clusters need not agree
  const LabelTreeScorer a = fit_label_tree(once.x, once.y, weights, options);
  const LabelTreeScorer b = fit_label_tree(take_rows(once.x, twice), take_rows(once.y, twice), {}, options);
  for (std::size_t i = 0; i < 10; ++i) {
    const auto pa = all_probabilities(a, once.x, i);
    const auto pb = all_probabilities(b, once.x, i);
    for (const auto& [label, p] : pa) EXPECT_NEAR(p, pb.at(label), 5e-3);
  }
}

TEST(LabelTree, ThreadsDoNotChangeABit) {
  const Rows rows = random_rows(300, 60, 70);
  const int before = threads();
  set_threads(1);
  const LabelTreeScorer one = fit_label_tree(rows.x, rows.y, {}, small_tree());
  set_threads(3);
  const LabelTreeScorer three = fit_label_tree(rows.x, rows.y, {}, small_tree());
  set_threads(before);
  EXPECT_EQ(one.child, three.child);
  EXPECT_EQ(one.bias, three.bias);
  EXPECT_EQ(one.feature, three.feature);
  EXPECT_EQ(one.sibling, three.sibling);
  EXPECT_EQ(one.weight, three.weight);
}

TEST(LabelTree, ClustersAreEvenAndHoldEveryLabelOnce) {
  const Rows rows = random_rows(400, 50, 60);
  const CsrMatrix means = label_means(rows.x, transpose(rows.y), 8);
  std::vector<std::uint32_t> labels;
  for (std::uint32_t j = 0; j < 50; ++j) {
    double squares = 0;
    for (const float v : means.row_values(j)) squares += double{v} * v;
    EXPECT_NEAR(squares, 1, 1e-5);
    EXPECT_LE(means.row_indices(j).size(), 8U);
    labels.push_back(j);
  }
  const LabelHierarchy tree = cluster_labels(means, labels, 4, 6, 1);
  std::multiset<std::uint32_t> found;
  for (const auto& node : tree.nodes) {
    EXPECT_LE(node.children.size(), node.has_labels ? 6U : 4U);
    if (!node.has_labels) continue;
    EXPECT_GE(node.children.size(), 4U);
    found.insert(node.children.begin(), node.children.end());
  }
  EXPECT_EQ(found, std::multiset<std::uint32_t>(labels.begin(), labels.end()));
}

TEST(LabelTree, DamagedArraysAreRefused) {
  const Rows rows = random_rows(100, 20, 25);
  const LabelTreeScorer good = fit_label_tree(rows.x, rows.y, {}, small_tree());
  check(good);
  const std::vector<std::function<void(LabelTreeScorer&)>> faults{
      [](auto& s) { s.first_child.clear(); },
      [](auto& s) { s.first_child = {0}; },
      [](auto& s) { s.first_child.back() += 1; },
      [](auto& s) { s.first_child[1] = s.first_child[2] + 1; },
      [](auto& s) { s.child.pop_back(); },
      [](auto& s) { s.child[0] = 0; },
      [](auto& s) { s.child[0] = s.child[1]; },
      [](auto& s) { s.child[0] = 1000; },
      [](auto& s) { s.child.back() = LabelTreeScorer::label_flag | 20U; },
      [](auto& s) { s.child.back() = s.child[s.child.size() - 2]; },
      [](auto& s) { s.bias.pop_back(); },
      [](auto& s) { s.bias[0] = INFINITY; },
      [](auto& s) { s.first_feature.pop_back(); },
      [](auto& s) { s.first_feature[1] = s.feature.size() + 1; },
      [](auto& s) { s.feature[0] = 25; },
      [](auto& s) { s.feature[1] = s.feature[0]; },
      [](auto& s) { s.first_weight.back() += 1; },
      [](auto& s) { s.first_weight.pop_back(); },
      [](auto& s) { s.sibling[0] = 9; },
      [](auto& s) { s.sibling.pop_back(); },
      [](auto& s) { s.weight[0] = to_half(NAN); },
      [](auto& s) { s.labels = 0; },
  };
  for (std::size_t k = 0; k < faults.size(); ++k) {
    LabelTreeScorer bad = good;
    faults[k](bad);
    EXPECT_THROW(check(bad), ModelError) << "fault " << k;
  }
}

}  // namespace
}  // namespace mmo
