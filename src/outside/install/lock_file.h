// The dependency lock file `.terraform.lock.hcl`: the selected provider versions and the hashes of
// their packages. Invalid content is an error; writing normalises the whole file. Ref: opentofu
// internal/depsfile/locks_file.go.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/version.h"
#include "base/result.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"

namespace kinu::install {

inline constexpr std::string_view kLockFileName = ".terraform.lock.hcl";

/// Orders provider addresses by host, namespace and type.
struct ProviderAddressLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};

/// The lock of one provider.
struct ProviderLock {
  Version version;
  VersionConstraints constraints;
  std::vector<std::string> hashes;  ///< "h1:…" or "zh:…"; sorted, without duplicates

  /// The hashes to check packages with: those of the newest scheme in the lock. Ref:
  /// PreferredHashes.
  std::vector<std::string> PreferredHashes() const;
};

/// A lock file in memory.
class LockFile {
 public:
  std::map<std::string, ProviderLock, ProviderAddressLess> providers;

  /// Reads a file. A missing file is an empty lock file. Ranges in `diags` are valid as long as
  /// this object.
  static LockFile Read(const std::string& path, Diagnostics& diags);
  /// Parses the text of a lock file. `name` is for diagnostics.
  static LockFile Parse(std::string name, std::string text, Diagnostics& diags);

  /// The lock of a provider, or null.
  const ProviderLock* Find(std::string_view address) const;
  /// Sets or replaces a lock. Sorts the hashes and removes duplicates.
  void Set(const std::string& address, Version version, VersionConstraints constraints,
           std::vector<std::string> hashes);
  /// For each locked provider of Terraform's registry (registry.terraform.io/hashicorp) locks the
  /// same version of the OpenTofu provider of that name, unless that is locked already. Hashes are
  /// not copied: the packages differ. Returns pairs of old and new addresses.
  std::vector<std::pair<std::string, std::string>> TakeOverPredecessor();
  /// The normalised text of the file.
  std::string ToText() const;
  /// Writes the file atomically.
  Result<void> Write(const std::string& path) const;
  /// Whether both lock the same versions with the same hashes. Constraints do not count: the file
  /// is not written again when only they change. Ref: depsfile Locks.Equal.
  bool SelectsSame(const LockFile& other) const;
  /// Equal selections, constraints and hashes.
  friend bool operator==(const LockFile& a, const LockFile& b) { return a.ToText() == b.ToText(); }

 private:
  std::shared_ptr<hcl::SyntaxTree> tree_;
};

}  // namespace kinu::install
