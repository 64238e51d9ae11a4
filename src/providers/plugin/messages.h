// Parts of provider messages. Layouts: proto/tfplugin6.proto; protocol 5 has the same field numbers
// except in schemas.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/protowire.h"
#include "cty/path.h"
#include "provider/provider.h"

namespace kinu::plugin {

/// Writes a DynamicValue field: the value as msgpack of the type `type`.
ValueResult<void> WriteDynamicValue(ProtoWriter& writer, uint32_t field, const Value& value,
                                    const Type& type);
/// Reads the content of a DynamicValue. An empty message is null.
ValueResult<Value> ReadDynamicValue(std::string_view message, const Type& type);

/// Writes a ResourceIdentityData field unless the identity is null.
ValueResult<void> WriteIdentity(ProtoWriter& writer, uint32_t field, const Value& identity,
                                const Type& type);
ValueResult<Value> ReadIdentity(std::string_view message, const Type& type);

/// Writes a RawState field.
void WriteRawState(ProtoWriter& writer, uint32_t field, const provider::RawState& raw);

/// Writes the ClientCapabilities that OpenTofu 1.12.6 announces.
void WriteClientCapabilities(ProtoWriter& writer, uint32_t field);

/// Reads an AttributePath. Returns nothing if it is empty or malformed.
std::optional<Path> ReadAttributePath(std::string_view message);
/// Reads a Diagnostic.
provider::Problem ReadDiagnostic(std::string_view message);

/// Field numbers of a response message. 0: the response has no such field.
struct ResponseLayout {
  uint32_t diagnostics = 0;
  uint32_t value = 0;
  uint32_t private_data = 0;
  uint32_t identity = 0;
  uint32_t legacy_type_system = 0;
  uint32_t requires_replace = 0;
  uint32_t renew_at = 0;
};
/// A parsed response. Its views point into the response's bytes.
struct Response {
  std::optional<std::string_view> value;
  std::string_view private_data;
  std::optional<std::string_view> identity;
  bool legacy_type_system = false;
  std::vector<Path> requires_replace;
  std::optional<int64_t> renew_at;
};
/// Reads a response. Diagnostics, and an error if it is malformed, are appended to `problems`.
Response ReadResponse(std::string_view message, const ResponseLayout& layout,
                      provider::Problems& problems);

/// Adds the error of a response that is no message.
void ReportMalformed(provider::Problems& problems);
/// Adds an error that belongs to no attribute.
void AddError(provider::Problems& problems, std::string summary, std::string detail = {});

}  // namespace kinu::plugin
