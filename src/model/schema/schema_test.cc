#include "schema/schema.h"

#include <gtest/gtest.h>

#include "cty/conversion.h"
#include "lang/testing/evaluation.h"
#include "schema/decode.h"
#include "schema/locate.h"
#include "schema/marks.h"
#include "schema/propose.h"

namespace kinu::schema {
namespace {

using lang::testing::Bench;

enum Flag : unsigned {
  kRequired = 1,
  kOptional = 2,
  kComputed = 4,
  kSensitive = 8,
  kWriteOnly = 16,
};

Attribute MakeAttribute(std::string name, Type type, unsigned flags) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.type = std::move(type);
  attribute.required = (flags & kRequired) != 0;
  attribute.optional = (flags & kOptional) != 0;
  attribute.computed = (flags & kComputed) != 0;
  attribute.sensitive = (flags & kSensitive) != 0;
  attribute.write_only = (flags & kWriteOnly) != 0;
  return attribute;
}

NestedBlock MakeNested(std::string name, Nesting nesting, int64_t min = 0, int64_t max = 0) {
  NestedBlock nested;
  nested.name = std::move(name);
  nested.nesting = nesting;
  nested.min_items = min;
  nested.max_items = max;
  nested.block.attributes.push_back(MakeAttribute("v", Type::String(), kOptional));
  nested.block.attributes.push_back(MakeAttribute("c", Type::String(), kComputed));
  return nested;
}

Block MakeBlock() {
  Block block;
  block.attributes.push_back(MakeAttribute("name", Type::String(), kRequired));
  block.attributes.push_back(MakeAttribute("id", Type::String(), kComputed));
  block.attributes.push_back(MakeAttribute("count", Type::Number(), kOptional | kComputed));
  block.attributes.push_back(MakeAttribute("password", Type::String(), kOptional | kSensitive));
  block.blocks.push_back(MakeNested("single", Nesting::kSingle));
  block.blocks.push_back(MakeNested("group", Nesting::kGroup));
  block.blocks.push_back(MakeNested("list", Nesting::kList, 0, 2));
  block.blocks.push_back(MakeNested("set", Nesting::kSet));
  block.blocks.push_back(MakeNested("map", Nesting::kMap));
  block.Finish();
  return block;
}

std::string Decode(const Block& block, std::string_view text, std::string variables = "{}") {
  Bench bench(std::move(variables));
  Diagnostics diags;
  const hcl::NativeBody* body = bench.ParseBody(text, diags);
  const Value value = DecodeBody(block, *body, {}, bench.scope(), nullptr, diags);
  EXPECT_EQ(value.type(), block.implied_type()) << text;
  return diags.empty() ? Bench::Show(value) : Bench::Show(diags);
}

// Decodes a block and returns one attribute of the value.
std::string DecodePart(const Block& block, std::string_view text, std::string_view name,
                       std::string variables = "{}") {
  Bench bench(std::move(variables));
  Diagnostics diags;
  const hcl::NativeBody* body = bench.ParseBody(text, diags);
  const Value value = DecodeBody(block, *body, {}, bench.scope(), nullptr, diags);
  EXPECT_EQ(Bench::Show(diags), "");
  return Bench::Show(value.Attribute(name));
}

Value Eval(std::string_view text, std::string variables = "{}") {
  Bench bench(std::move(variables));
  Diagnostics diags;
  const hcl::Expr* expr = bench.Parse(text, diags);
  Value value = lang::Evaluate(*expr, bench.scope(), diags);
  EXPECT_EQ(Bench::Show(diags), "") << text;
  return value;
}

TEST(Schema, ImpliedTypeAndEmptyValue) {
  Block block;
  block.attributes.push_back(MakeAttribute("b", Type::String(), kOptional));
  Attribute nested = MakeAttribute("a", Type(), kOptional);
  nested.nested = std::make_unique<NestedAttributes>();
  nested.nested->nesting = Nesting::kList;
  nested.nested->attributes.push_back(MakeAttribute("y", Type::Bool(), kOptional));
  nested.nested->attributes.push_back(MakeAttribute("x", Type::Number(), kRequired));
  block.attributes.push_back(std::move(nested));
  block.blocks.push_back(MakeNested("list", Nesting::kList));
  NestedBlock dynamic = MakeNested("open", Nesting::kList);
  dynamic.block.attributes.push_back(MakeAttribute("any", Type::Dynamic(), kOptional));
  block.blocks.push_back(std::move(dynamic));
  block.Finish();
  EXPECT_EQ(TypeToJson(block.implied_type()),
            R"(["object",{"a":["list",["object",{"x":"number","y":"bool"}]],"b":"string",)"
            R"("list":["list",["object",{"c":"string","v":"string"}]],"open":"dynamic"}])");
  EXPECT_EQ(Bench::Show(block.EmptyValue().Attribute("open")), R"({"tuple":[]})");
  EXPECT_EQ(TypeToJson(block.FindAttribute("a")->config_type),
            R"(["list",["object",{"x":"number","y":"bool"},["y"]]])");
  EXPECT_FALSE(block.allows_attributes_as_blocks());
  Path path;
  path = path.Attribute("a").Index(int64_t{0}).Attribute("x");
  ASSERT_NE(FindAttributeByPath(block, path), nullptr);
  EXPECT_EQ(FindAttributeByPath(block, path)->name, "x");
}

TEST(Decode, AllNestings) {
  const Block block = MakeBlock();
  const char* text =
      "name = \"n\"\ncount = \"3\"\nsingle {\n v = 1\n}\n"
      "list {\n v = \"a\"\n}\nlist {\n}\nset {\n v = \"z\"\n}\nset {\n v = \"y\"\n}\n"
      "map \"k\" {\n v = \"m\"\n}\n";
  EXPECT_EQ(DecodePart(block, text, "count"), R"({"number":"3"})");
  EXPECT_EQ(DecodePart(block, text, "id"), R"({"null":"string"})");
  EXPECT_EQ(DecodePart(block, text, "single"), R"({"object":{"c":{"null":"string"},"v":"1"}})");
  EXPECT_EQ(DecodePart(block, text, "group"),
            R"({"object":{"c":{"null":"string"},"v":{"null":"string"}}})");
  EXPECT_EQ(DecodePart(block, text, "list"),
            R"({"list":[{"object":{"c":{"null":"string"},"v":"a"}},)"
            R"({"object":{"c":{"null":"string"},"v":{"null":"string"}}}],)"
            R"("of":["object",{"c":"string","v":"string"}]})");
  EXPECT_EQ(DecodePart(block, text, "set"), R"({"set":[{"object":{"c":{"null":"string"},"v":"y"}},)"
                                            R"({"object":{"c":{"null":"string"},"v":"z"}}],)"
                                            R"("of":["object",{"c":"string","v":"string"}]})");
  EXPECT_EQ(DecodePart(block, text, "map"),
            R"({"map":{"k":{"object":{"c":{"null":"string"},"v":"m"}}},)"
            R"("of":["object",{"c":"string","v":"string"}]})");
}

TEST(Decode, Problems) {
  const Block block = MakeBlock();
  const struct {
    const char* text;
    const char* want;
  } rows[] = {
      {"", "Missing required argument at 0-0"},
      {"name = []\n", "Incorrect attribute value type at 7-9"},
      {"name = \"n\"\nother = 1\n", "Unsupported argument at 11-16"},
      {"name = \"n\"\nother {}\n", "Unsupported block type at 11-16"},
      {"name = \"n\"\nsingle {}\nsingle {}\n", "Duplicate single block at 21-27"},
      {"name = \"n\"\nlist {}\nlist {}\nlist {}\n", "Too many list blocks at 32-32"},
      {"name = \"n\"\nmap \"a\" {}\nmap \"a\" {}\n", "Duplicate map block at 22-29"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Decode(block, row.text), row.want) << row.text;
  }
}

TEST(Decode, TooFewBlocks) {
  Block block;
  block.blocks.push_back(MakeNested("item", Nesting::kList, 1, 0));
  block.blocks.push_back(MakeNested("one", Nesting::kSingle, 1, 1));
  block.Finish();
  EXPECT_EQ(Decode(block, ""), "Insufficient item blocks at 0-0; Missing one block at 0-0");
}

TEST(Decode, DynamicBlocks) {
  const Block block = MakeBlock();
  const char* variables =
      R"({"u": {"unknown": ["list", "string"]}, "s": {"marked": ["sensitive"], "value": )"
      R"({"list": ["x"], "of": "string"}}})";
  EXPECT_EQ(DecodePart(block,
                       "name = \"n\"\ndynamic \"list\" {\n for_each = [\"a\"]\n content {\n"
                       " v = list.value\n }\n}\n",
                       "list"),
            R"({"list":[{"object":{"c":{"null":"string"},"v":"a"}}],)"
            R"("of":["object",{"c":"string","v":"string"}]})");
  EXPECT_EQ(DecodePart(block,
                       "name = \"n\"\ndynamic \"list\" {\n for_each = u\n content {\n"
                       " v = list.value\n }\n}\n",
                       "list", variables),
            R"({"unknown":["list",["object",{"c":"string","v":"string"}]]})");
  EXPECT_EQ(DecodePart(block,
                       "name = \"n\"\ndynamic \"list\" {\n for_each = s\n content {\n"
                       " v = 1\n }\n}\n",
                       "list", variables),
            R"({"list":[{"object":{"c":{"null":"string"},"v":{"marked":["sensitive"],)"
            R"("value":"1"}}}],"of":["object",{"c":"string","v":"string"}]})");
}

TEST(Decode, AttributesMayBeWrittenAsBlocksInOldSchemas) {
  const Type::Attribute members[] = {{"a", Type::String()}, {"b", Type::Number()}};
  Block block;
  block.attributes.push_back(
      MakeAttribute("rule", Type::List(Type::Object(members)), kOptional | kComputed));
  block.Finish();
  ASSERT_TRUE(block.allows_attributes_as_blocks());
  const char* want = R"({"list":[{"object":{"a":"x","b":{"null":"number"}}}],)"
                     R"("of":["object",{"a":"string","b":"number"}]})";
  EXPECT_EQ(DecodePart(block, "rule {\n a = \"x\"\n}\n", "rule"), want);
  EXPECT_EQ(DecodePart(block, "rule = [{ a = \"x\", b = null }]\n", "rule"), want);
  EXPECT_EQ(DecodePart(block, "", "rule"),
            R"({"null":["list",["object",{"a":"string","b":"number"}]]})");
  block.attributes.push_back(MakeAttribute("o", Type::Object(members), kOptional));
  block.Finish();
  EXPECT_EQ(Decode(block, "rule {\n a = \"x\"\n}\n"), "Unsupported block type at 0-4");
}

TEST(Decode, NestedAttributesFillOptionalMembers) {
  Block block;
  Attribute nested = MakeAttribute("a", Type(), kOptional);
  nested.nested = std::make_unique<NestedAttributes>();
  nested.nested->nesting = Nesting::kMap;
  nested.nested->attributes.push_back(MakeAttribute("x", Type::Number(), kRequired));
  nested.nested->attributes.push_back(MakeAttribute("y", Type::Bool(), kOptional));
  block.attributes.push_back(std::move(nested));
  block.Finish();
  EXPECT_EQ(DecodePart(block, "a = { k = { x = 1 } }\n", "a"),
            R"({"map":{"k":{"object":{"x":{"number":"1"},"y":{"null":"bool"}}}},)"
            R"("of":["object",{"x":"number","y":"bool"}]})");
  EXPECT_EQ(Decode(block, "a = { k = {} }\n"), "Incorrect attribute value type at 4-14");
}

TEST(Decode, CollectsReferencesWithoutIterators) {
  const Block block = MakeBlock();
  Bench bench;
  Diagnostics diags;
  const hcl::NativeBody* body = bench.ParseBody(
      "name = var.a\ndynamic \"list\" {\n for_each = var.b\n iterator = it\n content {\n"
      " v = \"${it.value}${upper(var.c)}\"\n }\n}\nset {\n v = list.x\n}\n",
      diags);
  std::vector<const hcl::TraversalExpr*> traversals;
  std::vector<const hcl::CallExpr*> calls;
  CollectBodyTraversals(block, *body, {}, traversals, calls);
  std::string out;
  for (const hcl::TraversalExpr* traversal : traversals) {
    out += traversal->range().text();
    out += ' ';
  }
  EXPECT_EQ(out, "var.a var.b var.c list.x ");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0]->name, "upper");
  const std::string_view hidden[] = {"name", "set"};
  traversals.clear();
  CollectBodyTraversals(block, *body, hidden, traversals, calls);
  EXPECT_EQ(traversals.size(), 2U);
}

TEST(Marks, SensitiveAndWriteOnly) {
  Block block;
  block.attributes.push_back(MakeAttribute("p", Type::String(), kOptional | kSensitive));
  block.attributes.push_back(MakeAttribute("w", Type::String(), kOptional | kWriteOnly));
  NestedBlock inner = MakeNested("set", Nesting::kSet);
  inner.block.attributes.push_back(MakeAttribute("p", Type::String(), kOptional | kSensitive));
  block.blocks.push_back(std::move(inner));
  block.Finish();
  const char* text = "p = \"a\"\nw = \"b\"\nset {\n p = \"c\"\n}\n";
  Bench bench;
  Diagnostics diags;
  const Value value =
      DecodeBody(block, *bench.ParseBody(text, diags), {}, bench.scope(), nullptr, diags);
  const Value marked = MarkSensitive(block, value);
  EXPECT_EQ(Bench::Show(marked.Attribute("p")), R"({"marked":["sensitive"],"value":"a"})");
  EXPECT_TRUE(marked.Attribute("set").marks().sensitive());
  EXPECT_FALSE(marked.Attribute("w").ContainsMarked());
  EXPECT_EQ(Bench::Show(WithoutWriteOnly(block, value).Attribute("w")), R"({"null":"string"})");
  const Value secret = DecodeBody(block, *bench.ParseBody("w = sensitive(\"b\")\n", diags), {},
                                  bench.scope(), nullptr, diags);
  EXPECT_EQ(Bench::Show(WithoutWriteOnly(block, secret).Attribute("w")),
            R"({"marked":["sensitive"],"value":{"null":"string"}})");
}

TEST(Locate, FindsTheExpressionOrWhereItIsMissing) {
  Bench bench;
  Diagnostics diags;
  const hcl::NativeBody* body = bench.ParseBody(
      "a = 1\nb = [5, 6]\nm = { k = 7 }\nlist {\n v = 8\n}\nlist {\n v = 9\n}\nmap \"x\" {\n v = "
      "10\n}\n",
      diags);
  ASSERT_TRUE(diags.empty());
  const auto text = [&](const Path& path) { return std::string(Locate(*body, path).text()); };
  const Path root;
  EXPECT_EQ(text(root.Attribute("a")), "1");
  EXPECT_EQ(text(root.Attribute("b").Index(int64_t{1})), "6");
  EXPECT_EQ(text(root.Attribute("m").Index(Value::String("k"))), "7");
  EXPECT_EQ(text(root.Attribute("list").Index(int64_t{1}).Attribute("v")), "9");
  EXPECT_EQ(text(root.Attribute("map").Index(Value::String("x")).Attribute("v")), "10");
  EXPECT_EQ(text(root.Attribute("absent")), "");
}

TEST(Locate, EphemeralValuesNeedWriteOnlyAttributes) {
  Block block;
  block.attributes.push_back(MakeAttribute("p", Type::String(), kOptional));
  block.attributes.push_back(MakeAttribute("w", Type::String(), kOptional | kWriteOnly));
  block.Finish();
  Bench bench(R"({"e": {"marked": ["ephemeral"], "value": "x"}})");
  Diagnostics diags;
  const hcl::NativeBody* body = bench.ParseBody("p = e\nw = e\n", diags);
  const Value value = DecodeBody(block, *body, {}, bench.scope(), nullptr, diags);
  RejectEphemeral(block, *body, value, "test_thing.a", diags);
  EXPECT_EQ(Bench::Show(diags), "Ephemeral value used in non-ephemeral context at 4-5");
  EXPECT_EQ(diags.begin()->address, "test_thing.a");
}

// A resource schema with a computed, an optional computed and an optional attribute, and blocks.
Block MakeResource() {
  Block block;
  block.attributes.push_back(MakeAttribute("id", Type::String(), kComputed));
  block.attributes.push_back(MakeAttribute("size", Type::Number(), kOptional | kComputed));
  block.attributes.push_back(MakeAttribute("tag", Type::String(), kOptional));
  block.blocks.push_back(MakeNested("set", Nesting::kSet));
  block.blocks.push_back(MakeNested("list", Nesting::kList));
  block.Finish();
  return block;
}
Value Resource(const Block& block, std::string_view text, std::string variables = "{}") {
  const Value raw = Eval(text, std::move(variables));
  ValueResult<Value> value = Convert(raw, block.implied_type());
  EXPECT_TRUE(value.has_value()) << text << ": " << (value ? "" : value.error().ToText());
  return value ? *value : Value();
}

TEST(Propose, ComputedValuesComeFromThePriorState) {
  const Block block = MakeResource();
  const Value config = Resource(
      block,
      "{id = null, size = null, tag = null, set = [{v = \"a\", c = null}, {v = \"new\", c = null}],"
      " list = [{v = \"x\", c = null}]}");
  const Value prior = Resource(
      block,
      "{id = \"i\", size = 5, tag = \"old\", set = [{v = \"a\", c = \"ca\"}, {v = \"gone\", c = "
      "\"cg\"}], list = [{v = \"y\", c = \"cy\"}]}");
  EXPECT_EQ(Bench::Show(ProposeNew(block, prior, config)),
            R"({"object":{"id":"i","list":{"list":[{"object":{"c":"cy","v":"x"}}],)"
            R"("of":["object",{"c":"string","v":"string"}]},)"
            R"("set":{"set":[{"object":{"c":"ca","v":"a"}},)"
            R"({"object":{"c":{"null":"string"},"v":"new"}}],)"
            R"("of":["object",{"c":"string","v":"string"}]},)"
            R"("size":{"number":"5"},"tag":{"null":"string"}}})");
}

TEST(Propose, WithoutPriorState) {
  const Block block = MakeResource();
  const Value config = Resource(
      block, "{id = null, size = 1, tag = \"t\", set = [], list = [{v = \"x\", c = null}]}");
  const Value nothing = Value::Null(block.implied_type());
  EXPECT_TRUE(Value::RawEquals(ProposeNew(block, nothing, config), config));
  EXPECT_EQ(Bench::Show(ProposeUnknown(block, config)),
            R"({"object":{"id":{"unknown":"string"},)"
            R"("list":{"list":[{"object":{"c":{"unknown":"string"},"v":"x"}}],)"
            R"("of":["object",{"c":"string","v":"string"}]},)"
            R"("set":{"set":[],"of":["object",{"c":"string","v":"string"}]},)"
            R"("size":{"number":"1"},"tag":"t"}})");
  EXPECT_TRUE(ProposeNew(block, nothing, nothing).IsNull());
}

std::string Texts(const std::vector<ValueError>& errors) {
  std::string out;
  for (const ValueError& error : errors) {
    out += error.ToText() + "\n";
  }
  return out;
}

TEST(CheckPlanned, OnlyComputedAttributesAreTheProviders) {
  const Block block = MakeResource();
  const Value config = Resource(
      block, "{id = null, size = null, tag = \"t\", set = [], list = [{v = \"x\", c = null}]}");
  const Value prior = Value::Null(block.implied_type());
  const char* variables = R"({"u": {"unknown": "string"}})";
  const auto check = [&](std::string_view planned) {
    return Texts(CheckPlanned(block, prior, config, Resource(block, planned, variables)));
  };
  EXPECT_EQ(check("{id = u, size = 3, tag = \"t\", set = [], list = [{v = \"x\", c = u}]}"), "");
  EXPECT_EQ(check("{id = u, size = 3, tag = \"o\", set = [], list = [{v = \"x\", c = u}]}"),
            ".tag: planned value cty.StringVal(\"o\") does not match config value "
            "cty.StringVal(\"t\")\n");
  EXPECT_EQ(check("{id = u, size = 3, tag = \"t\", set = [], list = []}"),
            ".list: block count in plan (0) disagrees with count in config (1)\n");
  EXPECT_EQ(Texts(CheckPlanned(block, prior, config, prior)),
            "planned for absence but config wants existence\n");
}

TEST(CheckCompatible, UnknownsMayBecomeAnything) {
  const Block block = MakeResource();
  const char* variables = R"({"u": {"unknown": "string"}})";
  const Value planned = Resource(
      block, "{id = u, size = 3, tag = \"t\", set = [{v = u, c = null}], list = []}", variables);
  const auto check = [&](std::string_view actual) {
    return Texts(CheckCompatible(block, planned, Resource(block, actual)));
  };
  EXPECT_EQ(check("{id = \"i\", size = 3, tag = \"t\", set = [{v = \"q\", c = null}], list = []}"),
            "");
  EXPECT_EQ(check("{id = \"i\", size = 4, tag = null, set = [{v = \"q\", c = null}], list = []}"),
            ".size: was cty.NumberIntVal(3), but now cty.NumberIntVal(4)\n"
            ".tag: was cty.StringVal(\"t\"), but now null\n");
  EXPECT_EQ(check("{id = \"i\", size = 3, tag = \"t\", set = [], list = []}"),
            ".set: planned set element cty.ObjectVal(map[string]cty.Value{\"c\":cty.NullVal(cty."
            "String), \"v\":cty.UnknownVal(cty.String)}) does not correlate with any element in "
            "actual\n");
}

TEST(NormalizeLegacyObject, NoNullAndNoUnknownCollectionsOfBlocks) {
  const Block block = MakeResource();
  const Value value =
      Value::ObjectOf(block.implied_type(),
                      {Value::String("i"), Value::Null(block.FindBlock("list")->implied_type()),
                       Value::Unknown(block.FindBlock("set")->implied_type()),
                       Value::Null(Type::Number()), Value::Null(Type::String())});
  const Value normal = NormalizeLegacyObject(value, block);
  EXPECT_EQ(normal.Attribute("list").size(), 0U);
  EXPECT_EQ(normal.Attribute("set").size(), 1U);
  EXPECT_EQ(Bench::Show(normal.Attribute("id")), "\"i\"");
}

}  // namespace
}  // namespace kinu::schema
