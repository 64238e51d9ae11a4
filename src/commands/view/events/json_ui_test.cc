#include "view/events/json_ui.h"

#include <gtest/gtest.h>

namespace kinu::view {
namespace {

TEST(JsonUi, PrintsThePlanTogether) {
  plan::Plan plan;
  plan.program = std::make_shared<Program>();
  plan.outputs.push_back({.name = "a", .action = plan::Action::kCreate, .before = {}, .after = {}});
  std::vector<std::string> prints;
  JsonUi ui([&](std::string_view text) { prints.emplace_back(text); });
  ui.Plan(plan);
  ASSERT_EQ(prints.size(), 1U) << "a system call for all messages";
  EXPECT_EQ(std::ranges::count(prints[0], '\n'), 2);
  EXPECT_NE(prints[0].find("\"type\":\"change_summary\""), std::string::npos);
  EXPECT_NE(prints[0].find(R"("outputs":{"a":{"sensitive":false,"action":"create"}})"),
            std::string::npos);
  ui.Log("later");
  EXPECT_EQ(prints.size(), 2U) << "other messages are printed at once";
}

TEST(JsonUi, PrintsWhatBeginsAChangeAtOnce) {
  Program program;
  std::vector<std::string> prints;
  JsonUi ui([&](std::string_view text) { prints.emplace_back(text); });
  ui.SetProgram(&program);
  engine::Event event{.kind = engine::EventKind::kRefreshStart, .action = plan::Action::kDelete};
  ASSERT_TRUE(program.ParseResourceInstance("a.b", &event.address));
  ui.BeginBurst();
  ui.Post(event);
  EXPECT_TRUE(prints.empty());
  event.kind = engine::EventKind::kApplyStart;
  ui.Post(event);
  ASSERT_EQ(prints.size(), 1U);
  EXPECT_NE(prints[0].find("\"type\":\"refresh_start\""), std::string::npos);
  EXPECT_NE(prints[0].find("\"type\":\"apply_start\""), std::string::npos);
}

}  // namespace
}  // namespace kinu::view
