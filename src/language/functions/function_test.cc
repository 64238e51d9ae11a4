#include "functions/function.h"

#include <set>

#include <gtest/gtest.h>

#include "functions/glob.h"
#include "functions/support.h"
#include "functions/testing/evaluation.h"

namespace kinu::functions {
namespace {

Value Call(std::string_view name, std::vector<Value> args, const CallContext& context = {}) {
  const CallResult result =
      testing::CallConverted(*Table::Standard().Find(name), std::move(args), context);
  EXPECT_TRUE(result) << name << ": " << (result ? "" : result.error().message);
  return result.value_or(Value());
}

CallError Error(std::string_view name, std::vector<Value> args, const CallContext& context = {}) {
  const CallResult result =
      testing::CallConverted(*Table::Standard().Find(name), std::move(args), context);
  EXPECT_FALSE(result) << name;
  return result ? CallError() : result.error();
}

Value Text(std::string_view text) {
  return Value::String(text);
}

TEST(Table, HasEveryFunctionOnceInOrderAndDescribed) {
  std::string_view previous;
  for (const FunctionSpec* spec : Table::Standard().specs()) {
    EXPECT_LT(previous, spec->name);
    previous = spec->name;
    EXPECT_FALSE(spec->doc.empty()) << spec->name;
    EXPECT_GE(spec->examples.size(), 2u) << spec->name;
    EXPECT_FALSE(spec->ref.empty()) << spec->name;
    EXPECT_TRUE(spec->lazy || spec->impl != nullptr) << spec->name;
    EXPECT_NE(spec->result_type, nullptr) << spec->name;
  }
  EXPECT_NE(Table::Standard().Find("core::upper"), nullptr);
  EXPECT_EQ(Table::Standard().Find("core::upper"), Table::Standard().Find("upper"));
  EXPECT_EQ(Table::Standard().Find("nosuch"), nullptr);
  EXPECT_EQ(Table::Standard().Find("core::"), nullptr);
}

TEST(Framework, RefusesNullsByArgument) {
  EXPECT_EQ(Error("join", {Text("-"), Value::Null(ListOfString())}).argument, 1);
  EXPECT_EQ(Error("upper", {Value()}).argument, 0);
  EXPECT_TRUE(Call("tostring", {Value()}).IsNull());
}

TEST(Framework, UnknownArgumentsGiveRefinedUnknowns) {
  const Value upper = Call("upper", {Value::Unknown(Type::String())});
  EXPECT_FALSE(upper.IsKnown());
  EXPECT_EQ(upper.type(), Type::String());
  EXPECT_TRUE(upper.refinements().not_null);
  // Without allow_dynamic, an argument of unknown type makes the result's type unknown.
  EXPECT_TRUE(Call("reverse", {Value::DynamicUnknown()}).type().is_dynamic());
  EXPECT_EQ(Call("length", {Value::DynamicUnknown()}).type(), Type::Number());
}

TEST(Framework, MovesMarksToTheResult) {
  const Value secret = Text("a").WithMarks(MarkSet::Sensitive());
  EXPECT_TRUE(Call("upper", {secret}).marks().sensitive());
  EXPECT_TRUE(Call("join", {Text("-"), Value::Tuple({secret})}).marks().sensitive());
  EXPECT_TRUE(Call("upper", {Value::Unknown(Type::String()).WithMarks(MarkSet::Sensitive())})
                  .marks()
                  .sensitive());
  // length ignores marks of elements.
  EXPECT_FALSE(Call("length", {Value::Tuple({secret})}).IsMarked());
  EXPECT_FALSE(Call("nonsensitive", {secret}).IsMarked());
}

TEST(Framework, ImpureFunctionsWaitForApply) {
  CallContext planning;
  planning.pure_only = true;
  EXPECT_FALSE(Call("uuid", {}, planning).IsKnown());
  EXPECT_TRUE(Call("uuid", {}).IsKnown());
  EXPECT_FALSE(Call("plantimestamp", {}).IsKnown());
}

TEST(Distinct, ManyElementsAreLinear) {
  std::vector<Value> values;
  for (int i = 0; i < 200000; ++i) {
    values.push_back(Value::Int(i % 100000));
  }
  const Value list = Value::List(Type::Number(), values);
  EXPECT_EQ(Call("distinct", {list}).size(), 100000u);
  EXPECT_EQ(Call("setsubtract", {list, list}).size(), 0u);
}

TEST(Glob, Components) {
  struct Case {
    std::string_view pattern;
    std::string_view name;
    bool matches;
  };
  const Case cases[] = {
      {"*", "", true},          {"*.tf", "main.tf", true},
      {"*.tf", ".tf", true},    {"*.tf", "main.tf.json", false},
      {"m?in", "main", true},   {"m?in", "mäin", true},
      {"[a-c]x", "bx", true},   {"[^a-c]x", "bx", false},
      {"[!a]x", "bx", true},    {"a*b*c", "aXbYbc", true},
      {"a*b*c", "aXbY", false}, {"\\*", "*", true},
      {"\\*", "x", false},      {"[]", "x", false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(MatchesComponent(c.pattern, c.name), c.matches) << c.pattern << " " << c.name;
  }
}

TEST(Glob, Braces) {
  const auto patterns = ExpandBraces("a{b,c{d,e}}f\\{g");
  ASSERT_TRUE(patterns);
  const std::set<std::string> got(patterns->begin(), patterns->end());
  EXPECT_EQ(got, (std::set<std::string>{"abf\\{g", "acdf\\{g", "acef\\{g"}));
  EXPECT_FALSE(ExpandBraces("a{b"));
}

}  // namespace
}  // namespace kinu::functions
