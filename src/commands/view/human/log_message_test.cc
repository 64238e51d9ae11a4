// Lines of logs as text; what OpenTofu shows of them.
#include "view/human/log_message.h"

#include <gtest/gtest.h>

namespace kinu::view {
namespace {

std::string Planned(std::string_view line) {
  return RenderLogLine(line, LoggedPhase::kPlan, terminal::Style(false));
}
std::string Applied(std::string_view line) {
  return RenderLogLine(line, LoggedPhase::kApply, terminal::Style(false));
}

TEST(LogMessage, WhatIsNoMessageStaysAsItIs) {
  for (const char* line : {"", "plain", "{", "{]", "[1]", "\x1b[1mbold\x1b[0m"}) {
    EXPECT_EQ(Planned(line), std::string(line) + '\n');
  }
}

TEST(LogMessage, SomeMessagesAreNotForPeople) {
  for (const char* type : {"version", "refresh_complete", "planned_change", "provision_complete",
                           "provision_errored", "apply_errored"}) {
    const std::string line = R"({"@message":"m","type":")" + std::string(type) + "\"}";
    EXPECT_EQ(Planned(line), "");
    EXPECT_EQ(Applied(line), "");
  }
  EXPECT_EQ(Planned(R"({"@message":"m","type":"change_summary"})"), "");
  EXPECT_EQ(Planned(R"({"type":"outputs","outputs":{"a":{"type":"string","value":"x"}}})"), "");
}

TEST(LogMessage, MessagesAreTheirText) {
  EXPECT_EQ(Planned(R"({"@message":"m","type":"other"})"), "m\n");
  EXPECT_EQ(Planned(R"({"@message":"a.b: Refreshing","type":"refresh_start"})"),
            "a.b: Refreshing\n");
  EXPECT_EQ(Applied(R"({"@message":"Apply complete!","type":"change_summary"})"),
            "\nApply complete!\n\n");
  EXPECT_EQ(RenderLogLine(R"({"@message":"100 % @ %","type":"apply_start"})", LoggedPhase::kApply,
                          terminal::Style(true)),
            "\x1b[1m100 % @ %\x1b[0m\x1b[0m\n");
}

TEST(LogMessage, LinesOfProvisionersNameTheirObject) {
  EXPECT_EQ(Applied(R"({"@message":"m","type":"provision_progress","hook":{"resource":{
      "addr":"a.b"},"provisioner":"local-exec","output":"1 @ 2"}})"),
            "a.b: (local-exec): 1 @ 2\n");
  EXPECT_EQ(Applied(R"({"@message":"m","type":"provision_progress"})"), ": (): \n");
}

TEST(LogMessage, OutputsAreValues) {
  EXPECT_EQ(Applied(R"({"type":"outputs","outputs":{
      "l":{"sensitive":false,"type":["tuple",["string","number"]],"value":["x",1]},
      "o":{"sensitive":false,"type":["object",{"k":"bool"}],"value":{"k":true}},
      "s":{"sensitive":true,"type":"string","value":"hidden"},
      "n":{"sensitive":false,"type":"string","value":null}}})"),
            "Outputs:\n"
            "l = [\n        \"x\",\n        1,\n    ]\n"
            "o = {\n        k = true\n    }\n"
            "s = (sensitive value)\n"
            "n = null\n");
  EXPECT_EQ(Applied(R"({"type":"outputs","outputs":{}})"), "");
}

TEST(LogMessage, DiagnosticsHaveTheirPlace) {
  EXPECT_EQ(Planned(R"j({"type":"diagnostic","diagnostic":{"severity":"error","summary":"Bad",
      "detail":"Because.","address":"a.b","range":{"filename":"main.tf","start":{"line":3},
      "end":{"line":3}},"snippet":{"context":"resource \"a\" \"b\"","code":"  x = f(y)",
      "start_line":3,"highlight_start_offset":6,"highlight_end_offset":99,
      "values":[{"traversal":"y","statement":"is 1"}],
      "function_call":{"called_as":"f","signature":{"params":[{"name":"p"}]}}}}})j"),
            "╷\n│ Error: Bad\n│\n│   with a.b,\n│   on main.tf line 3, in resource \"a\" \"b\":\n"
            "│    3:   x = f(y)\n│     ├────────────────\n│     │ while calling f(p)\n"
            "│     │ y is 1\n│\n│ Because.\n╵\n");
  EXPECT_EQ(Planned(R"({"type":"diagnostic","diagnostic":{"severity":"warning","summary":"Odd",
      "detail":"","range":{"filename":"x.tf","start":{"line":9}}}})"),
            "╷\n│ Warning: Odd\n│\n│   on x.tf line 9:\n│   (source code not available)\n│\n╵\n");
  EXPECT_EQ(Planned(R"({"type":"diagnostic"})"), "");
}

}  // namespace
}  // namespace kinu::view
