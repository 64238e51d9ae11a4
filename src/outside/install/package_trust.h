// Evidence that a provider package is what its author released, and the trust that results.
//
// A source says what it knows (PackageEvidence); Authenticate() compares that with the package that
// arrived. Ref: opentofu internal/getproviders/package_authentication.go.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace kinu::install {

/// What a registry says about the package of one platform.
struct RegistryPackage {
  std::vector<std::string> hashes;
  int64_t size = 0;
};

/// What a registry says about a package.
struct RegistryEvidence {
  std::string filename;
  std::string checksum;                             ///< SHA-256 of the archive, hexadecimal
  std::string checksums;                            ///< the document SHA256SUMS
  std::string signature;                            ///< of that document
  std::vector<std::string> keys;                    ///< ASCII-armoured
  std::map<std::string, RegistryPackage> packages;  ///< by platform; may be empty
};

/// What a mirror says about a package.
struct MirrorEvidence {
  std::vector<std::string> hashes;  ///< one of them must match
  bool trust_all = false;           ///< the others are trusted as well
};

/// At most one of the two is set.
struct PackageEvidence {
  std::optional<RegistryEvidence> registry;
  std::optional<MirrorEvidence> mirror;
};

/// What is known about a hash of the provider's version.
struct HashTrust {
  bool verified = false;          ///< computed from the package
  bool registry = false;          ///< reported by the registry
  bool trusted_mirror = false;    ///< reported by a mirror with trust_all_hashes
  std::set<std::string> key_ids;  ///< of keys that signed it
};

/// What a package can be trusted for.
struct PackageTrust {
  std::map<std::string, HashTrust> hashes;

  bool is_signed() const;
  /// Reported by a registry or a trusted mirror, but not signed.
  bool signing_skipped() const;
  /// "signed", "signing skipped", "verified checksum" or "unauthenticated".
  std::string Summary() const;
  /// The IDs of all keys, separated by commas.
  std::string KeyIds() const;
};

/// An archive that arrived.
struct ArrivedPackage {
  std::string address;  ///< of the provider
  std::string platform;
  std::string checksum;  ///< SHA-256, hexadecimal
  int64_t size = 0;
  /// Computes the hash "h1:..." of the content; called at most once.
  std::function<Result<std::string>()> content_hash;
};

/// Checks a package. Prints the reference's line about expired keys to `warn`.
Result<PackageTrust> Authenticate(const PackageEvidence& evidence, const ArrivedPackage& package,
                                  const std::function<void(const std::string&)>& warn);

/// Whether a signature is needed for a provider even if its registry lists no keys.
bool SignatureRequired(const std::string& address);

/// The hashes of the schemes that this program can check.
std::vector<std::string> KnownHashes(const std::vector<std::string>& hashes);

}  // namespace kinu::install
