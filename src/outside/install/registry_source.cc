// The source that asks the registry of a provider's host. Ref: opentofu internal/getproviders
// registry_source.go, registry_client.go.
#include <algorithm>

#include "addrs/provider_source.h"
#include "install/sources.h"
#include "json/expected.h"
#include "json/reader.h"
#include "trace/trace.h"

namespace kinu::install {
namespace {

std::unexpected<SourceError> Failed(std::string message) {
  return std::unexpected(SourceError{.message = std::move(message)});
}

std::vector<std::string> TextList(const JsonNode& object, std::string_view name) {
  std::vector<std::string> out;
  if (const JsonNode* list = json::FindInAnyCase(object, name); list != nullptr) {
    for (const JsonNode& element : list->elements()) {
      out.emplace_back(element.is_string() ? element.text() : "");
    }
  }
  return out;
}

using json::Expected;

// The answers of a registry. Ref: opentofu internal/getproviders/registry_client.go.
constexpr Expected kTexts{
    .type = Expected::Type::kList, .name = "[]string", .element = &json::kExpectedText};
constexpr Expected::Member kVersionMembers[] = {{"version", &json::kExpectedText},
                                                {"protocols", &kTexts}};
constexpr Expected kVersion{
    .type = Expected::Type::kObject, .name = "struct", .members = kVersionMembers};
constexpr Expected kVersions{
    .type = Expected::Type::kList, .name = "[]struct", .element = &kVersion};
constexpr Expected::Member kListingMembers[] = {{"versions", &kVersions}, {"warnings", &kTexts}};
constexpr Expected kListing{.type = Expected::Type::kObject,
                            .name = "getproviders.ResponseBody",
                            .members = kListingMembers};

constexpr Expected::Member kKeyMembers[] = {{"ascii_armor", &json::kExpectedText},
                                            {"trust_signature", &json::kExpectedText}};
constexpr Expected kKey{
    .type = Expected::Type::kObject, .name = "getproviders.SigningKey", .members = kKeyMembers};
constexpr Expected kKeys{
    .type = Expected::Type::kList, .name = "[]*getproviders.SigningKey", .element = &kKey};
constexpr Expected::Member kKeyListMembers[] = {{"gpg_public_keys", &kKeys}};
constexpr Expected kKeyList{.type = Expected::Type::kObject,
                            .name = "getproviders.SigningKeyList",
                            .members = kKeyListMembers};
constexpr Expected::Member kOtherMembers[] = {{"hashes", &kTexts},
                                              {"package_size", &json::kExpectedInt}};
constexpr Expected kOther{
    .type = Expected::Type::kObject, .name = "struct", .members = kOtherMembers};
constexpr Expected kOthers{
    .type = Expected::Type::kMap, .name = "map[string]struct", .element = &kOther};
constexpr Expected::Member kPackageMembers[] = {{"protocols", &kTexts},
                                                {"os", &json::kExpectedText},
                                                {"arch", &json::kExpectedText},
                                                {"filename", &json::kExpectedText},
                                                {"download_url", &json::kExpectedText},
                                                {"shasum", &json::kExpectedText},
                                                {"shasums_url", &json::kExpectedText},
                                                {"shasums_signature_url", &json::kExpectedText},
                                                {"signing_keys", &kKeyList},
                                                {"packages", &kOthers}};
constexpr Expected kPackage{.type = Expected::Type::kObject,
                            .name = "getproviders.ResponseBody",
                            .members = kPackageMembers};

/// Whether a protocol version ("5.0") is one that providers may have: >= 5, < 7.
bool IsSupportedProtocol(const Version& version) {
  const int64_t major = version.numbers()[0];
  return major == 5 || major == 6;
}

Result<Version> ParseProtocol(std::string_view text) {
  return Version::ParseExact(text);
}

constexpr std::string_view kRegistryTraceScope = "kinu/install";

SourceError FailSpan(trace::Span& span, SourceError error) {
  if (span.on()) {
    span.Fail(error.message);
  }
  return error;
}

/// A version that a registry lists.
struct ListedVersion {
  Version version;
  std::vector<std::string> protocols;
};

struct VersionListing {
  std::vector<ListedVersion> versions;
  std::vector<std::string> warnings;
};

class RegistrySource final : public PackageSource {
 public:
  RegistrySource(std::optional<int> download_retries, Network& network)
      : download_retries_(download_retries), network_(network) {}

  SourceResult<OfferedVersions> Versions(const std::string& address) override {
    KINU_TRY(const net::Url base, FindRegistry(address));
    trace::Span span(kRegistryTraceScope, "List Versions");
    if (span.on()) {
      span.Set("opentofu.provider.address", address);
    }
    auto listing = ListVersions(base, address, &span);
    if (!listing) {
      return std::unexpected(FailSpan(span, std::move(listing).error()));
    }
    OfferedVersions out;
    out.warnings = std::move(listing->warnings);
    for (ListedVersion& version : listing->versions) {
      out.versions.push_back(std::move(version.version));
    }
    return out;
  }

  SourceResult<PackageOffer> Package(const std::string& address, const Version& version,
                                     const std::string& platform) override;

  std::string Name(const std::string& address) const override {
    return "registry " + SplitProviderAddress(address).host;
  }

 private:
  SourceResult<net::Url> FindRegistry(const std::string& address);
  SourceResult<net::HttpResponse> Query(const net::Url& url, const std::string& address);
  SourceResult<PackageOffer> AskPackage(const std::string& address, const Version& version,
                                        const std::string& platform, trace::Span& span);
  /// `span`, if there is one, gets the address that is asked.
  SourceResult<VersionListing> ListVersions(const net::Url& base, const std::string& address,
                                            trace::Span* span);
  SourceError ProtocolError(const net::Url& base, const std::string& address,
                            const Version& version);
  SourceResult<std::string> File(const net::Url& base, const std::string& address,
                                 const std::string& reference, const std::string& what);
  SourceResult<RegistryEvidence> ReadEvidence(const JsonNode& root, const std::string& address);

  std::optional<int> download_retries_;
  Network& network_;
};

SourceError QueryFailed(const std::string& address, const std::string& why) {
  return {.message = "could not query provider registry for " + address + ": " + why};
}

SourceResult<net::Url> RegistrySource::FindRegistry(const std::string& address) {
  const std::string host = SplitProviderAddress(address).host;
  auto service = network_.Service(host, "providers.v1");
  if (!service) {
    return std::unexpected(RequestError("could not connect to " + host + ": ", service.error()));
  }
  switch (service->status) {
    case HostService::Status::kFound:
      return service->url;
    case HostService::Status::kMissing:
      return std::unexpected(SourceError{.problem = SourceProblem::kNoRegistry});
    case HostService::Status::kOtherVersion:
      break;
  }
  return std::unexpected(SourceError{.problem = SourceProblem::kOtherRegistry});
}

/// A response with status 200, 404 or another; 401 and 403 are errors.
SourceResult<net::HttpResponse> RegistrySource::Query(const net::Url& url,
                                                      const std::string& address) {
  const std::string host = SplitProviderAddress(address).host;
  auto request = network_.MetadataRequest(url, host);
  if (!request) {
    return std::unexpected(RequestError("", request.error()));
  }
  auto response = network_.client().Send(*request);
  if (!response) {
    return std::unexpected(
        RequestError("could not query provider registry for " + address + ": ", response.error()));
  }
  if (response->status == 401 || response->status == 403) {
    return std::unexpected(
        UnauthorizedError(host, request->headers.Find("Authorization") != nullptr));
  }
  if (response->status != 200 && response->status != 404) {
    return std::unexpected(QueryFailed(address, response->StatusText()));
  }
  return *std::move(response);
}

SourceResult<VersionListing> RegistrySource::ListVersions(const net::Url& base,
                                                          const std::string& address,
                                                          trace::Span* span) {
  const ProviderAddress provider = SplitProviderAddress(address);
  const auto url = base.Resolve(provider.space + '/' + provider.type + "/versions");
  if (!url) {
    return Failed(url.error().message);
  }
  if (span != nullptr && span->on()) {
    span->Set("url.full", url->Redacted());
  }
  KINU_TRY(const net::HttpResponse response, Query(*url, address));
  if (response.status == 404) {
    return std::unexpected(SourceError{.problem = SourceProblem::kUnknownProvider,
                                       .message = "provider registry " + provider.host +
                                                  " does not have a provider named " + address});
  }
  const JsonDocument document = ParseJson(response.body);
  if (const auto problem = json::ProblemOf(response.body, document, kListing); !problem.empty()) {
    return std::unexpected(QueryFailed(address, problem));
  }
  VersionListing listing;
  listing.warnings = TextList(document.root(), "warnings");
  const JsonNode* versions = json::FindInAnyCase(document.root(), "versions");
  for (const JsonNode& entry :
       versions == nullptr ? std::span<const JsonNode>() : versions->elements()) {
    const std::string text = json::TextInAnyCase(entry, "version");
    auto version = Version::ParseExact(text);
    if (!version) {
      return std::unexpected(QueryFailed(address,
                                         "registry response includes invalid version "
                                         "string \"" +
                                             text + "\": " + version.error().message));
    }
    listing.versions.push_back({*std::move(version), TextList(entry, "protocols")});
  }
  return listing;
}

/// Finds the newest version with a protocol that this program has. Ref:
/// findClosestProtocolCompatibleVersion.
SourceError RegistrySource::ProtocolError(const net::Url& base, const std::string& address,
                                          const Version& version) {
  auto listing = ListVersions(base, address, nullptr);
  if (!listing) {
    return listing.error();
  }
  SourceError error{
      .problem = SourceProblem::kProtocol,
      .message = "provider " + address + ' ' + version.ToText() + " needs another plugin protocol"};
  for (const ListedVersion& listed : listing->versions) {
    const bool fits = std::ranges::any_of(listed.protocols, [](const std::string& text) {
      const auto protocol = ParseProtocol(text);
      return protocol && IsSupportedProtocol(*protocol);
    });
    if (fits && (!error.suggestion || *error.suggestion < listed.version)) {
      error.suggestion = listed.version;
    }
  }
  return error;
}

SourceResult<std::string> RegistrySource::File(const net::Url& base, const std::string& address,
                                               const std::string& reference,
                                               const std::string& what) {
  const auto url = base.Resolve(reference);
  if (!url || (url->scheme != "http" && url->scheme != "https")) {
    return Failed("registry response includes invalid " + what +
                  " URL: " + (url ? "must use http or https scheme" : url.error().message));
  }
  auto response = network_.client().Send(network_.MetadataRequest(*url));
  const std::string prefix = "could not query provider registry for " + address +
                             ": failed to retrieve authentication " + what + " for provider: ";
  if (!response) {
    return std::unexpected(RequestError(prefix, response.error()));
  }
  if (response->status != 200) {
    return Failed(prefix + response->StatusText() + " returned from " + url->host);
  }
  return std::move(response->body);
}

SourceResult<RegistryEvidence> RegistrySource::ReadEvidence(const JsonNode& root,
                                                            const std::string& address) {
  constexpr size_t kDigits = 64;
  RegistryEvidence evidence;
  evidence.filename = json::TextInAnyCase(root, "filename");
  evidence.checksum = json::TextInAnyCase(root, "shasum");
  const bool hexadecimal = std::ranges::all_of(evidence.checksum, [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
  if (evidence.checksum.size() != kDigits || !hexadecimal) {
    return std::unexpected(QueryFailed(
        address, "registry response includes invalid SHA256 hash \"" + evidence.checksum + '"'));
  }
  if (const JsonNode* keys = json::FindInAnyCase(root, "signing_keys"); keys != nullptr) {
    const JsonNode* list = json::FindInAnyCase(*keys, "gpg_public_keys");
    for (const JsonNode& key : list == nullptr ? std::span<const JsonNode>() : list->elements()) {
      evidence.keys.push_back(json::TextInAnyCase(key, "ascii_armor"));
    }
  }
  const JsonNode* packages = json::FindInAnyCase(root, "packages");
  for (const JsonMember& member :
       packages == nullptr ? std::span<const JsonMember>() : packages->members()) {
    RegistryPackage& package = evidence.packages[std::string(member.name)];
    package.hashes = TextList(member.value, "hashes");
    const JsonNode* size = json::FindInAnyCase(member.value, "package_size");
    package.size = size != nullptr && size->is_number()
                       ? std::strtoll(std::string(size->text()).c_str(), nullptr, 10)
                       : 0;
  }
  return evidence;
}

SourceResult<PackageOffer> RegistrySource::Package(const std::string& address,
                                                   const Version& version,
                                                   const std::string& platform) {
  trace::Span span(kRegistryTraceScope, "Fetch metadata");
  if (span.on()) {
    span.Set("opentofu.provider.address", address);
    span.Set("opentofu.provider.version", version.ToText());
  }
  auto offer = AskPackage(address, version, platform, span);
  if (!offer) {
    return std::unexpected(FailSpan(span, std::move(offer).error()));
  }
  return offer;
}

SourceResult<PackageOffer> RegistrySource::AskPackage(const std::string& address,
                                                      const Version& version,
                                                      const std::string& platform,
                                                      trace::Span& span) {
  KINU_TRY(const net::Url base, FindRegistry(address));
  const ProviderAddress provider = SplitProviderAddress(address);
  const size_t line = platform.find('_');
  const auto url =
      base.Resolve(provider.space + '/' + provider.type + '/' + version.ToText() + "/download/" +
                   platform.substr(0, line) + '/' + platform.substr(line + 1));
  if (!url) {
    return Failed(url.error().message);
  }
  if (span.on()) {
    span.Set("url.full", url->Redacted());
  }
  KINU_TRY(const net::HttpResponse response, Query(*url, address));
  if (response.status == 404) {
    return std::unexpected(SourceError{.problem = SourceProblem::kPlatform});
  }
  const JsonDocument document = ParseJson(response.body);
  if (const auto problem = json::ProblemOf(response.body, document, kPackage); !problem.empty()) {
    return std::unexpected(QueryFailed(address, problem));
  }
  const JsonNode& root = document.root();
  const std::vector<std::string> protocols = TextList(root, "protocols");
  bool fits = protocols.empty();
  for (const std::string& text : protocols) {
    const auto protocol = ParseProtocol(text);
    if (!protocol) {
      return std::unexpected(QueryFailed(
          address, "registry response includes invalid version string \"" + text + '"'));
    }
    fits = fits || IsSupportedProtocol(*protocol);
  }
  if (!fits) {
    return std::unexpected(ProtocolError(base, address, version));
  }
  const std::string target =
      json::TextInAnyCase(root, "os") + '_' + json::TextInAnyCase(root, "arch");
  if (target != platform) {
    return Failed("registry response to request for " + platform +
                  " archive has incorrect target " + target);
  }
  const auto final_url = net::Url::Parse(response.url);
  const auto download = final_url->Resolve(json::TextInAnyCase(root, "download_url"));
  if (!download || (download->scheme != "http" && download->scheme != "https")) {
    return Failed("registry response includes invalid download URL: must use http or https scheme");
  }
  KINU_TRY(RegistryEvidence evidence, ReadEvidence(root, address));
  KINU_TRY(evidence.checksums,
           File(*final_url, address, json::TextInAnyCase(root, "shasums_url"), "checksums"));
  KINU_TRY(
      evidence.signature,
      File(*final_url, address, json::TextInAnyCase(root, "shasums_signature_url"), "signature"));
  PackageOffer offer;
  offer.version = version;
  offer.platform = platform;
  offer.form = PackageForm::kRemote;
  offer.request = network_.PackageRequest(*download, download_retries_);
  offer.evidence.registry = std::move(evidence);
  return offer;
}

}  // namespace

std::unique_ptr<PackageSource> MakeRegistrySource(const InstallMethod& method, Network& network) {
  return std::make_unique<RegistrySource>(method.download_retries, network);
}

std::string LegacyNamespace(Network& network, const std::string& type) {
  const std::string host(kDefaultRegistryHost);
  const auto service = network.Service(host, "providers.v1");
  if (!service || service->status != HostService::Status::kFound) {
    return {};
  }
  const auto url = service->url.Resolve("-/" + type + "/versions");
  const auto request = url ? network.MetadataRequest(*url, host)
                           : Result<net::HttpRequest>(std::unexpected(url.error()));
  const auto response = request ? network.client().Send(*request)
                                : Result<net::HttpResponse>(std::unexpected(request.error()));
  if (!response || response->status != 200) {
    return {};
  }
  const JsonDocument document = ParseJson(response->body);
  for (const char* name : {"moved_to", "id"}) {
    const std::string text = document.ok() ? document.root().TextOf(name) : "";
    const size_t slash = text.rfind('/');
    const size_t before =
        slash == std::string::npos || slash == 0 ? std::string::npos : text.rfind('/', slash - 1);
    if (slash != std::string::npos && text.substr(slash + 1) == type) {
      return text.substr(before == std::string::npos ? 0 : before + 1,
                         slash - (before == std::string::npos ? 0 : before + 1));
    }
  }
  return {};
}

}  // namespace kinu::install
