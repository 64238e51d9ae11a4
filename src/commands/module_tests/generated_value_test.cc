#include "module_tests/generated_value.h"

#include <gtest/gtest.h>

#include "module_tests/go_random.h"

namespace kinu::module_tests {
namespace {

schema::Attribute MakeAttribute(std::string name, Type type, bool optional, bool computed) {
  schema::Attribute attribute;
  attribute.name = std::move(name);
  attribute.type = std::move(type);
  attribute.optional = optional;
  attribute.computed = computed;
  return attribute;
}

/// A resource type with attributes of each kind, and a block.
schema::Block MakeBlock() {
  schema::Block block;
  block.attributes.push_back(MakeAttribute("id", Type::String(), false, true));
  block.attributes.push_back(MakeAttribute("size", Type::Number(), true, true));
  block.attributes.push_back(MakeAttribute("tags", Type::Map(Type::String()), true, false));
  schema::NestedBlock nested;
  nested.name = "disk";
  nested.nesting = schema::Nesting::kList;
  nested.block.attributes.push_back(MakeAttribute("name", Type::String(), true, false));
  nested.block.attributes.push_back(MakeAttribute("serial", Type::String(), false, true));
  block.blocks.push_back(std::move(nested));
  block.Finish();
  return block;
}

Value Empty(const schema::Block& block) {
  return block.EmptyValue();
}

// The texts are those of the reference for these types.
TEST(GeneratedValue, TextsOfATypeAreAlwaysTheSame) {
  schema::Block time_static;
  for (const char* name : {"day", "hour", "minute", "month", "second", "unix", "year"}) {
    time_static.attributes.push_back(MakeAttribute(name, Type::Number(), false, true));
  }
  time_static.attributes.push_back(MakeAttribute("id", Type::String(), false, true));
  time_static.attributes.push_back(MakeAttribute("rfc3339", Type::String(), true, true));
  time_static.Finish();
  for (int i = 0; i < 2; ++i) {
    provider::Problems problems;
    const Value object =
        GenerateObject("time_static", time_static, Empty(time_static), nullptr, problems);
    EXPECT_TRUE(problems.empty());
    EXPECT_EQ(object.Find("id")->AsString(), "79RGnvOmho3VMzJ");
    EXPECT_EQ(object.Find("rfc3339")->AsString(), "3bGyu");
    EXPECT_TRUE(Value::RawEquals(*object.Find("unix"), Value::Int(0)));
  }
}

TEST(GeneratedValue, GivenValuesReplaceGeneratedOnes) {
  const schema::Block block = MakeBlock();
  const Value given = Value::Object({{"id", Value::String("fixed")}, {"size", Value::String("7")}});
  provider::Problems problems;
  const Value object = GenerateObject("t", block, Empty(block), &given, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(object.Find("id")->AsString(), "fixed");
  EXPECT_TRUE(Value::RawEquals(*object.Find("size"), Value::Int(7)));
  EXPECT_TRUE(object.Find("tags")->IsNull());
  EXPECT_EQ(object.Find("disk")->size(), 0U);
}

TEST(GeneratedValue, ConfiguredBlocksAreCompleted) {
  const schema::Block block = MakeBlock();
  const Value disk =
      Value::Object({{"name", Value::String("a")}, {"serial", Value::Null(Type::String())}});
  const Value config = Value::Object({{"id", Value::Null(Type::String())},
                                      {"size", Value::Int(3)},
                                      {"tags", Value::Null(Type::Map(Type::String()))},
                                      {"disk", Value::List(disk.type(), {disk, disk})}});
  const Value given = Value::Object({{"disk", Value::Object({{"serial", Value::String("s")}})}});
  provider::Problems problems;
  const Value object = GenerateObject("t", block, config, &given, problems);
  EXPECT_TRUE(problems.empty());
  ASSERT_EQ(object.Find("disk")->size(), 2U);
  EXPECT_EQ(object.Find("disk")->elements()[1].Find("serial")->AsString(), "s");
  EXPECT_EQ(object.Find("disk")->elements()[1].Find("name")->AsString(), "a");
  EXPECT_TRUE(Value::RawEquals(*object.Find("size"), Value::Int(3)));
}

struct WrongGiven {
  Value given;
  std::string_view summary;
};

TEST(GeneratedValue, ReportsValuesThatCannotBe) {
  const schema::Block block = MakeBlock();
  const Value config = Value::Object({{"id", Value::Null(Type::String())},
                                      {"size", Value::Int(3)},
                                      {"tags", Value::Null(Type::Map(Type::String()))},
                                      {"disk", Empty(block).Attribute("disk")}});
  const WrongGiven cases[] = {
      {Value::Object({{"size", Value::Int(1)}}), "Invalid mock/override field `size`"},
      {Value::Object({{"tags", Value::Map(Type::String(), {})}}),
       "Non-computed field `tags` is not allowed to be overridden"},
      {Value::Object({{"id", Value::EmptyTuple()}}), "Invalid mock/override field `id`"},
      {Value::Object({{"none", Value::Int(1)}}), "Invalid override for block field `none`"},
      {Value::Object({{"disk", Value::Int(1)}}), "Invalid override for block field `disk`"},
      {Value::Object({{"disk", Value::EmptyObject()}}), "Invalid override for block field `disk`"},
  };
  for (const WrongGiven& wrong : cases) {
    provider::Problems problems;
    const Value object = GenerateObject("t", block, config, &wrong.given, problems);
    EXPECT_TRUE(object.IsNull());
    ASSERT_FALSE(problems.empty()) << wrong.summary;
    EXPECT_EQ(problems[0].summary, wrong.summary);
  }
}

TEST(GeneratedValue, WriteOnlyAttributesHaveNoValue) {
  schema::Block block;
  block.attributes.push_back(MakeAttribute("secret", Type::String(), true, true));
  block.attributes[0].write_only = true;
  block.Finish();
  const Value given = Value::Object({{"secret", Value::String("x")}});
  provider::Problems problems;
  const Value object = GenerateObject("t", block, Empty(block), &given, problems);
  EXPECT_TRUE(object.Find("secret")->IsNull());
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].severity, Severity::kWarning);
  EXPECT_EQ(problems[0].summary, "Encountered override for write-only attribute `secret`");
}

TEST(GoRandom, StaysBelowTheEnd) {
  for (const int64_t seed : {int64_t{0}, int64_t{-1}, int64_t{1} << 40}) {
    GoRandom random(seed);
    for (const int32_t end : {1, 2, 12, 62, 0x7fffffff}) {
      const int32_t number = random.Below(end);
      EXPECT_GE(number, 0);
      EXPECT_LT(number, end);
    }
  }
}

// The first numbers of Go's rand.New(rand.NewSource(1)).Intn(100).
TEST(GoRandom, IsThatOfGo) {
  GoRandom random(1);
  for (const int32_t expected : {81, 87, 47, 59, 81, 18, 25, 40, 56, 0}) {
    EXPECT_EQ(random.Below(100), expected);
  }
}

}  // namespace
}  // namespace kinu::module_tests
