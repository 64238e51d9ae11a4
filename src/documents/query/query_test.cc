#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "base/testing/source_directory.h"
#include "query/output.h"
#include "query/selector.h"
#include "query/stream.h"
#include "query/summary.h"
#include "tfjson/path.h"

namespace kinu::query {
namespace {

using json::Document;
using json::Member;
using json::Node;
using json::TokenStream;

/// The printed results of a query, or "error at OFFSET".
std::string Ask(const std::string& selector, const std::string& document,
                OutputOptions options = {.format = Format::kJson}) {
  const auto query = ParseSelector(selector);
  if (!query) {
    return "error at " + std::to_string(query.error().offset);
  }
  std::string out;
  ResultWriter writer(options, [&](std::string_view text) { out += text; });
  TokenStream stream(document);
  const bool good =
      RunQuery(stream, *query, {.keep_masks = !options.show_sensitive}, [&](const Found& found) {
        writer.Add(found);
        return true;
      });
  if (!good) {
    return DescribeProblem(stream.problem());
  }
  writer.Finish();
  return out.substr(0, out.find_last_not_of('\n') + 1);
}

/// The same without streaming, with the whole document in memory.
std::string AskWhole(const std::string& selector, const std::string& document) {
  const auto query = ParseSelector(selector);
  const auto parsed = Document::Parse(document);
  std::string out;
  ResultWriter writer({.format = Format::kJson, .paths = true, .show_sensitive = true},
                      [&](std::string_view text) { out += text; });
  Evaluator evaluator((*parsed)->root());
  evaluator.Run(query->segments, (*parsed)->root(),
                [&](Node node, std::span<const tfjson::TrailStep> trail) {
                  writer.Add({.node = node, .passed = {}, .trail = trail});
                  return true;
                });
  writer.Finish();
  return out;
}

constexpr const char* kPlan = R"({
  "format_version": "1.2",
  "variables": {"secret": {"value": "s3cr3t"}, "open": {"value": 1}},
  "resource_changes": [
    {"address": "aws_instance.a", "type": "aws_instance", "change": {"actions": ["create"],
     "before": null, "after": {"name": "a", "password": "hunter2"}, "after_unknown": {"id": true},
     "before_sensitive": false, "after_sensitive": {"password": true}}},
    {"address": "module.m[\"x.y\"].data.aws_ami.b[0]", "change": {"actions": ["delete", "create"],
     "before": {"name": "b"}, "after": {"name": "b"}, "after_unknown": {},
     "before_sensitive": {}, "after_sensitive": {}}}
  ],
  "configuration": {"root_module": {"variables": {"secret": {"sensitive": true}, "open": {}}}}
})";

TEST(Selectors, Documents) {
  struct Row {
    std::string_view selector, results;
  };
  static constexpr Row kRows[] = {
      {"$.resource_changes[?action(@)=='create'].address", R"(["aws_instance.a"])"},
      {"$.resource_changes[?action(@)=='replace'].address",
       R"(["module.m[\"x.y\"].data.aws_ami.b[0]"])"},
      {"$.resource_changes[?type(@)=='aws_ami'].change.actions", R"([["delete","create"]])"},
      {"$.resource_changes[?module(@)=='module.m[\"x.y\"]'].type", "[]"},
      {"$.resource_changes[?module(@)==''].type", R"(["aws_instance"])"},
      {"$.resource_changes[?type(@.address)=='aws_ami'].change.before", R"([{"name":"b"}])"},
      {"$.resource_changes[?unknown(@)].address", R"(["aws_instance.a"])"},
      {"$.resource_changes[?!sensitive(@)].change.after.name", R"(["b"])"},
      {"$.resource_changes[*].change.after[?sensitive(@)]", R"j(["(sensitive value)"])j"},
      {"$.resource_changes[0].change.after", R"j([{"name":"a","password":"(sensitive value)"}])j"},
      {"$..password", R"j(["(sensitive value)",true])j"},
      {"$.variables[*].value", R"j(["(sensitive value)",1])j"},
      {"$.format_version", R"(["1.2"])"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(Ask(std::string(row.selector), kPlan), row.results) << row.selector;
  }
}

TEST(Selectors, ErrorsPointAtTheCharacter) {
  struct Row {
    std::string_view selector;
    size_t offset;
  };
  static constexpr Row kRows[] = {
      {"", 0},
      {"a", 0},
      {"$.", 2},
      {"$a", 1},
      {"$[", 2},
      {"$[01]", 2},
      {"$['a", 2},
      {"$[?@.a==]", 8},
      {"$[?len(@)]", 3},
      {"$[?@.*==1]", 3},
      {"$[?count(1)>2]", 9},
      {"$ ", 1},
      {"$[?length(@)]", 3},
      {"$[?(@.a]", 7},
  };
  for (const Row& row : kRows) {
    const auto query = ParseSelector(row.selector);
    ASSERT_FALSE(query.has_value()) << row.selector;
    EXPECT_EQ(query.error().offset, row.offset) << row.selector << ": " << query.error().message;
  }
  EXPECT_FALSE(ParseSelector("$[?" + std::string(5000, '(') + "@" + std::string(5000, ')') + "]"));
}

TEST(Selectors, AmbiguousNames) {
  EXPECT_EQ(Ask("$.a", R"({"a":1,"b":{"a":2,"a":3},"a":4})"),
            "invalid JSON at byte 25: an object has this name twice");
  EXPECT_EQ(Ask("$.b.a", R"({"a":1,"b":{"a":2,"a":3},"a":4})"),
            "invalid JSON at byte 18: an object has this name twice");
  EXPECT_EQ(Ask("$..b.a", R"({"b":{"a":2,"a":3}})"),
            "invalid JSON at byte 12: an object has this name twice");
  EXPECT_EQ(Ask("$.b", R"({"a":1,"b":2,"a":4})"), "[2]");
}

TEST(Output, Forms) {
  const std::string document = R"([{"a":1,"b":"x,\"y\""},{"b":null,"c":[1, 2]},["p","q"],"s"])";
  EXPECT_EQ(Ask("$[*]", document, {.format = Format::kLines}),
            "{\"a\":1,\"b\":\"x,\\\"y\\\"\"}\n{\"b\":null,\"c\":[1,2]}\n[\"p\",\"q\"]\n\"s\"");
  EXPECT_EQ(Ask("$[*]", document, {.format = Format::kCsv}),
            "a,b,c,0,1,value\n1,\"x,\"\"y\"\"\",,,,\n,null,\"[1,2]\",,,\n,,,p,q,\n,,,,,s");
  EXPECT_EQ(Ask("$[:2]", document, {.format = Format::kTable}),
            "a  b      c\n1  x,\"y\"\n   null   [1,2]");
  EXPECT_EQ(Ask("$[0,3]", document, {.format = Format::kRaw}),
            "{\"a\":1,\"b\":\"x,\\\"y\\\"\"}\ns");
  EXPECT_EQ(Ask("$..*", document, {.format = Format::kCount}), "12");
  EXPECT_EQ(Ask("$[2][1]", document, {.format = Format::kJson, .paths = true}),
            R"([{"path":"$[2][1]","value":"q"}])");
  EXPECT_EQ(Ask("$.x", document), "[]");
}

TEST(Streaming, SkipsValuesWithoutHoldingThem) {
  struct Row {
    std::string_view selector;
    size_t masks, none;
  };
  static constexpr Row kRows[] = {
      {"$.a[*].b", 3, 3},     {"$[?@.a].b", 1, 1},
      {"$.a[-1]", 1, 1},      {"$..a", 0, 0},
      {"$.a['b','c']", 1, 1}, {"$.a[?@.b==$.c]", 0, 0},
      {"$.a.after.b", 1, 3},  {"$.a[0:10:2].c", 3, 3},
      {"$.a[::-1]", 1, 1},    {"$.values.root_module.resources[*].address", 5, 5},
      {"$.values.x", 0, 2},   {"$[?sensitive(@)]", 0, 0},
  };
  for (const Row& row : kRows) {
    const auto query = ParseSelector(row.selector);
    ASSERT_TRUE(query.has_value()) << row.selector;
    EXPECT_EQ(StreamedSegments(*query, {.keep_masks = true}), row.masks) << row.selector;
    EXPECT_EQ(StreamedSegments(*query, {.keep_masks = false}), row.none) << row.selector;
  }
}

TEST(Streaming, FindsWhatTheTreeFinds) {
  std::mt19937 random(5);
  static constexpr std::string_view kSegments[] = {
      ".a",    "['b']",  "[*]",    ".*",  "[0]",  "[1:]",      "[:2]",
      "[::2]", "[?@.a]", "[?@>1]", "..a", "[-1]", "['a','b']", "[?@.a==$.b]"};
  const std::function<std::string(int)> value = [&](int depth) -> std::string {
    switch (random() % (depth > 3 ? 2 : 4)) {
      case 0:
        return std::to_string(random() % 4);
      case 1:
        return "\"t\"";
      case 2:
        return "[" + value(depth + 1) + "," + value(depth + 1) + "," + value(depth + 1) + "]";
      default:
        return R"({"a":)" + value(depth + 1) + R"(,"\u0062":)" + value(depth + 1) + R"(,"c":{}})";
    }
  };
  for (int i = 0; i < 3000; ++i) {
    const std::string document = value(0);
    std::string selector = "$";
    for (uint32_t parts = random() % 5; parts > 0; --parts) {
      selector += kSegments[random() % std::size(kSegments)];
    }
    EXPECT_EQ(
        Ask(selector, document, {.format = Format::kJson, .paths = true, .show_sensitive = true}) +
            "\n",
        AskWhole(selector, document))
        << selector << " of " << document;
  }
}

/// Each printed path, as a selector and as steps, finds the value printed beside it.
TEST(Output, PathsLeadBack) {
  const auto results = *Document::Parse(
      Ask("$..*", kPlan, {.format = Format::kJson, .paths = true, .show_sensitive = true}));
  const auto plan = *Document::Parse(kPlan);
  size_t count = 0;
  for (const Node result : results->root().elements()) {
    const std::string path = result.Find("path").String();
    const std::string value(result.Find("value").text());
    EXPECT_EQ(Ask(path, kPlan, {.format = Format::kLines, .show_sensitive = true}), value);
    const auto steps = tfjson::Path::FromNormalized(path);
    ASSERT_TRUE(steps.has_value()) << path;
    std::string found;
    json::AppendCompact(found, steps->Resolve(plan->root()).value.text());
    EXPECT_EQ(found, value) << path;
    ++count;
  }
  EXPECT_GT(count, 40U);
}

/// No format shows sensitive values unless show_sensitive is set.
TEST(Output, SecretsStayInside) {
  std::mt19937 random(13);
  static constexpr std::string_view kSelectors[] = {
      "$",
      "$..*",
      "$.resource_changes[*]",
      "$.resource_changes[*].change.after",
      "$.resource_changes[*].change.after.list[1].key",
      "$..after..*",
      "$.variables.*",
      "$.output_changes[*].after",
      "$.output_changes.o.after",
      "$.values.outputs.o.value",
      "$.values.root_module.resources[*].values.s",
      "$..[?sensitive(@)]",
      "$..[?@.value]",
      "$.values.root_module.resources[?@.values.s].values",
      "$.configuration..default",
      "$.resource_changes[*].change['before','after']"};
  for (int i = 0; i < 50; ++i) {
    const std::string secret = "SECRET" + std::to_string(random());
    const std::string quoted = "\"" + secret + "\"";
    const std::string document =
        R"({"variables":{"v":{"value":)" + quoted +
        R"(}},"resource_changes":[{"address":"a.b","change":{"actions":["update"],"before":)" +
        quoted + R"(,"after":{"list":["x",{"key":)" + quoted + R"(}],"map":{)" + quoted +
        R"(:1}},"after_unknown":{},"before_sensitive":true,"after_sensitive":{"list":[false,{"key":true}],"map":true}}}],)" +
        R"("output_changes":{"o":{"actions":["create"],"before":null,"after":)" + quoted +
        R"(,"after_sensitive":true,"before_sensitive":false}},"values":{"outputs":{"o":{"sensitive":true,"value":{)" +
        quoted + ":" + quoted +
        R"(}}},"root_module":{"resources":[{"address":"a.b","values":{"s":)" + quoted +
        R"(,"t":1},"sensitive_values":{"s":true}}]}},)" +
        R"("configuration":{"root_module":{"variables":{"v":{"sensitive":true,"default":)" +
        quoted + "}}}}}";
    for (const std::string_view selector : kSelectors) {
      for (const Format format : {Format::kJson, Format::kLines, Format::kRaw, Format::kCsv,
                                  Format::kTable, Format::kCount}) {
        for (const bool paths : {false, true}) {
          const std::string out =
              Ask(std::string(selector), document, {.format = format, .paths = paths});
          EXPECT_EQ(out.find(secret), std::string::npos) << selector << ": " << out;
        }
      }
    }
  }
}

TEST(Summary, TheMostImportantFirst) {
  const auto plan = *Document::Parse(R"({"resource_changes":[
    {"address":"a.new","change":{"actions":["create"],"before":null,"after":{}}},
    {"address":"a.same","change":{"actions":["no-op"],"before":{},"after":{}}},
    {"address":"a.changed","change":{"actions":["update"],
     "before":{"x":1,"y":2.0,"secret":"s1"},"after":{"x":2,"y":2,"secret":"s2"},
     "after_unknown":{"id":true},"after_sensitive":{"secret":true}}},
    {"address":"a.gone","action_reason":"delete_because_no_resource_config",
     "change":{"actions":["delete"],"before":{},"after":null}}],
    "output_changes":{"o":{"actions":["create"],"after":1}}})");
  const std::string whole =
      "Plan: 1 to destroy, 1 to change, 1 to add, 1 outputs\n"
      "- destroy a.gone [delete_because_no_resource_config]\n"
      "- update a.changed: id, secret, x\n- create a.new\n- output o\n";
  EXPECT_EQ(SummarizePlan(plan->root(), 1000), whole);
  EXPECT_EQ(SummarizePlan(plan->root(), whole.size()), whole);
  for (size_t bytes = 0; bytes <= whole.size(); ++bytes) {
    EXPECT_LE(SummarizePlan(plan->root(), bytes).size(), bytes);
  }
  EXPECT_EQ(SummarizePlan(plan->root(), 130),
            "Plan: 1 to destroy, 1 to change, 1 to add, 1 outputs\n"
            "- destroy a.gone [delete_because_no_resource_config]\n… 3 more\n");
  EXPECT_EQ(SummarizePlan((*Document::Parse("{}"))->root(), 100), "Plan: no changes\n");
}

// --- The compliance suite of RFC 9535. It is not part of the repository: the test is skipped
// unless the folder `shared` is beside it, or KINU_SHARED names such a folder. ---

bool SameResults(const Node& results, const std::string& got) {
  const auto parsed = Document::Parse(got);
  return parsed && SameValue(results, (*parsed)->root());
}

TEST(Compliance, Rfc9535) {
  const char* shared = std::getenv("KINU_SHARED");
  const std::string folder = shared != nullptr ? shared : SourceDirectory() + "/../shared";
  std::ifstream file(folder + "/conformance/json-query/rfc9535.json");
  if (!file) {
    GTEST_SKIP() << "the cases are not beside the repository";
  }
  std::stringstream text;
  text << file.rdbuf();
  const auto suite = Document::Parse(text.str());
  ASSERT_TRUE(suite.has_value());
  for (const Node test : (*suite)->root().Find("tests").elements()) {
    const std::string selector = test.Find("selector").String();
    const std::string name = test.Find("name").String();
    if (test.Find("invalid_selector")) {
      EXPECT_FALSE(ParseSelector(selector).has_value()) << name << ": " << selector;
      continue;
    }
    const std::string document(test.Find("document").text());
    const std::string got =
        Ask(selector, document, {.format = Format::kJson, .show_sensitive = true});
    bool same = test.Find("result") && SameResults(test.Find("result"), got);
    if (const Node results = test.Find("results")) {
      for (const Node result : results.elements()) {
        same = same || SameResults(result, got);
      }
    }
    EXPECT_TRUE(same) << name << ": " << selector << " gives " << got;
  }
}

TEST(Tables, AreCutToTheWidth) {
  std::string text = R"([{"a":"short","b":"an ärger of a long text","c":"0123456789"}])";
  json::TokenStream stream(text);
  std::string out;
  OutputOptions options{.format = Format::kTable, .width = 24};
  ResultWriter writer(options, [&](std::string_view part) { out += part; });
  const auto query = ParseSelector("$[*]");
  ASSERT_TRUE(query.has_value());
  ASSERT_TRUE(RunQuery(stream, *query, {}, [&](const Found& found) {
    writer.Add(found);
    return true;
  }));
  writer.Finish();
  EXPECT_EQ(out, "a      b        c\nshort  an …ext  0123…789\n");
}

}  // namespace
}  // namespace kinu::query
