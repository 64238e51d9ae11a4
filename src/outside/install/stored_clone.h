// Clones of git repositories in the cache of packages: the working tree of a commit, and the
// directory .git beside it, in one file. Its last bytes are the digest of the others.
//
// The address of the repository, which may contain a token, is not stored: where .git has it, the
// file has a mark, and a clone that is restored gets the address that asks for it.
#pragma once

#include <optional>
#include <string>

#include "install/package_cache.h"
#include "net/url.h"

namespace kinu::install {

/// A commit of a repository.
struct FixedClone {
  std::string commit;
  std::string remote;  ///< address of the repository, as git gets it
  std::string shown;   ///< without user and password, as git writes it into reflogs

  /// Nothing if the reference is no full commit hash, or the address is one that git would write in
  /// another form.
  static std::optional<FixedClone> Of(net::Url remote, const std::string& reference);
  /// The name of its file: a digest of the commit and of the address without user and password.
  std::string FileName() const;
};

/// Stores a clone that has just been made, if its content follows from the commit: its HEAD is that
/// commit, no filter changed files, nothing in .git belongs to submodules, other programs or other
/// repositories.
void StoreClone(PackageCache& cache, const FixedClone& clone, const std::string& directory);

/// Makes `target`, which does not exist, from what the cache has. False, and no target: the cache
/// has nothing, or it is damaged.
bool RestoreClone(const PackageCache& cache, const FixedClone& clone, const std::string& target);

}  // namespace kinu::install
