// Configuration that is written for imported objects.
#include "config/object_block.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "cty/value.h"
#include "schema/schema.h"

namespace kinu::config {
namespace {

/// A block whose attribute `keyed` is a map of objects with an attribute `text`.
schema::Block BlockWithKeyedObjects() {
  schema::Attribute text;
  text.name = "text";
  text.type = Type::String();
  text.optional = true;
  schema::Attribute keyed;
  keyed.name = "keyed";
  keyed.optional = true;
  keyed.nested = std::make_unique<schema::NestedAttributes>();
  keyed.nested->nesting = schema::Nesting::kMap;
  keyed.nested->attributes.push_back(std::move(text));
  schema::Block block;
  block.attributes.push_back(std::move(keyed));
  block.Finish();
  return block;
}

/// The configuration of an object with one keyed object.
std::string Written(const std::string& key) {
  const Value element = Value::Object({{"text", Value::String("x")}});
  const Value object = Value::Object({{"keyed", Value::Map(element.type(), {{key, element}})}});
  return ConfigOfObject(BlockWithKeyedObjects(), object, "");
}

TEST(ObjectBlock, KeysOfObjectsThatAreNoNamesAreStrings) {
  EXPECT_EQ(Written("k-1"), "keyed = {\n  k-1 = {\n    text = \"x\"\n  }\n}\n");
  EXPECT_EQ(Written("k 2"), "keyed = {\n  \"k 2\" = {\n    text = \"x\"\n  }\n}\n");
  EXPECT_EQ(Written("a.b"), "keyed = {\n  \"a.b\" = {\n    text = \"x\"\n  }\n}\n");
  EXPECT_EQ(Written("for"), "keyed = {\n  \"for\" = {\n    text = \"x\"\n  }\n}\n");
  EXPECT_EQ(Written("null"), "keyed = {\n  null = {\n    text = \"x\"\n  }\n}\n");
  EXPECT_EQ(Written("${x}"), "keyed = {\n  \"$${x}\" = {\n    text = \"x\"\n  }\n}\n");
}

}  // namespace
}  // namespace kinu::config
