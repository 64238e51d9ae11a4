// Renders plans and states that OpenTofu recorded, and compares the text and documents. plan.json
// is the plan to render and therefore never rewritten.
#include "base/testing/golden.h"

#include <gtest/gtest.h>

#include "base/testing/source_directory.h"
#include "config/load.h"
#include "json/reader.h"
#include "plan_json/documents.h"
#include "provider/schema_table.h"
#include "view/human/output.h"
#include "view/human/plan.h"
#include "view/human/state.h"
#include "view/testing/plan_from_json.h"

namespace kinu::view {
namespace {

/// Expects that a file of testdata has this content.
void ExpectRecorded(const std::string& text, const std::string& name) {
  golden::Expect(text, "src/commands/view/testdata/" + name);
}

/// The schemas of a recording.
TestSchemas SchemasOf(const std::string& folder) {
  TestSchemas schemas;
  if (folder == "provider") {
    schemas.AddDocument(ReadTestFile("provider/schema.json"));
  }
  return schemas;
}

class PlanGolden : public testing::TestWithParam<const char*> {};

std::string Rendered(const std::string& folder, bool color) {
  const TestSchemas schemas = SchemasOf(folder);
  const plan::Plan plan = PlanFromJson(ReadTestFile(folder + "/plan.json"), schemas);
  Result<std::string> text = RenderPlan(plan, schemas, terminal::Style(color), {});
  return text ? *text : "error: " + text.error().message;
}

TEST_P(PlanGolden, Text) {
  const std::string folder = GetParam();
  ExpectRecorded(Rendered(folder, false), folder + "/plan.txt");
}

TEST_P(PlanGolden, ColoredText) {
  const std::string folder = GetParam();
  ExpectRecorded(Rendered(folder, true), folder + "/plan_color.txt");
}

/// The text of a member of a document.
std::string MemberText(std::string_view json, std::string_view name) {
  const JsonDocument document = ParseJson(json);
  const JsonNode* member = document.root().Find(name);
  return member == nullptr
             ? std::string("absent")
             : std::string(json.substr(member->begin(), member->end() - member->begin()));
}

TEST_P(PlanGolden, Document) {
  const std::string recorded = ReadTestFile(std::string(GetParam()) + "/plan.json");
  const TestSchemas schemas = SchemasOf(GetParam());
  const plan::Plan plan = PlanFromJson(recorded, schemas);
  std::string written;
  JsonWriter out(written);
  const Result<void> done = WritePlan(out, plan, nullptr, schemas, {.version = "1.12.6"});
  ASSERT_TRUE(done) << done.error().message;
  for (const char* name : {"format_version", "terraform_version", "resource_changes",
                           "resource_drift", "output_changes", "timestamp", "errored"}) {
    EXPECT_EQ(MemberText(written, name), MemberText(recorded, name)) << name;
  }
  // The document lacks the types of outputs, so that planned outputs are compared in another test.
  EXPECT_EQ(MemberText(MemberText(written, "planned_values"), "root_module"),
            MemberText(MemberText(recorded, "planned_values"), "root_module"));
}

TEST(ConfigGolden, Document) {
  for (const char* folder : {"updates", "actions", "provider"}) {
    Diagnostics diags;
    const std::unique_ptr<config::Config> config =
        config::LoadConfig(std::make_shared<Program>(),
                           SourceDirectory() + "/src/commands/view/testdata/" + folder + "/config",
                           {.intent = config::LoadIntent::kInstallation}, diags);
    EXPECT_FALSE(diags.has_errors());
    std::string written;
    JsonWriter out(written);
    const Result<void> done = WriteConfig(out, *config, SchemasOf(folder));
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(written,
              MemberText(ReadTestFile(std::string(folder) + "/plan.json"), "configuration"));
  }
}

/// A configuration of so many terraform_data, and one more resource of a type.
std::shared_ptr<config::Config> ManyResources(size_t count, std::string_view other) {
  std::string text = "resource \"" + std::string(other) + "\" \"other\" {}\n";
  for (size_t i = 0; i < count; ++i) {
    text += "resource \"terraform_data\" \"r" + std::to_string(i) + "\" { input = \"" +
            std::to_string(i) + "\" }\n";
  }
  config::SourceSnapshot sources;
  sources.modules.push_back(
      {.dir = ".", .files = {{"main.tf", SourceFile::Make("main.tf", text)}}});
  Diagnostics diags;
  config::LoadOptions options;
  options.snapshot = &sources;
  auto config = config::LoadConfig(std::make_shared<Program>(), ".", options, diags);
  EXPECT_FALSE(diags.has_errors());
  return config;
}

/// Documents on one line are written by two threads where there are many changes, indented ones by
/// one.
TEST(PlanDocument, OfManyChangesIsTheSameFromOneThread) {
  constexpr size_t kCount = 700;
  std::string recorded = R"({"format_version":"1.2","resource_changes":[)";
  for (size_t i = 0; i < kCount; ++i) {
    const std::string name = "r" + std::to_string(i);
    recorded += std::string(i == 0 ? "" : ",") + R"({"address":"terraform_data.)" + name +
                R"(","mode":"managed","type":"terraform_data","name":")" + name +
                R"(","provider_name":"terraform.io/builtin/terraform","change":{"actions":)" +
                R"(["create"],"before":null,"after":{"input":"a)" + name +
                R"("},"after_unknown":{"id":true},"before_sensitive":false,)" +
                R"("after_sensitive":{}}})";
  }
  recorded += "]}";
  const TestSchemas schemas;
  const plan::Plan plan = PlanFromJson(recorded, schemas);
  const auto document = [&](const config::Config& config, const JsonWriter::Options& layout) {
    std::string text;
    JsonWriter out(text, layout);
    const Result<void> done = WritePlan(out, plan, &config, schemas, {.version = "1.12.6"});
    if (!done) {
      return "error: " + done.error().message;
    }
    std::string compact;
    JsonWriter(compact).Embed(text);
    return compact;
  };
  const auto complete = ManyResources(kCount, "terraform_data");
  const std::string from_two = document(*complete, {});
  EXPECT_EQ(from_two, document(*complete, {.indent = " "}));
  EXPECT_NE(MemberText(from_two, "resource_changes").find("ar699"), std::string::npos);
  EXPECT_NE(MemberText(from_two, "configuration").find("r699"), std::string::npos);
  const auto unknown = ManyResources(kCount, "mock_thing");
  const std::string error = document(*unknown, {});
  EXPECT_EQ(error, document(*unknown, {.indent = " "}));
  EXPECT_TRUE(error.starts_with("error: error marshaling config: no schema found")) << error;
}

/// Adds the type mock_thing of the provider example.com/x/mock.
void AddMockThing(TestSchemas& schemas, std::string_view block) {
  auto table = std::make_unique<provider::SchemaTable>();
  table->resources["mock_thing"].block = BlockFromJson(block);
  table->Finish();
  schemas.Add("example.com/x/mock", std::move(table));
}

/// The relevant attributes of an object are those of its deposed objects too, and of no other.
TEST(Drift, RelevantAttributesOfEachObject) {
  TestSchemas schemas;
  AddMockThing(
      schemas,
      R"({"attributes": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}}})");
  const auto drift = [](std::string_view name, std::string_view more) {
    return R"({"address": "mock_thing.)" + std::string(name) +
           R"(", "mode": "managed", "type": "mock_thing", "name": ")" + std::string(name) + "\"," +
           std::string(more) +
           R"("provider_name": "example.com/x/mock", "change": {"actions": ["update"],
              "before": {"a": "1", "b": "1", "c": "1"}, "after": {"a": "2", "b": "2", "c": "2"},
              "after_unknown": {}}})";
  };
  const std::string document =
      R"({"resource_drift": [)" + drift("x", "") + "," + drift("x", R"("deposed": "0badcafe",)") +
      "," + drift("y", "") + "," + drift("z", "") +
      R"(], "output_changes": {"o": {"actions": ["update"], "before": "1", "after": "2",
        "after_unknown": false, "before_sensitive": false, "after_sensitive": false}},
      "relevant_attributes": [{"resource": "mock_thing.x", "attribute": ["a"]},
        {"resource": "mock_thing.y", "attribute": ["b"]},
        {"resource": "mock_thing.x", "attribute": ["c"]}]})";
  const plan::Plan plan = PlanFromJson(document, schemas);
  const std::string text = *RenderPlan(plan, schemas, terminal::Style(false), {});
  const std::string of_x = "      ~ a = \"1\" -> \"2\"\n      ~ c = \"1\" -> \"2\"\n";
  EXPECT_NE(text.find("# mock_thing.x has changed\n  ~ resource \"mock_thing\" \"x\" {\n" + of_x),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("# mock_thing.x (deposed object 0badcafe) has changed\n"
                      "  ~ resource \"mock_thing\" \"x\" {\n" +
                      of_x),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"y\" {\n      ~ b = \"1\" -> \"2\"\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("mock_thing.z"), std::string::npos) << text;
}

/// Drift is shown only for attributes that the plan depends on.
TEST(Drift, RelevantAttributesOnly) {
  TestSchemas schemas;
  AddMockThing(
      schemas,
      R"({"attributes": {"id": {"type": "string"}, "string": {"type": "string"}, "other": {"type": "string"}}})");
  const std::string document = R"({
    "resource_drift": [{"address": "mock_thing.a", "mode": "managed", "type": "mock_thing",
      "name": "a", "provider_name": "example.com/x/mock", "change": {"actions": ["update"],
        "before": {"id": "i", "string": "x", "other": "o"},
        "after": {"id": "i", "string": "DRIFT", "other": "p"}, "after_unknown": {}}}],
    "output_changes": {"o": {"actions": ["update"], "before": "x", "after": "DRIFT",
      "after_unknown": false, "before_sensitive": false, "after_sensitive": false}},
    "relevant_attributes": [{"resource": "mock_thing.a", "attribute": ["string"]}]})";
  plan::Plan plan = PlanFromJson(document, schemas);
  const terminal::Style style(false);
  EXPECT_EQ(*RenderPlan(plan, schemas, style, {}), R"(
Note: Objects have changed outside of OpenTofu

OpenTofu detected the following changes made outside of OpenTofu since the
last "tofu apply" which may have affected this plan:

  # mock_thing.a has changed
  ~ resource "mock_thing" "a" {
        id     = "i"
      ~ string = "x" -> "DRIFT"
        # (1 unchanged attribute hidden)
    }


Unless you have made equivalent changes to your configuration, or ignored the
relevant attributes using ignore_changes, the following plan may include
actions to undo or respond to these changes.

─────────────────────────────────────────────────────────────────────────────

Changes to Outputs:
  ~ o = "x" -> "DRIFT"

You can apply this plan to save these new output values to the OpenTofu
state, without changing any real infrastructure.
)");
  // Without other changes, drift is shown only in refresh-only mode.
  plan.outputs.clear();
  EXPECT_EQ(*RenderPlan(plan, schemas, style, {}), R"(
No changes. Your infrastructure matches the configuration.

OpenTofu has compared your real infrastructure against your configuration and
found no differences, so no changes are needed.
)");
  plan.mode = plan::Mode::kRefreshOnly;
  EXPECT_EQ(*RenderPlan(plan, schemas, style, {}), R"(
Note: Objects have changed outside of OpenTofu

OpenTofu detected the following changes made outside of OpenTofu since the
last "tofu apply" which may have affected this plan:

  # mock_thing.a has changed
  ~ resource "mock_thing" "a" {
        id     = "i"
      ~ other  = "o" -> "p"
      ~ string = "x" -> "DRIFT"
    }


This is a refresh-only plan, so OpenTofu will not take any actions to undo
these. If you were expecting these changes then you can apply this plan to
record the updated values in the OpenTofu state without changing any remote
objects.
)");
}

INSTANTIATE_TEST_SUITE_P(Recorded, PlanGolden,
                         testing::Values("updates", "actions", "destroy", "provider"));

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
  const Result<std::string> text = RenderState(state, SchemasOf(folder), terminal::Style(false));
  ASSERT_TRUE(text) << text.error().message;
  ExpectRecorded(*text, folder + "/state.txt");
}

TEST_P(StateGolden, Document) {
  const std::string folder = GetParam();
  const state::State state = ReadRecorded(folder);
  std::string written;
  JsonWriter out(written);
  const Result<void> done = WriteState(out, state, SchemasOf(folder));
  ASSERT_TRUE(done) << done.error().message;
  ExpectRecorded(written + "\n", folder + "/state.json");
}

INSTANTIATE_TEST_SUITE_P(Recorded, StateGolden, testing::Values("updates", "actions", "provider"));

TEST(Output, AllOutputs) {
  ExpectRecorded(RenderOutputs(ReadRecorded("updates").outputs, /*show_sensitive=*/false),
                 "updates/output.txt");
}

}  // namespace
}  // namespace kinu::view
