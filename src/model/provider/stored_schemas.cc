#include "provider/stored_schemas.h"

#include "addrs/provider_source.h"
#include "codec/protowire.h"
#include "provider/builtin.h"

namespace kinu::provider {
namespace {

// Fields of Schemas and Provider.
constexpr uint32_t kProviders = 1;
constexpr uint32_t kFormat = 2;
constexpr uint32_t kAddress = 1;
constexpr uint32_t kProtocol = 2;
constexpr uint32_t kSchema = 3;
constexpr uint32_t kIdentities = 4;

// Fields of a response of GetProviderSchema and of GetResourceIdentitySchemas.
constexpr uint32_t kConfiguration = 1;
constexpr uint32_t kResources = 2;
constexpr uint32_t kData = 3;
constexpr uint32_t kMeta = 5;
constexpr uint32_t kEphemeral = 8;
constexpr uint32_t kResourceIdentities = 1;

bool Names(const std::set<std::string, std::less<>>& names, std::string_view message) {
  ProtoMapEntry entry;
  return ReadProtoMapEntry(message, entry) && names.contains(entry.key);
}

void AppendSchema(ProtoWriter& out, std::string_view response, const NamedTypes& types) {
  ProtoReader reader(response);
  for (ProtoField field; reader.Next(field);) {
    const bool kept = field.number == kConfiguration || field.number == kMeta ||
                      (field.number == kResources && Names(types.resources, field.bytes)) ||
                      (field.number == kData && Names(types.data, field.bytes)) ||
                      (field.number == kEphemeral && Names(types.ephemeral, field.bytes));
    if (kept) {
      out.AlwaysBytes(field.number, field.bytes);
    }
  }
}

}  // namespace

void AppendStoredSchema(std::string& out, std::string_view address,
                        const schema::ProviderSchema& schema, const NamedTypes& types) {
  const RawSchema* raw = RawSchemaOf(schema);
  if (raw == nullptr) {
    return;
  }
  ProtoWriter writer(out);
  const size_t provider = writer.Begin(kProviders);
  writer.Bytes(kAddress, address);
  writer.Int(kProtocol, raw->protocol);
  const size_t response = writer.Begin(kSchema);
  AppendSchema(writer, raw->schema, types);
  writer.End(response);
  const size_t identities = writer.Begin(kIdentities);
  ProtoReader reader(raw->identities);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == kResourceIdentities && Names(types.resources, field.bytes)) {
      writer.AlwaysBytes(field.number, field.bytes);
    }
  }
  writer.End(identities);
  writer.End(provider);
}

Result<std::shared_ptr<const StoredSchemas>> StoredSchemas::Open(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  auto out = std::make_shared<StoredSchemas>();
  const auto malformed = [] { return Fail(ErrorCode::kInvalid, "malformed schemas"); };
  ProtoReader reader(*owner);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == kFormat && field.scalar != 1) {
      return Fail(ErrorCode::kUnsupported, "schemas of another format");
    }
    if (field.number != kProviders) {
      continue;
    }
    std::string_view address;
    RawSchema raw{.owner = owner};
    ProtoReader provider(field.bytes);
    for (ProtoField member; provider.Next(member);) {
      if (member.number == kAddress) {
        address = member.bytes;
      } else if (member.number == kProtocol) {
        raw.protocol = static_cast<int>(member.scalar);
      } else if (member.number == kSchema) {
        raw.schema = member.bytes;
      } else if (member.number == kIdentities) {
        raw.identities = member.bytes;
      }
    }
    if (provider.failed() || (raw.protocol != 5 && raw.protocol != 6)) {
      return malformed();
    }
    KINU_TRY(auto schema, OpenWireSchema(std::move(raw)));
    out->providers_[std::string(address)] = std::move(schema);
  }
  if (reader.failed()) {
    return malformed();
  }
  return out;
}

const schema::ProviderSchema* StoredSchemas::Find(std::string_view address) const {
  if (address == kBuiltInProvider) {
    return &BuiltInSchema();
  }
  const auto it = providers_.find(address);
  return it == providers_.end() ? nullptr : it->second.get();
}

std::vector<std::string> StoredSchemas::Addresses() const {
  std::vector<std::string> addresses;
  for (const auto& [address, schema] : providers_) {
    addresses.push_back(address);
  }
  return addresses;
}

}  // namespace kinu::provider
