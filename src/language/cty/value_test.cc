#include "cty/value.h"

#include <gtest/gtest.h>

#include "cty/conversion.h"
#include "cty/ops.h"
#include "cty/path.h"

namespace kinu {
namespace {

Value Str(std::string_view text) {
  return Value::String(text);
}

TEST(Type, EqualTypesAreOneNode) {
  Type a = Type::Object(std::vector<Type::Attribute>{{"b", Type::String()}, {"a", Type::Number()}});
  Type b = Type::Object(std::vector<Type::Attribute>{{"a", Type::Number()}, {"b", Type::String()}});
  EXPECT_EQ(a.node(), b.node());
  EXPECT_EQ(a.attributes()[0].name, "a");
  EXPECT_EQ(a.FindAttribute("b"), 1);
  EXPECT_EQ(a.FindAttribute("c"), -1);
  EXPECT_NE(a, Type::Object(std::vector<Type::Attribute>{{"a", Type::Number()},
                                                         {"b", Type::String(), true}}));
  EXPECT_EQ(Type::List(a), Type::List(b));
  EXPECT_NE(Type::List(a), Type::Set(a));
}

TEST(Type, RepeatedAttributeKeepsTheLast) {
  Type type =
      Type::Object(std::vector<Type::Attribute>{{"a", Type::Number()}, {"a", Type::Bool()}});
  ASSERT_EQ(type.attributes().size(), 1u);
  EXPECT_EQ(type.attributes()[0].type, Type::Bool());
}

TEST(Value, ObjectOfKnownNamesSharesTheType) {
  Value a = Value::Object({{"x", Value::Int(1)}, {"y", Str("s")}});
  Value b = Value::Object({{"y", Str("t")}, {"x", Value::Int(2)}});
  EXPECT_EQ(a.type().node(), b.type().node());
  EXPECT_EQ(a.Attribute("y").AsString(), "s");
  EXPECT_EQ(b.elements()[0].AsInt64(), 2);
}

TEST(Value, MarksStayApartFromContent) {
  Value secret = Str("x").WithMarks(MarkSet::Sensitive());
  EXPECT_TRUE(secret.IsMarked());
  EXPECT_EQ(secret.AsString(), "x");
  Value list = Value::List(Type::String(), {secret, Str("y")});
  EXPECT_FALSE(list.IsMarked());
  EXPECT_TRUE(list.ContainsMarked());
  MarkSet marks;
  Value plain = list.UnmarkDeep(&marks);
  EXPECT_TRUE(marks.sensitive());
  EXPECT_FALSE(plain.ContainsMarked());
  EXPECT_TRUE(Value::RawEquals(plain, Value::List(Type::String(), {Str("x"), Str("y")})));
  EXPECT_FALSE(Value::RawEquals(plain, list));
}

TEST(Value, RareMarksSurviveAndUnwrap) {
  Value value = Value::Int(5).WithMarks(MarkSet::Named("cause", "why"));
  value = value.WithMarks(MarkSet::Sensitive());
  EXPECT_EQ(value.marks().Names(), (std::vector<std::string>{"cause", "sensitive"}));
  EXPECT_EQ(value.AsInt64(), 5);
  EXPECT_TRUE(Value::RawEquals(value.Unmark(), Value::Int(5)));
}

TEST(Value, MarkPathsRoundTrip) {
  Value value = Value::Object(
      {{"a", Value::Tuple({Str("p"), Str("q").WithMarks(MarkSet::Ephemeral())})},
       {"m", Value::Map(Type::String(), {{"k", Str("v").WithMarks(MarkSet::Sensitive())}})}});
  std::vector<PathMarks> paths;
  Value plain = value.UnmarkDeepWithPaths(&paths);
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[0].path.ToText(), ".a[1]");
  EXPECT_EQ(paths[1].path.ToText(), ".m[\"k\"]");
  EXPECT_TRUE(Value::RawEquals(plain.MarkWithPaths(paths), value));
}

TEST(Value, SetsMergeOrderAndTakeMarks) {
  Value set =
      Value::Set(Type::Number(), {Value::Int(10), Value::Int(9).WithMarks(MarkSet::Sensitive()),
                                  Value::Int(10), Value::Null(Type::Number())});
  ASSERT_EQ(set.size(), 3u);
  EXPECT_EQ(set.elements()[0].AsInt64(), 9);
  EXPECT_EQ(set.elements()[1].AsInt64(), 10);
  EXPECT_TRUE(set.elements()[2].IsNull());
  EXPECT_TRUE(set.marks().sensitive());
}

TEST(Ops, SetMembership) {
  Value set =
      Value::Set(Type::String(), {Str("b"), Value::Null(Type::String()), Str("a"), Str("b")});
  ASSERT_EQ(set.size(), 3u);
  EXPECT_TRUE(HasElement(set, Str("a")).AsBool());
  EXPECT_TRUE(HasElement(set, Value::Null(Type::String())).AsBool());
  EXPECT_FALSE(HasElement(set, Str("c")).AsBool());
  EXPECT_FALSE(HasElement(set, Value::Int(1)).AsBool());
  EXPECT_FALSE(HasElement(set, Value::Unknown(Type::String())).IsKnown());
  Value open = Value::Set(Type::String(), {Str("a"), Value::Unknown(Type::String())});
  EXPECT_TRUE(HasElement(open, Str("a")).AsBool());
  EXPECT_FALSE(HasElement(open, Str("b")).IsKnown());
}

TEST(Value, MinusZeroIsAnElementOfItsOwn) {
  Value set = Value::Set(Type::Number(),
                         {Value::Int(0), Value::Of(*Number::Parse("-0")),
                          Value::Of(*Number::Parse("0.1")), Value::Of(Number::FromDouble(0.1))});
  ASSERT_EQ(set.size(), 3u);
  EXPECT_EQ(set.elements()[0].AsNumber().ToText(), "-0");
  EXPECT_EQ(set.elements()[1].AsNumber().ToText(), "0");
}

TEST(Ops, NumbersThatNoDocumentHasAreFoundAnywhere) {
  const Value zero = Multiply(Value::Int(0), Value::Int(-1));
  const Value infinite = Value::Of(Number::Infinity(false));
  const Value plain = Value::Tuple({Value::Int(0), Value::Null(Type::Number()), Value::String("0"),
                                    Value::Of(*Number::Parse("0.5"))});
  EXPECT_TRUE(WithUnsignedZeros(plain).SameRepresentation(plain));
  EXPECT_FALSE(ContainsInfinity(plain));
  for (const Value& marked : {zero, zero.WithMarks(MarkSet::Sensitive())}) {
    const Value inside = WithUnsignedZeros(Value::Tuple({Value::Int(1), marked})).elements()[1];
    EXPECT_EQ(inside.marks(), marked.marks());
    EXPECT_TRUE(Value::RawEquals(inside.UnmarkDeep(), Value::Int(0)));
  }
  EXPECT_TRUE(ContainsInfinity(Value::Tuple({infinite.WithMarks(MarkSet::Sensitive())})));
  EXPECT_TRUE(Value::RawEquals(InfinityAsNull(infinite), Value::Null(Type::Number())));
}

TEST(Value, UntypedElementsTakeTheElementType) {
  Value list = Value::List(Type::Dynamic(), {Value::DynamicUnknown(), Str("a"), Value()});
  EXPECT_EQ(list.type(), Type::List(Type::String()));
  EXPECT_EQ(list.elements()[0].type(), Type::String());
  EXPECT_TRUE(list.elements()[2].IsNull());
}

TEST(Value, DeepNestingIsFreedWithoutRecursion) {
  Value value = Str("bottom");
  for (int i = 0; i < 200000; ++i) {
    value = Value::Tuple({value});
    if (i % 1000 == 0) {
      value = value.WithMarks(MarkSet::Named("rare"));
    }
  }
  Path path;
  size_t visited = 0;
  WalkValue(value, path, [&](const Path&, const Value&) {
    ++visited;
    return true;
  });
  EXPECT_EQ(visited, 200001u);
  value = Value();
}

TEST(Value, CompleteRefinementsBecomeValues) {
  Refinements five;
  five.not_null = true;
  five.min = five.max = Number::FromInt(5);
  EXPECT_TRUE(Value::RawEquals(Value::Unknown(Type::Number(), five), Value::Int(5)));
  Refinements two_long;
  two_long.not_null = true;
  two_long.min_length = two_long.max_length = 2;
  Value list = Value::Unknown(Type::List(Type::Bool()), two_long);
  ASSERT_TRUE(list.IsKnown());
  EXPECT_EQ(list.size(), 2u);
  EXPECT_FALSE(list.IsWhollyKnown());
}

TEST(Ops, UnknownArithmeticKeepsBounds) {
  Refinements range;
  range.not_null = true;
  range.min = Number::FromInt(1);
  range.max = Number::FromInt(4);
  Value sum = Add(Value::Unknown(Type::Number(), range), Value::Int(10));
  EXPECT_EQ(sum.refinements().min->ToInt64(), 11);
  EXPECT_EQ(sum.refinements().max->ToInt64(), 14);
  EXPECT_TRUE(LessThan(sum, Value::Int(15)).AsBool());
  EXPECT_FALSE(LessThan(sum, Value::Int(14)).IsKnown());
}

TEST(Ops, TransformRebuildsOnlyWhatChanged) {
  Value inner = Value::List(Type::String(), {Str("a"), Str("b")});
  Value value = Value::Object({{"keep", inner}, {"n", Value::Int(1)}});
  Path path;
  Value result = TransformValue(value, path, [](const Path& at, const Value& v) {
    return at.ToText() == ".n" ? Value::Int(2) : v;
  });
  EXPECT_EQ(result.Attribute("n").AsInt64(), 2);
  EXPECT_TRUE(result.Attribute("keep").SameRepresentation(inner));
}

TEST(Convert, PathsOfErrors) {
  Value value = Value::Object({{"a", Value::Tuple({Str("1"), Str("x")})}});
  Type type = Type::Object(std::vector<Type::Attribute>{{"a", Type::List(Type::Number())}});
  auto converted = Convert(value, type);
  ASSERT_FALSE(converted);
  EXPECT_EQ(converted.error().ToText(), ".a[1]: a number is required");
}

TEST(Type, OfVeryManyValuesLivesForever) {
  const Type many =
      Type::Object(std::vector<Type::Attribute>{{.name = "of_many_values", .type = Type::Bool()}});
  EXPECT_FALSE(many.node()->is_immortal());
  {
    const std::vector<Value> nulls(100, Value::Null(many));
    EXPECT_FALSE(many.node()->is_immortal());
    const std::vector<Type> copies(1000, many);
  }
  EXPECT_TRUE(many.node()->is_immortal());
  EXPECT_EQ(Value::Null(many).type(), many);
}

TEST(Type, BecomesImmortalWhileThreadsUseIt) {
  for (int round = 0; round < 50; ++round) {
    const std::string name = "round" + std::to_string(round);
    const auto make = [&name] {
      return Type::Object(std::vector<Type::Attribute>{{.name = name, .type = Type::Bool()}});
    };
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&make] {
        for (int i = 0; i < 20; ++i) {
          const std::vector<Type> types(30, make());
          const std::vector<Value> values(30, Value::Unknown(types[7]));
          EXPECT_EQ(values[12].type(), make());
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(make().attributes()[0].name, name);
  }
}

}  // namespace
}  // namespace kinu
