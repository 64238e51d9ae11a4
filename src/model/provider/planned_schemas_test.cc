#include "provider/planned_schemas.h"

#include <gtest/gtest.h>

#include "codec/protowire.h"
#include "provider/stored_schemas.h"

namespace kinu::provider {
namespace {

constexpr std::string_view kAddress = "registry.opentofu.org/hashicorp/test";

/// A schema of protocol 6 as a provider sends it: an attribute of a primitive type, one with
/// members, and a group.
std::string Resource() {
  std::string text;
  ProtoWriter out(text);
  out.Int(1, 3);
  const size_t block = out.Begin(2);
  size_t attribute = out.Begin(2);
  out.Bytes(1, "id");
  out.Bytes(2, R"("string")");
  out.Bool(6, true);
  out.Bool(7, true);
  out.End(attribute);
  attribute = out.Begin(2);
  out.Bytes(1, "members");
  out.Bool(5, true);
  const size_t object = out.Begin(10);
  const size_t member = out.Begin(1);
  out.Bytes(1, "name");
  out.Bytes(2, R"(["list","number"])");
  out.Bool(5, true);
  out.Bool(11, true);
  out.End(member);
  out.Uint(3, 4);  // a map
  out.End(object);
  out.End(attribute);
  const size_t nested = out.Begin(3);
  out.Bytes(1, "timeouts");
  const size_t inner = out.Begin(2);
  attribute = out.Begin(2);
  out.Bytes(1, "create");
  out.Bytes(2, R"("string")");
  out.Bool(4, true);
  out.End(attribute);
  out.End(inner);
  out.Uint(3, 5);  // a group
  out.End(nested);
  out.End(block);
  return text;
}

std::string Stored() {
  std::string text;
  ProtoWriter out(text);
  const size_t provider = out.Begin(1);
  out.Bytes(1, kAddress);
  out.Int(2, 6);
  const size_t response = out.Begin(3);
  const size_t configuration = out.Begin(1);
  out.AlwaysBytes(2, "");
  out.End(configuration);
  const size_t type = out.Begin(2);
  out.Bytes(1, "test_thing");
  out.Bytes(2, Resource());
  out.End(type);
  out.End(response);
  const size_t identities = out.Begin(4);
  const size_t identity = out.Begin(1);
  out.Bytes(1, "test_thing");
  const size_t body = out.Begin(2);
  out.Int(1, 2);
  const size_t attribute = out.Begin(2);
  out.Bytes(1, "key");
  out.Bytes(2, R"("string")");
  out.Bool(3, true);
  out.End(attribute);
  out.End(body);
  out.End(identity);
  out.End(identities);
  out.End(provider);
  return text;
}

TEST(StoredSchemas, AreNotReadInAnotherFormat) {
  EXPECT_TRUE(StoredSchemas::Open(Stored()));
  EXPECT_TRUE(StoredSchemas::Open(Stored() + "\x10\x01"));
  EXPECT_FALSE(StoredSchemas::Open(Stored() + "\x10\x02"));
}

TEST(PlannedSchemas, KeepWhatTextsNeed) {
  const auto planned = ToPlannedSchemas(Stored());
  ASSERT_TRUE(planned) << planned.error().message;
  const auto again = FromPlannedSchemas(*planned);
  ASSERT_TRUE(again) << again.error().message;
  const auto schemas = StoredSchemas::Open(*again);
  ASSERT_TRUE(schemas) << schemas.error().message;
  EXPECT_EQ((*schemas)->Addresses(), std::vector<std::string>{std::string(kAddress)});
  const schema::ResourceSchema* thing = (*schemas)->Find(kAddress)->FindResource("test_thing");
  ASSERT_NE(thing, nullptr);
  EXPECT_EQ(thing->version, 3);
  EXPECT_EQ(thing->identity_version, 2);
  ASSERT_NE(thing->identity, nullptr);
  EXPECT_EQ(thing->identity->attributes[0].name, "key");
  ASSERT_EQ(thing->block.attributes.size(), 2u);
  const schema::Attribute& id = thing->block.attributes[0];
  EXPECT_EQ(id.type, Type::String());
  EXPECT_TRUE(id.computed && id.sensitive && !id.optional && !id.required);
  const schema::Attribute& members = thing->block.attributes[1];
  ASSERT_NE(members.nested, nullptr);
  EXPECT_EQ(members.nested->nesting, schema::Nesting::kMap);
  EXPECT_EQ(members.nested->attributes[0].type, Type::List(Type::Number()));
  EXPECT_TRUE(members.nested->attributes[0].write_only);
  ASSERT_EQ(thing->block.blocks.size(), 1u);
  EXPECT_EQ(thing->block.blocks[0].nesting, schema::Nesting::kGroup);
  EXPECT_TRUE(thing->block.blocks[0].block.attributes[0].required);
}

TEST(PlannedSchemas, HaveTheBuiltInProvider) {
  const auto planned = ToPlannedSchemas("");
  ASSERT_TRUE(planned);
  EXPECT_NE(planned->find("terraform.io/builtin/terraform"), std::string::npos);
  EXPECT_NE(planned->find("triggers_replace"), std::string::npos);
  // Reading needs none: it is always known.
  EXPECT_EQ(FromPlannedSchemas(*planned).value_or("?"), "");
}

TEST(PlannedSchemas, DamagedOnesAreRefused) {
  const std::string planned = *ToPlannedSchemas(Stored());
  EXPECT_FALSE(FromPlannedSchemas(planned.substr(0, planned.size() - 5)));
}

}  // namespace
}  // namespace kinu::provider
