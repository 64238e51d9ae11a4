// Addresses in OCI registries: "ghcr.io/acme/modules", tags and digests. Ref: oras-go
// registry/reference.go, opencontainers/go-digest.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::install {

/// A repository of a registry.
struct OciRepository {
  std::string domain;  ///< with the port if there is one
  std::string name;    ///< "acme/modules"; empty: the whole registry

  std::string ToText() const { return name.empty() ? domain : domain + '/' + name; }
};

/// Whether a text is "HOST" or "HOST:PORT".
bool IsOciDomain(std::string_view text);
/// Whether a text is the name of a repository in a registry: lower-case parts between slashes.
bool IsOciName(std::string_view text);
bool IsOciTag(std::string_view text);

/// Parses "DOMAIN" or "DOMAIN/NAME". Tags and digests are refused. Messages are parts of a
/// sentence.
Result<OciRepository> ParseOciRepository(std::string_view text);

/// Fails unless a text is a digest ("sha256:" or "sha512:" and lower-case hexadecimal digits).
Result<void> CheckOciDigest(std::string_view text);
/// Whether bytes have a digest, which CheckOciDigest() accepts.
bool MatchesOciDigest(std::string_view bytes, std::string_view digest);

}  // namespace kinu::install
