#include "mmo/core/json.h"

#include <gtest/gtest.h>

#include <string>

namespace mmo {
namespace {

std::string lists(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Json, DepthIsBounded) {
  EXPECT_EQ(parse_json(lists(deepest_json)).dump(), lists(deepest_json));
  for (const std::size_t depth : {deepest_json + 1, std::size_t{80'000}, std::size_t{3'000'000}}) {
    EXPECT_THROW((void)parse_json(lists(depth)), JsonError);
    EXPECT_THROW((void)parse_ordered_json(lists(depth)), JsonError);
    EXPECT_TRUE(try_parse_json(lists(depth)).is_discarded());
  }
  std::string objects;
  for (int k = 0; k < 80'000; ++k) objects += "{\"a\":";
  EXPECT_THROW((void)parse_json(objects), JsonError);
}

TEST(Json, BracketsInTextsDoNotNest) {
  const std::string text = "[\"" + std::string(500, '[') + "\\\"" + std::string(500, '{') + "\", 1]";
  EXPECT_EQ(parse_json(text).size(), 2U);
}

TEST(Json, MessagesAreShortAndForPeople) {
  try {
    (void)parse_json("{\"a\": \x1b" + std::string(10'000, 'x'));
    FAIL() << "accepted";
  } catch (const nlohmann::json::exception& error) {
    const std::string message = error.what();
    EXPECT_LT(message.size(), 250U);
    EXPECT_EQ(message.find("json.exception"), std::string::npos) << message;
    EXPECT_EQ(message.find('\x1b'), std::string::npos) << message;
  }
  try {
    (void)parse_json("[1, 2");
    FAIL() << "accepted";
  } catch (const JsonError& error) {
    EXPECT_EQ(error.byte, 6U);
  }
}

}  // namespace
}  // namespace mmo
