// Getters: how the package of a module is fetched, one function a kind of address. The table is in
// module_package.cc. Private to install. Ref: opentofu internal/getmodules, hashicorp/go-getter.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "install/network.h"
#include "install/package_cache.h"
#include "net/url.h"

namespace kinu::install {

/// What a getter fetches, and where to.
struct PackageFetch {
  std::string address;  ///< without forced getter and directory: a URL with its query
  std::string target;   ///< the directory to make; does not exist
  Network& network;
  PackageCache& cache;
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
  unsigned mode = 0600;        ///< of the downloaded file
  /// The digest that the package's address fixes: the archive is kept in the cache.
  std::optional<ContentDigest> fixed = {};
  /// Sends the request in place of the HTTP client.
  std::function<Result<net::HttpResponse>(const net::HttpRequest&)> send = {};
};

/// An object or a directory of objects in S3.
Result<void> GetS3(const PackageFetch& fetch);
/// An object or a directory of objects in Google Cloud Storage.
Result<void> GetGcs(const PackageFetch& fetch);

/// A bucket of an object store, as one getter sees it.
class Bucket {
 public:
  virtual ~Bucket() = default;
  /// All keys that begin with a prefix.
  virtual Result<std::vector<std::string>> List(const std::string& prefix) = 0;
  /// The request for an object; complete, with its signature.
  virtual Result<net::HttpRequest> ObjectRequest(const std::string& key) = 0;
};
/// Fetches the archive `key`, or all objects below the directory `key` when the address names no
/// archive. `url` is the address with its arguments; "archive" and "checksum" are read.
Result<void> FetchFromBucket(const PackageFetch& fetch, net::Url url, const std::string& key,
                             Bucket& bucket);

/// Downloads a file; its directory exists.
Result<void> DownloadFile(const std::string& path, net::HttpRequest request, Network& network,
                          const ArchiveOptions& options);

/// Downloads an archive, checks it and unpacks it; or takes it from the cache.
Result<void> FetchArchive(const PackageFetch& fetch, net::HttpRequest request,
                          const ArchiveOptions& options);
/// Unpacks an archive of this machine. `extension` says whether it is a single compressed file.
Result<void> UnpackModule(const std::string& archive, const std::string& target,
                          const std::string& extension);
/// The archive extension that a path ends with ("tar.gz"), or empty.
std::string ArchiveExtension(std::string_view path);
/// Takes the argument `archive` from a URL: its extension; "false" where nothing is unpacked.
std::string TakeArchiveArgument(net::Url& url);

/// Unpacks the archive of `options.fixed` from the cache. False, and no target: it is not there, or
/// cannot be unpacked.
bool UnpackFromCache(const PackageFetch& fetch, const ArchiveOptions& options);

/// Fetches the package of a remote address ("git::https://...") into a directory.
Result<void> GetPackage(const std::string& address, const std::string& target, Network& network,
                        PackageCache& cache, int hops = 0);

}  // namespace kinu::install
