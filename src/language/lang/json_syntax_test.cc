// The rules of the JSON syntax: one named case for each statement of its specification.
// docs/seeds/hcl-json-syntax.md maps statements to cases, and a test below checks that the page and
// this file name the same cases.
#include <set>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/testing/source_directory.h"
#include "cty/json.h"
#include "hcl/static.h"
#include "lang/testing/evaluation.h"

namespace kinu::lang {
namespace {

using testing::Bench;

constexpr const char* kVariables =
    R"({"name": "N", "n": {"number": "2"}, "list": {"list": ["x"], "of": "string"},
        "nothing": {"null": "string"}, "unknown": {"unknown": "string"}})";

enum class Mode {
  kEvaluate,    // an expression in full mode: the value, tagged
  kNumber,      // the same, and the caller converts the value to a number
  kLiteral,     // an expression in literal-only mode
  kBody,        // a body through the schema below
  kAttributes,  // a body in dynamic attributes mode
  kList,        // static analysis: the elements' texts
  kMap,         // static analysis: keys (evaluated) and texts of values
  kCall,        // static analysis: name and number of arguments
  kTraversal,   // static analysis: the steps
};

struct Case {
  const char* name;
  Mode mode;
  const char* text;
  const char* want;
};

constexpr Case kCases[] = {
    // --- Structure ---
    {"grammar-is-json", Mode::kBody, "{'a': 1}",
     "Invalid start of value at 1-2; Invalid object property name at 1-2; Root value must be "
     "object "
     "at 0-1"},
    {"root-object", Mode::kBody, R"({"a": 1})", "a=1"},
    {"root-array", Mode::kBody, R"([{"a": 1}, {"b": 2}])", "a=1 b=2"},
    {"root-scalar", Mode::kBody, "1", "Root value must be object at 0-1"},
    {"properties-in-order", Mode::kBody, R"({"b": 1, "a": 2})", "b=1 a=2"},
    {"array-elements-in-order", Mode::kBody, R"([{"b": 1}, {"a": 2, "none": {}}, {"none": {}}])",
     "b=1 a=2 none{} none{}"},
    {"array-element-no-object", Mode::kBody, R"([{"a": 1}, 5])",
     "Incorrect JSON value type at 11-12; Incorrect JSON value type at 11-12"},
    {"schema-tells-blocks", Mode::kBody, R"({"none": {"a": 1}, "a": {"a": 1}})",
     R"(a={"a":1} none{a=1})"},
    {"unknown-property", Mode::kBody, R"({"c": 1})", "Extraneous JSON object property at 1-4"},
    {"comment-in-body", Mode::kBody, R"({"//": {"any": 1}, "a": 1, "none": {"//": "x"}})",
     "a=1 none{}"},
    {"comment-at-root", Mode::kBody, R"({"//": "made by a program"})", ""},
    {"comment-not-in-labels", Mode::kBody, R"({"one": {"//": {"a": 1}}})", "one[//]{a=1}"},
    {"comment-not-in-expression", Mode::kEvaluate, R"({"//": 1})",
     R"({"object":{"//":{"number":"1"}}})"},
    {"comment-in-dynamic-attributes", Mode::kAttributes, R"({"//": 1, "x": 2})", "x=2"},

    // --- Attributes ---
    {"attribute-by-schema", Mode::kBody, R"({"a": "bar baz"})", R"(a="bar baz")"},
    {"attribute-value-is-expression", Mode::kBody, R"({"a": "${name}"})", R"(a="N")"},
    {"dynamic-attributes", Mode::kAttributes, R"({"x": 1, "y z": {"w": 2}})", R"(x=1 y z={"w":2})"},
    {"dynamic-attributes-no-array", Mode::kAttributes, R"([{"x": 1}])",
     "Incorrect JSON value type at 0-1"},
    {"attribute-twice", Mode::kBody, R"({"a": 1, "a": 2})", "Duplicate argument at 9-12"},

    // --- Blocks ---
    {"block-object", Mode::kBody, R"({"none": {"a": 1}})", "none{a=1}"},
    {"block-array", Mode::kBody, R"({"none": [{"a": 1}, {"a": 2}]})", "none{a=1} none{a=2}"},
    {"block-none", Mode::kBody, R"({"none": []})", ""},
    {"block-null", Mode::kBody, R"({"none": null})", ""},
    {"block-scalar", Mode::kBody, R"({"none": 5})", "Incorrect JSON value type at 9-10"},
    {"block-property-twice", Mode::kBody, R"({"none": {"a": 1}, "none": {"a": 2}})",
     "none{a=1} none{a=2}"},
    {"labels-objects", Mode::kBody,
     R"({"two": {"bar": {"baz": {"a": 1}, "boz": {"a": 2}}, "boz": {"baz": {"a": 3}}}})",
     "two[bar,baz]{a=1} two[bar,boz]{a=2} two[boz,baz]{a=3}"},
    {"labels-body-array", Mode::kBody, R"({"two": {"boz": {"baz": [{"a": 1}, {"a": 2}]}}})",
     "two[boz,baz]{a=1} two[boz,baz]{a=2}"},
    {"labels-array-of-objects", Mode::kBody,
     R"({"two": [{"bar": {"baz": {"a": 1}, "boz": {"a": 2}}}, {"bar": {"baz": [{"a": 3}]}}]})",
     "two[bar,baz]{a=1} two[bar,boz]{a=2} two[bar,baz]{a=3}"},
    {"labels-repeated", Mode::kBody,
     R"({"two": {"bar": {"baz": {"a": 1}}, "bar": {"baz": [{"a": 2}]}}})",
     "two[bar,baz]{a=1} two[bar,baz]{a=2}"},
    {"labels-missing", Mode::kBody, R"({"one": {}})", "Missing block label at 8-9"},
    {"labels-level-scalar", Mode::kBody, R"({"one": 1})",
     "Incorrect JSON value type at 8-9; Missing block label at 8-9"},
    {"labels-alternate", Mode::kBody, R"({"one": [{"x": {}}, {"y": {}}, {"x": {"a": 1}}]})",
     "one[x]{} one[y]{} one[x]{a=1}"},

    // --- Expressions ---
    {"object", Mode::kEvaluate, R"({"a": [1, true], "b": {}})",
     R"({"object":{"a":{"tuple":[{"number":"1"},true]},"b":{"object":{}}}})"},
    {"object-name-template", Mode::kEvaluate, R"({"x-${name}": "${n}"})",
     R"({"object":{"x-N":{"number":"2"}}})"},
    {"object-name-to-string", Mode::kEvaluate, R"({"${n}": 1})",
     R"({"object":{"2":{"number":"1"}}})"},
    {"object-name-no-string", Mode::kEvaluate, R"({"${list}": 1})",
     "Invalid object key expression at 1-10"},
    {"object-name-null", Mode::kEvaluate, R"({"${nothing}": 1})",
     "Invalid object key expression at 1-13"},
    {"object-name-unknown", Mode::kEvaluate, R"({"${unknown}": 1, "b": 2})",
     R"({"unknown":"dynamic"})"},
    {"object-name-twice", Mode::kEvaluate, R"({"a": 1, "a": 2})",
     "Duplicate object attribute at 9-12"},
    {"object-name-twice-evaluated", Mode::kEvaluate, R"({"N": 1, "${name}": 2})",
     "Duplicate object attribute at 9-18"},
    {"array", Mode::kEvaluate, R"([1, "a", null, [true]])",
     R"({"tuple":[{"number":"1"},"a",{"null":"dynamic"},{"tuple":[true]}]})"},
    {"array-empty", Mode::kEvaluate, "[]", R"({"tuple":[]})"},
    {"number-exact", Mode::kEvaluate, "3.14159265358979323846264338327950288419716939937510582",
     R"({"number":"3.14159265358979323846264338327950288419716939937510582"})"},
    {"number-large", Mode::kEvaluate, "1e30", R"({"number":"1000000000000000000000000000000"})"},
    {"number-in-string", Mode::kEvaluate, R"("${1e10}")", R"({"number":"10000000000"})"},
    {"number-as-text", Mode::kNumber, R"("123456789012345678901234567890.5")",
     R"({"number":"123456789012345678901234567890.5"})"},
    {"boolean", Mode::kEvaluate, "[true, false]", R"({"tuple":[true,false]})"},
    {"null", Mode::kEvaluate, "null", R"({"null":"dynamic"})"},
    {"string-literal-only", Mode::kLiteral, R"("sequences like ${ are %{ text")",
     R"("sequences like ${ are %{ text")"},
    {"string-literal-in-object", Mode::kLiteral, R"({"${a}": ["%{b}"]})",
     R"({"object":{"${a}":{"tuple":["%{b}"]}}})"},
    {"string-template", Mode::kEvaluate, R"("Hello, ${name}!")", R"("Hello, N!")"},
    {"string-directive", Mode::kEvaluate, R"("%{ if n == 2 }two%{ endif }")", R"("two")"},
    {"string-escapes", Mode::kEvaluate, R"("\u00e9\n$${x} %%{y}")", "\"\u00e9\\n${x} %{y}\""},
    {"string-unwrapped", Mode::kEvaluate, R"("${ n + 3 }")", R"({"number":"5"})"},
    {"string-not-unwrapped", Mode::kEvaluate, R"("${ n + 3 } ")", R"("5 ")"},
    {"string-is-native-template", Mode::kEvaluate,
     R"x("${upper(\"a\")}${[for x in list : x][0]}")x", R"("Ax")"},
    {"string-template-error-place", Mode::kEvaluate, R"(["ab${nope}"])", "Unknown variable at 4-8"},
    {"string-template-broken", Mode::kEvaluate, R"("${")", "Missing expression at 2-2"},

    // --- Static analysis ---
    {"static-list", Mode::kList, R"(["a", 1, {"b": 2}])", R"("a" 1 {"b": 2} )"},
    {"static-list-other", Mode::kList, R"({"a": 1})", "none"},
    {"static-map", Mode::kMap, R"({"a": 1, "${name}": "x"})", R"("a":1 "N":"x" )"},
    {"static-map-other", Mode::kMap, "[1]", "none"},
    {"static-call", Mode::kCall, R"x("f(a, [1])")x", "f/2"},
    {"static-call-template", Mode::kCall, R"x("${f(a)}")x", "none"},
    {"static-call-broken", Mode::kCall, R"x("f(a")x", "none"},
    {"static-call-other", Mode::kCall, R"x(["f(a)"])x", "none"},
    {"static-traversal", Mode::kTraversal, R"("a.b[0]")", "a/2"},
    {"static-traversal-template", Mode::kTraversal, R"("${a.b}")", "none"},
    {"static-traversal-broken", Mode::kTraversal, R"("a.")", "none"},
    {"static-traversal-other", Mode::kTraversal, "5", "none"},
};

std::string ShowValue(const hcl::Expr& expr, const Scope& scope, Diagnostics& diags) {
  const Value value = lang::Evaluate(expr, scope, diags);
  const ValueResult<std::string> json = ValueToJson(value, value.type());
  return json ? *json : "?";
}

std::string ShowBody(const hcl::Body& body, const Scope& scope, Diagnostics& diags) {
  static constexpr std::string_view kOneLabel[] = {"label"};
  static constexpr std::string_view kTwoLabels[] = {"first", "second"};
  static constexpr hcl::AttributeSchema kAttributes[] = {{"a"}, {"b"}};
  static constexpr hcl::BlockSchema kBlocks[] = {{"none"}, {"one", kOneLabel}, {"two", kTwoLabels}};
  const hcl::BodyContent content =
      body.Content({.attributes = kAttributes, .blocks = kBlocks}, hcl::Strictness::kExact, diags);
  std::string out;
  for (const hcl::Attribute& attribute : content.attributes) {
    out += out.empty() ? "" : " ";
    out += std::string(attribute.name) + "=" + ShowValue(*attribute.expr, scope, diags);
  }
  for (const hcl::Block& block : content.blocks) {
    out += out.empty() ? "" : " ";
    out += block.type;
    for (size_t i = 0; i < block.labels.size(); ++i) {
      out += i == 0 ? "[" : ",";
      out += block.labels[i];
    }
    out += block.labels.empty() ? "{" : "]{";
    out += ShowBody(*block.body, scope, diags) + "}";
  }
  return out;
}

std::string RunCase(const Case& one) {
  Bench bench(kVariables);
  Diagnostics diags;
  const SourceFile* source = bench.Source(one.text, "t.json");
  std::string out = "none";
  if (one.mode == Mode::kBody || one.mode == Mode::kAttributes) {
    const hcl::Body* body = hcl::ParseJson(source, bench.tree(), diags);
    if (diags.has_errors()) {
      return Bench::Show(diags);
    }
    if (one.mode == Mode::kBody) {
      out = ShowBody(*body, bench.scope(), diags);
    } else {
      out.clear();
      for (const hcl::Attribute& attribute : body->JustAttributes({}, diags)) {
        out += out.empty() ? "" : " ";
        out += std::string(attribute.name) + "=" + ShowValue(*attribute.expr, bench.scope(), diags);
      }
    }
    return diags.empty() ? out : Bench::Show(diags);
  }
  const hcl::Expr* expr = hcl::ParseJsonExpression(source, bench.tree(), diags);
  switch (one.mode) {
    case Mode::kEvaluate:
      out = Bench::Show(lang::Evaluate(*expr, bench.scope(), diags));
      break;
    case Mode::kNumber:
      out = Bench::Show(lang::EvaluateTo(*expr, Type::Number(), bench.scope(), diags));
      break;
    case Mode::kLiteral:
      out = Bench::Show(lang::EvaluateLiteral(*expr, bench.scope(), diags));
      break;
    case Mode::kList:
      if (const auto list = hcl::AsList(*expr)) {
        out.clear();
        for (const hcl::Expr* element : *list) {
          out += std::string(element->range().text()) + " ";
        }
      }
      break;
    case Mode::kMap:
      if (const auto map = hcl::AsMap(*expr)) {
        out.clear();
        for (const hcl::ObjectItem& item : *map) {
          out += ShowValue(*item.key, bench.scope(), diags) + ":" +
                 std::string(item.value->range().text()) + " ";
        }
      }
      break;
    case Mode::kCall:
      if (const auto call = hcl::AsCall(*expr, bench.tree())) {
        out = std::string(call->name) + "/" + std::to_string(call->arguments.size());
      }
      break;
    case Mode::kTraversal:
      if (const auto traversal = hcl::AsTraversal(*expr, bench.tree())) {
        out = std::string(traversal->root) + "/" + std::to_string(traversal->steps.size());
      }
      break;
    default:
      break;
  }
  return diags.empty() ? out : Bench::Show(diags);
}

TEST(JsonSyntax, FollowsItsSpecification) {
  for (const Case& one : kCases) {
    EXPECT_EQ(RunCase(one), one.want) << one.name;
  }
}

TEST(JsonSyntax, EveryCaseIsNamedByTheSeedPageAndExists) {
  const auto page = ReadFile(SourceDirectory() + "/docs/seeds/hcl-json-syntax.md");
  ASSERT_TRUE(page.has_value());
  // The page writes names of cases in backticks, with the prefix "json:".
  std::set<std::string> named;
  for (size_t at = page->find("`json:"); at != std::string::npos; at = page->find("`json:", at)) {
    at += 6;
    named.insert(page->substr(at, page->find('`', at) - at));
  }
  std::set<std::string> there;
  for (const Case& one : kCases) {
    EXPECT_TRUE(there.insert(one.name).second) << one.name << " is the name of two cases";
    EXPECT_TRUE(named.contains(one.name)) << one.name << " is not on the page";
  }
  for (const std::string& name : named) {
    EXPECT_TRUE(there.contains(name)) << name << " is on the page, but there is no such case";
  }
  // The page also names other tests, as `Suite.Test` in a file.
  for (size_t at = page->find("`src/"); at != std::string::npos; at = page->find("`src/", at)) {
    const std::string file = page->substr(at + 1, page->find('`', at + 1) - at - 1);
    const size_t name_at = page->find('`', at + file.size() + 2) + 1;
    const std::string name = page->substr(name_at, page->find('`', name_at) - name_at);
    const size_t dot = name.find('.');
    const auto source = ReadFile(SourceDirectory() + "/" + file);
    ASSERT_TRUE(source.has_value()) << file;
    EXPECT_NE(source->find("TEST(" + name.substr(0, dot) + ", " + name.substr(dot + 1) + ")"),
              std::string::npos)
        << name << " in " << file;
    at = name_at;
  }
}

}  // namespace
}  // namespace kinu::lang
