#include "view/report/report.h"

#include <gtest/gtest.h>

#include "view/report/graph.h"
#include "view/testing/plan_from_json.h"

namespace kinu::view {
namespace {

std::unique_ptr<json::Document> Parse(std::string text) {
  return *json::Document::Parse(std::move(text));
}

TEST(Report, DataHasChangesWithoutSensitiveValues) {
  const auto document = Parse(
      R"({"format_version":"1.2","resource_changes":[{"address":"a.b","type":"a","change":)"
      R"({"actions":["update"],"before":{"p":"SECRETAAA","q":"x SECRETAAAAA"},"after":{"p":"SECRETB","q":1},)"
      R"("before_sensitive":{"p":true},"after_sensitive":{"p":true}}},)"
      R"({"address":"a.c","change":{"actions":["no-op"]}}]})");
  EXPECT_EQ(*ReportData(document->root(), "p"),
            R"j({"kind":"plan","title":"p","errored":false,"changes":[{"a":"a.b","m":"","t":"a",)j"
            R"j("k":"update","b":{"p":"(sensitive value)","q":"(sensitive value)"},)j"
            R"j("n":{"p":"(sensitive value)","q":1},"s":["p"]}],"drift":[],"outputs":[],)j"
            R"j("checks":[],"graph":{"blocks":[],"edges":[]}})j");
}

TEST(Report, NothingInTheDataEndsItsElement) {
  const auto document =
      Parse(R"({"format_version":"1.2","resource_changes":[{"address":"a.b","change":)"
            R"({"actions":["create"],"after":{"x":"</script><script>alert(1)</script>"}}}]})");
  EXPECT_NE(ReportData(document->root(), "p", {.why = R"({"causes":[]})"})->find(R"("why":{")"),
            std::string::npos);
  EXPECT_NE(ReportData(document->root(), "p", {.risks = "[]"})->find(R"("risks":[])"),
            std::string::npos);
  const std::string page = *RenderReport(document->root(), "</script>");
  EXPECT_FALSE(page.contains("alert(1)</script>"));
  EXPECT_TRUE(page.contains("alert(1)\\u003c/script>"));
}

TEST(Report, OtherDocumentsAreErrors) {
  for (const char* text : {R"({})", R"({"format_version":"1.0","provider_schemas":{}})",
                           R"({"format_version":"9.0","resource_changes":[]})"}) {
    EXPECT_FALSE(RenderReport(Parse(text)->root(), "x").has_value()) << text;
  }
}

/// Edges as texts "from -> to".
std::vector<std::string> EdgesOf(const std::string& text, const std::string& locals = "{}") {
  const auto document = Parse(text);
  const auto references = Parse(locals);
  const ReportGraph graph = MakeReportGraph(document->root(), references->root());
  std::vector<std::string> out;
  for (const auto& [from, to] : graph.edges) {
    out.push_back(graph.blocks[from].address + " -> " + graph.blocks[to].address);
  }
  return out;
}

TEST(ReportGraph, ReferencesGoThroughVariablesAndOutputsOfModules) {
  EXPECT_EQ(EdgesOf(R"({"configuration":{"root_module":{"resources":[
      {"address":"a.one","expressions":{"x":{"references":["module.m.out","module.m"]}}},
      {"address":"data.a.two","expressions":{},"depends_on":["a.one"]},
      {"address":"a.three","count_expression":{"references":["data.a.two.n","data.a.two"]}}],
    "module_calls":{"m":{"expressions":{"v":{"references":["a.three.id","a.three"]}},"module":{
      "outputs":{"out":{"expression":{"references":["a.in.id","a.in"]}}},
      "resources":[{"address":"a.in","expressions":{"y":[{"z":{"references":["var.v"]}}]}}]}}}}}})"),
            (std::vector<std::string>{"a.one -> module.m.a.in", "data.a.two -> a.one",
                                      "a.three -> data.a.two", "module.m.a.in -> a.three"}));
}

TEST(ReportGraph, CirclesAndUnknownNamesEnd) {
  EXPECT_EQ(EdgesOf(R"({"configuration":{"root_module":{"module_calls":{"m":{
      "expressions":{"v":{"references":["module.m.out"]}},"module":{
      "outputs":{"out":{"expression":{"references":["var.v","a.gone","each.key","path.module"]}}},
      "resources":[{"address":"a.in","expressions":{"y":{"references":["var.v","a.in"]}}}]}}}}}})"),
            std::vector<std::string>());
}

TEST(ReportGraph, ReferencesGoThroughLocalValues) {
  EXPECT_EQ(EdgesOf(R"({"configuration":{"root_module":{"resources":[{"address":"a.one"},
      {"address":"a.two","expressions":{"x":{"references":["local.y"]}}}]}}})",
                    R"({"local.x":{"references":["a.one.id","a.one","local.y"]},
                        "local.y":{"references":["local.x"]}})"),
            std::vector<std::string>{"a.two -> a.one"});
}

TEST(ReportGraph, StatesHaveRecordedDependencies) {
  EXPECT_EQ(EdgesOf(R"({"format_version":"1.0","values":{"root_module":{"resources":[
      {"address":"a.one[\"x].y\"]","depends_on":["module.m.data.b.c"]}],"child_modules":[
      {"address":"module.m[0]","resources":[{"address":"module.m[0].data.b.c"}]}]}}})"),
            std::vector<std::string>{"a.one -> module.m.data.b.c"});
}

}  // namespace
}  // namespace kinu::view
