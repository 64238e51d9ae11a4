// Schemas as providers send them: read lazily from the raw response.
//
// A response of a large provider holds two thousand types in five megabytes; a command needs a few.
// Opening one scans the top level only; a type is decoded when it is first used.
// Ref: proto/tfplugin5.proto, tfplugin6.proto GetProviderSchema.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "schema/schema.h"

namespace kinu::provider {

/// The responses of one provider. `owner` keeps the bytes alive (a mapped file, a string).
struct RawSchema {
  int protocol = 6;             ///< 5 or 6
  std::string_view schema;      ///< response of GetProviderSchema
  std::string_view identities;  ///< response of GetResourceIdentitySchemas, empty when none
  std::shared_ptr<const void> owner;
};

/// Opens a response. Fails when it is malformed at its top level.
Result<std::shared_ptr<const schema::ProviderSchema>> OpenWireSchema(RawSchema raw);

/// The responses that a schema was opened from. Null for a schema defined in code.
const RawSchema* RawSchemaOf(const schema::ProviderSchema& schema);

/// Decodes everything and checks the rules that a schema must follow. To be called once, before a
/// response is kept. Ref: opentofu configschema/internal_validate.go.
Result<void> CheckWireSchema(const RawSchema& raw);

}  // namespace kinu::provider
