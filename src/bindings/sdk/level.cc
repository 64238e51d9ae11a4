#include "sdk/level.h"

#include <utility>

#include "api/values.h"
#include "cty/conversion.h"
#include "cty/json.h"

namespace kinu::sdk {
namespace {

Level LevelOf(const std::vector<v1::ProviderAttribute>& attributes,
              const std::vector<v1::ProviderBlock>& blocks);

Type Nested(v1::Nesting nesting, const Type& object) {
  switch (nesting) {
    case v1::Nesting::kSingle:
      return object;
    case v1::Nesting::kList:
      return Type::List(object);
    case v1::Nesting::kSet:
      return Type::Set(object);
    case v1::Nesting::kMap:
      return Type::Map(object);
  }
  std::unreachable();
}

void Nest(Member& member, v1::Nesting nesting, Level level) {
  member.type = Nested(nesting, level.type);
  member.nesting = nesting;
  member.level = std::make_unique<Level>(std::move(level));
}

Member MemberOf(const v1::ProviderAttribute& attribute) {
  Member member;
  member.name = attribute.name;
  member.optional = attribute.optional || attribute.default_value.has_value();
  member.computed = attribute.computed || attribute.default_value.has_value();
  member.write_only = attribute.write_only;
  member.requires_replace = attribute.requires_replace;
  member.stable = attribute.stable;
  if (attribute.attributes.empty()) {
    member.type = ToType(attribute.type);
  } else {
    Nest(member, attribute.nesting, LevelOf(attribute.attributes, {}));
  }
  if (attribute.default_value) {
    member.default_value = Convert(api::ToInner(*attribute.default_value), member.type)
                               .value_or(Value::Null(member.type));
  }
  return member;
}

Member MemberOf(const v1::ProviderBlock& block) {
  Member member;
  member.name = block.name;
  member.is_block = true;
  member.requires_replace = block.requires_replace;
  Nest(member, block.nesting, LevelOf(block.attributes, block.blocks));
  return member;
}

Level LevelOf(const std::vector<v1::ProviderAttribute>& attributes,
              const std::vector<v1::ProviderBlock>& blocks) {
  Level level;
  for (const v1::ProviderAttribute& attribute : attributes) {
    level.members.push_back(MemberOf(attribute));
  }
  for (const v1::ProviderBlock& block : blocks) {
    level.members.push_back(MemberOf(block));
  }
  std::vector<std::pair<std::string, Value>> object;
  for (const Member& member : level.members) {
    object.emplace_back(member.name, Value::Null(member.type));
  }
  level.type = Value::Object(std::move(object)).type();
  return level;
}

}  // namespace

Level MakeLevel(const v1::ProviderSchema& schema) {
  return LevelOf(schema.attributes, schema.blocks);
}

Type ToType(const v1::AttributeType& type) {
  return TypeFromJson(type.json()).value_or(Type::Dynamic());
}

}  // namespace kinu::sdk
