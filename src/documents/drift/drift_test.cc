// Drift in documents, rules and reports.
#include <gtest/gtest.h>

#include "drift/report.h"
#include "drift/rules.h"

namespace kinu::drift {
namespace {

constexpr std::string_view kPlan = R"({"format_version": "1.2", "resource_drift": [
  {"address": "t.a", "change": {"actions": ["update"],
    "before": {"id": "1", "size": 1, "tags": {"owner": "x", "a b": "1"}, "secret": "s3cretvalue",
               "rule": [{"port": 1}, {"port": 2}], "names": ["a"]},
    "after": {"id": "1", "size": 2, "tags": {"a b": "2"}, "secret": "another-one",
              "rule": [{"port": 1}, {"port": 3}], "names": ["a", "b"]},
    "before_sensitive": {"secret": true}, "after_sensitive": {"secret": true}}},
  {"address": "t.b", "deposed": "00000001", "change": {"actions": ["delete"],
    "before": {"id": "2"}, "after": null}}],
  "resource_changes": [
  {"address": "t.a", "change": {"actions": ["update"]}, "position": {"filename": "main.tf",
   "start": {"line": 3, "column": 1, "byte": 20}, "end": {"line": 3, "column": 9, "byte": 28}}},
  {"address": "t.b", "change": {"actions": ["create"]}}]})";

class DriftTest : public ::testing::Test {
 protected:
  void Read(std::string_view text = kPlan) {
    auto parsed = json::Document::Parse(std::string(text));
    ASSERT_TRUE(parsed);
    document_ = *std::move(parsed);
    auto report = ReadDrift(document_->root());
    ASSERT_TRUE(report) << report.error().message;
    report_ = *std::move(report);
  }
  /// Applies rules on 2027-01-01. Returns what is wrong with them.
  std::string Apply(const std::string& rules) {
    Diagnostics diags;
    Rules read;
    read.Add("r.kinudrift.hcl", rules, diags);
    if (diags.has_errors()) {
      return diags.list()[0].summary;
    }
    const auto applied = read.Apply(document_->root(), report_, "2027-01-01");
    return applied ? "" : applied.error().message;
  }
  std::string Text() const {
    std::string text;
    WriteText(text, report_);
    return text;
  }

  std::unique_ptr<json::Document> document_;
  Report report_;
};

TEST_F(DriftTest, DifferencesHavePathsAndNoSecrets) {
  Read();
  EXPECT_EQ(Text(), R"(t.a has changed outside
    at main.tf:3
    size: 1 -> 2
    tags.owner: "x" -> (absent)
    tags['a b']: "1" -> "2"
    secret: (sensitive value) -> (sensitive value)
    rule[1].port: 2 -> 3
    names: ["a"] -> ["a","b"]
    An apply would update it.

t.b (deposed object 00000001) is gone

2 objects have drifted, 1 of them is gone.
)");
}

TEST_F(DriftTest, RulesCoverAttributesUntilTheirLastDay) {
  Read();
  EXPECT_EQ(Apply(R"(
    ignore "t.*" {
      attributes = ["tags", "rule[*].port"]
      reason     = "tagger"
      expires    = "2027-01-01"
    }
    ignore "t.a" {
      attributes = ["s*"]
      reason     = "late"
      expires    = "2026-12-31"
    })"),
            "");
  EXPECT_EQ(report_.objects[0].ignored, "");
  EXPECT_EQ(report_.objects[0].differences[0].ignored, "");
  EXPECT_EQ(report_.objects[0].differences[1].ignored, "tagger, until 2027-01-01");
  EXPECT_EQ(report_.objects[0].differences[4].ignored, "tagger, until 2027-01-01");
  EXPECT_EQ(report_.objects[0].note, "the rule \"late\" expired on 2026-12-31");
  EXPECT_EQ(Apply("ignore \"t.a\" {\n attributes = [\"s*\", \"names\"]\n reason = \"r\"\n}"), "");
  EXPECT_EQ(report_.objects[0].ignored, "r");
  EXPECT_EQ(Headline(report_), "1 object has drifted, 1 of them is gone; 1 more does not count.");
  EXPECT_EQ(Apply("ignore \"*\" {\n reason = \"all\"\n}"), "");
  EXPECT_FALSE(report_.any());
}

TEST_F(DriftTest, SelectorsChooseEntries) {
  Read();
  EXPECT_EQ(Apply(R"(ignore "*" {
    selector = "$.resource_drift[?@.deposed]"
    reason   = "old ones"
  })"),
            "");
  EXPECT_EQ(report_.objects[0].ignored, "");
  EXPECT_EQ(report_.objects[1].ignored, "old ones");
}

TEST_F(DriftTest, BadRulesAreErrors) {
  Read();
  EXPECT_EQ(Apply("ignore \"t.a\" {\n}"), "Missing required argument");
  EXPECT_EQ(Apply("ignore \"t.a\" {\n reason = null\n}"), "Invalid value");
  EXPECT_EQ(Apply("ignore \"t.a\" {\n reason = \"r\"\n attributes = []\n}"), "Invalid value");
  EXPECT_EQ(Apply("ignore \"t.a\" {\n reason = \"r\"\n expires = \"soon\"\n}"), "Invalid day");
  EXPECT_EQ(Apply("ignore \"t.a\" {\n reason = \"r\"\n selector = \"x\"\n}"), "Invalid selector");
}

TEST_F(DriftTest, OtherDocumentsAreErrors) {
  for (const char* text :
       {"[]", "{}", R"({"format_version": "2.0"})", R"({"format_version": "1.0", "values": {}})",
        R"({"format_version": "1.2", "resource_drift": [{}]})",
        R"({"format_version": "1.2", "resource_drift": [3]})"}) {
    const auto parsed = json::Document::Parse(text);
    ASSERT_TRUE(parsed);
    EXPECT_FALSE(ReadDrift((*parsed)->root())) << text;
  }
}

TEST_F(DriftTest, OtherFormsHaveTheSame) {
  Read();
  std::string markdown;
  WriteMarkdown(markdown, report_);
  EXPECT_NE(markdown.find("| `t.a` | `size` | `1` | `2` | An apply would update it. |"),
            std::string::npos)
      << markdown;
  std::string sarif;
  WriteSarif(sarif, report_, "1");
  EXPECT_NE(sarif.find("\"startLine\": 3"), std::string::npos) << sarif;
  std::string json;
  WriteJson(json, report_, [](JsonWriter&) {});
  const auto parsed = json::Document::Parse(json);
  ASSERT_TRUE(parsed);
  EXPECT_EQ((*parsed)->root().Find("objects").size(), 2u);
  for (const std::string& text : {markdown, sarif, json}) {
    EXPECT_EQ(text.find("s3cret"), std::string::npos);
  }
}

}  // namespace
}  // namespace kinu::drift
