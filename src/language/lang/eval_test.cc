#include "lang/eval.h"

#include <gtest/gtest.h>

#include "lang/testing/evaluation.h"
#include "lang/user_function.h"

namespace kinu::lang {
namespace {

using testing::Bench;

constexpr const char* kVariables = R"({
  "n": {"number": "5"},
  "s": "text",
  "secret": {"marked": ["sensitive"], "value": "hidden"},
  "secret_flag": {"marked": ["sensitive"], "value": true},
  "u": {"unknown": "string"},
  "un": {"unknown": "number"},
  "ub": {"unknown": "bool"},
  "ul": {"unknown": ["list", "string"], "refinements": {"min_length": 2, "max_length": 3}},
  "any": {"unknown": "dynamic"},
  "list": {"list": ["a", "b"], "of": "string"},
  "objects": {"list": [{"object": {"id": "x"}}, {"object": {"id": "y"}}],
              "of": ["object", {"id": "string"}]},
  "map": {"map": {"k": "v"}, "of": "string"},
  "set": {"set": ["p", "q"], "of": "string"},
  "object": {"object": {"a": "one", "b": {"number": "2"}}},
  "nothing": {"null": "string"},
  "null_list": {"null": ["list", "string"]}
})";

struct Row {
  const char* source;
  const char* want;
};

void Check(std::initializer_list<Row> rows) {
  Bench bench(kVariables);
  for (const Row& row : rows) {
    EXPECT_EQ(bench.Evaluate(row.source), row.want) << row.source;
  }
}

TEST(Eval, Traversals) {
  Check({
      {"s", R"("text")"},
      {"object.b", R"({"number":"2"})"},
      {"objects[1].id", R"("y")"},
      {"list.0", R"("a")"},
      {"map.k", R"("v")"},
      {"map[\"k\"]", R"("v")"},
      {"any.x.y[3]", R"({"unknown":"dynamic"})"},
      {"ul[0]", R"({"unknown":"string"})"},
      {"nosuch", "Unknown variable at 0-6"},
      {"object.c", "Unsupported attribute at 6-8"},
      {"map.c", "Missing map element at 3-5"},
      {"list[2]", "Invalid index at 4-7"},
      {"list[-1]", "Invalid index at 4-8"},
      {"list[0.5]", "Invalid index at 4-9"},
      {"set[0]", "Invalid index at 3-6"},
      {"nothing.a", "Attempt to get attribute from null value at 7-9"},
      {"null_list[0]", "Attempt to index null value at 9-12"},
      {"list[null]", "Invalid index at 4-10"},
      {"objects.id", "Unsupported attribute at 7-10"},
  });
}

TEST(Eval, OperatorsPropagateUnknownsAndMarks) {
  Check({
      {"1 + 2 * 3", R"({"number":"7"})"},
      {"n / 2", R"({"number":"2.5"})"},
      {"-n", R"({"number":"-5"})"},
      {"!true", "false"},
      {"n > 4 && s == \"text\"", "true"},
      {"un + 1", R"({"unknown":"number","refinements":{"not_null":true}})"},
      {"secret == \"hidden\"", R"({"marked":["sensitive"],"value":true})"},
      {"1 == \"1\"", "false"},
      {"null == nothing", "true"},
      {"s + 1", "Invalid operand at 0-1"},
      {"null + 1", "Operation failed at 0-8"},
      {"0 / 0", "Operation failed at 0-5"},
      {"!s", "Invalid operand at 1-2"},
  });
}

TEST(Eval, LogicalOperatorsReportOnlyTheSideThatDecides) {
  Check({
      {"true || nosuch", "true"},
      {"nosuch || true", "true"},
      {"false && nosuch", "false"},
      {"ub && nosuch", R"({"unknown":"bool","refinements":{"not_null":true}})"},
      {"false || nosuch", "Unknown variable at 9-15"},
      {"true && nosuch", "Unknown variable at 8-14"},
      {"secret_flag || nosuch", R"({"marked":["sensitive"],"value":true})"},
  });
}

TEST(Eval, Conditionals) {
  Check({
      {"true ? 1 : \"a\"", R"("1")"},
      {"false ? null : 1", R"({"number":"1"})"},
      {"true ? {a = 1} : {b = 2}", R"({"map":{"a":{"number":"1"}},"of":"number"})"},
      {"true ? [1] : [\"a\", \"b\"]", R"({"list":["1"],"of":"string"})"},
      {"true ? 1 : nosuch", R"({"number":"1"})"},
      {"ub ? 1 : 2",
       R"({"unknown":"number","refinements":{"not_null":true,)"
       R"("min":{"value":"1","inclusive":true},"max":{"value":"2","inclusive":true}}})"},
      {"ub ? null : null", R"({"null":"dynamic"})"},
      {"secret_flag ? 1 : 2", R"({"marked":["sensitive"],"value":{"number":"1"}})"},
      {"null ? 1 : 2", "Null condition at 0-4"},
      {"s ? 1 : 2", "Incorrect condition type at 0-1"},
      {"true ? object : list", "Inconsistent conditional result types at 7-20"},
      {"true ? \"a\" : {}", "Inconsistent conditional result types at 7-15"},
      {"false ? 1 : [nosuch]", "Inconsistent conditional result types at 8-20"},
  });
}

TEST(Eval, ForExpressions) {
  Check({
      {"[for x in list : \"${x}!\"]", R"({"tuple":["a!","b!"]})"},
      {"[for i, x in list : i if x == \"b\"]", R"({"tuple":[{"number":"1"}]})"},
      {"{for k, v in map : v => k}", R"({"object":{"v":"k"}})"},
      {"{for x in [\"a\", \"b\", \"a\"] : x => 1...}",
       R"({"object":{"a":{"tuple":[{"number":"1"},{"number":"1"}]},)"
       R"("b":{"tuple":[{"number":"1"}]}}})"},
      {"[for x in set : x]", R"({"tuple":["p","q"]})"},
      {"[for x in ul : x]", R"({"unknown":"dynamic"})"},
      {"[for x in [secret] : x]", R"({"tuple":[{"marked":["sensitive"],"value":"hidden"}]})"},
      {"[for x in [1] : x if secret_flag]",
       R"({"marked":["sensitive"],"value":{"tuple":[{"number":"1"}]}})"},
      {"[for x in null : x]", "Iteration over null value at 10-14"},
      {"[for x in 5 : x]", "Iteration over non-iterable value at 10-11"},
      {"{for x in [1, 1] : x => x}", "Duplicate object key at 19-20"},
      {"{for x in [null] : x => 1}", "Invalid object key at 19-20"},
      {"[for x in list : x if null]", "Condition is null at 22-26"},
      {"[for x in list : x if \"no\"]", "Invalid 'for' condition at 22-26"},
      {"[for s in list : s][0]", R"("a")"},
  });
}

TEST(Eval, Splats) {
  Check({
      {"objects[*].id", R"({"list":["x","y"],"of":"string"})"},
      {"objects.*.id", R"({"list":["x","y"],"of":"string"})"},
      {"object[*].a", R"({"tuple":["one"]})"},
      {"nothing[*]", R"({"tuple":[]})"},
      {"null[*].a", R"({"tuple":[]})"},
      {"u[*]", R"({"unknown":"dynamic"})"},
      {"ul[*]", R"({"unknown":["list","string"],"refinements":{"not_null":true,)"
                R"("min_length":2,"max_length":3}})"},
      {"[objects, objects][*][*].id",
       R"({"tuple":[{"list":["x","y"],"of":"string"},{"list":["x","y"],"of":"string"}]})"},
      {"null_list[*]", "Splat of null value at 0-9"},
      {"objects[*].no", "Unsupported attribute at 10-13; Unsupported attribute at 10-13"},
  });
}

TEST(Eval, Templates) {
  Check({
      {"\"${n}\"", R"({"number":"5"})"},
      {"\"a${n}b\"", R"("a5b")"},
      {"\"ami-${u}\"", R"({"unknown":"string","refinements":{"not_null":true,"prefix":"ami-"}})"},
      {"\"secret${u}\"",
       R"({"unknown":"string","refinements":{"not_null":true,"prefix":"secre"}})"},
      {"\"x${secret}\"", R"({"marked":["sensitive"],"value":"xhidden"})"},
      {"\"%{ for x in list }<${x}>%{ endfor }\"", R"("<a><b>")"},
      {"\"%{ if n > 1 }big%{ else }small%{ endif }\"", R"("big")"},
      {"\"a${null}\"", "Invalid template interpolation value at 4-8"},
      {"\"a${list}\"", "Invalid template interpolation value at 4-8"},
  });
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need too much memory
TEST(Eval, TemplatesThatDoubleTheirTextEndWithADiagnostic) {
  hcl::SyntaxTree tree;
  ToolScope scope;
  scope.SetVariable("x", Value::NormalizedString(std::string(size_t{150} << 20, 'x')));
  for (const char* text : {"\"${x}${x}\"", "\"%{for i in [1, 2]}${x}%{endfor}\""}) {
    Diagnostics diags;
    const hcl::Expr* expr =
        hcl::ParseExpression(tree.KeepSource(SourceFile::Make("t", text)), tree, diags);
    (void)Evaluate(*expr, scope, diags);
    ASSERT_EQ(diags.size(), 1u) << text;
    EXPECT_EQ(diags.begin()->summary, "Template result too long");
  }
}
#endif

TEST(Eval, Objects) {
  Check({
      {"{a = 1, a = 2}", R"({"object":{"a":{"number":"2"}}})"},
      {"{true = 1, (s) = 2}", R"({"object":{"text":{"number":"2"},"true":{"number":"1"}}})"},
      {"{(u) = 1}", R"({"unknown":"dynamic"})"},
      {"{(secret) = 1}",
       R"({"marked":["sensitive"],"value":{"object":{"hidden":{"number":"1"}}}})"},
      {"{object.a = 1}", "Ambiguous attribute key at 1-9"},
      {"{(null) = 1}", "Null value as key at 10-11"},
      {"{(list) = 1}", "Incorrect key type at 1-7"},
  });
}

TEST(Eval, FunctionCalls) {
  Check({
      {"upper(s)", R"("TEXT")"},
      {"core::upper(s)", R"("TEXT")"},
      {"max([1, 3, 2]...)", R"({"number":"3"})"},
      {"uper(s)", "Call to unknown function at 0-4"},
      {"upper()", "Not enough function arguments at 6-7"},
      {"upper(s, s)", "Too many function arguments at 9-10"},
      {"upper(list)", "Invalid function argument at 6-10"},
      {"upper(null)", "Invalid function argument at 6-10"},
      {"max(s...)", "Invalid expanding argument value at 4-5"},
      {"max(null...)", "Invalid expanding argument value at 4-8"},
      {"upper(nosuch)", "Unknown variable at 6-12"},
      {"try(nosuch, object.c, \"last\")", R"("last")"},
      {"try(u)", R"({"unknown":"dynamic"})"},
      {"try(secret)", R"({"marked":["sensitive"],"value":"hidden"})"},
      {"try(nosuch)", "Error in function call at 0-4"},
      {"can(object.c)", "false"},
      {"can(object.a)", "true"},
      {"can(u)", R"({"unknown":"bool"})"},
      {"can(upper(null))", "false"},
      {"can(object.c || true)", "true"},
      {"can(true ? object.a : object.c)", "true"},
      {"can(true ? object.c : object.a)", "false"},
      {"can(try(object.c, nosuch))", "false"},
      {"can(try(object.c, 1))", "true"},
      {"can([for x in 1 : x])", "false"},
      {"can(uper(s))", "false"},
      {"can(\"${object.c}\")", "false"},
      {"[can(object.c), try(object.c, 1)]", R"({"tuple":[false,{"number":"1"}]})"},
      {"templatestring(\"<$${x}>\", {x = s})", R"("<text>")"},
      {"templatestring(\"$${y}\", {x = s})", "Invalid function argument at 24-25"},
  });
}

TEST(Eval, NamesAreErrorsWithoutScope) {
  const functions::CallContext context;
  const VariableScope nothing(nullptr, nullptr, context);
  hcl::SyntaxTree tree;
  const auto evaluate = [&](std::string_view text) {
    Diagnostics diags;
    const SourceFile* source = tree.KeepSource(SourceFile::Make("t", std::string(text)));
    const hcl::Expr* expr = hcl::ParseExpression(source, tree, diags);
    Evaluate(*expr, nothing, diags);
    return Bench::Show(diags);
  };
  EXPECT_EQ(evaluate("a"), "Variables not allowed at 0-1");
  EXPECT_EQ(evaluate("f(1)"), "Function calls not allowed at 0-4");
  EXPECT_EQ(evaluate("[for x in [1] : y]"), "Unknown variable at 16-17");
  EXPECT_EQ(evaluate("[for x in [1] : x]"), "");
}

TEST(Eval, DiagnosticsShowValuesButNoSecrets) {
  Bench bench(kVariables);
  const auto values = [&](std::string_view text) {
    Diagnostics diags;
    const hcl::Expr* expr = bench.Parse(text, diags);
    Evaluate(*expr, bench.scope(), diags);
    std::string out;
    for (const Diagnostic& problem : diags) {
      for (const ExpressionValue& value : problem.values) {
        out += value.traversal + " " + value.statement + "\n";
      }
    }
    return out;
  };
  EXPECT_EQ(values("list + n"), "list is list of string with 2 elements\n");
  EXPECT_EQ(values("object.c"), "object is object with 2 attributes\n");
  EXPECT_EQ(values("list[n]"), "list is list of string with 2 elements\nn is 5\n");
  EXPECT_EQ(values("secret + 1"), "");
  EXPECT_EQ(values("[for x in [\"v\"] : x + 1]"), "x is \"v\"\n");
  EXPECT_EQ(values("un[0]"), "un is a number\n");
  EXPECT_EQ(values("s.x[0]"), "s is \"text\"\n");
}

TEST(Eval, DiagnosticsNameTheCalledFunction) {
  Bench bench(kVariables);
  const auto call = [&](std::string_view text) {
    Diagnostics diags;
    const hcl::Expr* expr = bench.Parse(text, diags);
    Evaluate(*expr, bench.scope(), diags);
    const auto& note = diags.list().at(0).function_call;
    return note ? note->called_as + " " + note->signature : std::string();
  };
  EXPECT_EQ(call("core::upper(list)"),
            R"(core::upper {"name":"upper","params":[{"name":"str","type":"string"}],)"
            R"("return_type":"string"})");
  EXPECT_EQ(call("max(list...)"),
            R"(max {"name":"max","params":[],"variadic_param":{"name":"numbers",)"
            R"("type":"number"},"return_type":"number"})");
  EXPECT_EQ(call("nosuch(1)"), "");
}

TEST(Eval, BindingsHideTheScope) {
  Bench bench(kVariables);
  Diagnostics diags;
  const Value self = Value::String("bound");
  const Binding outer{"s", &self, nullptr};
  const Value inner_value = Value::Int(7);
  const Binding inner{"n", &inner_value, &outer};
  const hcl::Expr* expr = bench.Parse("\"${s}-${n}-${list[0]}\"", diags);
  EXPECT_EQ(Bench::Show(Evaluate(*expr, bench.scope(), diags, &inner)), R"("bound-7-a")");
  EXPECT_TRUE(diags.empty());
}

TEST(Eval, EvaluateToConverts) {
  Bench bench(kVariables);
  Diagnostics diags;
  const hcl::Expr* number = bench.Parse("n", diags);
  EXPECT_EQ(Bench::Show(EvaluateTo(*number, Type::String(), bench.scope(), diags)), R"("5")");
  const hcl::Expr* list = bench.Parse("list", diags);
  EXPECT_EQ(Bench::Show(EvaluateTo(*list, Type::Number(), bench.scope(), diags)),
            R"({"unknown":"number"})");
  EXPECT_EQ(Bench::Show(diags), "Incorrect value type at 0-4");
}

}  // namespace
}  // namespace kinu::lang
