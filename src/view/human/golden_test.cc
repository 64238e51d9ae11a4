// Recorded plans and states of the reference, shown and written again.
#include <gtest/gtest.h>

#include "codec/json_reader.h"
#include "view/human/output.h"
#include "view/human/plan.h"
#include "view/human/state.h"
#include "view/json/documents.h"
#include "view/testing/plan_from_json.h"

namespace kinu::view {
namespace {

class PlanGolden : public testing::TestWithParam<const char*> {};

std::string Rendered(const plan::Plan& plan, bool color) {
  const TestSchemas schemas;
  Result<std::string> text = RenderPlan(plan, schemas, Style(color), {});
  return text ? *text : "error: " + text.error().message;
}

TEST_P(PlanGolden, Text) {
  const std::string folder = GetParam();
  const plan::Plan plan = PlanFromJson(ReadTestFile(folder + "/plan.json"), TestSchemas());
  EXPECT_EQ(Rendered(plan, false), ReadTestFile(folder + "/plan.txt"));
}

TEST_P(PlanGolden, ColoredText) {
  const std::string folder = GetParam();
  const plan::Plan plan = PlanFromJson(ReadTestFile(folder + "/plan.json"), TestSchemas());
  EXPECT_EQ(Rendered(plan, true), ReadTestFile(folder + "/plan_color.txt"));
}

/// The bytes of a member of a document.
std::string MemberText(std::string_view json, std::string_view name) {
  const JsonDocument document = ParseJson(json);
  const JsonNode* member = document.root().Find(name);
  return member == nullptr
             ? std::string("absent")
             : std::string(json.substr(member->begin(), member->end() - member->begin()));
}

TEST_P(PlanGolden, Document) {
  const std::string recorded = ReadTestFile(std::string(GetParam()) + "/plan.json");
  const TestSchemas schemas;
  const plan::Plan plan = PlanFromJson(recorded, schemas);
  std::string written;
  JsonWriter out(written);
  const Result<void> done = WritePlan(out, plan, nullptr, schemas, {.version = "1.12.6"});
  ASSERT_TRUE(done) << done.error().message;
  for (const char* name : {"format_version", "terraform_version", "resource_changes",
                           "resource_drift", "output_changes", "timestamp", "errored"}) {
    EXPECT_EQ(MemberText(written, name), MemberText(recorded, name)) << name;
  }
  // Known types of outputs are not in the document, so planned outputs are compared elsewhere.
  EXPECT_EQ(MemberText(MemberText(written, "planned_values"), "root_module"),
            MemberText(MemberText(recorded, "planned_values"), "root_module"));
}

INSTANTIATE_TEST_SUITE_P(Recorded, PlanGolden, testing::Values("updates", "actions", "destroy"));

class StateGolden : public testing::TestWithParam<const char*> {};

state::State ReadRecorded(const std::string& folder) {
  Result<state::State> state =
      state::ReadState(std::make_shared<Program>(), ReadTestFile(folder + "/terraform.tfstate"));
  EXPECT_TRUE(state) << state.error().message;
  return *std::move(state);
}

TEST_P(StateGolden, Text) {
  const std::string folder = GetParam();
  const state::State state = ReadRecorded(folder);
  const Result<std::string> text = RenderState(state, TestSchemas(), Style(false));
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text, ReadTestFile(folder + "/state.txt"));
}

TEST_P(StateGolden, Document) {
  const std::string folder = GetParam();
  const state::State state = ReadRecorded(folder);
  std::string written;
  JsonWriter out(written);
  const Result<void> done = WriteState(out, state, TestSchemas());
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(written + "\n", ReadTestFile(folder + "/state.json"));
}

INSTANTIATE_TEST_SUITE_P(Recorded, StateGolden, testing::Values("updates", "actions"));

TEST(Output, AllOutputs) {
  EXPECT_EQ(RenderOutputs(ReadRecorded("updates").outputs, /*show_sensitive=*/false),
            ReadTestFile("updates/output.txt"));
}

}  // namespace
}  // namespace kinu::view
