// SchemaCache: schemas of provider packages, kept between runs under the package's hash.
//
// The cache belongs to one user: a directory that others could have written is not used. It is a
// convenience only; when anything about it fails, the provider is asked instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provider/wire_schema.h"

namespace kinu::provider {

/// Where this program keeps what it may lose: $XDG_CACHE_HOME/kinu or ~/.cache/kinu; empty when
/// there is no home directory.
std::string CacheDirectory();

class SchemaCache {
 public:
  /// `directory` is made when something is stored. Empty: a cache that never has anything.
  explicit SchemaCache(std::string directory) : directory_(std::move(directory)) {}

  /// The stored responses for a package hash ("h1:…="), mapped into memory.
  std::optional<RawSchema> Find(std::string_view package_hash) const;
  /// Stores responses; failures are silent.
  void Store(std::string_view package_hash, const RawSchema& raw) const;

  /// A small text under a key, for the memory of package hashes.
  std::optional<std::string> FindNote(std::string_view key) const;
  void StoreNote(std::string_view key, std::string_view text) const;

 private:
  bool Usable(bool create) const;
  std::string directory_;
};

}  // namespace kinu::provider
