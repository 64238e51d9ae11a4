#include "provider/planned_schemas.h"

#include <set>

#include "addrs/provider_source.h"
#include "codec/protowire.h"
#include "provider/builtin.h"
#include "provider/stored_schemas.h"
#include "schema/declarations.h"

namespace kinu::provider {
namespace {

using schema::Nesting;

/// Fields of the messages, by their names in planfile.proto.
struct Planned {
  enum : uint32_t { kProviders = 1 };                                           // Schemas
  enum : uint32_t { kConfiguration = 1, kManaged = 2, kData = 3 };              // ProviderSchema
  enum : uint32_t { kSchema = 1, kIdentity = 2 };                               // ResourceSchema
  enum : uint32_t { kVersion = 1, kBlock = 2 };                                 // Schema
  enum : uint32_t { kAttributes = 1, kBlockTypes = 2 };                         // SchemaBlock
  enum : uint32_t { kTypeName = 1, kBody = 2, kMode = 3, kMin = 4, kMax = 5 };  // SchemaNestedBlock
  enum : uint32_t { kMembers = 1, kNesting = 2 };                               // SchemaObject
};
/// SchemaAttribute.
struct PlannedAttribute {
  enum : uint32_t {
    kName = 1,
    kType = 2,
    kNested = 3,
    kRequired = 4,
    kOptional = 5,
    kComputed = 6,
    kSensitive = 7,
    kWriteOnly = 8,
  };
};
/// Those of its fields that have another number in messages of protocol 6.
struct WireAttribute {
  enum : uint32_t { kNested = 10, kWriteOnly = 11 };
};

/// By number in a plan file, from 1 on: single, group, list, set, map.
constexpr uint64_t PlannedMode(Nesting nesting) {
  return static_cast<uint64_t>(nesting) + 1;
}
static_assert(PlannedMode(Nesting::kSingle) == 1 && PlannedMode(Nesting::kMap) == 5);

/// The number in messages of protocol 6 of a mode in plan files; 0 if there is no such mode. An
/// object has no number for groups.
uint64_t WireMode(uint64_t planned, bool of_object) {
  constexpr uint64_t kBlockModes[] = {0, 1, 5, 2, 3, 4};
  constexpr uint64_t kObjectModes[] = {0, 1, 0, 2, 3, 4};
  if (planned >= std::size(kBlockModes)) {
    return 0;
  }
  return of_object ? kObjectModes[planned] : kBlockModes[planned];
}

// --- Writing. ---

void WriteAttribute(ProtoWriter& out, uint32_t field, const schema::Attribute& attribute) {
  const size_t begin = out.Begin(field);
  out.Bytes(PlannedAttribute::kName, attribute.name);
  if (attribute.nested == nullptr) {
    out.Bytes(PlannedAttribute::kType, TypeToJson(attribute.type));
  } else {
    const size_t nested = out.Begin(PlannedAttribute::kNested);
    for (const schema::Attribute& member : attribute.nested->attributes) {
      WriteAttribute(out, Planned::kMembers, member);
    }
    out.Uint(Planned::kNesting, PlannedMode(attribute.nested->nesting));
    out.End(nested);
  }
  out.Bool(PlannedAttribute::kRequired, attribute.required);
  out.Bool(PlannedAttribute::kOptional, attribute.optional);
  out.Bool(PlannedAttribute::kComputed, attribute.computed);
  out.Bool(PlannedAttribute::kSensitive, attribute.sensitive);
  out.Bool(PlannedAttribute::kWriteOnly, attribute.write_only);
  out.End(begin);
}

void WriteBlock(ProtoWriter& out, uint32_t field, const schema::Block& block) {
  const size_t begin = out.Begin(field);
  for (const schema::Attribute& attribute : block.attributes) {
    WriteAttribute(out, Planned::kAttributes, attribute);
  }
  for (const schema::NestedBlock& nested : block.blocks) {
    const size_t inner = out.Begin(Planned::kBlockTypes);
    out.Bytes(Planned::kTypeName, nested.name);
    WriteBlock(out, Planned::kBody, nested.block);
    out.Uint(Planned::kMode, PlannedMode(nested.nesting));
    out.Int(Planned::kMin, nested.min_items);
    out.Int(Planned::kMax, nested.max_items);
    out.End(inner);
  }
  out.End(begin);
}

void WriteSchema(ProtoWriter& out, uint32_t field, const schema::ResourceSchema& resource) {
  const size_t begin = out.Begin(field);
  out.Int(Planned::kVersion, resource.version);
  WriteBlock(out, Planned::kBlock, resource.block);
  out.End(begin);
}

void WriteIdentity(ProtoWriter& out, const schema::ResourceSchema& resource) {
  const size_t begin = out.Begin(Planned::kIdentity);
  out.Int(Planned::kVersion, resource.identity_version);
  const size_t body = out.Begin(Planned::kBlock);
  for (const schema::Attribute& attribute : resource.identity->attributes) {
    WriteAttribute(out, Planned::kMembers, attribute);
  }
  out.Uint(Planned::kNesting, PlannedMode(Nesting::kSingle));
  out.End(body);
  out.End(begin);
}

/// Writes an entry of a map from names of types to their schemas.
void WriteType(ProtoWriter& out, uint32_t field, std::string_view name,
               const schema::ResourceSchema& resource) {
  const size_t entry = out.Begin(field);
  out.Bytes(1, name);
  const size_t value = out.Begin(2);
  WriteSchema(out, Planned::kSchema, resource);
  if (resource.identity != nullptr) {
    WriteIdentity(out, resource);
  }
  out.End(value);
  out.End(entry);
}

std::set<std::string> NamesOf(const schema::ProviderSchema& provider, schema::TypeSet set) {
  std::set<std::string> names;
  provider.Visit(
      set, [&names](std::string_view name, const schema::Declaration&) { names.emplace(name); });
  return names;
}

void WriteProvider(ProtoWriter& out, std::string_view address,
                   const schema::ProviderSchema& provider) {
  const size_t entry = out.Begin(Planned::kProviders);
  out.Bytes(1, address);
  const size_t value = out.Begin(2);
  WriteSchema(out, Planned::kConfiguration, provider.provider_config());
  for (const std::string& name : NamesOf(provider, schema::TypeSet::kResources)) {
    WriteType(out, Planned::kManaged, name, *provider.FindResource(name));
  }
  for (const std::string& name : NamesOf(provider, schema::TypeSet::kData)) {
    WriteType(out, Planned::kData, name, *provider.FindData(name));
  }
  out.End(value);
  out.End(entry);
}

// --- Reading: each message is translated while it is read. ---

/// Translates the messages of one text.
class Translation {
 public:
  bool failed() const { return failed_; }

  void Provider(ProtoWriter& out, std::string_view message) {
    std::string identities;
    ProtoWriter identity_writer(identities);
    const size_t response = out.Begin(kStoredSchema);
    Each(message, [&](const ProtoField& field) {
      if (field.number == Planned::kConfiguration) {
        Schema(out, kResponseConfiguration, field.bytes);
      } else if (field.number == Planned::kManaged) {
        Type(out, kResponseResources, field.bytes, &identity_writer);
      } else if (field.number == Planned::kData) {
        Type(out, kResponseData, field.bytes, nullptr);
      }
    });
    out.End(response);
    out.Bytes(kStoredIdentities, identities);
  }

  /// Calls `visit` with each field of a message.
  template <typename Visit>
  void Each(std::string_view message, Visit&& visit) {
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      visit(field);
    }
    failed_ = failed_ || reader.failed();
  }

  static constexpr uint32_t kStoredSchema = 3;
  static constexpr uint32_t kStoredIdentities = 4;

 private:
  static constexpr uint32_t kResponseConfiguration = 1;
  static constexpr uint32_t kResponseResources = 2;
  static constexpr uint32_t kResponseData = 3;
  static constexpr int kMostDepth = 100;

  void Type(ProtoWriter& out, uint32_t number, std::string_view message, ProtoWriter* identities) {
    ProtoMapEntry given;
    if (!ReadProtoMapEntry(message, given)) {
      failed_ = true;
      return;
    }
    const size_t entry = out.Begin(number);
    out.Bytes(1, given.key);
    Each(given.value, [&](const ProtoField& field) {
      if (field.number == Planned::kSchema) {
        Schema(out, 2, field.bytes);
      } else if (field.number == Planned::kIdentity && identities != nullptr) {
        const size_t identity = identities->Begin(1);
        identities->Bytes(1, given.key);
        Identity(*identities, field.bytes);
        identities->End(identity);
      }
    });
    out.End(entry);
  }

  void Schema(ProtoWriter& out, uint32_t number, std::string_view message) {
    const size_t schema = out.Begin(number);
    Each(message, [&](const ProtoField& field) {
      if (field.number == Planned::kVersion) {
        out.Int(1, field.as_int());
      } else if (field.number == Planned::kBlock) {
        Block(out, field.bytes, 0);
      }
    });
    out.End(schema);
  }

  void Block(ProtoWriter& out, std::string_view message, int depth) {
    failed_ = failed_ || depth > kMostDepth;
    if (failed_) {
      return;
    }
    const size_t block = out.Begin(2);
    Each(message, [&](const ProtoField& field) {
      if (field.number == Planned::kAttributes) {
        Attribute(out, 2, field.bytes, depth + 1);
      } else if (field.number == Planned::kBlockTypes) {
        NestedBlock(out, field.bytes, depth + 1);
      }
    });
    out.End(block);
  }

  void NestedBlock(ProtoWriter& out, std::string_view message, int depth) {
    const size_t nested = out.Begin(3);
    Each(message, [&](const ProtoField& field) {
      switch (field.number) {
        case Planned::kTypeName:
          out.Bytes(1, field.bytes);
          break;
        case Planned::kBody:
          Block(out, field.bytes, depth);
          break;
        case Planned::kMode:
          out.Uint(3, WireMode(field.scalar, false));
          break;
        case Planned::kMin:
        case Planned::kMax:
          out.Int(field.number, field.as_int());
          break;
        default:
          break;
      }
    });
    out.End(nested);
  }

  void Attribute(ProtoWriter& out, uint32_t number, std::string_view message, int depth) {
    failed_ = failed_ || depth > kMostDepth;
    if (failed_) {
      return;
    }
    const size_t attribute = out.Begin(number);
    Each(message, [&](const ProtoField& field) {
      switch (field.number) {
        case PlannedAttribute::kName:
        case PlannedAttribute::kType:
          out.Bytes(field.number, field.bytes);
          break;
        case PlannedAttribute::kNested:
          Object(out, field.bytes, depth + 1);
          break;
        case PlannedAttribute::kWriteOnly:
          out.Bool(WireAttribute::kWriteOnly, field.as_bool());
          break;
        default:  // flags with the same numbers
          out.Bool(field.number, field.as_bool());
          break;
      }
    });
    out.End(attribute);
  }

  void Object(ProtoWriter& out, std::string_view message, int depth) {
    const size_t object = out.Begin(WireAttribute::kNested);
    Each(message, [&](const ProtoField& field) {
      if (field.number == Planned::kMembers) {
        Attribute(out, 1, field.bytes, depth);
      } else if (field.number == Planned::kNesting) {
        out.Uint(3, WireMode(field.scalar, true));
      }
    });
    out.End(object);
  }

  /// An identity: its attributes are members of an object in plan files, attributes of their own
  /// kind (name, type, required, optional) in messages of the protocol.
  void Identity(ProtoWriter& out, std::string_view message) {
    const size_t identity = out.Begin(2);
    Each(message, [&](const ProtoField& field) {
      if (field.number == Planned::kVersion) {
        out.Int(1, field.as_int());
      } else if (field.number == Planned::kBlock) {
        Each(field.bytes, [&](const ProtoField& member) {
          if (member.number == Planned::kMembers) {
            IdentityAttribute(out, member.bytes);
          }
        });
      }
    });
    out.End(identity);
  }

  void IdentityAttribute(ProtoWriter& out, std::string_view message) {
    const size_t attribute = out.Begin(2);
    Each(message, [&](const ProtoField& field) {
      switch (field.number) {
        case PlannedAttribute::kName:
        case PlannedAttribute::kType:
          out.Bytes(field.number, field.bytes);
          break;
        case PlannedAttribute::kRequired:
          out.Bool(3, field.as_bool());
          break;
        case PlannedAttribute::kOptional:
          out.Bool(4, field.as_bool());
          break;
        default:
          break;
      }
    });
    out.End(attribute);
  }

  bool failed_ = false;
};

}  // namespace

Result<std::string> ToPlannedSchemas(const std::string& stored) {
  KINU_TRY(const auto schemas, StoredSchemas::Open(stored));
  std::string out;
  ProtoWriter writer(out);
  for (const std::string& address : schemas->Addresses()) {
    WriteProvider(writer, address, *schemas->Find(address));
  }
  WriteProvider(writer, kBuiltInProvider, BuiltInSchema());
  return out;
}

Result<std::string> FromPlannedSchemas(std::string_view planned) {
  std::string out;
  ProtoWriter writer(out);
  Translation translation;
  translation.Each(planned, [&](const ProtoField& field) {
    ProtoMapEntry provider;
    if (field.number != Planned::kProviders || !ReadProtoMapEntry(field.bytes, provider) ||
        provider.key == kBuiltInProvider) {
      return;
    }
    const size_t entry = writer.Begin(1);
    writer.Bytes(1, provider.key);
    writer.Int(2, 6);  // of the protocol
    translation.Provider(writer, provider.value);
    writer.End(entry);
  });
  if (translation.failed()) {
    return Fail(ErrorCode::kInvalid, "malformed schemas");
  }
  return out;
}

}  // namespace kinu::provider
