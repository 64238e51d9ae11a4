// Checks as policies: conditions, severities, exceptions, tests of checks.
#include <gtest/gtest.h>

#include "check/read_values.h"
#include "check/run.h"
#include "hcl/parse.h"

namespace kinu::check {
namespace {

constexpr const char* kPlan = R"({"format_version":"1.2",
 "resource_changes":[
  {"address":"bucket.private","type":"bucket","name":"private","provider_name":"p","mode":"managed",
   "change":{"actions":["create"],"before":null,"after":{"acl":"private","size":1,"tags":{"a":"b"}},
    "after_unknown":{"id":true,"rules":[false,{"arn":true}]},"after_sensitive":{}}},
  {"address":"module.m.bucket.public[0]","module_address":"module.m","type":"bucket","name":"public",
   "index":0,"provider_name":"p","mode":"managed",
   "change":{"actions":["update"],"before":{"acl":"private"},
    "after":{"acl":"public","size":2,"key":"hunter2hunter2","pin":"42","tags":null},
    "after_sensitive":{"key":true,"pin":true}}},
  {"address":"db.gone","type":"db","name":"gone",
   "change":{"actions":["delete"],"before":{"n":1},"after":null}}]})";
constexpr const char* kState = R"({"format_version":"1.0","values":{"root_module":{
  "resources":[{"address":"bucket.b","type":"bucket","values":{"acl":"private"}}],
  "child_modules":[{"address":"module.m","resources":[
    {"address":"module.m.bucket.c","type":"bucket","values":{"acl":"public"}}]}]}}})";

/// The report on a body of checks, as text. The day is 2027-01-15.
std::string TextOf(const std::string& body, const char* state = kState) {
  CheckFiles files;
  Diagnostics diags;
  files.Add("t.kinucheck.hcl", body, diags);
  if (diags.has_errors()) {
    return diags.list()[0].summary;
  }
  Documents documents;
  documents.plans.push_back(*PlanDocument::Read(kPlan, true));
  documents.states.push_back(*StateDocument::Read(state, true));
  std::string text;
  WriteText(text, RunChecks(files, documents, "2027-01-15"), false);
  return text;
}

/// The report on one condition about a plan, without its last line.
std::string Condition(const std::string& arguments) {
  const std::string text =
      TextOf("check \"c\" {\n plan {\n expect_condition {\n" + arguments + "\n}\n}\n}\n");
  const size_t start = text.find("expect_condition\n");
  if (start == std::string::npos) {
    return text.starts_with("1 passed") ? "" : text;
  }
  return text.substr(start + 17, text.find("      at ") - start - 17);
}

TEST(Conditions, ReportEveryFailureWithItsAddress) {
  EXPECT_EQ(Condition(R"(condition = after.acl == "private")"),
            "      module.m.bucket.public[0]: the condition is false\n");
  EXPECT_EQ(
      Condition(R"(condition = false
    message = "${address} in '${module}' by ${provider}: ${join(",", actions)}")"),
      "      bucket.private: bucket.private in '' by p: create\n"
      "      module.m.bucket.public[0]: module.m.bucket.public[0] in 'module.m' by p: update\n");
  EXPECT_EQ(Condition("condition = false\n actions = [\"delete\"]\n message = \"n=${before.n}\""),
            "      db.gone: n=1\n");
  EXPECT_EQ(Condition("condition = false\n types = [\"d*\"]"), "");
  EXPECT_EQ(Condition("condition = false\n types = [\"d*\"]\n actions = [\"delete\"]"),
            "      db.gone: the condition is false\n");
  EXPECT_EQ(Condition("condition = true"), "");
  EXPECT_EQ(Condition("condition = change.after.size < 3 && change.before == before"), "");
}

TEST(Conditions, ReadTheSameFromKeptValues) {
  // The third assertion and those after it read what the second one has kept.
  for (const char* arguments :
       {R"(condition = after.acl == "private")", R"(condition = after.key == "x"
           message = "it is ${after.key}")",
        "condition = after.id != null", "condition = after.nothing", "condition = before.acl == 1",
        "condition = module == path", "condition = length(change.after.tags) == 1"}) {
    std::string once;
    std::string body;
    for (int i = 0; i < 4; ++i) {
      const std::string assertion =
          "expect_condition {\n" + std::string(arguments) + "\ntypes = [\"bucket\"]\n}\n";
      once = once.empty() ? TextOf("check \"c\" {\n plan {\n" + assertion + "}\n}\n") : once;
      body += "check \"" + std::to_string(i) + "\" {\n plan {\n" + assertion + "}\n}\n";
    }
    const auto failures = [](const std::string& text) {
      std::vector<std::string> lines;
      for (size_t at = 0; (at = text.find("\n      ", at)) != std::string::npos; ++at) {
        const std::string line = text.substr(at + 7, text.find('\n', at + 1) - at - 7);
        if (!line.starts_with("at t.")) {
          lines.push_back(line);
        }
      }
      return lines;
    };
    std::vector<std::string> wanted;
    for (int i = 0; i < 4; ++i) {
      const std::vector<std::string> lines = failures(once);
      wanted.insert(wanted.end(), lines.begin(), lines.end());
    }
    EXPECT_FALSE(wanted.empty()) << once;
    EXPECT_EQ(failures(TextOf(body)), wanted) << arguments;
  }
}

TEST(Conditions, ValuesAreKeptForTextsThatRepeat) {
  hcl::SyntaxTree tree;
  Diagnostics diags;
  const auto source = SourceFile::Make("x", "[after.a, after.b, after.a, after.a]");
  const hcl::Expr* expr = hcl::ParseExpression(source.get(), tree, diags);
  ASSERT_FALSE(diags.has_errors());
  const auto& elements = static_cast<const hcl::TupleExpr&>(*expr).elements;
  const auto traversal = [&](size_t i) -> const hcl::TraversalExpr& {
    return static_cast<const hcl::TraversalExpr&>(*elements[i]);
  };
  ReadValues values(2);
  EXPECT_EQ(values.ColumnOf(traversal(0)), nullptr);
  EXPECT_EQ(values.ColumnOf(traversal(1)), nullptr);
  ReadValues::Column* column = values.ColumnOf(traversal(2));
  ASSERT_NE(column, nullptr);
  EXPECT_EQ(values.ColumnOf(traversal(3)), column);
  EXPECT_EQ(values.ColumnOf(traversal(0)), nullptr);
  EXPECT_EQ(column->Find(1), nullptr);
  column->Keep(1, Value::Int(7));
  EXPECT_EQ(column->Find(0), nullptr);
  EXPECT_EQ(*column->Find(1)->AsInt64(), 7);
  // Too many objects.
  ReadValues large(size_t{1} << 30);
  EXPECT_EQ(large.ColumnOf(traversal(0)), nullptr);
  EXPECT_EQ(large.ColumnOf(traversal(2)), nullptr);
}

TEST(Conditions, ReadUnknownValues) {
  const std::string only = "\n types = [\"bucket\"]\n actions = [\"create\"]";
  const std::string unknown = "      bucket.private: the condition is not known before apply\n";
  EXPECT_EQ(Condition("condition = after.id == \"x\"" + only), unknown);
  EXPECT_EQ(Condition("condition = after.id == \"x\"\n allow_unknown = true" + only), "");
  EXPECT_EQ(Condition("condition = after.nothing == 1" + only),
            "      bucket.private: Unsupported attribute: This object does not have an attribute "
            "named \"nothing\".\n");
  EXPECT_EQ(Condition("condition = try(after.nothing, 1) == 1" + only), "");
  EXPECT_EQ(Condition("condition = after.acl" + only),
            "      bucket.private: the condition must be true or false\n");
  EXPECT_EQ(Condition("condition = length(keys(after)) == 4" + only), "");
}

TEST(Conditions, AreCheckedBeforeTheyRun) {
  EXPECT_NE(
      TextOf("check \"c\" {\n plan {\n expect_condition {\n condition = nothing.x == 1\n}\n}\n}")
          .find("there is no name \"nothing\" in conditions"),
      std::string::npos);
  EXPECT_NE(TextOf("check \"c\" {\n plan {\n expect_none {}\n}\n}").find("selector is required"),
            std::string::npos);
}

TEST(Conditions, ApplyToWhatASelectorFinds) {
  EXPECT_EQ(
      Condition("selector = \"$.resource_changes[*].change.after.acl\"\n"
                "condition = value == \"private\"\n message = \"${path} is ${value}\""),
      "      module.m.bucket.public[0]: $['resource_changes'][1]['change']['after']['acl'] is "
      "public\n");
}

TEST(Conditions, ReadStates) {
  EXPECT_EQ(TextOf(R"(check "c" {
  state {
    expect_condition {
      condition = values.acl == "private"
      message   = "'${module}'"
    }
  }
})"),
            "FAIL  c: expect_condition\n      module.m.bucket.c: 'module.m'\n"
            "      at t.kinucheck.hcl:3\n0 passed, 1 failed, 0 errored.\n");
}

TEST(Conditions, KeysInAddressesAreNoModules) {
  constexpr const char* kKeys = R"({"format_version":"1.0","values":{"root_module":{
   "resources":[{"address":"t.a[\"module.x.t.b\"]","type":"t","values":{}}],
   "child_modules":[{"address":"module.m[\"t.k\"]","resources":[
    {"address":"module.m[\"t.k\"].t.a[\"x.t.y\"]","type":"t","values":{}},
    {"address":"module.m[\"t.k\"].ephemeral.t.a","type":"t","values":{}}]}]}}})";
  EXPECT_EQ(TextOf(R"(check "c" {
  state {
    expect_condition {
      condition = false
      message   = "'${module}'"
    }
  }
})",
                   kKeys),
            "FAIL  c: expect_condition\n      t.a[\"module.x.t.b\"]: ''\n"
            "      module.m[\"t.k\"].t.a[\"x.t.y\"]: 'module.m[\"t.k\"]'\n"
            "      module.m[\"t.k\"].ephemeral.t.a: 'module.m[\"t.k\"]'\n"
            "      at t.kinucheck.hcl:3\n0 passed, 1 failed, 0 errored.\n");
}

TEST(Selectors, AreCounted) {
  const auto text = [](const std::string& assertion) {
    return TextOf("check \"c\" {\n plan {\n" + assertion + "\n}\n}");
  };
  const std::string all = "selector = \"$.resource_changes[*]\"\n";
  EXPECT_TRUE(text("expect_count {\n" + all + "count = 3\n}").starts_with("1 passed"));
  EXPECT_TRUE(text("expect_count {\n" + all + "min = 1\n max = 3\n}").starts_with("1 passed"));
  EXPECT_NE(text("expect_count {\n" + all + "count = 2\n}").find("finds 3 values, not 2"),
            std::string::npos);
  EXPECT_NE(text("expect_count {\n" + all + "min = 4\n}").find("not at least 4"),
            std::string::npos);
  EXPECT_NE(text("expect_count {\n" + all + "count = 0.5\n}").find("ERROR"), std::string::npos);
  EXPECT_TRUE(text("expect_none {\n selector = \"$.none\"\n}").starts_with("1 passed"));
  EXPECT_EQ(text("expect_none {\n selector = \"$..after['acl','key']\"\n}"),
            "FAIL  c: expect_none\n"
            "      bucket.private: the selector finds a value; found \"private\"\n"
            "      module.m.bucket.public[0]: the selector finds a value; found \"public\"\n"
            "      module.m.bucket.public[0]: the selector finds a value; found "
            "\"(sensitive value)\"\n"
            "      at t.kinucheck.hcl:3\n0 passed, 1 failed, 0 errored.\n");
}

/// A check that fails for both buckets.
std::string Failing(const std::string& more) {
  return "check \"c\" {\n" + more +
         "\n plan {\n expect_condition {\n condition = false\n message = \"no\"\n}\n}\n}";
}

TEST(Checks, HaveSeveritiesAndExceptions) {
  EXPECT_NE(TextOf(Failing("severity = \"warning\"")).find("0 failed, 0 errored, 1 warned."),
            std::string::npos);
  EXPECT_TRUE(TextOf(Failing("severity = \"warning\"")).starts_with("WARN  c"));
  EXPECT_EQ(TextOf(Failing("severity = \"bad\"")), "Invalid severity");
  const std::string exception = "except \"*bucket.p*\" {\n reason = \"old\"\n expires = \"";
  EXPECT_EQ(TextOf(Failing(exception + "2027-01-15\"\n}")),
            "1 passed, 0 failed, 0 errored, 2 excepted.\n");
  EXPECT_NE(TextOf(Failing(exception + "2027-01-14\"\n}"))
                .find("no (the exception \"old\" expired on 2027-01-14)"),
            std::string::npos);
  EXPECT_EQ(TextOf(Failing(exception + "2027-02-30\"\n}")), "Invalid day");
  EXPECT_NE(TextOf(Failing("except \"bucket.private\" {\n reason = \"r\"\n expires = "
                           "\"2028-01-01\"\n}"))
                .find("0 passed, 1 failed, 0 errored, 1 excepted."),
            std::string::npos);
}

TEST(Patterns, HaveStars) {
  EXPECT_TRUE(MatchesPattern("a*c*", "abcd"));
  EXPECT_TRUE(MatchesPattern("*", ""));
  EXPECT_TRUE(MatchesPattern("a[0]", "a[0]"));
  EXPECT_FALSE(MatchesPattern("ab*ba", "aba"));
  EXPECT_FALSE(MatchesPattern("a", "ab"));
}

TEST(Tests, CompareFailuresWithWhatIsExpected) {
  CheckFiles files;
  Diagnostics diags;
  files.Add("t.kinucheck.hcl", Failing("") + R"(
test "t" {
  plans = ["p"]
  fails "c" {
    addresses = ["module.m.bucket.public[0]", "bucket.private"]
  }
}
test "u" {
  plans  = ["p"]
  passes = ["c", "d"]
  fails "c" {
    addresses = ["x"]
  }
})",
            diags);
  ASSERT_FALSE(diags.has_errors());
  Documents documents;
  documents.plans.push_back(*PlanDocument::Read(kPlan, true));
  const Report report = RunChecks(files, documents);
  EXPECT_TRUE(JudgeTest(files.tests()[0], report).empty());
  EXPECT_EQ(
      JudgeTest(files.tests()[1], report),
      (std::vector<std::string>{
          "\"c\" must pass: bucket.private: no", "\"c\" must pass: module.m.bucket.public[0]: no",
          "no assertion of a check \"d\" is about the documents",
          "\"c\" must fail for x, and fails for bucket.private, module.m.bucket.public[0]"}));
}

TEST(Conditions, NeverShowSecrets) {
  // Each of 50 secrets is sensitive in one place, and a copy of the longer ones is not.
  std::string plan = R"({"format_version":"1.2","resource_changes":[)";
  std::vector<std::string> secrets;
  for (int i = 0; i < 50; ++i) {
    const bool is_short = i % 5 == 0;
    secrets.push_back(is_short ? "~" + std::to_string(i) + "~"
                               : "secret-" + std::to_string(i) + "-\xC3\xA9$");
    plan += i == 0 ? "" : ",";
    plan += R"({"address":"a.b[)" + std::to_string(i) +
            R"(]","type":"a","change":{"actions":["update"],"before":{"s":")" + secrets[i] +
            R"("},"before_sensitive":{"s":true},"after":{"n":{"s":[")" + secrets[i] +
            R"("]},"copy":")" + (is_short ? "" : "copy of " + secrets[i]) +
            R"("},"after_sensitive":{"n":{"s":[true]}}}})";
  }
  plan += "]}";
  static constexpr const char* kMessages[] = {
      R"("${after.n.s[0]}")",
      R"("${after.copy}")",
      R"(jsonencode(after))",
      R"(jsonencode(change))",
      R"(upper(before.s))",
      R"("${nonsensitive(before.s)}")",
      R"(join("", [for k, v in after.n : join("", v)]))",
      R"(base64encode(after.n.s[0]))",
      R"("${tonumber(before.s)}")",
      R"(substr(before.s, 0, 3))",
      R"("${value}")",
  };
  Documents documents;
  documents.plans.push_back(*PlanDocument::Read(plan, true));
  for (const std::string selector : {"", "$..after.n.s[0]", "$..after.n", "$..change", "$..copy"}) {
    for (const char* message : kMessages) {
      CheckFiles files;
      Diagnostics diags;
      const std::string select = selector.empty() ? "" : "selector = \"" + selector + "\"\n";
      files.Add("t.kinucheck.hcl",
                "check \"c\" {\n plan {\n expect_condition {\n" + select +
                    "condition = false\n message = " + message + "\n}\n expect_condition {\n" +
                    select + "condition = tonumber(" + message + ") == 1\n}\n}\n}",
                diags);
      ASSERT_FALSE(diags.has_errors());
      const Report report = RunChecks(files, documents);
      std::string outs[7];
      WriteJson(outs[0], report, false);
      WriteText(outs[1], report, false);
      WriteJunit(outs[2], report, false);
      WriteSarif(outs[3], report, false, "1");
      WriteAnnotations(outs[4], report, false);
      WriteTap(outs[5], report, false);
      WriteMarkdown(outs[6], report, false);
      for (const std::string& out : outs) {
        for (const std::string& secret : secrets) {
          ASSERT_EQ(out.find(secret), std::string::npos) << secret << "\n" << message << selector;
        }
      }
    }
  }
}

// --- Configurations ---

constexpr const char* kConfiguration = R"({"root_module":{
"resources":[{"address":"bucket.a","type":"bucket","name":"a","mode":"managed",
  "expressions":{"acl":{"constant_value":"public"}}}],
"module_calls":{"m":{"source":"./m","module":{"resources":[
  {"address":"bucket.b","type":"bucket","name":"b","mode":"managed",
   "expressions":{"acl":{"references":["var.x"]}}},
  {"address":"data.zone.z","type":"zone","name":"z","mode":"data","expressions":{}}]}}}}})";

std::string OfConfiguration(const std::string& assertion) {
  CheckFiles files;
  Diagnostics diags;
  files.Add("t.kinucheck.hcl", "check \"c\" {\n configuration {\n" + assertion + "\n}\n}\n", diags);
  EXPECT_FALSE(diags.has_errors());
  Documents documents;
  documents.configurations.push_back(*ConfigurationDocument::Read(kConfiguration));
  std::string text;
  for (const Result& result : RunChecks(files, documents).results) {
    for (const std::string& message : Messages(result)) {
      text += result.status == Status::kPass ? "" : message + "\n";
    }
  }
  return text;
}

TEST(Configurations, HaveConditionsAboutBlocks) {
  EXPECT_EQ(OfConfiguration(R"(expect_condition {
    types     = ["buck*"]
    condition = try(value.expressions.acl.constant_value, "") != "public"
    message   = "${address} is public"
  })"),
            "bucket.a: bucket.a is public\n");
  EXPECT_EQ(OfConfiguration("expect_condition { condition = mode == \"managed\" }"),
            "module.m.data.zone.z: the condition is false\n");
  EXPECT_EQ(OfConfiguration(R"(expect_condition {
    selector  = "$..module_calls[*]"
    condition = value.source == "./n"
  })"),
            "the condition is false\n");
  EXPECT_EQ(OfConfiguration("expect_none { selector = \"$..resources[?@.mode == 'data']\" }"),
            "module.m.data.zone.z: the selector finds a value\n");
  EXPECT_EQ(OfConfiguration("expect_count {\n selector = \"$..resources[*]\"\n max = 2\n}"),
            "the selector finds 3 values, not at most 2\n");
}

TEST(Configurations, HaveNoActionsAndNoOtherKinds) {
  EXPECT_NE(OfConfiguration("expect_condition {\n condition = true\n actions = [\"delete\"]\n}")
                .find("actions"),
            std::string::npos);
  EXPECT_EQ(OfConfiguration("expect_empty_plan {}"),
            "there is no configuration check \"expect_empty_plan\"\n");
  EXPECT_FALSE(ConfigurationDocument::Read("{}"));
  EXPECT_NE(TextOf("check \"c\" {\n configuration {\n expect_none { selector = \"$.x\" }\n}\n}")
                .find("there is no configuration: none was given"),
            std::string::npos);
}

}  // namespace
}  // namespace kinu::check
