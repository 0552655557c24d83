#include "mmo/report/report_page.h"

#include <gtest/gtest.h>

#include "mmo/core/error.h"

namespace mmo {
namespace {

TEST(ReportPage, JsonCannotLeaveItsScript) {
  const nlohmann::ordered_json value{{"name", "</script><img src=x onerror=alert(1)>\u2028\u2029<!--"}};
  const std::string json = script_json(value);
  EXPECT_EQ(json.find('<'), std::string::npos);
  EXPECT_EQ(json.find("\u2028"), std::string::npos);
  EXPECT_EQ(json.find("\u2029"), std::string::npos);
  EXPECT_EQ(nlohmann::ordered_json::parse(json), value);
}

TEST(ReportPage, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_TRUE(nlohmann::json::accept(script_json({{"name", "caf\xe9"}})));
}

TEST(ReportPage, HoldsTheRunsOrSaysWhatIsMissing) {
  const nlohmann::ordered_json run{{"format", "mmo-report"}, {"source", "<b>"}};
  if (report_template().empty()) {
    EXPECT_THROW((void)report_page({run}), UsageError);
    return;
  }
  const std::string page = report_page({run, run});
  EXPECT_NE(page.find(R"({"runs":[{"format":"mmo-report","source":"\u003cb>"},)"), std::string::npos);
  EXPECT_EQ(page.find("@@MMO_REPORT_DATA@@"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

}  // namespace
}  // namespace mmo
