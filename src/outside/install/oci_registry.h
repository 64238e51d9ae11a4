// The client of OCI registries: lists tags, resolves them, fetches manifests and blobs, always over
// HTTPS. Ref: OCI distribution specification; oras-go registry/remote, registry/remote/auth.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "install/oci_credentials.h"
#include "install/oci_manifest.h"
#include "net/http.h"
#include "net/url.h"

namespace kinu::install {

/// The parts of a header WWW-Authenticate.
struct OciChallenge {
  std::string scheme;  ///< "basic", "bearer" or empty for others
  std::string realm;
  std::string service;
  std::string scope;
};
OciChallenge ParseOciChallenge(std::string_view header);

/// Fails unless a registry may name this address as the place that gives out tokens: https, and no
/// private address but its own. Ref: oras-go registry/remote/auth/client.go validateRealm.
Result<void> CheckOciRealm(const std::string& realm, const std::string& domain);

/// A repository that can be read. Errors with kNotFound: the registry has no such thing.
/// Thread-safe.
class OciStore {
 public:
  OciStore(const net::HttpClient& client, OciRepository repository, OciCredential credential);

  const OciRepository& repository() const { return repository_; }

  /// Checks that the registry speaks this protocol and accepts the credentials.
  Result<void> Ping();
  /// All tags, in the order of the registry.
  Result<std::vector<std::string>> Tags();
  /// The media type, digest and size of the manifest that a tag or digest names.
  Result<OciDescriptor> Resolve(const std::string& reference);
  /// Fetches a manifest, at most 4 MiB, and compares it with its descriptor.
  Result<std::string> Manifest(const OciDescriptor& descriptor);
  /// The request for a blob, without credentials.
  net::HttpRequest BlobRequest(const OciDescriptor& descriptor) const;
  /// Sends a request, with credentials as far as it is for the registry itself.
  Result<net::HttpResponse> Send(net::HttpRequest request);

 private:
  std::string Base() const;
  /// The value of "Authorization" that answers a challenge.
  Result<std::string> Answer(const OciChallenge& challenge, const std::string& scope);
  Result<std::string> FetchToken(const OciChallenge& challenge, const std::string& scope);

  const net::HttpClient& client_;
  OciRepository repository_;
  OciCredential credential_;
  std::mutex mutex_;
  std::map<std::string, std::string> authorizations_;  ///< by scope
};

/// The repositories in use in one run: each registry is contacted once per repository. Thread-safe.
class OciStores {
 public:
  OciStores(const net::HttpClient& client, const CliConfig& config)
      : client_(client), credentials_(config) {}

  /// Contacts the registry of a repository.
  Result<OciStore*> Open(const OciRepository& repository);

 private:
  const net::HttpClient& client_;
  OciCredentials credentials_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<OciStore>> stores_;
};

}  // namespace kinu::install
