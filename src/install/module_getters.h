// Getters: how the package of a module is fetched, one function a kind of address. The table is in
// module_package.cc. Private to install. Ref: opentofu internal/getmodules, hashicorp/go-getter.
#pragma once

#include <functional>
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

/// An OCI repository that holds archives.
Result<void> GetOci(const PackageFetch& fetch);

/// What is known about an archive before it is downloaded.
struct ArchiveOptions {
  std::string checksum = {};   ///< "sha256:HEX" and the like, "file:URL"; empty: none
  std::string extension = {};  ///< "tar.gz"; empty: the format follows from the content
  int64_t size = -1;           ///< in bytes; -1: unknown
  /// Sends the request in place of the HTTP client.
  std::function<Result<net::HttpResponse>(const net::HttpRequest&)> send = {};
};

/// Downloads an archive, checks it and unpacks it.
Result<void> FetchArchive(const PackageFetch& fetch, net::HttpRequest request,
                          const ArchiveOptions& options);
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
