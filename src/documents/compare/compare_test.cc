#include "compare/compare.h"

#include <gtest/gtest.h>

namespace kinu::compare {
namespace {

/// The text form of the difference, or the error.
std::string Diff(const std::string& left, const std::string& right,
                 std::string (*render)(const Difference&) = nullptr) {
  const auto a = json::Document::Parse(left);
  const auto b = json::Document::Parse(right);
  const auto difference = Compare((*a)->root(), (*b)->root());
  if (!difference) {
    return difference.error().message;
  }
  return render != nullptr ? render(*difference) : RenderText(*difference, false);
}

std::string State(const std::string& resources, const std::string& outputs = "{}") {
  return R"({"format_version":"1.0","terraform_version":"1.9.0","values":{"outputs":)" + outputs +
         R"(,"root_module":{"resources":[)" + resources + "]}}}";
}

std::string Resource(const std::string& address, const std::string& values,
                     const std::string& sensitive = "{}") {
  return R"({"address":")" + address + R"(","values":)" + values + R"(,"sensitive_values":)" +
         sensitive + "}";
}

std::string StateFile(const std::string& resources, const std::string& serial) {
  return R"({"version":4,"terraform_version":"1.12.6","serial":)" + serial + R"(,"lineage":"l)" +
         serial + R"(","outputs":{},"resources":[)" + resources + "]}";
}

std::string Plan(const std::string& change, const std::string& timestamp = "1") {
  return R"({"format_version":"1.2","timestamp":")" + timestamp +
         R"(","resource_changes":[{"address":"a.b","change":)" + change + "}]}";
}

TEST(Compare, EqualStates) {
  const std::string a = Resource("a.a", R"({"n":1.0,"s":"\u0041","o":{"x":1,"y":[]}})");
  const std::string b = Resource("a.b", "{}");
  EXPECT_EQ(Diff(State(a + "," + b),
                 State(b + "," + Resource("a.a", R"({"o":{"y":[],"x":1e0},"s":"A","n":1})"))),
            "No differences.\n");
}

TEST(Compare, ValuesInside) {
  EXPECT_EQ(Diff(State(Resource("a.a", R"({"k":1,"l":[1,{"x":1}],"m":{"a-b":1,"c d":2}})")),
                 State(Resource("a.a", R"({"l":[1,{"x":2},3],"m":{"a-b":2,"c d":null},"n":{}})"))),
            "~ a.a\n"
            "    values.k: 1 -> (none)\n"
            "    values.l[1].x: 1 -> 2\n"
            "    values.l[2]: (none) -> 3\n"
            "    values.m.a-b: 1 -> 2\n"
            "    values.m[\"c d\"]: 2 -> null\n"
            "    values.n: (none) -> {}\n"
            "\n1 changed, 0 added, 0 removed.\n");
}

TEST(Compare, OrderOfAddresses) {
  EXPECT_EQ(Diff(State(Resource("a.a[10]", "{}") + "," + Resource("a.a[9]", "{}")),
                 State(R"({"address":"a.a[9]","deposed_key":"0123abcd","values":{}},)" +
                           Resource("a.a[009]", "{}"),
                       R"({"o":{"value":1}})")),
            "+ a.a[009]\n"
            "- a.a[9]\n"
            "+ a.a[9] (deposed 0123abcd)\n"
            "- a.a[10]\n"
            "+ output.o\n"
            "\n0 changed, 3 added, 2 removed.\n");
}

TEST(Compare, NestedModulesAndTaint) {
  const auto nested = [](const std::string& resource) {
    return R"({"format_version":"1.0","values":{"root_module":{"child_modules":[
      {"child_modules":[{"resources":[)" +
           resource + "]}]}]}}}";
  };
  EXPECT_EQ(Diff(nested(R"({"address":"module.m.a.b","values":{}})"),
                 nested(R"({"address":"module.m.a.b","tainted":true,"values":{}})")),
            "~ module.m.a.b\n    tainted: (none) -> true\n\n1 changed, 0 added, 0 removed.\n");
}

TEST(Compare, SensitiveOnEitherSide) {
  const std::string out = Diff(
      State(Resource("a.a", R"({"p":"hunter2hunter2","o":{"q":"y"},"c":"-"})", R"({"p":true})"),
            R"({"x":{"sensitive":true,"value":{"a":"secret-1"}}})"),
      State(Resource("a.a", R"({"p":"other-secret","o":1,"c":"has hunter2hunter2"})"),
            R"({"x":{"sensitive":false,"value":{"a":"secret-2"}}})"));
  EXPECT_EQ(out,
            "~ a.a\n"
            "    values.c: \"-\" -> (sensitive value)\n"
            "    values.o: {\"q\":\"y\"} -> 1\n"
            "    values.p: (sensitive value) -> (sensitive value)\n"
            "~ output.x\n"
            "    value: (sensitive value) -> (sensitive value)\n"
            "\n2 changed, 0 added, 0 removed.\n");
}

TEST(Compare, StateFiles) {
  const auto resource = [](const std::string& attributes) {
    return R"({"module":"module.m[\"k\"]","mode":"data","type":"t","name":"n","provider":"p",
      "instances":[{"index_key":0,"attributes":)" +
           attributes + R"(,"sensitive_attributes":[
        [{"type":"get_attr","value":"p"},{"type":"index","value":{"value":1,"type":"number"}}],
        [{"type":"get_attr","value":"q"},{"type":"index","value":{"value":"k","type":"string"}},
         {"type":"odd"}]]}]})";
  };
  EXPECT_EQ(Diff(StateFile(resource(R"({"p":[1,2],"q":{"k":[1]},"r":1})"), "1"),
                 StateFile(resource(R"({"p":[2,1],"q":{"k":[2]},"r":1})"), "2")),
            "~ module.m[\"k\"].data.t.n[0]\n"
            "    values.p[0]: 1 -> 2\n"
            "    values.p[1]: (sensitive value) -> (sensitive value)\n"
            "    values.q.k: (sensitive value) -> (sensitive value)\n"
            "\n1 changed, 0 added, 0 removed.\n");
  EXPECT_EQ(Diff(StateFile(R"({"mode":"managed","type":"a","name":"b","instances":[
                   {"status":"tainted","attributes":{"x":1}}]})",
                           "1"),
                 State(R"({"address":"a.b","tainted":true,"values":{"x":1}})")),
            "No differences.\n");
}

TEST(Compare, TypedValuesOfStateFiles) {
  const std::string file = StateFile(R"({"mode":"managed","type":"a","name":"b","instances":[
    {"attributes":{"x":{"value":{"k":"hunter2hunter2"},"type":["object",{"k":"string"}]},
                   "y":[{"value":1,"type":"number"}],"z":{"value":1,"type":"A"},
                   "w":{"value":"top","type":"string"}},
     "sensitive_attributes":[[{"type":"get_attr","value":"x"},{"type":"get_attr","value":"k"}],
       [{"type":"get_attr","value":"w"},{"type":"get_attr","value":"value"}]]}]})",
                                     "1");
  EXPECT_EQ(Diff(file, State(Resource("a.b", R"({"x":{"k":1},"y":[1],"z":{"type":"A","value":1},
                                               "w":"top"})"))),
            "~ a.b\n"
            "    values.w: {\"value\":\"(sensitive value)\",\"type\":\"string\"} -> \"top\"\n"
            "    values.x.k: (sensitive value) -> (sensitive value)\n"
            "\n1 changed, 0 added, 0 removed.\n");
}

TEST(Compare, Plans) {
  EXPECT_EQ(Diff(Plan(R"({"actions":["update"],"before":{"x":1},"after":{"x":2}})", "1"),
                 Plan(R"({"actions":["update"],"before":{"x":1},"after":{"x":2}})", "2")),
            "No differences.\n");
  EXPECT_EQ(Diff(Plan(R"({"actions":["update"],"before":{"x":1},"after":{"x":2},
                   "after_unknown":{}})"),
                 Plan(R"({"actions":["delete","create"],"before":{"x":1},"after":{},
                   "after_unknown":{"x":true},"replace_paths":[["x"]]})")),
            "~ a.b\n"
            "    actions: [\"update\"] -> [\"delete\",\"create\"]\n"
            "    after.x: 2 -> (none)\n"
            "    after_unknown.x: (none) -> true\n"
            "    replace_paths: (none) -> [[\"x\"]]\n"
            "\n1 changed, 0 added, 0 removed.\n");
}

TEST(Compare, Refusals) {
  EXPECT_EQ(Diff(Plan("{}"), State("")), "a plan and a state have nothing to compare");
  EXPECT_EQ(Diff("[]", State("")), "a document is neither a plan nor a state");
  EXPECT_EQ(Diff(R"({"version":3,"modules":[]})", State("")),
            "state files of version 3 are not compared");
  EXPECT_NE(Diff(R"({"format_version":"2.0"})", State("")), "No differences.\n");
}

TEST(Compare, JsonAndMarkdown) {
  const std::string left = State(Resource("a.a", R"({"x":["a|b"]})"));
  const std::string right = State(Resource("a.a", R"({"x":[2]})") + "," + Resource("a.<b>", "{}"));
  EXPECT_EQ(Diff(left, right, &RenderJson),
            R"({"format_version":"1.0","equal":false,"added":1,"removed":0,"changed":1,"changes":[)"
            R"({"address":"a.<b>","kind":"added","paths":[]},{"address":"a.a","kind":"changed",)"
            R"("paths":[{"path":["values","x",0],"before":"a|b","after":2,"sensitive":false}]}]})"
            "\n");
  EXPECT_EQ(Diff(left, right, &RenderMarkdown),
            "**1 changed, 1 added, 0 removed.**\n"
            "\n\\+ <code>a.&lt;b&gt;</code>\n"
            "\n<details><summary>~ <code>a.a</code></summary>\n"
            "\n| Path | Before | After |\n|---|---|---|\n"
            "| <code>values.x\\[0]</code> | <code>\"a\\|b\"</code> | <code>2</code> |\n"
            "\n</details>\n");
}

}  // namespace
}  // namespace kinu::compare
