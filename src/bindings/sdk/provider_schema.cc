#include "sdk/provider_schema.h"

namespace kinu::sdk {
namespace {

// Protocol 6's number of a nesting, of nested attributes and of blocks.
uint64_t NumberOf(v1::Nesting nesting) {
  return static_cast<uint64_t>(nesting) + 1;
}

void WriteAttribute(ProtoWriter& out, uint32_t field, const v1::ProviderAttribute& attribute) {
  const bool has_default = attribute.default_value.has_value();
  const size_t begin = out.Begin(field);
  out.Bytes(1, attribute.name);
  if (attribute.attributes.empty()) {
    out.Bytes(2, attribute.type.json());
  }
  out.Bytes(3, attribute.description);
  out.Bool(4, attribute.required);
  out.Bool(5, attribute.optional || has_default);
  out.Bool(6, attribute.computed || has_default);
  out.Bool(7, attribute.sensitive);
  out.Bool(9, !attribute.deprecated.empty());
  if (!attribute.attributes.empty()) {
    const size_t nested = out.Begin(10);
    for (const v1::ProviderAttribute& inner : attribute.attributes) {
      WriteAttribute(out, 1, inner);
    }
    out.Uint(3, NumberOf(attribute.nesting));
    out.End(nested);
  }
  out.Bool(11, attribute.write_only);
  out.Bytes(12, attribute.deprecated);
  out.End(begin);
}

/// `block` is a ProviderSchema or a ProviderBlock.
template <typename Block>
void WriteBlock(ProtoWriter& out, uint32_t field, const Block& block) {
  const size_t begin = out.Begin(field);
  for (const v1::ProviderAttribute& attribute : block.attributes) {
    WriteAttribute(out, 2, attribute);
  }
  for (const v1::ProviderBlock& nested : block.blocks) {
    const size_t entry = out.Begin(3);
    out.Bytes(1, nested.name);
    WriteBlock(out, 2, nested);
    out.Uint(3, NumberOf(nested.nesting));
    out.Int(4, nested.min_items);
    out.Int(5, nested.max_items);
    out.End(entry);
  }
  out.Bytes(4, block.description);
  out.Bool(6, !block.deprecated.empty());
  out.Bytes(7, block.deprecated);
  out.End(begin);
}

void WriteSchema(ProtoWriter& out, uint32_t field, const v1::ProviderSchema& schema) {
  const size_t begin = out.Begin(field);
  out.Int(1, schema.version);
  WriteBlock(out, 2, schema);
  out.End(begin);
}

template <typename Rows>
void WriteSchemas(ProtoWriter& out, uint32_t field, const Rows& rows) {
  for (const auto& row : rows) {
    const size_t entry = out.Begin(field);
    out.AlwaysBytes(1, row.type);
    WriteSchema(out, 2, row.schema);
    out.End(entry);
  }
}

void WriteParameter(ProtoWriter& out, uint32_t field, const v1::FunctionParameter& parameter) {
  const size_t begin = out.Begin(field);
  out.Bytes(1, parameter.name);
  out.Bytes(2, parameter.type.json());
  out.Bool(3, parameter.allow_null);
  out.Bool(4, parameter.allow_unknown);
  out.Bytes(5, parameter.description);
  out.End(begin);
}

void WriteFunction(ProtoWriter& out, uint32_t field, const v1::ProviderFunction& function) {
  const size_t begin = out.Begin(field);
  for (const v1::FunctionParameter& parameter : function.parameters) {
    WriteParameter(out, 1, parameter);
  }
  if (function.variadic) {
    WriteParameter(out, 2, *function.variadic);
  }
  const size_t result = out.Begin(3);
  out.Bytes(1, function.result.json());
  out.End(result);
  out.Bytes(4, function.summary);
  out.Bytes(5, function.description);
  out.Bytes(7, function.deprecated);
  out.End(begin);
}

}  // namespace

void WriteProviderSchema(ProtoWriter& out, const v1::Provider& provider) {
  WriteSchema(out, 1, provider.schema);
  WriteSchemas(out, 2, provider.resources);
  WriteSchemas(out, 3, provider.data_sources);
  const size_t capabilities = out.Begin(6);
  out.Bool(2, true);  // get_provider_schema_optional
  out.Bool(3, true);  // move_resource_state
  out.End(capabilities);
  WriteFunctions(out, 7, provider);
  WriteSchemas(out, 8, provider.ephemeral_resources);
}

void WriteFunctions(ProtoWriter& out, uint32_t field, const v1::Provider& provider) {
  for (const v1::ProviderFunction& function : provider.functions) {
    const size_t entry = out.Begin(field);
    out.AlwaysBytes(1, function.name);
    WriteFunction(out, 2, function);
    out.End(entry);
  }
}

void WriteIdentitySchemas(ProtoWriter& out, const v1::Provider& provider) {
  for (const v1::ManagedResource& resource : provider.resources) {
    if (resource.identity.empty()) {
      continue;
    }
    const size_t entry = out.Begin(1);
    out.AlwaysBytes(1, resource.type);
    const size_t schema = out.Begin(2);
    out.Int(1, resource.identity_version);
    for (const v1::IdentityAttribute& attribute : resource.identity) {
      const size_t begin = out.Begin(2);
      out.Bytes(1, attribute.name);
      out.Bytes(2, attribute.type.json());
      out.Bool(3, attribute.required_for_import);
      out.Bool(4, attribute.optional_for_import);
      out.Bytes(5, attribute.description);
      out.End(begin);
    }
    out.End(schema);
    out.End(entry);
  }
}

}  // namespace kinu::sdk
