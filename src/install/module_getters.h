// Getters: how the package of a module is fetched, one function a kind of address. The table is in
// module_package.cc. Private to install. Ref: opentofu internal/getmodules, hashicorp/go-getter.
#pragma once

#include <string>

#include "base/result.h"
#include "install/network.h"
#include "net/url.h"

namespace kinu::install {

/// What a getter fetches, and where to.
struct PackageFetch {
  std::string address;  ///< without forced getter and directory: a URL with its query
  std::string target;   ///< the directory to make; does not exist
  Network& network;
  int hops = 0;  ///< X-Terraform-Get responses so far
};

/// A git repository, by the program git.
Result<void> GetGit(const PackageFetch& fetch);
/// A Mercurial repository, by the program hg.
Result<void> GetMercurial(const PackageFetch& fetch);
/// An archive, or an address that a server names (X-Terraform-Get).
Result<void> GetHttp(const PackageFetch& fetch);
/// A directory or an archive of this machine.
Result<void> GetFile(const PackageFetch& fetch);

/// Downloads an archive, checks it against a `checksum` argument ("" for none) and unpacks it. The
/// format follows from the content.
Result<void> FetchArchive(const PackageFetch& fetch, net::HttpRequest request,
                          const std::string& checksum, const std::string& extension);
/// Unpacks an archive of this machine. `extension` says whether it is a single compressed file.
Result<void> UnpackModule(const std::string& archive, const std::string& target,
                          const std::string& extension);
/// The archive extension that a path ends with ("tar.gz"), or empty.
std::string ArchiveExtension(std::string_view path);
/// Takes the argument `archive` from a URL: its extension; "false" where nothing is unpacked.
std::string TakeArchiveArgument(net::Url& url);

/// Fetches the package of a remote address ("git::https://...") into a directory.
Result<void> GetPackage(const std::string& address, const std::string& target, Network& network,
                        int hops = 0);

}  // namespace kinu::install
