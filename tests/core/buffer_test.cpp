#include "mmo/core/buffer.h"

#include <gtest/gtest.h>

namespace mmo {
namespace {

TEST(Buffer, LentMemoryIsReadInPlaceAndKeptByEverySharer) {
  auto memory = std::make_shared<std::vector<float>>(3, 2.0F);
  const float* const address = memory->data();
  const std::weak_ptr<std::vector<float>> alive = memory;
  auto first = std::make_unique<Buffer<float>>(Buffer<float>::lent(*memory, memory));
  memory.reset();
  const Buffer<float> second = first->share();
  const Buffer<float> copy = *first;
  first.reset();
  EXPECT_FALSE(alive.expired());
  EXPECT_TRUE(second.is_lent());
  EXPECT_FALSE(copy.is_lent());
  EXPECT_EQ(second.data(), address);
  EXPECT_EQ(second, Buffer<float>(3, 2.0F));
}

TEST(Buffer, WritingCopiesLentMemoryFirst) {
  const auto memory = std::make_shared<std::vector<int>>(std::vector<int>{1, 2, 3});
  Buffer<int> written = Buffer<int>::lent(*memory, memory);
  written[1] = 7;
  Buffer<int> longer = Buffer<int>::lent(*memory, memory);
  longer.push_back(4);
  Buffer<int> twice = Buffer<int>::lent(*memory, memory);
  twice.append(memory->begin(), memory->end());
  EXPECT_EQ(*memory, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(memory.use_count(), 1);
  EXPECT_EQ(written, (Buffer<int>{1, 7, 3}));
  EXPECT_EQ(longer, (Buffer<int>{1, 2, 3, 4}));
  EXPECT_EQ(twice, (Buffer<int>{1, 2, 3, 1, 2, 3}));
}

}  // namespace
}  // namespace mmo
