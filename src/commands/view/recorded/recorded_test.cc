// Renders recorded documents without their schemas, and compares the text with OpenTofu's.
#include <gtest/gtest.h>

#include "base/testing/golden.h"
#include "view/human/plan.h"
#include "view/human/state.h"
#include "view/recorded/service_plan.h"
#include "view/testing/plan_from_json.h"

namespace kinu::view {
namespace {

std::string PlanText(const std::string& json) {
  const auto document = json::Document::Parse(json);
  if (!document) {
    return document.error().message;
  }
  const auto recorded = ReadPlanDocument((*document)->root());
  if (!recorded) {
    return recorded.error().message;
  }
  return RenderPlan(recorded->plan, *recorded->schemas, terminal::Style(false), {})
      .value_or("error");
}

std::string StateText(const std::string& json) {
  const auto document = json::Document::Parse(json);
  if (!document) {
    return document.error().message;
  }
  const auto recorded = ReadStateDocument((*document)->root());
  if (!recorded) {
    return recorded.error().message;
  }
  return RenderState(recorded->state, *recorded->schemas, terminal::Style(false)).value_or("error");
}

TEST(Recorded, PlansHaveTheTextOfThePlanFile) {
  for (const char* folder : {"actions", "destroy"}) {
    EXPECT_EQ(PlanText(ReadTestFile(std::string(folder) + "/plan.json")),
              ReadTestFile(std::string(folder) + "/plan.txt"))
        << folder;
  }
}

/// A plan as a service gives it, of the documents of a plan and of its providers' schemas.
std::string ServiceDocument(const std::string& folder, const std::string& versions) {
  const std::string plan = ReadTestFile(folder + "/plan.json");
  const std::string schemas =
      folder == "provider" ? ReadTestFile(folder + "/schema.json") : std::string("{}");
  const auto of_plan = json::Document::Parse(plan);
  const auto of_schemas = json::Document::Parse(schemas);
  std::string out = "{" + versions;
  const auto add = [&](const json::Node& document, std::string_view name) {
    if (const json::Node member = document.Find(name)) {
      out += ",\"" + std::string(name) + "\":" + std::string(member.text());
    }
  };
  for (const char* name : {"resource_changes", "resource_drift", "output_changes"}) {
    add((*of_plan)->root(), name);
  }
  add((*of_schemas)->root(), "provider_schemas");
  return out + "}";
}

std::string ServiceText(const std::string& json, const ServicePlanFacts& facts = {}) {
  const auto document = json::Document::Parse(json);
  if (!document) {
    return document.error().message;
  }
  const auto text = RenderServicePlan((*document)->root(), facts, terminal::Style(false), {});
  return text ? *text : text.error().message;
}

TEST(Recorded, PlansOfServicesHaveTheTextOfThePlanFile) {
  for (const char* folder : {"provider", "actions", "destroy"}) {
    EXPECT_EQ(ServiceText(ServiceDocument(folder, R"("plan_format_version":"1.2")")),
              ReadTestFile(std::string(folder) + "/plan.txt"))
        << folder;
  }
}

TEST(Recorded, PlansOfServicesHaveFactsBesideThem) {
  const std::string empty = R"({"plan_format_version":"1.0"})";
  EXPECT_TRUE(ServiceText(empty).contains("Your infrastructure matches the configuration."));
  EXPECT_TRUE(ServiceText(empty, {.mode = plan::Mode::kDestroy, .errored = false})
                  .contains("No objects need to be destroyed."));
  EXPECT_TRUE(ServiceText(empty, {.mode = plan::Mode::kNormal, .errored = true})
                  .contains("Planning failed."));
  for (const char* newer : {R"({"plan_format_version":"9.0"})",
                            R"({"plan_format_version":"1.0","provider_format_version":"9.0"})"}) {
    EXPECT_TRUE(ServiceText(newer).contains("different version of OpenTofu"));
  }
}

TEST(Recorded, UnreadablePlansOfServicesSayWhy) {
  EXPECT_EQ(ServiceText("[]"), "the document has no plan_format_version");
  EXPECT_EQ(ServiceText(R"({"format_version":"1.2"})"), "the document has no plan_format_version");
  EXPECT_TRUE(ServiceText(R"({"plan_format_version":"1.2","provider_schemas":{"p":{
      "resource_schemas":{"t":{"block":{"attributes":{"a":{"type":["odd"]}}}}}}}})")
                  .starts_with("the schema of p: the type of the attribute \"a\" cannot be read"));
  EXPECT_EQ(ServiceText(R"({"plan_format_version":"1.2","resource_changes":[{"address":"t.a",
      "mode":"managed","type":"t","name":"a","provider_name":"p","change":{"actions":["create"],
      "before":null,"after":{}}}]})"),
            "the provider of t.a has no such type");
}

TEST(Recorded, StatesHaveTheTextOfTheStateFile) {
  for (const char* folder : {"updates", "actions"}) {
    EXPECT_EQ(StateText(ReadTestFile(std::string(folder) + "/state.json")),
              ReadTestFile(std::string(folder) + "/state.txt"))
        << folder;
  }
}

/// A text that is sensitive in one place is hidden in the others, where the plan file's text shows
/// it.
TEST(Recorded, CopiesDifferFromTheTextOfThePlanFile) {
  golden::Expect(PlanText(ReadTestFile("updates/plan.json")),
                 "src/commands/view/testdata/updates/plan_recorded.txt");
}

/// What only schemas say differs: write-only attributes, sets, blocks of a state, and blocks that
/// no block of the configuration shows.
TEST(Recorded, ObjectsOfAProviderAreShownByTheirValues) {
  golden::Expect(PlanText(ReadTestFile("provider/plan.json")),
                 "src/commands/view/testdata/provider/plan_recorded.txt");
  golden::Expect(StateText(ReadTestFile("provider/state.json")),
                 "src/commands/view/testdata/provider/state_recorded.txt");
}

/// A plan of format 0.1 as Terraform 0.13 wrote it.
TEST(Recorded, FormatsWithoutMasksAreRead) {
  EXPECT_EQ(PlanText(R"({"format_version":"0.1","terraform_version":"0.13.7","resource_changes":[
      {"address":"null_resource.a[0]","mode":"managed","type":"null_resource","name":"a","index":0,
       "provider_name":"registry.terraform.io/hashicorp/null",
       "change":{"actions":["create"],"before":null,"after":{"triggers":{"k":"v"}},
                 "after_unknown":{"id":true,"triggers":{}}}}]})"),
            R"(
OpenTofu used the selected providers to generate the following execution
plan. Resource actions are indicated with the following symbols:
  + create

OpenTofu will perform the following actions:

  # null_resource.a[0] will be created
  + resource "null_resource" "a" {
      + id       = (known after apply)
      + triggers = {
          + "k" = "v"
        }
    }

Plan: 1 to add, 0 to change, 0 to destroy.
)");
}

TEST(Recorded, CopiesOfSensitiveTextsAreHidden) {
  const std::string text =
      PlanText(R"({"format_version":"1.2","resource_changes":[{"address":"x_y.a","mode":"managed",
      "type":"x_y","name":"a","provider_name":"p","change":{"actions":["create"],"before":null,
      "after":{"in":"TOPSECRET","out":"TOPSECRET","list":["a TOPSECRET b"]},"after_unknown":{},
      "before_sensitive":false,"after_sensitive":{"in":true}}}],
      "output_changes":{"o":{"actions":["create"],"before":null,"after":["TOPSECRET"],
      "after_unknown":false,"before_sensitive":false,"after_sensitive":false}}})");
  EXPECT_FALSE(text.contains("TOPSECRET")) << text;
}

TEST(Recorded, UnreadableDocumentsAreErrors) {
  for (const char* text : {
           R"({"format_version":"3.0","resource_changes":[]})",
           R"({"format_version":"1.0","resource_changes":[1]})",
           R"({"format_version":"1.0","resource_changes":[{"address":"a.b","change":1}]})",
           R"({"format_version":"1.0","provider_schemas":{}})",
           R"({"format_version":"1.0","resource_changes":[{"address":"a.b","type":"a",
               "provider_name":"p","change":{"actions":["explode"],"after":{}}}]})",
       }) {
    const auto document = *json::Document::Parse(text);
    const bool plan = IsPlanDocument(document->root());
    EXPECT_FALSE(plan ? ReadPlanDocument(document->root()).has_value()
                      : ReadStateDocument(document->root()).has_value())
        << text;
  }
}

/// Values that fit no common type are read all the same.
TEST(Recorded, ValuesOfSeveralKindsAreShown) {
  for (const char* value : {"1", R"([1,"a"])", R"({"a":[1],"b":{"c":null}})", "[[],[{}]]", "null",
                            R"([{"a":1},2])", "1e400", R"("")", R"([null,{"x":[null]}])"}) {
    for (const char* other : {"2", "[]", R"({"a":{}})", R"("s")", R"([{"a":"b"}])"}) {
      const std::string text = PlanText(
          R"({"format_version":"1.2","resource_changes":[{"address":"x_y.a","mode":"managed",
          "type":"x_y","name":"a","provider_name":"p","change":{"actions":["update"],
          "before":{"v":)" +
          std::string(value) + R"(},"after":{"v":)" + std::string(other) +
          R"(},"after_unknown":{}}}]})");
      EXPECT_TRUE(text.contains("Plan: 0 to add, 1 to change")) << value << other << text;
    }
  }
}

}  // namespace
}  // namespace kinu::view
