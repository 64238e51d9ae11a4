// Package sources: where provider packages come from. SourceSet combines the sources of the CLI
// configuration; source_table.cc lists the kinds. Ref: opentofu internal/getproviders source.go,
// multi_source.go.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/version.h"
#include "base/result.h"
#include "install/cli_config.h"
#include "install/package_trust.h"
#include "net/http.h"

namespace kinu::install {

class Network;

/// The platform in package names, such as "linux_amd64".
std::string CurrentPlatform();

/// Why a source cannot answer.
enum class SourceProblem : uint8_t {
  kNotFound,         ///< no source has the provider
  kUnknownProvider,  ///< its registry does not know it
  kNoRegistry,       ///< the host offers no provider registry
  kOtherRegistry,    ///< the host offers a registry of another version only
  kPlatform,         ///< the version has no package for the platform
  kProtocol,         ///< the version needs another protocol
  kCancelled,
  kFailed,  ///< anything else; the message says what
};

struct SourceError {
  SourceProblem problem = SourceProblem::kFailed;
  std::string message;
  std::vector<std::string> sources;   ///< kNotFound: the sources that were asked, for people
  std::optional<Version> suggestion;  ///< kProtocol: the closest version that would do
  std::string mirror;                 ///< kPlatform: the network mirror that lacks the package
};

template <typename T>
using SourceResult = std::expected<T, SourceError>;

/// The versions of a provider in no order.
struct OfferedVersions {
  std::vector<Version> versions;
  std::vector<std::string> warnings;  ///< of the registry, for people
};

/// The form in which a package is offered.
enum class PackageForm : uint8_t { kDirectory, kArchive, kRemote };

/// A package of one version for one platform.
struct PackageOffer {
  Version version;
  std::string platform;
  PackageForm form = PackageForm::kDirectory;
  std::string location;      ///< the path of a directory or archive
  net::HttpRequest request;  ///< kRemote: gets the archive
  /// kRemote: sends the request in place of the HTTP client. Empty: the client does.
  std::function<Result<net::HttpResponse>(const net::HttpRequest&)> send;
  PackageEvidence evidence;
};

/// A place that has packages. Thread-safe.
class PackageSource {
 public:
  virtual ~PackageSource() = default;
  virtual SourceResult<OfferedVersions> Versions(const std::string& address) = 0;
  virtual SourceResult<PackageOffer> Package(const std::string& address, const Version& version,
                                             const std::string& platform) = 0;
  /// The source in lists for people: "registry example.com", a directory.
  virtual std::string Name(const std::string& address) const = 0;
};

/// Whether packages come from where the CLI configuration says, or from their registries only.
enum class SourceChoice : uint8_t { kConfigured, kDirectOnly };

/// The sources in effect. Thread-safe.
class SourceSet final : public PackageSource {
 public:
  /// Uses `forced_directories` (-plugin-dir) if there are any, else the installation methods of the
  /// CLI configuration, else the default directories and then the registry. `original_directory` is
  /// the working directory at program start, before -chdir. `network` must outlive the set.
  SourceSet(const CliConfig& config, const std::vector<std::string>& forced_directories,
            const std::string& original_directory, Network& network,
            SourceChoice choice = SourceChoice::kConfigured);
  /// One network mirror (-net-mirror) for all providers.
  static std::unique_ptr<SourceSet> OfNetworkMirror(const std::string& url, Network& network);
  /// One OCI registry (-oci-mirror) for all providers. `uri_template` is as oci_config.h says.
  static std::unique_ptr<SourceSet> OfOciMirror(const std::string& uri_template, Network& network);
  /// One directory (-fs-mirror) for all providers.
  static std::unique_ptr<SourceSet> OfDirectory(const std::string& path, Network& network);

  SourceResult<OfferedVersions> Versions(const std::string& address) override;
  SourceResult<PackageOffer> Package(const std::string& address, const Version& version,
                                     const std::string& platform) override;
  std::string Name(const std::string& address) const override;

  /// Another provider that users of `address` may mean: a required one of the same type, else what
  /// the default registry says. Empty if there is none.
  std::string Suggestion(const std::string& address, const std::vector<std::string>& required);

 private:
  SourceSet() = default;
  struct Entry {
    InstallMethod method;
    std::unique_ptr<PackageSource> source;
  };
  void Add(InstallMethod method, Network& network);
  std::vector<std::string> Names(const std::string& address) const;

  std::vector<Entry> entries_;
  Network* network_ = nullptr;
};

/// Finds the executable in an unpacked package. Ref: providercache CachedProvider.
Result<std::string> FindExecutable(const std::string& directory, std::string_view type);

}  // namespace kinu::install
