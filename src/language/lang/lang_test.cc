// Dynamic blocks, type constraints and the console.
#include <gtest/gtest.h>

#include "lang/console_text.h"
#include "lang/dynamic.h"
#include "lang/testing/evaluation.h"
#include "lang/type_expr.h"

namespace kinu::lang {
namespace {

using testing::Bench;

constexpr const char* kVariables = R"({
  "names": {"set": ["a", "b"], "of": "string"},
  "unknown_names": {"unknown": ["set", "string"]},
  "secret_names": {"marked": ["sensitive"], "value": {"list": ["x"], "of": "string"}},
  "map": {"map": {"k": "v"}, "of": "string"}
})";

// Reads `item` blocks (label "name" when `labelled`) with an attribute `v`, each as `label:value`.
std::string Expand(std::string_view text, bool labelled = false) {
  Bench bench(kVariables);
  Diagnostics diags;
  const hcl::NativeBody* body = bench.ParseBody(text, diags);
  static constexpr std::string_view kLabels[] = {"name"};
  const hcl::BlockSchema blocks[] = {{"item", labelled ? std::span<const std::string_view>(kLabels)
                                                       : std::span<const std::string_view>()}};
  ExpansionStore store;
  const ExpandedContent content = ExpandContent(*body, {.blocks = blocks}, hcl::Strictness::kExact,
                                                bench.scope(), nullptr, store, diags);
  std::string out;
  for (const ExpandedBlock& block : content.blocks) {
    const hcl::AttributeSchema attributes[] = {{"v", true}};
    const hcl::BodyContent inner =
        block.block.body->Content({.attributes = attributes}, hcl::Strictness::kPartial, diags);
    for (const std::string_view label : block.block.labels) {
      out += std::string(label) + ":";
    }
    if (block.unknown) {
      out += "(unknown) ";
    }
    if (block.marks.sensitive()) {
      out += "(sensitive) ";
    }
    if (const hcl::Attribute* v = inner.Find("v")) {
      out += Bench::Show(Evaluate(*v->expr, bench.scope(), diags, block.bindings)) + " ";
    }
  }
  return diags.empty() ? out : Bench::Show(diags);
}

TEST(Dynamic, GeneratesBlocksInSourceOrder) {
  EXPECT_EQ(Expand("item {\n v = 1\n}\n"
                   "dynamic \"item\" {\n for_each = names\n content {\n v = item.value\n }\n}\n"
                   "item {\n v = 2\n}\n"),
            R"({"number":"1"} "a" "b" {"number":"2"} )");
}

TEST(Dynamic, IteratorLabelsAndKeys) {
  EXPECT_EQ(Expand("dynamic \"item\" {\n for_each = map\n iterator = it\n labels = [it.key]\n"
                   " content {\n v = it.value\n }\n}\n",
                   true),
            "k:\"v\" ");
  EXPECT_EQ(Expand("dynamic \"item\" {\n for_each = [\"z\"]\n content {\n v = item.key\n }\n}\n"),
            R"({"number":"0"} )");
}

TEST(Dynamic, UnknownAndMarked) {
  EXPECT_EQ(
      Expand("dynamic \"item\" {\n for_each = unknown_names\n content {\n v = item.value\n }\n}\n"),
      R"((unknown) {"unknown":"dynamic"} )");
  EXPECT_EQ(
      Expand("dynamic \"item\" {\n for_each = secret_names\n content {\n v = item.value\n }\n}\n"),
      "(sensitive) \"x\" ");
}

TEST(Dynamic, Problems) {
  const struct {
    const char* text;
    const char* want;
  } rows[] = {
      {"dynamic \"other\" {\n for_each = names\n content {}\n}\n",
       "Unsupported block type at 8-15"},
      {"dynamic \"item\" {\n for_each = 5\n content {}\n}\n",
       "Invalid dynamic for_each value at 29-30"},
      {"dynamic \"item\" {\n for_each = null\n content {}\n}\n",
       "Invalid dynamic for_each value at 29-33"},
      {"dynamic \"item\" {\n for_each = names\n}\n", "Missing dynamic content block at 15-15"},
      {"dynamic \"item\" {\n for_each = names\n content {}\n content {}\n}\n",
       "Extraneous dynamic content block at 48-55"},
      {"dynamic \"item\" {\n for_each = names\n iterator = a.b\n content {}\n}\n",
       "Invalid dynamic iterator name at 47-50"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Expand(row.text), row.want) << row.text;
  }
}

struct Constraint {
  Bench bench;
  Diagnostics diags;
  TypeConstraint result;
  explicit Constraint(std::string_view text) {
    const hcl::Expr* expr = bench.Parse(text, diags);
    result = ParseTypeConstraint(*expr, bench.tree(), diags);
  }
};

TEST(TypeExpr, Types) {
  const struct {
    const char* text;
    const char* want;
  } rows[] = {
      {"string", "string"},
      {"any", "any"},
      {"list(map(number))", "list(map(number))"},
      {"tuple([string, bool])", "tuple([string,bool])"},
      {"object({ b = string, a = optional(number, 1) })", "object({a=number,b=string})"},
      {"list", "Invalid type specification at 0-4"},
      {"text", "Invalid type specification at 0-4"},
      {"list(string, string)", "Invalid type specification at 13-19"},
      {"string()", "Invalid type specification at 6-8"},
      {"optional(string)", "Invalid type specification at 0-8"},
      {"object({ a = string, a = string })", "Invalid type specification at 21-22"},
      {"object({ a = optional(number, \"x\") })",
       "Invalid default value for optional attribute at 30-33"},
      {"5", "Invalid type specification at 0-1"},
  };
  for (const auto& row : rows) {
    const Constraint constraint(row.text);
    EXPECT_EQ(constraint.diags.empty() ? TypeString(constraint.result.type)
                                       : Bench::Show(constraint.diags),
              row.want)
        << row.text;
  }
}

TEST(TypeExpr, DefaultsReplaceAbsentAndNullAttributes) {
  Constraint constraint(
      "object({ a = optional(string, \"x\"), inner = optional(object({ n = optional(number, 3) }), "
      "{}), list = optional(list(object({ k = optional(bool, true) }))) })");
  ASSERT_NE(constraint.result.defaults, nullptr);
  const auto apply = [&](std::string_view text) {
    Diagnostics diags;
    const hcl::Expr* expr = constraint.bench.Parse(text, diags);
    const Value value = Evaluate(*expr, constraint.bench.scope(), diags);
    return Bench::Show(ApplyDefaults(value, *constraint.result.defaults));
  };
  EXPECT_EQ(apply("{}"), R"({"object":{"a":"x","inner":{"object":{"n":{"number":"3"}}}}})");
  EXPECT_EQ(apply("{a = null, inner = {n = 1}}"),
            R"({"object":{"a":"x","inner":{"object":{"n":{"number":"1"}}}}})");
  EXPECT_EQ(apply("{a = \"y\", list = [{}]}"),
            R"({"object":{"a":"y","inner":{"object":{"n":{"number":"3"}}},)"
            R"("list":{"tuple":[{"object":{"k":true}}]}}})");
}

std::string Print(std::string_view text) {
  Bench bench(kVariables);
  const ConsoleScope scope(bench.scope());
  Diagnostics diags;
  const hcl::Expr* expr = bench.Parse(text, diags);
  const Value value = Evaluate(*expr, scope, diags);
  std::string out = scope.Print(value, diags);
  return diags.empty() ? out : Bench::Show(diags);
}

TEST(Console, Values) {
  EXPECT_EQ(Print("{a = [1, null], b = \"x\\ny\"}"),
            "{\n  \"a\" = [\n    1,\n    null,\n  ]\n  \"b\" = <<-EOT\n  x\n  y\n  EOT\n}");
  EXPECT_EQ(Print("names"), "toset([\n  \"a\",\n  \"b\",\n])");
  EXPECT_EQ(Print("secret_names"), "(sensitive value)");
  EXPECT_EQ(Print("unknown_names"), "(known after apply)");
  EXPECT_EQ(Print("\"EOT\\nEOT_\""), "<<EOT__\nEOT\nEOT_\nEOT__");
}

TEST(Console, Types) {
  EXPECT_EQ(Print("type(names)"), "set(string)");
  EXPECT_EQ(Print("type({a = [1]})"), "object({\n    a: tuple([\n        number,\n    ]),\n})");
  EXPECT_EQ(Print("[type(names)]"), "Invalid use of type function");
}

}  // namespace
}  // namespace kinu::lang
