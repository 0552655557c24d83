#include "mmo/core/line_vector.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace mmo {
namespace {

TEST(LineVector, StartsOnACacheLineAndKeepsItsNumbers) {
  for (const std::size_t size : {1U, 3U, 16U, 1000U, 100'000U}) {
    LineVector<float> v(size, 2.5F);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.data()) % 64, 0U);
    v.push_back(7.0F);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.data()) % 64, 0U);
    const LineVector<float> copy = v;
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(copy[i], 2.5F);
    EXPECT_EQ(copy.back(), 7.0F);
  }
  LineVector<std::int8_t> bytes(5, 1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64, 0U);
}

}  // namespace
}  // namespace mmo
