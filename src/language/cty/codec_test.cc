// Values as msgpack and JSON where no recorded answer reaches: depth, size, damage.

#include <thread>

#include <gtest/gtest.h>

#include "cty/conversion.h"
#include "cty/json.h"
#include "cty/msgpack.h"
#include "cty/ops.h"

namespace kinu {
namespace {

Value StringOf(std::string_view text) {
  return Value::String(text);
}

Value Sample() {
  Refinements refined;
  refined.not_null = true;
  refined.prefix = "arn:aws:";
  Refinements bounded;
  bounded.min = Number::FromInt(3);
  bounded.max = *Number::Parse("7.25");
  bounded.max_inclusive = false;
  Refinements sized;
  sized.min_length = 2;
  sized.max_length = 70000;
  std::vector<Value> many;
  for (int i = 0; i < 300; ++i) {
    many.push_back(Value::Int(int64_t{i} * 1000003));
  }
  return Value::Object(
      {{"numbers", Value::List(Type::Number(), many)},
       {"big", Value::Of(*Number::Parse("123456789012345678901234567890"))},
       {"tenth", Value::Of(*Number::Parse("0.1"))},
       {"half", Value::Of(*Number::Parse("-0.5"))},
       {"minimum", Value::Int(INT64_MIN)},
       {"infinite", Value::Of(Number::Infinity(true))},
       {"set",
        Value::Set(Type::String(), {StringOf("b"), StringOf("a"), Value::Unknown(Type::String())})},
       {"map", Value::Map(Type::Bool(), {{"x", Value::True()}, {"é", Value::Null(Type::Bool())}})},
       {"tuple",
        Value::Tuple({Value::DynamicUnknown(), Value(), StringOf(std::string(70000, 'z'))})},
       {"refined", Value::Unknown(Type::String(), refined)},
       {"bounded", Value::Unknown(Type::Number(), bounded)},
       {"sized", Value::Unknown(Type::Map(Type::String()), sized)}});
}

std::string Outcome(const ValueResult<Value>& value) {
  return value ? GoString(*value) : "error: " + value.error().ToText();
}

// A text is read without a tree where that succeeds. What comes out must be what a tree gives, and
// of a malformed text what the parser says.
TEST(Codec, JsonTextReadsLikeItsTree) {
  const Type::Attribute attributes[] = {
      {"a", Type::String()}, {"b", Type::List(Type::Number())}, {"c", Type::Map(Type::Bool())}};
  const Type pair[] = {Type::String(), Type::Number()};
  const Type types[] = {
      Type::String(),
      Type::Number(),
      Type::Bool(),
      Type::Dynamic(),
      Type::Tuple(pair),
      Type::Set(Type::String()),
      Type::Map(Type::String()),
      Type::Object(attributes),
      Type::List(Type::Object(attributes)),
  };
  const std::string_view texts[] = {
      R"("x")",
      R"( "x" )",
      R"("aé日本\n\"\\\/\u00e9\ud83d\ude00\ud800 e\u0301")",
      "\"broken \xff\xc3 utf-8 \xe9\"",
      R"("1")",
      R"("true")",
      R"("a longer string that has no escapes, and a sequel")",
      "\"a\tb\"",
      R"("\x")",
      R"("\u12")",
      R"("open)",
      R"("open\)",
      "0",
      "-0",
      "-1",
      "-",
      "01",
      "1.",
      "1.50e+3",
      "1e",
      "+1",
      ".5",
      "123456789012345678",
      "1234567890123456789",
      "-123456789012345678901234567890",
      "0.1",
      "1e999999",
      "true",
      "false",
      "null",
      "nul",
      "nullx",
      "True",
      "",
      " ",
      "[]",
      "[ ]",
      "{}",
      "[1,2,3]",
      "[1,2,3,]",
      "[1 2]",
      "[,1]",
      "[1",
      "[1}",
      R"(["x",1])",
      R"(["x",1,2])",
      R"(["x"])",
      R"(["b","a","b"])",
      R"({"a":"x","b":[1,"2"],"c":{"x":true,"y":"false"}})",
      R"({"c":{"y":true,"x":null},"b":[],"a":"x"})",
      R"({"a":"x","a":"y"})",
      R"({"b":null})",
      R"({"d":1})",
      R"({"a":"x","b":1})",
      R"({"a":"x",})",
      R"({"a" "x"})",
      R"({"a":})",
      R"({a:1})",
      R"({"a":1]})",
      R"({"é":"1","z":"2","a":"3"})",
      R"([{"a":"1","b":[1],"c":{}},{"a":null,"b":[2],"c":{"q":false}},{"b":[]},{}])",
      R"([{"a":1},{"a":"x"},{"a":1,"b":2},{"b":2,"a":1},{"a":1,"a":"x"},{"a":1}])",
      R"([[1,"a"],[2,"b"],["c",3],[],[1]])",
      R"({"value":[1],"type":["list","number"]})",
      R"({"type":"string","value":"x"})",
      "\xef\xbb\xbf{}",
      "[1] [2]",
      "[1]]",
  };
  for (const std::string_view text : texts) {
    const JsonDocument document = ParseJson(text);
    const auto want = [&](ValueResult<Value> of_tree) {
      return document.ok() ? Outcome(of_tree)
                           : "error: " + ValueError{{}, document.problems()[0].message}.ToText();
    };
    EXPECT_EQ(Outcome(ImpliedValueOfJson(text)), want(ImpliedValueOfJson(document.root()))) << text;
    for (const Type& type : types) {
      EXPECT_EQ(Outcome(ValueFromJson(text, type)), want(ValueFromJson(document.root(), type)))
          << text << " as " << GoString(type);
    }
  }
}

// A few bytes that say a huge exponent are not written as all the digits that they stand for.
TEST(Codec, HugeExponentsStayShort) {
  for (const std::string_view text : {"5E3535353", "1e646456992", "-7e-600000000", "123e-20000"}) {
    const Value value = Value::Of(*Number::Parse(text));
    const std::string bytes = *ValueToMsgpack(value, Type::Number());
    EXPECT_LT(bytes.size(), 32U) << text;
    EXPECT_TRUE(Value::RawEquals(*ValueFromMsgpack(bytes, Type::Number()), value)) << text;
    const std::string json = *ValueToJson(value, Type::Number());
    EXPECT_LT(json.size(), 32U) << text;
    EXPECT_TRUE(Value::RawEquals(*ValueFromJson(json, Type::Number()), value)) << text;
  }
  // What the reference accepts may also be a bound of an unknown number.
  Refinements known;
  known.min = Number::Parse("1e600000000");
  const Value unknown = Value::Unknown(Type::Number(), known);
  const std::string bytes = *ValueToMsgpack(unknown, Type::Number());
  EXPECT_LT(bytes.size(), 64U);
  EXPECT_TRUE(Value::RawEquals(*ValueFromMsgpack(bytes, Type::Number()), unknown));
}

TEST(Msgpack, RoundTripsEverything) {
  Value value = Sample();
  for (const Type& type : {value.type(), Type::Dynamic()}) {
    auto bytes = ValueToMsgpack(value, type);
    ASSERT_TRUE(bytes) << bytes.error().ToText();
    auto back = ValueFromMsgpack(*bytes, type);
    ASSERT_TRUE(back) << back.error().ToText();
    EXPECT_TRUE(Value::RawEquals(*back, value)) << GoString(*back);
  }
}

TEST(Msgpack, DamagedBytesAreErrorsNotCrashes) {
  Value value = Sample();
  Type type = value.type();
  std::string bytes = *ValueToMsgpack(value, type);
  size_t end = bytes.find("zzzz") + 4;  // the long string tells nothing new
  for (size_t cut = 0; cut < end; ++cut) {
    EXPECT_FALSE(ValueFromMsgpack(std::string_view(bytes).substr(0, cut), type)) << cut;
  }
  size_t readable = 0;
  for (size_t at = 0; at < end; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes.substr(0, end + 100);
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      readable += ValueFromMsgpack(damaged, type).has_value() ? 1 : 0;
      readable += ImpliedTypeOfMsgpack(damaged).has_value() ? 1 : 0;
    }
  }
  // The end is cut off in all of them, except where the last string is made a short one.
  EXPECT_LE(readable, 2u);
}

TEST(Msgpack, LongLengthsWithoutContentAllocateNothing) {
  EXPECT_FALSE(ValueFromMsgpack("\xdd\xff\xff\xff\xff", Type::List(Type::String())));
  EXPECT_FALSE(ValueFromMsgpack("\xdf\xff\xff\xff\xff", Type::Map(Type::String())));
  EXPECT_FALSE(ValueFromMsgpack("\xdb\xff\xff\xff\xff", Type::String()));
}

TEST(Msgpack, ErrorsNameThePlace) {
  Type type = Type::Object(std::vector<Type::Attribute>{{"a", Type::List(Type::Bool())}});
  auto value = ValueFromMsgpack(std::string_view("\x81\xa1"
                                                 "a\x92\xc3\x01",
                                                 6),
                                type);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().ToText(), "[\"a\"][1]: bool is required");
}

TEST(Json, RoundTripsKnownValues) {
  Value value = UnknownAsNull(Sample());
  std::vector<Value> values(value.elements().begin(), value.elements().end());
  Type object = value.type();
  values[static_cast<size_t>(object.FindAttribute("infinite"))] = Value::Int(0);
  value = Value::ObjectOf(object, std::move(values));
  auto text = ValueToJson(value, value.type());
  ASSERT_TRUE(text) << text.error().ToText();
  auto back = ValueFromJson(*text, value.type());
  ASSERT_TRUE(back) << back.error().ToText();
  EXPECT_TRUE(Value::RawEquals(*back, value));
  auto wrapped = ValueToJson(value, Type::Dynamic());
  ASSERT_TRUE(wrapped);
  EXPECT_TRUE(Value::RawEquals(*ValueFromJson(*wrapped, Type::Dynamic()), value));
}

TEST(Json, ObjectsFillMissingAndRefuseUnknownAttributes) {
  Type type =
      Type::Object(std::vector<Type::Attribute>{{"a", Type::String()}, {"b", Type::Number()}});
  Value value = *ValueFromJson(R"({"b": "12"})", type);
  EXPECT_TRUE(value.Attribute("a").IsNull());
  EXPECT_EQ(value.Attribute("b").AsInt64(), 12);
  EXPECT_EQ(ValueFromJson(R"({"c": 1})", type).error().ToText(), "unsupported attribute \"c\"");
  EXPECT_EQ(ValueFromJson(R"({"b": true})", type).error().ToText(), ".b: number is required");
}

TEST(Json, TypesRoundTrip) {
  for (std::string_view text :
       {R"("dynamic")", R"(["list",["map","bool"]])", R"(["tuple",["string",["set","number"]]])",
        R"(["object",{"a<":"string","b":["object",{}]},["b"]])", R"(["tuple",[]])"}) {
    auto type = TypeFromJson(text);
    ASSERT_TRUE(type) << text;
    auto again = TypeFromJson(TypeToJson(*type));
    EXPECT_EQ(*again, *type) << text;
  }
  for (std::string_view bad : {R"("any")", R"(["list"])", R"(["list","string","x"])", R"({})",
                               R"(["object",{"a":"string"},["b"]])", "1", "", "[]"}) {
    EXPECT_FALSE(TypeFromJson(bad)) << bad;
  }
}

TEST(Json, PlainTypes) {
  for (std::string_view text :
       {R"("dynamic")", R"("string")", R"(["list",["map","bool"]])", R"(["object",{}])",
        R"(["object",{"a":"string","a-b":["set",["object",{}]],"b":["object",{"c":"number"}]}])"}) {
    EXPECT_TRUE(IsPlainTypeJson(text)) << text;
    EXPECT_EQ(TypeToJson(*TypeFromJson(text)), text);
  }
  for (std::string_view other :
       {"", "[]", R"("any")", R"("string" )", R"(["list", "bool"])", R"(["list","bool","bool"])",
        R"(["list","bool")", R"(["tuple",[]])", R"(["object",{"b":"bool","a":"bool"}])",
        R"(["object",{"a":"bool","a":"bool"}])", R"(["object",{"a<":"bool"}])",
        R"(["object",{"a":"bool",}])", R"(["object",{"a":"bool"},["a"]])", R"(["object",{,}])"}) {
    EXPECT_FALSE(IsPlainTypeJson(other)) << other;
  }
  std::string deep;
  for (int i = 0; i < 100000; ++i) {
    deep += R"(["list",)";
  }
  EXPECT_FALSE(IsPlainTypeJson(deep));
}

TEST(Json, DeepDocumentsWork) {
  constexpr size_t kDepth = 900;
  std::string text = std::string(kDepth, '[') + std::string(kDepth, ']');
  auto value = ImpliedValueOfJson(text);
  ASSERT_TRUE(value);
  EXPECT_EQ(*ValueToJson(*value, value->type()), text);
  EXPECT_TRUE(Value::RawEquals(*value, *ImpliedValueOfJson(text)));
  EXPECT_TRUE(Equals(*value, *ImpliedValueOfJson(text)).AsBool());
  auto bytes = ValueToMsgpack(*value, value->type());
  ASSERT_TRUE(bytes);
  EXPECT_EQ(value->Hash(), ValueFromMsgpack(*bytes, value->type())->Hash());
  EXPECT_FALSE(ImpliedValueOfJson(std::string(5000, '[') + std::string(5000, ']')));
  EXPECT_FALSE(ImpliedTypeOfMsgpack(std::string(200000, '\x91')));
}

TEST(Type, ThreadsMayMakeAndDropTheSameTypes) {
  std::vector<std::thread> threads;
  std::atomic<int> different = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&different, t] {
      for (int i = 0; i < 20000; ++i) {
        std::string name = "n" + std::to_string((i + t) % 97);
        Value a = Value::Object({{name, Value::Tuple({Value::Int(i), Value()})}});
        Type b = Type::Object(std::vector<Type::Attribute>{
            {name, Type::Tuple(std::vector<Type>{Type::Number(), Type::Dynamic()})}});
        different += a.type() == b ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(different, 0);
}

TEST(GoString, AsTheReference) {
  EXPECT_EQ(GoString(Value::Object({{"a", Value::List(Type::String(), {StringOf("x\n")})},
                                    {"b", Value::Of(*Number::Parse("1.5"))}})),
            "cty.ObjectVal(map[string]cty.Value{\"a\":cty.ListVal([]cty.Value{cty.StringVal("
            "\"x\\n\")}), \"b\":cty.NumberFloatVal(1.5)})");
  EXPECT_EQ(GoString(Value::Null(Type::Map(Type::Bool()))), "cty.NullVal(cty.Map(cty.Bool))");
  EXPECT_EQ(GoString(Value::Of(*Number::Parse("0.1"))), "cty.MustParseNumberVal(\"0.1\")");
  Refinements not_null;
  not_null.not_null = true;
  EXPECT_EQ(GoString(Value::Unknown(Type::Bool(), not_null)),
            "cty.UnknownVal(cty.Bool).RefineNotNull()");
}

// An empty map is the empty object whatever object is asked for; containers go by what they got.
TEST(Msgpack, EmptyObjectsInContainers) {
  const Type object = *TypeFromJson(R"(["object",{"a":"string"}])");
  const auto read = [](std::string_view bytes, const Type& type) {
    const ValueResult<Value> value = ValueFromMsgpack(bytes, type);
    return value ? GoString(*value) : value.error().ToText();
  };
  EXPECT_EQ(read("\x92\x80\x80", Type::List(object)),
            "cty.ListVal([]cty.Value{cty.EmptyObjectVal, cty.EmptyObjectVal})");
  EXPECT_EQ(read("\x92\x80\x81\xA1"
                 "a\xA1"
                 "b",
                 Type::List(object)),
            "inconsistent element types");
  EXPECT_EQ(read("\x81\xA1k\x80", Type::Map(object)),
            "cty.MapVal(map[string]cty.Value{\"k\":cty.EmptyObjectVal})");
  const Type::Attribute attribute{"o", object, false};
  EXPECT_EQ(read("\x81\xA1o\x80", Type::Object(std::span(&attribute, 1))),
            "cty.ObjectVal(map[string]cty.Value{\"o\":cty.EmptyObjectVal})");
}

// Attributes out of order and keys out of order end where those in order do.
TEST(Msgpack, OrderOfNamesDoesNotCount) {
  const Type type = *TypeFromJson(R"(["object",{"a":"number","b":["map","number"]}])");
  const std::string in_order =
      "\x82\xA1"
      "a\x01\xA1"
      "b\x82\xA1"
      "x\x02\xA1"
      "y\x03";
  const std::string other =
      "\x82\xA1"
      "b\x82\xA1"
      "y\x03\xA1"
      "x\x02\xA1"
      "a\x01";
  const ValueResult<Value> first = ValueFromMsgpack(in_order, type);
  const ValueResult<Value> second = ValueFromMsgpack(other, type);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(Value::RawEquals(*first, *second));
  const ValueResult<Value> twice = ValueFromMsgpack(
      "\x82\xA1"
      "a\x01\xA1"
      "a\x02",
      type);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().ToText(), "attribute \"a\" is given twice");
}

// The same of JSON, and members that are missing or repeated.
TEST(JsonValue, OrderOfMembersDoesNotCount) {
  const Type type = *TypeFromJson(R"(["object",{"a":"number","b":["map","number"],"c":"string"}])");
  const ValueResult<Value> first = ValueFromJson(R"({"a":1,"b":{"x":2,"y":3},"c":null})", type);
  for (std::string_view text :
       {R"({"b":{"y":3,"x":2},"a":1})", R"({"a":7,"b":{"x":2,"y":9,"y":3},"a":1})",
        R"({"c":null,"b":{"x":2,"y":3},"a":1})"}) {
    const ValueResult<Value> other = ValueFromJson(text, type);
    ASSERT_TRUE(first && other) << text;
    EXPECT_TRUE(Value::RawEquals(*first, *other)) << text;
  }
}

// What stands before its type is passed without a look, but not taken if it is malformed.
TEST(JsonValue, MalformedDynamicValuesAreRefused) {
  for (const std::string_view value :
       {"{\"x\":1]", "[1,]", "[1 2]", "[1}", "12x", "\"a\nb\"", "tru", "{\"x\":1}}", "1]", ""}) {
    for (const std::string_view type : {R"(["object",{"x":"number"}])", R"(["tuple",["number"]])",
                                        R"("number")", R"("string")"}) {
      const std::string text =
          R"({"value":)" + std::string(value) + R"(,"type":)" + std::string(type) + "}";
      EXPECT_FALSE(ValueFromJson(text, Type::Dynamic())) << text;
    }
  }
  EXPECT_FALSE(ValueFromJson(R"({"value":[},"value":1,"type":"number"})", Type::Dynamic()));
  EXPECT_FALSE(ValueFromJson(R"({"value":1,"type":["list","number"})", Type::Dynamic()));
}

// A text is read as its tree is, wherever the type of a dynamic value stands.
TEST(JsonValue, DynamicValuesOfTextsAndTrees) {
  const Type type = *TypeFromJson(R"(["object",{"a":"dynamic","b":["list","dynamic"]}])");
  std::string nested = "1";
  std::string notation = R"("number")";
  for (int i = 0; i < 12; ++i) {
    nested = R"({"value":)" + nested + R"(,"type":)" + notation + "}";
    notation = R"("dynamic")";
  }
  size_t good = 0;
  for (const std::string& text : {
           std::string(R"({"a":{"value":{"x":[1,"\u00e4",null,true]},"type":["object",{"x":)"
                       R"(["tuple",["number","string","bool","bool"]]}]},"b":null})"),
           std::string(R"({"a":{"type":"string","value":"v"},"b":[]})"),
           std::string(R"({ "a" : { "value" : -1.5e3 , "type" : "number" } , "b" : [ ] } )"),
           std::string(R"({"a":{"value":1,"value":2,"type":"number"}})"),
           std::string(R"({"a":{"value":1,"type":"number","type":"string"}})"),
           std::string(R"({"b":[{"value":1,"type":"number"},{"value":2,"type":"number"}]})"),
           std::string(R"({"b":[{"value":1,"type":"number"},{"value":"x","type":"string"}]})"),
           std::string(R"({"a":{"value":[1,2,"type":"number"}})"),
           std::string(R"({"a":{"value":"x","type":"number"}})"),
           std::string(R"({"a":{"value":1,"type":"nonsense"}})"),
           std::string(R"({"a":{"value":1}})"),
           std::string(R"({"a":{"type":"number"}})"),
           std::string(R"({"a":{"value":1,"kind":"number"}})"),
           std::string(R"({"a":7})"),
           R"({"a":)" + nested + "}",
       }) {
    const ValueResult<Value> value = ValueFromJson(text, type);
    const JsonDocument tree = ParseJson(text);
    if (!tree.ok()) {
      EXPECT_FALSE(value) << text;
      continue;
    }
    const ValueResult<Value> expected = ValueFromJson(tree.root(), type);
    ASSERT_EQ(value.has_value(), expected.has_value()) << text;
    if (value) {
      ++good;
      EXPECT_TRUE(Value::RawEquals(*value, *expected)) << text;
    } else {
      EXPECT_EQ(value.error().ToText(), expected.error().ToText()) << text;
    }
  }
  EXPECT_EQ(good, 7U);
}

// What is stored reads back as the same number, whatever its precision.
TEST(WholeNumbersTest, AreStoredWithAllDigits) {
  const Value power = Value::Of(Number::FromDouble(18446744073709551616.0));
  const Type type = Type::Number();
  EXPECT_EQ(*ValueToJson(power, type), "18446744073709550000");
  EXPECT_EQ(*ValueToJson(power, type, WholeNumbers::kExact), "18446744073709551616");
  EXPECT_EQ(*ValueToJson(power, Type::Dynamic(), WholeNumbers::kExact),
            R"({"value":18446744073709551616,"type":"number"})");
  EXPECT_EQ(*ValueToMsgpack(power, type),
            "\xb4"
            "18446744073709550000");
  EXPECT_EQ(*ValueToMsgpack(power, type, WholeNumbers::kExact),
            "\xb4"
            "18446744073709551616");
  for (const WholeNumbers whole : {WholeNumbers::kExact, WholeNumbers::kPrecise}) {
    const Value back = *ValueFromMsgpack(*ValueToMsgpack(power, type, whole), type);
    EXPECT_TRUE(Value::RawEquals(back, power));
  }
  // Plans keep the precision too, so that their documents have the digits of OpenTofu.
  const std::string precise = *ValueToMsgpack(power, type, WholeNumbers::kPrecise);
  EXPECT_EQ(*ValueToJson(*ValueFromMsgpack(precise, type), type), "18446744073709550000");
  const Value literal = Value::Of(*Number::Parse("18446744073709551616"));
  EXPECT_EQ(*ValueToMsgpack(literal, type, WholeNumbers::kPrecise),
            "\xb4"
            "18446744073709551616");
}

}  // namespace
}  // namespace kinu
