#include "mmo/learn/linear/choose_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mmo/core/random.h"
#include "support/folds.h"

namespace mmo {
namespace {

using Map = FeatureMap::Kind;

// One label, there where the first of three normal features is positive.
struct Signs {
  LabelMatrix labels;
  DenseMatrix normal{600, 3};
  Problem problem;

  Signs() {
    Random random(3);
    labels.cols = 1;
    for (std::size_t i = 0; i < normal.rows; ++i) {
      for (float& v : normal.row(i)) v = static_cast<float>(random.normal());
      labels.push_row(normal(i, 0) + 0.3 * random.normal() > 0 ? std::vector<std::uint32_t>{0}
                                                               : std::vector<std::uint32_t>{});
    }
    problem.labels = &labels;
    problem.rows_of_label = transpose(labels);
    problem.hold_out = folds_in_turn(normal.rows, 5);
    problem.trainable = {0};
  }
  Signs(const Signs&) = delete;
  Signs& operator=(const Signs&) = delete;
  ~Signs() = default;
};

std::vector<Map> candidates(const ChosenMap& chosen) {
  std::vector<Map> out;
  for (const MapCandidate& candidate : chosen.candidates) out.push_back(candidate.kind);
  return out;
}

TEST(ChooseMap, TakesTheMapThatUndoesHeavyTails) {
  const Signs signs;
  DenseMatrix tails = signs.normal;
  for (float& v : tails.values) v = std::exp(4 * v);
  const Features x = tails;
  const ChosenMap chosen = choose_map(signs.problem, x, {Map::standardise, Map::rank_gauss}, 32);
  EXPECT_EQ(chosen.mapped.map.kind, Map::rank_gauss);
  ASSERT_EQ(candidates(chosen), (std::vector<Map>{Map::standardise, Map::rank_gauss}));
  EXPECT_LT(chosen.candidates[1].log_loss, 0.7 * chosen.candidates[0].log_loss);
}

TEST(ChooseMap, ASingleMapIsNotScreened) {
  const Signs signs;
  const Features x = signs.normal;
  const ChosenMap chosen = choose_map(signs.problem, x, {Map::arcsinh}, 32);
  EXPECT_EQ(chosen.mapped.map.kind, Map::arcsinh);
  EXPECT_TRUE(chosen.candidates.empty());
}

// Of rows with one 1 each, all four sparse maps but idf are the identity.
TEST(ChooseMap, LeavesOutMapsThatWouldChangeNothing) {
  const Signs signs;
  CsrMatrix words;
  words.rows = signs.normal.rows;
  words.cols = 2;
  words.offsets.assign(1, 0);
  for (std::size_t i = 0; i < words.rows; ++i) {
    words.indices.push_back(signs.normal(i, 0) > 0 ? 1 : 0);
    words.values.push_back(1);
    words.offsets.push_back(words.indices.size());
  }
  const Features x = words;
  const ChosenMap chosen =
      choose_map(signs.problem, x, {Map::identity, Map::l2_rows, Map::idf_l2, Map::sqrt_l2}, 32);
  EXPECT_EQ(candidates(chosen), (std::vector<Map>{Map::identity, Map::idf_l2}));
}

}  // namespace
}  // namespace mmo
