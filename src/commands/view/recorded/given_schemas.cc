#include "view/recorded/given_schemas.h"

#include <charconv>
#include <utility>

#include "cty/json.h"
#include "provider/builtin.h"
#include "view/recorded/schemas.h"
#include "view/recorded/shape.h"

namespace kinu::view {
namespace {

using json::Member;
using json::Node;
using schema::Nesting;

Nesting NestingOf(const Node& node) {
  constexpr std::pair<std::string_view, Nesting> kNames[] = {{"single", Nesting::kSingle},
                                                             {"group", Nesting::kGroup},
                                                             {"list", Nesting::kList},
                                                             {"set", Nesting::kSet},
                                                             {"map", Nesting::kMap}};
  const std::string name = TextOf(node, "nesting_mode");
  for (const auto& [known, nesting] : kNames) {
    if (known == name) {
      return nesting;
    }
  }
  return Nesting::kSingle;
}

int64_t NumberOf(const Node& object, std::string_view name) {
  const Node node = MemberOf(object, name);
  int64_t out = 0;
  if (node && node.is_number()) {
    const std::string_view text = node.text();
    std::from_chars(text.data(), text.data() + text.size(), out);
  }
  return out;
}

/// The members of an object; none of anything else.
Node::Members MembersOf(const Node& node) {
  return node ? node.members() : Node::Members(nullptr, 0, 0);
}

schema::TextKind KindOf(const Node& node) {
  return TextOf(node, "description_kind") == "markdown" ? schema::TextKind::kMarkdown
                                                        : schema::TextKind::kPlain;
}

Result<std::vector<schema::Attribute>> ReadAttributes(const Node& node);

Result<schema::Attribute> ReadAttribute(std::string name, const Node& node) {
  schema::Attribute out;
  out.name = std::move(name);
  if (const Node type = MemberOf(node, "type")) {
    auto read = TypeFromJson(type.text());
    if (!read) {
      return Fail(ErrorCode::kInvalid, "the type of the attribute \"" + out.name +
                                           "\" cannot be read: " + read.error().message);
    }
    out.type = *std::move(read);
  }
  if (const Node nested = MemberOf(node, "nested_type")) {
    out.nested = std::make_unique<schema::NestedAttributes>();
    out.nested->nesting = NestingOf(nested);
    KINU_TRY(out.nested->attributes, ReadAttributes(MemberOf(nested, "attributes")));
  }
  out.description = TextOf(node, "description");
  out.description_kind = KindOf(node);
  out.required = IsTrue(MemberOf(node, "required"));
  out.optional = IsTrue(MemberOf(node, "optional"));
  out.computed = IsTrue(MemberOf(node, "computed"));
  out.sensitive = IsTrue(MemberOf(node, "sensitive"));
  out.write_only = IsTrue(MemberOf(node, "write_only"));
  out.deprecated = IsTrue(MemberOf(node, "deprecated"));
  return out;
}

Result<std::vector<schema::Attribute>> ReadAttributes(const Node& node) {
  std::vector<schema::Attribute> out;
  for (const Member member : MembersOf(node)) {
    KINU_TRY(schema::Attribute attribute, ReadAttribute(member.name.String(), member.value));
    out.push_back(std::move(attribute));
  }
  return out;
}

Result<schema::ResourceSchema> ReadSchema(const Node& node) {
  schema::ResourceSchema out;
  out.version = NumberOf(node, "version");
  KINU_TRY(out.block, ReadBlockSchema(MemberOf(node, "block")));
  return out;
}

Result<void> ReadTypes(const Node& provider, std::string_view name,
                       provider::SchemaTable::Types& out) {
  for (const Member member : MembersOf(MemberOf(provider, name))) {
    KINU_TRY(schema::ResourceSchema read, ReadSchema(member.value));
    out.insert_or_assign(member.name.String(), std::move(read));
  }
  return {};
}

Result<schema::FunctionParameter> ReadParameter(const Node& node) {
  schema::FunctionParameter out;
  out.name = TextOf(node, "name");
  out.allow_null = IsTrue(MemberOf(node, "is_nullable"));
  const Node type = MemberOf(node, "type");
  auto read = type ? TypeFromJson(type.text()) : Type::Dynamic();
  if (!read) {
    return Fail(ErrorCode::kInvalid, "the type of the parameter \"" + out.name +
                                         "\" cannot be read: " + read.error().message);
  }
  out.type = *std::move(read);
  return out;
}

Result<schema::FunctionSignature> ReadFunction(std::string name, const Node& node) {
  schema::FunctionSignature out;
  out.name = std::move(name);
  out.summary = TextOf(node, "summary");
  out.description = TextOf(node, "description");
  const Node type = MemberOf(node, "return_type");
  auto read = type ? TypeFromJson(type.text()) : Type::Dynamic();
  if (!read) {
    return Fail(ErrorCode::kInvalid, "the type of the function \"" + out.name +
                                         "\" cannot be read: " + read.error().message);
  }
  out.return_type = *std::move(read);
  const Node parameters = MemberOf(node, "parameters");
  if (parameters) {
    for (const Node node_of_parameter : parameters.elements()) {
      KINU_TRY(schema::FunctionParameter parameter, ReadParameter(node_of_parameter));
      out.parameters.push_back(std::move(parameter));
    }
  }
  if (const Node variadic = MemberOf(node, "variadic_parameter")) {
    KINU_TRY(schema::FunctionParameter parameter, ReadParameter(variadic));
    out.variadic = std::make_unique<schema::FunctionParameter>(std::move(parameter));
  }
  return out;
}

Result<std::unique_ptr<provider::SchemaTable>> ReadProvider(const Node& node) {
  auto out = std::make_unique<provider::SchemaTable>();
  KINU_TRY(out->provider, ReadSchema(MemberOf(node, "provider")));
  const std::pair<std::string_view, provider::SchemaTable::Types*> parts[] = {
      {"resource_schemas", &out->resources},
      {"data_source_schemas", &out->data},
      {"ephemeral_resource_schemas", &out->ephemeral}};
  for (const auto& [name, types] : parts) {
    if (auto read = ReadTypes(node, name, *types); !read) {
      return std::unexpected(std::move(read).error());
    }
  }
  for (const Member member : MembersOf(MemberOf(node, "functions"))) {
    const std::string name = member.name.String();
    KINU_TRY(schema::FunctionSignature function, ReadFunction(name, member.value));
    out->functions.insert_or_assign(name, std::move(function));
  }
  out->Finish();
  return out;
}

}  // namespace

Result<schema::Block> ReadBlockSchema(const Node& node) {
  schema::Block out;
  KINU_TRY(out.attributes, ReadAttributes(MemberOf(node, "attributes")));
  for (const Member member : MembersOf(MemberOf(node, "block_types"))) {
    schema::NestedBlock nested;
    nested.name = member.name.String();
    nested.nesting = NestingOf(member.value);
    nested.min_items = NumberOf(member.value, "min_items");
    nested.max_items = NumberOf(member.value, "max_items");
    KINU_TRY(nested.block, ReadBlockSchema(MemberOf(member.value, "block")));
    out.blocks.push_back(std::move(nested));
  }
  out.description = TextOf(node, "description");
  out.description_kind = KindOf(node);
  out.deprecated = IsTrue(MemberOf(node, "deprecated"));
  return out;
}

Result<void> GivenSchemas::Add(const Node& providers) {
  for (const Member member : MembersOf(providers)) {
    const std::string name = member.name.String();
    auto read = ReadProvider(member.value);
    if (!read) {
      return Fail(ErrorCode::kInvalid, "the schema of " + name + ": " + read.error().message);
    }
    providers_.insert_or_assign(name, *std::move(read));
  }
  return {};
}

const schema::ProviderSchema* GivenSchemas::Find(std::string_view provider) const {
  const auto it = providers_.find(provider);
  if (it != providers_.end()) {
    return it->second.get();
  }
  return provider == kBuiltInProvider ? &provider::BuiltInSchema() : nullptr;
}

}  // namespace kinu::view
