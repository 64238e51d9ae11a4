// The kinds of package sources, one function each. Private to install.
#pragma once

#include <memory>

#include "install/network.h"
#include "install/package_source.h"

namespace kinu::install {

/// A directory with packages, packed or unpacked.
std::unique_ptr<PackageSource> MakeDirectoryMirror(const InstallMethod& method, Network& network);
/// The registry of the host in each address.
std::unique_ptr<PackageSource> MakeRegistrySource(const InstallMethod& method, Network& network);
/// A mirror that is asked over HTTPS.
std::unique_ptr<PackageSource> MakeNetworkMirror(const InstallMethod& method, Network& network);
/// An OCI registry whose repositories hold packages.
std::unique_ptr<PackageSource> MakeOciMirror(const InstallMethod& method, Network& network);

/// The namespace in which the default registry keeps a provider that was once known by its type
/// alone. Empty if it knows none or does not answer.
std::string LegacyNamespace(Network& network, const std::string& type);

/// A failed query: "HOST rejected the given authentication credentials" for 401 and 403.
SourceError UnauthorizedError(const std::string& host, bool with_credentials);
/// The error of a request: kCancelled stays, all else is kFailed with the prefix.
SourceError RequestError(const std::string& prefix, const Error& error);

}  // namespace kinu::install
