// The dependency lock file `.terraform.lock.hcl`: which provider versions were selected, and what
// their packages must hash to. Read strictly, written completely anew in one normal form.
// Ref: opentofu internal/depsfile/locks_file.go; shared contract 16.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codec/version.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"

namespace kinu::install {

inline constexpr std::string_view kLockFileName = ".terraform.lock.hcl";

/// Orders full provider addresses by host, namespace, type.
struct ProviderAddressLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};

struct ProviderLock {
  Version version;
  VersionConstraints constraints;
  std::vector<std::string> hashes;  ///< "h1:…", "zh:…": sorted, unique

  /// The hashes to check packages with: the newest scheme that is there. Ref: PreferredHashes.
  std::vector<std::string> PreferredHashes() const;
};

class LockFile {
 public:
  std::map<std::string, ProviderLock, ProviderAddressLess> providers;

  /// Reads a file; one that does not exist locks nothing. Ranges in `diags` stay valid as long as
  /// this object.
  static LockFile Read(const std::string& path, Diagnostics& diags);
  static LockFile Parse(std::string name, std::string text, Diagnostics& diags);

  const ProviderLock* Find(std::string_view address) const;
  /// Sets or replaces a lock; hashes are sorted and made unique.
  void Set(const std::string& address, Version version, VersionConstraints constraints,
           std::vector<std::string> hashes);
  /// Selects the versions of the predecessor's official providers (registry.terraform.io/hashicorp)
  /// for those of the same name in our registry, where nothing is selected yet. Their packages
  /// differ, so no hashes are taken over. Says which entries were made of which.
  std::vector<std::pair<std::string, std::string>> TakeOverPredecessor();
  std::string ToText() const;
  /// Writes the file atomically.
  Result<void> Write(const std::string& path) const;
  /// Same selections, constraints and hashes.
  friend bool operator==(const LockFile& a, const LockFile& b) { return a.ToText() == b.ToText(); }

 private:
  std::shared_ptr<hcl::SyntaxTree> tree_;
};

}  // namespace kinu::install
