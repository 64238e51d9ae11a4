// Schemas of a provider as messages.
#pragma once

#include <kinu/provider.h>

#include "codec/protowire.h"

namespace kinu::sdk {

/// The fields of a response to GetProviderSchema.
void WriteProviderSchema(ProtoWriter& out, const v1::Provider& provider);
/// The entries of the map of functions.
void WriteFunctions(ProtoWriter& out, uint32_t field, const v1::Provider& provider);
/// The fields of a response to GetResourceIdentitySchemas.
void WriteIdentitySchemas(ProtoWriter& out, const v1::Provider& provider);

}  // namespace kinu::sdk
