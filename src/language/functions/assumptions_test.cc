// What assumptions make of values that are not known yet. The examples test known ones.
#include <gtest/gtest.h>

#include "functions/function.h"

namespace kinu::functions {
namespace {

CallResult ResultOf(std::string_view name, std::vector<Value> arguments) {
  return Table::Standard().Find(name)->Call(arguments, CallContext{});
}

Value UnknownList() {
  return Value::Unknown(Type::List(Type::String()));
}

TEST(AssumptionsTest, RefineUnknownValues) {
  const auto prefixed =
      ResultOf("assumestringprefix", {Value::Unknown(Type::String()), Value::String("ami-")});
  ASSERT_TRUE(prefixed);
  EXPECT_EQ(prefixed->refinements().prefix, "ami-");
  EXPECT_FALSE(prefixed->refinements().not_null);
  const auto present = ResultOf("assumenotnull", {*prefixed});
  ASSERT_TRUE(present);
  EXPECT_TRUE(present->refinements().not_null);
  EXPECT_EQ(present->refinements().prefix, "ami-");
  const auto bounded = ResultOf("assumelistlength", {UnknownList(), Value::Int(1), Value::Int(3)});
  ASSERT_TRUE(bounded);
  EXPECT_EQ(bounded->refinements().min_length, 1);
  EXPECT_EQ(bounded->refinements().max_length, 3);
}

TEST(AssumptionsTest, KeepWhatIsKnownBetter) {
  const auto narrow = ResultOf("assumelistlength", {UnknownList(), Value::Int(2), Value::Int(3)});
  const auto wide = ResultOf("assumelistlength", {*narrow, Value::Int(1), Value::Int(9)});
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->refinements().min_length, 2);
  EXPECT_EQ(wide->refinements().max_length, 3);
}

TEST(AssumptionsTest, ALengthMakesAListOfAPresentOne) {
  const auto present = ResultOf("assumenotnull", {UnknownList()});
  const auto list = ResultOf("assumelistlength", {*present, Value::Int(2), Value::Int(2)});
  ASSERT_TRUE(list);
  ASSERT_TRUE(list->IsKnown());
  EXPECT_EQ(list->size(), 2u);
  const auto perhaps = ResultOf("assumelistlength", {UnknownList(), Value::Int(2), Value::Int(2)});
  ASSERT_TRUE(perhaps);
  EXPECT_FALSE(perhaps->IsKnown());
}

TEST(AssumptionsTest, ContradictionsFail) {
  EXPECT_FALSE(ResultOf("assumelistlength", {UnknownList(), Value::Int(3), Value::Int(2)}));
  EXPECT_FALSE(ResultOf("assumelistlengthmax", {UnknownList(), Value::Int(-1)}));
  const auto prefixed =
      ResultOf("assumestringprefix", {Value::Unknown(Type::String()), Value::String("ami-x-")});
  EXPECT_FALSE(ResultOf("assumestringprefix", {*prefixed, Value::String("i-")}));
  EXPECT_FALSE(ResultOf("assumenotnull", {Value::DynamicUnknown()}));
  EXPECT_FALSE(
      ResultOf("assumelistlengthmin", {Value::Null(Type::List(Type::String())), Value::Int(0)}));
}

TEST(AssumptionsTest, EqualValuesLoseNoMarksOfOrigin) {
  const Value secret = Value::String("a").WithMarks(MarkSet::Sensitive());
  const auto shown = ResultOf("assumeequal", {secret, Value::String("a")});
  ASSERT_TRUE(shown);
  EXPECT_TRUE(shown->marks().empty());
  const auto hidden = ResultOf("assumeequal", {Value::String("a"), secret});
  ASSERT_TRUE(hidden);
  EXPECT_TRUE(hidden->marks().sensitive());
  const auto later = ResultOf("assumeequal", {Value::Unknown(Type::Number()), Value::Int(7)});
  ASSERT_TRUE(later);
  EXPECT_EQ(later->AsInt64(), 7);
}

}  // namespace
}  // namespace kinu::functions
