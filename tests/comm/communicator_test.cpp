#include "mmo/comm/communicator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace mmo {
namespace {

class OneOf final : public Communicator {
 public:
  OneOf(std::size_t rank, std::size_t size) : rank_(rank), size_(size) {}
  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t size() const override { return size_; }
  void sum(std::span<float> /*values*/) override {}
  void sum(std::span<double> /*values*/) override {}

 private:
  std::size_t rank_, size_;
};

TEST(Communicator, AloneSumsNothing) {
  std::array<float, 2> floats{1.5F, -2.0F};
  std::array<double, 1> doubles{3.25};
  alone().sum(floats);
  alone().sum(doubles);
  EXPECT_EQ(floats, (std::array<float, 2>{1.5F, -2.0F}));
  EXPECT_EQ(doubles[0], 3.25);
  EXPECT_EQ(alone().rank(), 0U);
  EXPECT_EQ(alone().size(), 1U);
}

TEST(Communicator, SharesFollowEachOtherAndDifferByOne) {
  for (const std::size_t size : {1U, 2U, 3U, 7U}) {
    for (const std::size_t count : {0U, 1U, 5U, 6U, 100U}) {
      std::size_t at = 0;
      std::size_t least = count;
      std::size_t most = 0;
      for (std::size_t k = 0; k < size; ++k) {
        const Share share = share_of(count, OneOf(k, size));
        EXPECT_EQ(share.begin, at);
        at = share.end;
        least = std::min(least, share.end - share.begin);
        most = std::max(most, share.end - share.begin);
      }
      EXPECT_EQ(at, count);
      EXPECT_LE(most, least + 1);
    }
  }
}

}  // namespace
}  // namespace mmo
