// Addresses outside of the configuration: -target=…, -exclude=…, and the arguments of commands.
#pragma once

#include <optional>

#include "config/config.h"

namespace kinu::config {

/// Parses a whole source as the address of a module, a resource or a resource instance. Returns
/// nothing and reports an error if it is none. Ref: opentofu internal/addrs/parse_target.go.
std::optional<Endpoint> ParseAddress(Program& program, const SourceFile* source,
                                     Diagnostics& diags);

}  // namespace kinu::config
