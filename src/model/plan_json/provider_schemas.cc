// `providers schema -json`. Ref: opentofu internal/command/jsonprovider.
#include "plan_json/documents.h"
#include "plan_json/value.h"
#include "schema/declarations.h"

namespace kinu::view {
namespace {

using Attributes = ArenaList<schema::DeclaredAttribute>;
using schema::Declaration;
using schema::DeclaredAttribute;
using schema::DeclaredBlock;
using schema::DeclaredNestedBlock;
using schema::Nesting;
using schema::ProviderSchema;

/// The document as it is written. Large providers have megabytes, so it is passed on in pieces,
/// after each block: the largest resource alone has megabytes, too.
struct Output {
  static constexpr size_t kPiece = size_t{1} << 16;
  explicit Output(const std::function<void(std::string_view)>& to) : write(to), json(text) {
    text.reserve(2 * kPiece);
  }

  void PassOn() {
    if (text.size() >= kPiece) {
      write(text);
      text.clear();
    }
  }

  const std::function<void(std::string_view)>& write;
  std::string text;
  JsonWriter json;
};

void WriteKind(JsonWriter& out, schema::TextKind kind) {
  out.Member(kind == schema::TextKind::kMarkdown
                 ? JsonMemberText(R"("description_kind":"markdown")")
                 : JsonMemberText(R"("description_kind":"plain")"));
}

/// Writes a member that is there only if it is true.
void WriteFlag(JsonWriter& out, bool flag, JsonMemberText member) {
  if (flag) {
    out.Member(member);
  }
}

std::string_view NestingName(Nesting nesting) {
  switch (nesting) {
    case Nesting::kSingle:
      return "single";
    case Nesting::kGroup:
      return "group";
    case Nesting::kList:
      return "list";
    case Nesting::kSet:
      return "set";
    case Nesting::kMap:
      return "map";
  }
  return "invalid";
}

void WriteAttributes(JsonWriter& out, const Attributes& attributes);

void WriteAttribute(JsonWriter& out, const DeclaredAttribute& attribute) {
  out.BeginObject();
  if (attribute.nested == nullptr) {
    out.Key("type");
    out.Raw(attribute.type);
  } else {
    out.Key("nested_type");
    out.BeginObject();
    WriteAttributes(out, attribute.nested->attributes);
    out.Member("nesting_mode", NestingName(attribute.nested->nesting));
    out.EndObject();
  }
  WriteOptional(out, "description", attribute.description);
  WriteKind(out, attribute.description_kind);
  WriteFlag(out, attribute.deprecated, R"("deprecated":true)");
  WriteOptional(out, "deprecation_message", attribute.deprecation_message);
  WriteFlag(out, attribute.required, R"("required":true)");
  WriteFlag(out, attribute.optional, R"("optional":true)");
  WriteFlag(out, attribute.computed, R"("computed":true)");
  WriteFlag(out, attribute.sensitive, R"("sensitive":true)");
  WriteFlag(out, attribute.write_only, R"("write_only":true)");
  out.EndObject();
}

void WriteAttributes(JsonWriter& out, const Attributes& attributes) {
  if (attributes.empty()) {
    return;
  }
  out.Key("attributes");
  out.BeginObject();
  for (const DeclaredAttribute& attribute : attributes) {
    out.Key(attribute.name);
    WriteAttribute(out, attribute);
  }
  out.EndObject();
}

void WriteBlock(Output& output, const DeclaredBlock& block) {
  JsonWriter& out = output.json;
  out.BeginObject();
  WriteAttributes(out, block.attributes);
  if (!block.blocks.empty()) {
    out.Key("block_types");
    out.BeginObject();
    for (const DeclaredNestedBlock& nested : block.blocks) {
      out.Key(nested.name);
      out.BeginObject();
      out.Member("nesting_mode", NestingName(nested.nesting));
      out.Key("block");
      WriteBlock(output, nested.block);
      if (nested.min_items != 0) {
        out.Member("min_items", nested.min_items);
      }
      if (nested.max_items != 0) {
        out.Member("max_items", nested.max_items);
      }
      out.EndObject();
    }
    out.EndObject();
  }
  WriteOptional(out, "description", block.description);
  WriteKind(out, block.description_kind);
  WriteFlag(out, block.deprecated, R"("deprecated":true)");
  WriteOptional(out, "deprecation_message", block.deprecation_message);
  out.EndObject();
  output.PassOn();
}

bool IsEmpty(const DeclaredBlock& block) {
  return block.attributes.empty() && block.blocks.empty() && block.description.empty() &&
         !block.deprecated;
}

void WriteSchema(Output& output, const Declaration& schema, bool with_block) {
  JsonWriter& out = output.json;
  out.BeginObject();
  out.Member("version", schema.version);
  if (with_block) {
    out.Key("block");
    WriteBlock(output, schema.block);
  }
  out.EndObject();
}

/// Writes one member per type of a set by `write`, and nothing if there is none.
template <typename Write>
void WriteTypes(Output& output, std::string_view key, const ProviderSchema& provider,
                schema::TypeSet set, Write&& write) {
  JsonWriter& out = output.json;
  bool any = false;
  provider.Visit(set, [&](std::string_view name, const Declaration& schema) {
    if (!any) {
      out.Key(key);
      out.BeginObject();
      any = true;
    }
    out.Key(name);
    write(schema);
  });
  if (any) {
    out.EndObject();
  }
}

/// Writes a type in a function signature: primitive types by name, others in cty's notation.
void WriteFunctionType(JsonWriter& out, const Type& type) {
  if (type.is_primitive() || type.is_dynamic() || type.is_capsule()) {
    out.String(type.FriendlyName());
  } else {
    WriteType(out, type);
  }
}

void WriteParameter(JsonWriter& out, const schema::FunctionParameter& parameter) {
  out.BeginObject();
  out.Member("name", parameter.name);
  out.Member("description", parameter.description);
  out.Key("type");
  WriteFunctionType(out, parameter.type);
  WriteOptional(out, "is_nullable", parameter.allow_null);
  out.EndObject();
}

void WriteFunctions(JsonWriter& out, const ProviderSchema& provider) {
  const std::vector<std::string> names = provider.FunctionNames();
  if (names.empty()) {
    return;
  }
  out.Key("functions");
  out.BeginObject();
  for (const std::string& name : names) {
    const schema::FunctionSignature* function = provider.FindFunction(name);
    if (function == nullptr) {
      continue;
    }
    out.Key(name);
    out.BeginObject();
    out.Member("description", function->description);
    out.Member("summary", function->summary);
    out.Key("return_type");
    WriteFunctionType(out, function->return_type);
    if (!function->parameters.empty()) {
      out.Key("parameters");
      out.BeginArray();
      for (const schema::FunctionParameter& parameter : function->parameters) {
        WriteParameter(out, parameter);
      }
      out.EndArray();
    }
    if (function->variadic != nullptr) {
      out.Key("variadic_parameter");
      WriteParameter(out, *function->variadic);
    }
    out.EndObject();
  }
  out.EndObject();
}

void WriteIdentity(JsonWriter& out, const Declaration& schema) {
  out.BeginObject();
  out.Member("version", schema.identity_version);
  if (!schema.identity->attributes.empty()) {
    out.Key("attributes");
    out.BeginObject();
    for (const DeclaredAttribute& attribute : schema.identity->attributes) {
      out.Key(attribute.name);
      out.BeginObject();
      out.Key("type");
      out.Raw(attribute.type);
      WriteOptional(out, "description", attribute.description);
      WriteOptional(out, "required_for_import", attribute.required);
      WriteOptional(out, "optional_for_import", attribute.optional);
      out.EndObject();
    }
    out.EndObject();
  }
  out.EndObject();
}

/// Whether to write the provider's configuration block. The built-in provider has none; that of
/// another provider may be empty.
bool HasConfigBlock(std::string_view address, const Declaration& config) {
  return !address.starts_with("terraform.io/builtin/") || !IsEmpty(config.block);
}

void WriteProvider(Output& output, std::string_view address, const ProviderSchema& provider) {
  using schema::TypeSet;
  JsonWriter& out = output.json;
  auto write = [&](const Declaration& schema) { WriteSchema(output, schema, /*with_block=*/true); };
  out.BeginObject();
  out.Key("provider");
  Arena arena;
  const Declaration config = schema::Declare(provider.provider_config(), arena);
  WriteSchema(output, config, HasConfigBlock(address, config));
  WriteTypes(output, "resource_schemas", provider, TypeSet::kResources, write);
  WriteTypes(output, "data_source_schemas", provider, TypeSet::kData, write);
  WriteTypes(output, "ephemeral_resource_schemas", provider, TypeSet::kEphemeral, write);
  WriteFunctions(out, provider);
  WriteTypes(output, "resource_identity_schemas", provider, TypeSet::kIdentities,
             [&](const Declaration& schema) { WriteIdentity(out, schema); });
  out.EndObject();
}

}  // namespace

void WriteProviderSchemas(std::span<const std::pair<std::string, const ProviderSchema*>> providers,
                          const std::function<void(std::string_view)>& write) {
  Output output(write);
  JsonWriter& out = output.json;
  out.BeginObject();
  out.Member("format_version", kProviderSchemasFormatVersion);
  if (!providers.empty()) {
    out.Key("provider_schemas");
    out.BeginObject();
    for (const auto& [address, provider] : providers) {
      out.Key(address);
      WriteProvider(output, address, *provider);
    }
    out.EndObject();
  }
  out.EndObject();
  write(output.text);
}

}  // namespace kinu::view
