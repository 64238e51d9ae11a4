// SchemaCache: stores schemas of provider packages between runs, by package hash.
//
// The cache belongs to one user: a directory that other users can write to is not used. Every
// failure of the cache is silent; the schema is then read from the provider.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provider/wire_schema.h"

namespace kinu::provider {

/// The directory for caches: $XDG_CACHE_HOME/kinu or ~/.cache/kinu. Empty without a home directory.
std::string CacheDirectory();

/// Whether a directory belongs to this user and nobody else can write to it: only then may a cache
/// be in it. With `create` a missing one is made, with its parents.
bool IsOwnDirectory(const std::string& directory, bool create);

/// A cache directory.
class SchemaCache {
 public:
  /// Storing creates `directory`. With an empty name nothing is found or stored.
  explicit SchemaCache(std::string directory) : directory_(std::move(directory)) {}

  /// The stored responses for a package hash ("h1:…="), mapped into memory.
  std::optional<RawSchema> Find(std::string_view package_hash) const;
  /// Stores responses. Failures are silent.
  void Store(std::string_view package_hash, const RawSchema& raw) const;

  /// Reads a small text by key. The install library stores package hashes this way.
  std::optional<std::string> FindNote(std::string_view key) const;
  void StoreNote(std::string_view key, std::string_view text) const;

 private:
  bool Usable(bool create) const;
  std::string directory_;
};

}  // namespace kinu::provider
