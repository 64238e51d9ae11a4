#include <gtest/gtest.h>
#include <kinu/tfjson.h>

namespace kinu::v1 {
namespace {

constexpr const char* kState = R"({"format_version":"1.0","values":{"root_module":{"resources":[
  {"address":"a.b","values":{"id":"x","n":1.50},"sensitive_values":{"id":true}}]}}})";

TEST(Documents, AreAsked) {
  std::string problem;
  const auto document = Document::Parse(kState, &problem);
  ASSERT_TRUE(document.has_value()) << problem;
  EXPECT_EQ(document->AtPath(R"(["values","root_module","resources",0,"values","n"])"), "1.50");
  EXPECT_FALSE(document->AtPath(R"(["values",0])", &problem));
  EXPECT_EQ(problem, "step 2 of the path (0) needs an array, there is a value of type object");
  const auto found = document->Select("$..values.*", {}, &problem);
  ASSERT_TRUE(found.has_value()) << problem;
  ASSERT_EQ(found->size(), 3U);
  EXPECT_EQ((*found)[1].value, R"j("(sensitive value)")j");
  EXPECT_EQ((*found)[1].path, "$['values']['root_module']['resources'][0]['values']['id']");
  EXPECT_EQ(document->Select("$..id", {.show_sensitive = true})->at(0).value, "\"x\"");
  EXPECT_FALSE(document->Select("$[", {}, &problem));
  EXPECT_EQ(document->Redacted().find("\"x\""), std::string::npos);
  EXPECT_FALSE(Document::Parse("{\"a\":1,}", &problem));
  EXPECT_NE(problem.find("at byte 7"), std::string::npos);
  EXPECT_EQ(NormalizedPath(R"(["a",0])"), "$['a'][0]");
  EXPECT_EQ(JsonPathSteps("$['a'][0]"), R"(["a",0])");
}

TEST(Documents, AreChecked) {
  CheckRun run;
  run.files.push_back({"c.kinucheck.hcl", R"(check "c" {
  state {
    expect_known_value {
      address = "a.b"
      path    = ["n"]
      value   = number_exact(1.5)
    }
    expect_known_value {
      address = "a.b"
      path    = ["n"]
      value   = int64_exact(1)
    }
  }
})"});
  run.states.emplace_back(kState);
  const CheckReport report = RunChecks(run);
  ASSERT_EQ(report.results.size(), 2U);
  EXPECT_EQ(report.results[0].status, CheckReport::Status::kPass);
  EXPECT_EQ(report.results[1].status, CheckReport::Status::kFail);
  EXPECT_EQ(report.results[1].line, 8U);
  EXPECT_FALSE(report.passed());
  EXPECT_NE(report.json.find("\"failed\":1"), std::string::npos);
  run.states[0] = "{}";
  EXPECT_EQ(RunChecks(run).problems.size(), 1U);
}

}  // namespace
}  // namespace kinu::v1
