// Module source addresses: "./modules/network", "hashicorp/consul/aws", "git::https://…".
// Ref: opentofu internal/addrs/module_source.go, registry-address module.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "diag/diagnostic.h"

namespace kinu::config {

/// How a module is found: by a directory in the configuration, a registry, or a download address.
enum class ModuleSourceKind : uint8_t { kLocal, kRegistry, kRemote };

/// A parsed source address.
struct ModuleSource {
  ModuleSourceKind kind = ModuleSourceKind::kLocal;
  /// Normal form: "./m", "registry.opentofu.org/ns/name/system//sub".
  /// "git::https://host/x.git//sub?ref=v1".
  std::string text;
};

/// A package and a directory inside it, which "//" separates.
struct PackageAndDirectory {
  std::string package;  ///< with the query
  std::string directory;
};

/// Splits the text of a registry or remote source.
PackageAndDirectory SplitModuleSource(std::string_view text);

/// A source address with REDACTED in place of what is secret in it: passwords, user names that are
/// tokens, query arguments that sign or authorize. For messages and the manifest.
std::string WithoutSecrets(std::string_view source);

/// Parses a source address. With `registry_only` (the call has a version) other kinds fail. The
/// error message ends without a full stop.
Result<ModuleSource> ParseModuleSource(std::string_view text, bool registry_only);

/// As ParseModuleSource(), but reports the error at `range` and returns nothing.
std::optional<ModuleSource> ReadModuleSource(std::string_view text, bool registry_only,
                                             const SourceRange& range, Diagnostics& diags);

}  // namespace kinu::config
