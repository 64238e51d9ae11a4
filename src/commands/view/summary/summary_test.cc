#include "view/summary/summary.h"

#include <gtest/gtest.h>

namespace kinu::view {
namespace {

/// A plan document with these changes.
std::unique_ptr<json::Document> PlanWith(const std::string& changes) {
  auto document = json::Document::Parse(
      R"({"format_version":"1.2","output_changes":{"o":{"actions":["create"]},)"
      R"("same":{"actions":["no-op"]}},"resource_changes":[)" +
      changes + "]}");
  return *std::move(document);
}

std::string ChangeAt(const std::string& address, const std::string& actions,
                     const std::string& rest = "") {
  return R"({"address":)" + address + R"(,"change":{"actions":[)" + actions + "]" + rest + "}}";
}

std::string Text(const std::string& changes, SummaryOptions options = {}) {
  const auto document = PlanWith(changes);
  return RenderSummary(*MakeSummary(document->root()), options);
}

std::string Many(size_t count, const std::string& actions = R"("create")") {
  std::string out;
  for (size_t i = 0; i < count; ++i) {
    out += i == 0 ? "" : ",";
    out += ChangeAt("\"terraform_data.many[" + std::to_string(i) + "]\"", actions);
  }
  return out;
}

TEST(Summary, InstancesOfABlockAreOneLine) {
  EXPECT_EQ(Text(Many(50'000)),
            "Plan: 50,000 to add, 1 output\n"
            "- create terraform_data.many[0…49999] (50,000)\n"
            "- outputs o\n");
}

TEST(Summary, KeysAreRangesAndTheFirstTexts) {
  std::string changes = Many(3);
  for (const char* key : {"5", "7", "8", R"(\"a\")", R"(\"b\")", R"(\"c\")", R"(\"d\")"}) {
    changes += "," + ChangeAt(R"("terraform_data.many[)" + std::string(key) + "]\"", "\"create\"");
  }
  EXPECT_EQ(Text(changes),
            "Plan: 10 to add, 1 output\n"
            "- create terraform_data.many[0…2, 5, 7, 8, \"a\", \"b\", \"c\", … 1 more] (10)\n"
            "- outputs o\n");
}

TEST(Summary, DestroyedObjectsComeFirstWithAttributesAndReasons) {
  EXPECT_EQ(
      Text(ChangeAt(
               R"("a.x")", R"("update")",
               R"(,"before":{"p":1,"q":"s"},"after":{"p":2,"q":"s"},"after_unknown":{"r":true})") +
           "," + ChangeAt(R"("a.y")", R"("delete")") + "," +
           R"({"address":"module.m[\"k\"].a.z","action_reason":"replace_because_tainted",)"
           R"("change":{"actions":["delete","create"],"before":{},"after":{}}})"),
      "Plan: 1 to destroy, 1 to replace, 1 to change, 1 output\n"
      "- destroy a.y\n"
      "- replace module.m[\"k\"].a.z [replace_because_tainted]\n"
      "- update a.x: p, r\n"
      "- outputs o\n");
}

TEST(Summary, GroupsByModuleAndType) {
  const std::string changes = ChangeAt(R"("a.x")", R"("create")") + "," +
                              ChangeAt(R"("module.m[0].b.y")", R"("delete")") + "," +
                              ChangeAt(R"("module.m[1].b.y")", R"("delete")");
  EXPECT_EQ(Text(changes, {.group_by = GroupBy::kModule}),
            "Plan: 2 to destroy, 1 to add, 1 output\n"
            "root module: 1 to add\n"
            "  - create a.x\n"
            "module.m: 2 to destroy\n"
            "  - destroy module.m[0, 1].b.y (2)\n"
            "- outputs o\n");
  EXPECT_EQ(Text(changes, {.form = SummaryForm::kTree, .group_by = GroupBy::kType}),
            "Plan: 2 to destroy, 1 to add, 1 output\n"
            "├─ a: 1 to add\n"
            "│  └─ + a.x\n"
            "├─ b: 2 to destroy\n"
            "│  └─ - module.m[0, 1].b.y (2)\n"
            "└─ outputs: o\n");
}

TEST(Summary, MarkdownFoldsAndQuotes) {
  EXPECT_EQ(Text(ChangeAt(R"("a.x[\"`<b>\"]")", R"("delete")") + "," + Many(2),
                 {.form = SummaryForm::kMarkdown}),
            "**Plan: 1 to destroy, 2 to add, 1 output**\n\n"
            "<details open><summary>1 to destroy</summary>\n\n"
            "- destroy `` a.x[\"`<b>\"] ``\n\n"
            "</details>\n\n"
            "<details><summary>2 to add</summary>\n\n"
            "- create `terraform_data.many[0, 1]` (2)\n\n"
            "</details>\n\n"
            "Outputs: `o`\n");
}

TEST(Summary, JsonHasTheGroups) {
  EXPECT_EQ(Text(Many(3), {.form = SummaryForm::kJson}),
            R"({"format_version":"1.0","kind":"plan","counts":{"create":3},"groups":[)"
            R"({"action":"create","address":"terraform_data.many[0…2]","module":"",)"
            R"("type":"terraform_data","count":3,"indexes":[[0,2]]}],"outputs":["o"],)"
            R"("drifted":0,"errored":false})"
            "\n");
}

TEST(Summary, LinesThatDoNotFitAreCounted) {
  std::string changes;
  for (int i = 0; i < 100; ++i) {
    changes += (i == 0 ? "" : ",") + ChangeAt("\"a.x" + std::to_string(i) + "\"", "\"create\"");
  }
  for (const SummaryForm form : {SummaryForm::kText, SummaryForm::kTree, SummaryForm::kMarkdown}) {
    for (const size_t bytes : {200UL, 1000UL, 4000UL}) {
      const std::string text = Text(changes, {.form = form, .bytes = bytes});
      EXPECT_LE(text.size(), bytes);
      EXPECT_TRUE(form == SummaryForm::kMarkdown || std::ranges::count(text, '\n') <= 40);
      EXPECT_TRUE(text.contains(" more\n")) << text;
    }
  }
}

TEST(Summary, OfAState) {
  const auto document = *json::Document::Parse(
      R"({"format_version":"1.0","values":{"outputs":{"o":{"value":1}},"root_module":{"resources":[)"
      R"({"address":"a.x[0]","tainted":true},{"address":"a.x[1]"}],"child_modules":[{"address":)"
      R"("module.m","resources":[{"address":"module.m.data.b.y"}]}]}}})");
  EXPECT_EQ(RenderSummary(*MakeSummary(document->root()), {}),
            "State: 3 objects of 2 blocks, 1 output\n"
            "- a.x[0, 1] (2, 1 tainted)\n"
            "- module.m.data.b.y\n"
            "- outputs o\n");
}

TEST(Summary, RefusesUnreadableDocuments) {
  for (
      const char* text :
      {R"({})", R"({"format_version":"2.0","resource_changes":[]})",
       R"({"format_version":"1.0","resource_changes":[1]})",
       R"({"format_version":"1.0","resource_changes":[{"address":"[","change":{"actions":["create"]}}]})",
       R"({"format_version":"1.0","provider_schemas":{}})"}) {
    const auto document = *json::Document::Parse(text);
    EXPECT_FALSE(MakeSummary(document->root()).has_value()) << text;
  }
}

TEST(Summary, WorkIsLinear) {
  const auto steps = [](size_t count) {
    const auto document = PlanWith(Many(count, R"("update")"));
    return MakeSummary(document->root())->steps;
  };
  EXPECT_EQ(steps(2'000), 2 * steps(1'000));
}

}  // namespace
}  // namespace kinu::view
