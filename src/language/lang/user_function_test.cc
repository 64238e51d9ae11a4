#include "lang/user_function.h"

#include <gtest/gtest.h>

#include "lang/testing/evaluation.h"

namespace kinu::lang {
namespace {

using testing::Bench;

// Evaluates with the functions of `definitions` and with try, can and convert.
std::string Evaluate(std::string_view definitions, std::string_view source) {
  Bench bench;
  Diagnostics diags;
  const hcl::Body* body = bench.ParseBody(definitions, diags);
  ToolScope inner;
  inner.SetVariable("outside", Value::Int(7));
  inner.AddFunction("upper", functions::Table::Standard().Find("upper"));
  const auto functions = ReadUserFunctions(*body, "fn", inner, bench.tree(), diags);
  ToolScope scope;
  for (const auto& function : functions) {
    scope.AddFunction(function->name(), function.get());
  }
  for (const std::string_view name : {"try", "can"}) {
    scope.AddFunction(name, functions::Table::Standard().Find(name));
  }
  scope.AddFunction("convert", &ConvertFunction());
  scope.SetVariable("unknown", Value::Unknown(Type::String()));
  scope.SetVariable("untyped", Value::DynamicUnknown());
  scope.SetVariable("secret", Value::String("s").WithMarks(MarkSet::Sensitive()));
  const hcl::Expr* expr = bench.Parse(source, diags);
  Value value;
  if (!diags.has_errors()) {
    value = lang::Evaluate(*expr, scope, diags);
  }
  return diags.empty() ? Bench::Show(value) : Bench::Show(diags);
}

struct Case {
  const char* definitions;
  const char* source;
  const char* want;
};

TEST(UserFunctions, AreCalled) {
  const Case cases[] = {
      {"fn \"f\" {\n params = [a, b]\n result = \"${b}${a}\"\n}", R"(f("x", "y"))", R"("yx")"},
      {"fn \"f\" {\n params = []\n result = outside\n}", "f()", R"({"number":"7"})"},
      {"fn \"f\" {\n params = [outside]\n result = outside\n}", "f(1)", R"({"number":"1"})"},
      {"fn \"f\" {\n params = [a]\n result = upper(a)\n}", R"(f("x"))", R"("X")"},
      {"fn \"f\" {\n params = [a]\n variadic_param = r\n result = r\n}", "f(1)", R"({"tuple":[]})"},
      // User functions cannot call each other, so there is no recursion.
      {"fn \"f\" {\n params = [a]\n result = f(a)\n}", "f(1)", "Error in function call at 0-2"},
      {"fn \"f\" {\n params = [a]\n result = unknown\n}", "f(1)", "Error in function call at 0-2"},
      {"fn \"f\" {\n params = [a]\n result = a\n}", "f()", "Not enough function arguments at 2-3"},
      {"fn \"f\" {\n params = [a]\n result = a\n}", "f(1, 2)",
       "Too many function arguments at 5-6"},
      {"fn \"f\" {\n params = [a]\n result = a\n}", "f(null)", "Invalid function argument at 2-6"},
      {"fn \"f\" {\n params = [a]\n result = a\n}", "f(unknown)", R"({"unknown":"string"})"},
      {"fn \"f\" {\n params = [a]\n result = 1\n}", "f(untyped)", R"({"unknown":"dynamic"})"},
      {"fn \"f\" {\n params = [a]\n result = 1\n}", "f(secret)",
       R"({"marked":["sensitive"],"value":{"number":"1"}})"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(Evaluate(one.definitions, one.source), one.want) << one.definitions << one.source;
  }
}

TEST(UserFunctions, DefinitionsAreChecked) {
  const Case cases[] = {
      {"fn \"f\" {\n result = 1\n}", "1", "Missing required argument at 7-7"},
      {"fn \"f\" {\n params = []\n}", "1", "Missing required argument at 7-7"},
      {"fn \"f\" {\n params = a\n result = 1\n}", "1", "Invalid expression at 19-20"},
      {"fn \"f\" {\n params = [a.b]\n result = 1\n}", "1", "Invalid param element at 20-23"},
      {"fn \"f\" {\n params = []\n variadic_param = 1\n result = 1\n}", "1",
       "Invalid variadic_param at 40-41"},
      {"fn {\n params = []\n result = 1\n}", "1", "Missing name for fn at 3-4"},
      {"fn \"f\" {\n params = []\n result = 1\n other = 2\n}", "1",
       "Unsupported argument at 35-40"},
      {"other {}\nx = 1\n", "1", R"({"number":"1"})"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(Evaluate(one.definitions, one.source), one.want) << one.definitions;
  }
}

TEST(Extensions, TryCanAndConvert) {
  const Case cases[] = {
      {"", "try(nope, 2)", R"({"number":"2"})"},
      {"", "try(unknown, 2)", R"({"unknown":"dynamic"})"},
      {"", "try(nope, nope)", "Error in function call at 0-4"},
      {"", "try()", "Error in function call at 0-4"},
      {"", "can(nope)", "false"},
      {"", "can(1)", "true"},
      {"", "can(unknown)", R"({"unknown":"bool"})"},
      {"", "convert(\"5\", number)", R"({"number":"5"})"},
      {"", "convert([1, \"a\"], list(string))", R"({"list":["1","a"],"of":"string"})"},
      {"", "convert(null, string)", R"({"null":"string"})"},
      {"", "convert(unknown, number)", R"({"unknown":"number"})"},
      {"", "convert(\"x\", number)", "Invalid function argument at 9-10"},
      {"", "convert(\"x\", nonsense)", "Invalid type specification at 13-21"},
      {"", "convert(nope, string)", "Unknown variable at 8-12"},
      {"", "convert(1)", "Not enough function arguments at 9-10"},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(Evaluate(one.definitions, one.source), one.want) << one.source;
  }
}

}  // namespace
}  // namespace kinu::lang
