#include <gtest/gtest.h>

#include "check/run.h"

namespace kinu::check {
namespace {

constexpr const char* kPlan = R"({"format_version":"1.2",
 "resource_changes":[
  {"address":"a.b","change":{"actions":["update"],"before":{},"after":
    {"n":1.0,"s":"hello","set":["a","b"],"secret":"hunter2","o":{"k":null}},
   "after_unknown":{"id":true,"list":[false,true]},"after_sensitive":{"secret":true}}},
  {"address":"a.b","change":{"actions":["delete"]}},
  {"address":"c.d","change":{"actions":["create","delete"]}}],
 "output_changes":{"o":{"actions":["update"],"before":null,"after":1,"after_unknown":false}}})";

constexpr const char* kState = R"({"format_version":"1.0","values":{
 "outputs":{"o":{"sensitive":true,"value":"hunter2"}},
 "root_module":{"resources":[
  {"address":"a.b","values":{"id":"1","list":[{"k":1},{"k":2}],"n":1},"sensitive_values":{"id":true},
   "identity_schema_version":0,"identity":{"id":"1"}},
  {"address":"a.c","values":{"id":"1","n":1.0}}],
  "child_modules":[{"resources":[{"address":"module.m.a.b","values":{"id":"2"}}]}]}}})";

Documents MakeDocuments() {
  Documents documents;
  documents.plans.push_back(*PlanDocument::Read(kPlan, true));
  documents.states.push_back(*StateDocument::Read(kState, true));
  return documents;
}

/// Runs assertions and returns their statuses: p, f or e.
std::string Statuses(const std::string& body, const std::string& name = "t.kinucheck.hcl") {
  CheckFiles files;
  Diagnostics diags;
  files.Add(name, body, diags);
  if (diags.has_errors()) {
    return diags.list()[0].summary;
  }
  const Documents documents = MakeDocuments();
  std::string out;
  for (const Result& result : RunChecks(files, documents).results) {
    out += StatusName(result.status)[0];
  }
  return out;
}

std::string Plan(const std::string& assertions) {
  return Statuses("check \"c\" {\n  plan {\n" + assertions + "\n  }\n}\n");
}
std::string State(const std::string& assertions) {
  return Statuses("check \"c\" {\n  state {\n" + assertions + "\n  }\n}\n");
}

/// The status of `expect_known_value` for a.b of the plan.
std::string Known(const std::string& path, const std::string& value) {
  return Plan("expect_known_value {\n address = \"a.b\"\n path = " + path + "\n value = " + value +
              "\n}");
}

TEST(KnownValues, OfAPlan) {
  struct Row {
    const char *path, *value, *status;
  };
  static constexpr Row kRows[] = {
      {R"(["s"])", R"(string_exact("hello"))", "p"},
      {R"(["s"])", R"(string_exact("Hello"))", "f"},
      {R"(["s"])", R"(string_regexp("l+o$"))", "p"},
      {R"(["s"])", R"(string_regexp("("))", "e"},
      {R"(["n"])", "int64_exact(1)", "f"},
      {R"(["n"])", "float64_exact(1)", "p"},
      {R"(["n"])", "number_exact(\"1e0\")", "p"},
      {R"(["n"])", "number_exact(\"x\")", "e"},
      {R"(["n"])", "int32_exact(2147483648)", "e"},
      {R"(["set"])", R"(set_exact([string_exact("b"), string_exact("a")]))", "p"},
      {R"(["set"])", R"(set_exact([not_null(), string_exact("a")]))", "f"},
      {R"(["set"])", R"(list_partial({ 1 = string_exact("b") }))", "p"},
      {R"(["set"])", R"(list_partial({ 2 = null() }))", "f"},
      {R"(["set"])", R"(list_partial({ "01" = null() }))", "e"},
      {R"(["set"])", "list_size_exact(-1)", "f"},
      {R"(["o"])", "object_exact({ k = null() })", "p"},
      {R"(["o"])", "object_exact({ k = null(), l = null() })", "f"},
      {R"(["o", "k", "x"])", "null()", "f"},
      {R"(["o", true])", "null()", "e"},
      {R"(["o"])", "true ? not_null() : null()", "p"},
      {R"(["set"])", R"(list_exact([for s in ["a", "b"] : string_exact(s)]))", "p"},
      {R"(["o"])", "var.x", "e"},
      {R"(["o"])", "5", "e"},
      {R"(["o"])", "nothing()", "e"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(Known(row.path, row.value), row.status) << row.path << " " << row.value;
  }
}

TEST(PlanKinds, UseTheFirstChangeOfAnAddress) {
  EXPECT_EQ(Plan("expect_empty_plan {}\nexpect_non_empty_plan {}"), "fp");
  EXPECT_EQ(Plan(R"(expect_resource_action {
      address = "a.b"
      action = "Update"
    }
    expect_resource_action {
      address = "c.d"
      action = "Replace"
    }
    expect_resource_action {
      address = "c.d"
      action = "DestroyBeforeCreate"
    }
    expect_resource_action {
      address = "c"
      action = "NoOp"
    })"),
            "ppff");
  EXPECT_EQ(Plan(R"(expect_unknown_value {
      address = "a.b"
      path = ["list", 1]
    }
    expect_unknown_value {
      address = "a.b"
      path = ["list"]
    }
    expect_sensitive_value {
      address = "a.b"
      path = ["secret"]
    }
    expect_null_output_value { name = "o" }
    expect_no_deferred_changes {}
    expect_empty_plan { document = 1 })"),
            "pfpppe");
}

TEST(StateKinds, SearchTheRootModule) {
  const auto id = [](const std::string& address, const std::string& more) {
    return State("expect_known_value {\n address = \"" + address +
                 "\"\n path = [\"id\"]\n value = not_null()\n" + more + "}");
  };
  EXPECT_EQ(id("a.b", ""), "p");
  EXPECT_EQ(id("module.m.a.b", ""), "f");
  EXPECT_EQ(id("module.m.a.b", "child_modules = true\n"), "p");
  EXPECT_EQ(id("module.m.a.b", "child_modules = 1\n"), "e");
  EXPECT_EQ(State(R"(compare_value_pairs {
      address_one = "a.b"
      path_one = ["n"]
      address_two = "a.c"
      path_two = ["n"]
      comparer = "values_same"
    }
    compare_value_collection {
      collection_address = "a.b"
      collection_path = [["list"], ["k"]]
      address = "a.b"
      path = ["n"]
      comparer = "values_same"
    }
    expect_identity {
      address = "a.b"
      identity = { id = string_exact("1") }
    }
    expect_identity_value_matches_state {
      address = "a.b"
      path = ["id"]
    }
    expect_known_output_value {
      name = "o"
      value = string_exact("x")
    })"),
            "fpppf");
}

TEST(Selectors, ReplaceAddressAndPath) {
  const auto known = [](const std::string& selector, const std::string& value) {
    return "expect_known_value {\n selector = \"" + selector + "\"\n value = " + value + "\n}\n";
  };
  EXPECT_EQ(State(known("$..resources[*].values.id", "string_regexp(\"^[12]$\")")), "p");
  EXPECT_EQ(State(known("$..resources[*].values.id", "string_exact(\"1\")")), "f");
  EXPECT_EQ(State(known("$.nothing", "not_null()")), "f");
  EXPECT_EQ(State(known("$[", "not_null()")), "e");
  EXPECT_EQ(Plan(known("$.resource_changes[?action(@)=='update'].change.after.s", "not_null()")),
            "p");
  EXPECT_EQ(Plan("expect_known_value {\n selector = \"$\"\n path = []\n value = null()\n}"), "f");
  EXPECT_EQ(Plan("expect_known_value {\n selector = \"$\"\n address = \"a\"\n value = null()\n}"),
            "e");
}

/// The source of an assertion with these arguments.
std::string Block(const std::string& kind, const std::vector<std::string>& arguments) {
  std::string text = kind + " {\n";
  for (const std::string& argument : arguments) {
    text += argument + "\n";
  }
  return text + "}\n";
}

TEST(Selectors, ReplaceNames) {
  const auto plan = [](auto... arguments) { return Plan(Block(arguments...)); };
  const auto state = [](auto... arguments) { return State(Block(arguments...)); };
  using List = std::vector<std::string>;
  const std::string every = "selector = \"$.resource_changes[*]\"";
  const std::string first = "selector = \"$.resource_changes[0]\"";
  EXPECT_EQ(plan("expect_resource_action", List{first, "action = \"Update\""}), "p");
  EXPECT_EQ(plan("expect_resource_action", List{every, "action = \"Update\""}), "f");
  EXPECT_EQ(plan("expect_resource_action",
                 List{"selector = \"$.resource_changes[0].change\"", "action = \"Update\""}),
            "p");
  EXPECT_EQ(plan("expect_resource_action", List{"selector = \"$.none\"", "action = \"Update\""}),
            "f");
  EXPECT_EQ(
      plan("expect_known_value", List{first, "path = [\"s\"]", "value = string_exact(\"hello\")"}),
      "p");
  EXPECT_EQ(plan("expect_unknown_value", List{first, "path = [\"id\"]"}), "p");
  EXPECT_EQ(plan("expect_unknown_value", List{first, "path = [\"s\"]"}), "f");
  EXPECT_EQ(plan("expect_unknown_value", List{"selector = \"$..after_unknown.id\""}), "p");
  EXPECT_EQ(plan("expect_unknown_value", List{"selector = \"$..after_unknown.list[0]\""}), "f");
  EXPECT_EQ(plan("expect_unknown_value", List{"selector = \"$..after.s\""}), "f");
  EXPECT_EQ(plan("expect_sensitive_value", List{"selector = \"$..after.secret\""}), "p");
  EXPECT_EQ(plan("expect_sensitive_value", List{"selector = \"$..after.s\""}), "f");
  EXPECT_EQ(plan("expect_sensitive_value", List{first, "path = [\"secret\"]"}), "p");
  EXPECT_EQ(plan("expect_known_output_value",
                 List{"selector = \"$.output_changes.*.after\"", "value = int64_exact(1)"}),
            "p");
  EXPECT_EQ(plan("expect_known_output_value_at_path",
                 List{"selector = \"$.output_changes.*\"", "path = []", "value = int64_exact(1)"}),
            "p");
  EXPECT_EQ(plan("expect_null_output_value", List{"selector = \"$.output_changes.o.before\""}),
            "p");
  EXPECT_EQ(plan("expect_null_output_value_at_path",
                 List{"selector = \"$.output_changes.o\"", "path = []"}),
            "p");
  EXPECT_EQ(
      plan("expect_unknown_output_value", List{"selector = \"$.output_changes.o.after_unknown\""}),
      "f");
  EXPECT_EQ(plan("expect_deferred_change",
                 List{"selector = \"$.deferred_changes[*]\"", "reason = \"x\""}),
            "f");

  const std::string all = "selector = \"$..resources[*]\"";
  EXPECT_EQ(state("expect_known_value", List{all, "path = [\"id\"]", "value = not_null()"}), "p");
  EXPECT_EQ(state("expect_known_value", List{all, "path = [\"n\"]", "value = not_null()"}), "f");
  EXPECT_EQ(
      state("expect_sensitive_value", List{"selector = \"$..resources[0]\"", "path = [\"id\"]"}),
      "f");  // the first resource of the child module has no masks
  EXPECT_EQ(state("expect_sensitive_value",
                  List{"selector = \"$.values.root_module.resources[0].values.id\""}),
            "p");
  EXPECT_EQ(state("expect_known_output_value", List{"selector = \"$.values.outputs.*.value\"",
                                                    "value = string_exact(\"hunter2\")"}),
            "p");
  EXPECT_EQ(state("expect_known_output_value_at_path",
                  List{"selector = \"$.values.outputs.o\"", "path = []",
                       "value = string_exact(\"hunter2\")"}),
            "p");
  EXPECT_EQ(state("compare_value", List{"comparer = \"values_same\"", "state_value {",
                                        "selector = \"$.values.root_module..values.id\"", "}"}),
            "f");  // one of the values differs
  EXPECT_EQ(state("compare_value",
                  List{"comparer = \"values_same\"", "state_value {",
                       "selector = \"$.values.root_module.resources[*].values.id\"", "}"}),
            "p");
  EXPECT_EQ(state("compare_value", List{"comparer = \"values_same\"", "state_value {",
                                        "selector = \"$.none\"", "}"}),
            "f");
  const std::string one = "selector_one = \"$.values.root_module.resources[0].values.id\"";
  EXPECT_EQ(state("compare_value_pairs", List{one, "address_two = \"a.c\"", "path_two = [\"id\"]",
                                              "comparer = \"values_same\""}),
            "p");
  EXPECT_EQ(state("compare_value_pairs",
                  List{one, "selector_two = \"$..id\"", "comparer = \"values_same\""}),
            "f");  // the selector finds several values
  EXPECT_EQ(state("compare_value_collection",
                  List{"collection_selector = \"$..resources[*].values.list[*].k\"",
                       "address = \"a.b\"", "path = [\"n\"]", "comparer = \"values_same\""}),
            "p");
  EXPECT_EQ(state("compare_value_collection",
                  List{"collection_address = \"a.b\"", "collection_path = [[\"list\"], [\"k\"]]",
                       "selector = \"$..list[1].k\"", "comparer = \"values_same\""}),
            "p");
  const std::string identified = "selector = \"$..resources[?@.identity]\"";
  EXPECT_EQ(state("expect_identity", List{identified, "identity = { id = string_exact(\"1\") }"}),
            "p");
  EXPECT_EQ(state("expect_identity", List{all, "identity = { id = string_exact(\"1\") }"}), "f");
  EXPECT_EQ(state("expect_identity_value",
                  List{identified, "path = [\"id\"]", "value = string_exact(\"1\")"}),
            "p");
  EXPECT_EQ(state("expect_identity_value",
                  List{"selector = \"$..identity.id\"", "value = string_exact(\"1\")"}),
            "p");
  EXPECT_EQ(state("expect_identity_value_matches_state", List{identified, "path = [\"id\"]"}), "p");
  EXPECT_EQ(state("expect_identity_value_matches_state_at_path",
                  List{identified, "identity_path = [\"id\"]", "state_path = [\"id\"]"}),
            "p");
}

TEST(Documents, OfFormat01) {
  constexpr const char* kOld = R"({"format_version":"0.1",
   "proposed_unknown":{"outputs":{"o":{"value":true}},"root_module":{"child_modules":[
    {"resources":[{"address":"module.m.a.b","values":{"id":true,"n":false}}]}]}},
   "resource_changes":[{"address":"module.m.a.b",
     "change":{"actions":["create"],"before":null,"after":{"n":1}}}],
   "output_changes":{"o":{"change":{"actions":["create"],"before":null}}}})";
  Documents documents;
  documents.plans.push_back(*PlanDocument::Read(kOld));
  CheckFiles files;
  Diagnostics diags;
  files.Add("t.kinucheck.hcl", R"(check "c" {
  plan {
    expect_unknown_value {
      address = "module.m.a.b"
      path    = ["id"]
    }
    expect_unknown_value {
      address = "module.m.a.b"
      path    = ["n"]
    }
    expect_unknown_output_value {
      name = "o"
    }
    expect_empty_plan {}
  }
})",
            diags);
  std::string statuses;
  for (const Result& result : RunChecks(files, documents).results) {
    statuses += StatusName(result.status)[0];
  }
  EXPECT_EQ(statuses, "pfpf");
}

TEST(CheckFiles, SyntaxAndShape) {
  const std::string json = "t.kinucheck.json";
  EXPECT_EQ(
      Statuses(R"({"check":{"a":{"plan":{"//":"x","expect_empty_plan":[{},{}],"nothing":{}}}}})",
               json),
      "ffe");
  EXPECT_EQ(Statuses(R"({"check":{"a":{"plan":[{"nothing":{}},{"expect_empty_plan":{}}]}}})", json),
            "ef");
  EXPECT_EQ(Statuses(R"({"check":{"a":{"plan":{"expect_empty_plan":1}}}})", json),
            "Unsupported argument");
  EXPECT_EQ(Statuses(R"({"check":{"a":{"plan":{"expect_empty_plan":null}}}})", json),
            "Unsupported argument");
  EXPECT_EQ(Statuses("check \"a\" {\n  description = 1\n}"), "Invalid description");
  EXPECT_EQ(Statuses("check \"a\" {}\ncheck \"a\" {}"), "Duplicate check name");
  EXPECT_EQ(Statuses("check \"a\" \"b\" {}"), "Extraneous label for check");
  EXPECT_EQ(Plan("x = 1"), "Unsupported argument");
  EXPECT_EQ(Plan("expect_empty_plan \"x\" {}"), "Extraneous label for expect_empty_plan");
}

TEST(Documents, Unusable) {
  static constexpr std::string_view kTexts[] = {
      "",
      "[]",
      "{}",
      R"({"format_version":"2.0"})",
      R"({"format_version":"0.0"})",
      R"({"format_version":1})",
      R"({"format_version":"one"})",
      R"({"format_version":"1.0","resource_changes":{}})",
      R"({"format_version":"1.0","resource_changes":[{"address":1}]})",
      R"({"format_version":"1.0","resource_changes":[{"change":{"actions":[1]}}]})",
      R"({"format_version":"1.0","output_changes":[]})",
      R"({"format_version":"1.0","format_version":"1.0"})",
      R"({"format_version":"1.0","other":[1,]})",
  };
  for (const std::string_view text : kTexts) {
    EXPECT_FALSE(PlanDocument::Read(std::string(text)).has_value()) << text;
  }
  EXPECT_TRUE(PlanDocument::Read(R"({"format_version":"0.1","resource_changes":null,"x":[]})"));
  EXPECT_FALSE(StateDocument::Read(R"({"format_version":"1.0","values":{"root_module":1}})"));
  EXPECT_TRUE(StateDocument::Read(R"({"format_version":"1.0"})"));
}

TEST(Reports, HideSensitiveValues) {
  CheckFiles files;
  Diagnostics diags;
  files.Add("t.kinucheck.hcl", R"(check "a <b>" {
  plan {
    expect_known_value {
      address = "a.b"
      path    = ["secret"]
      value   = string_exact("x")
    }
    expect_known_value {
      address = "a.b"
      path    = []
      value   = null()
    }
  }
  state {
    expect_known_output_value {
      name  = "o"
      value = null()
    }
    nothing {}
  }
})",
            diags);
  ASSERT_FALSE(diags.has_errors());
  const Documents documents = MakeDocuments();
  const Report report = RunChecks(files, documents);
  EXPECT_EQ(report.failed, 3U);
  EXPECT_EQ(report.errored, 1U);
  for (const bool show : {false, true}) {
    std::string outs[5];
    WriteJson(outs[0], report, show);
    WriteText(outs[1], report, show);
    WriteJunit(outs[2], report, show);
    WriteSarif(outs[3], report, show, "1");
    WriteAnnotations(outs[4], report, show);
    for (const std::string& out : outs) {
      EXPECT_EQ(out.find("hunter2") != std::string::npos, show) << out;
    }
    EXPECT_TRUE(json::Document::Parse(outs[0]).has_value());
    EXPECT_TRUE(json::Document::Parse(outs[3]).has_value());
    EXPECT_NE(outs[2].find("name=\"a &lt;b&gt;\""), std::string::npos);
  }
}

}  // namespace
}  // namespace kinu::check
