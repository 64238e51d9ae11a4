// Module source addresses: "./modules/network", "hashicorp/consul/aws", "git::https://…".
// Ref: opentofu internal/addrs/module_source.go, registry-address module.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "diag/diagnostic.h"

namespace kinu::config {

enum class ModuleSourceKind : uint8_t { kLocal, kRegistry, kRemote };

struct ModuleSource {
  ModuleSourceKind kind = ModuleSourceKind::kLocal;
  /// Normal form: "./m", "registry.opentofu.org/ns/name/system//sub".
  /// "git::https://host/x.git//sub?ref=v1".
  std::string text;
};

/// Reads a source address. With `registry_only` (a version is given) other kinds are errors. The
/// message of the error has no full stop.
Result<ModuleSource> ParseModuleSource(std::string_view text, bool registry_only);

/// The same for the source that stands at `range`: what is wrong with it is an error there.
std::optional<ModuleSource> ReadModuleSource(std::string_view text, bool registry_only,
                                             const SourceRange& range, Diagnostics& diags);

}  // namespace kinu::config
