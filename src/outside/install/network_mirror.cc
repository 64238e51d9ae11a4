// The source that asks a network mirror: an index of versions and one of the packages of a version.
// Ref: opentofu internal/getproviders http_mirror_source.go.
#include "addrs/provider_source.h"
#include "install/sources.h"
#include "json/expected.h"

namespace kinu::install {
namespace {

using json::Expected;

// The answers of a mirror. Ref: opentofu internal/getproviders/http_mirror_source.go.
constexpr Expected kNothing{.type = Expected::Type::kObject, .name = "struct {}"};
constexpr Expected kMirroredVersions{
    .type = Expected::Type::kMap, .name = "map[string]struct {}", .element = &kNothing};
constexpr Expected::Member kIndexMembers[] = {{"versions", &kMirroredVersions}};
constexpr Expected kIndex{
    .type = Expected::Type::kObject, .name = "getproviders.ResponseBody", .members = kIndexMembers};

constexpr Expected kHashes{
    .type = Expected::Type::kList, .name = "[]string", .element = &json::kExpectedText};
constexpr Expected::Member kArchiveMembers[] = {{"url", &json::kExpectedText},
                                                {"hashes", &kHashes}};
constexpr Expected kArchive{.type = Expected::Type::kObject,
                            .name = "getproviders.ResponseArchiveMeta",
                            .members = kArchiveMembers};
constexpr Expected kArchiveMap{.type = Expected::Type::kMap,
                               .name = "map[string]*getproviders.ResponseArchiveMeta",
                               .element = &kArchive};
constexpr Expected::Member kArchivesMembers[] = {{"archives", &kArchiveMap}};
constexpr Expected kArchives{.type = Expected::Type::kObject,
                             .name = "getproviders.ResponseBody",
                             .members = kArchivesMembers};

/// The host of a mirror as credentials name it: without the default port.
std::string CredentialsHost(const net::Url& url) {
  const auto host = ParseHostName(url.host);
  return host ? *host : url.host;
}

class NetworkMirror final : public PackageSource {
 public:
  NetworkMirror(const InstallMethod& method, Network& network)
      : method_(method), network_(network) {}

  SourceResult<OfferedVersions> Versions(const std::string& address) override {
    KINU_TRY(const net::HttpResponse response, Get(address, "index.json"));
    if (response.status == 404) {
      return std::unexpected(SourceError{.problem = SourceProblem::kNotFound});
    }
    const JsonDocument document = ParseJson(response.body);
    if (const auto problem = json::ProblemOf(response.body, document, kIndex); !problem.empty()) {
      return std::unexpected(
          QueryError(address, "invalid response content from mirror server: " + problem));
    }
    OfferedVersions out;
    const JsonNode* versions = json::FindInAnyCase(document.root(), "versions");
    for (const JsonMember& member :
         versions == nullptr ? std::span<const JsonMember>() : versions->members()) {
      if (auto version = Version::ParseExact(member.name)) {
        out.versions.push_back(*std::move(version));
      }
    }
    return out;
  }

  SourceResult<PackageOffer> Package(const std::string& address, const Version& version,
                                     const std::string& platform) override;

  std::string Name(const std::string&) const override {
    return "provider mirror at " + method_.location;
  }

 private:
  SourceError QueryError(const std::string& address, const std::string& why) const {
    return {.message = "failed to query provider mirror " + method_.location + " for " + address +
                       ": " + why};
  }
  SourceResult<net::HttpResponse> Get(const std::string& address, const std::string& file);
  /// False, with the text in `bad`, at one that is no hash.
  bool ReadHashes(const JsonNode& archives, const std::string& platform, MirrorEvidence& evidence,
                  std::string& bad) const;

  InstallMethod method_;
  Network& network_;
};

SourceResult<net::HttpResponse> NetworkMirror::Get(const std::string& address,
                                                   const std::string& file) {
  constexpr int kMaxRedirects = 5;
  const auto base = net::Url::Parse(method_.location);
  const auto url = base ? base->Resolve(address + '/' + file) : base;
  if (!url) {
    return std::unexpected(QueryError(address, url.error().message));
  }
  const std::string host = CredentialsHost(*base);
  auto request = network_.MetadataRequest(*url, host);
  if (!request) {
    return std::unexpected(
        QueryError(address, "failed to determine request credentials: " + request.error().message));
  }
  request->retry.retries = 0;
  request->max_redirects = kMaxRedirects;
  auto response = network_.client().Send(*request);
  if (!response) {
    return std::unexpected(RequestError(QueryError(address, "").message, response.error()));
  }
  if (response->status == 401 || response->status == 403) {
    const auto final_url = net::Url::Parse(response->url);
    return std::unexpected(UnauthorizedError(CredentialsHost(*final_url),
                                             request->headers.Find("Authorization") != nullptr));
  }
  if (response->status != 200 && response->status != 404) {
    return std::unexpected(QueryError(
        address, "server returned unsuccessful status " + std::to_string(response->status)));
  }
  if (response->status == 200 && !HasMediaType(*response, "application/json")) {
    return std::unexpected(QueryError(
        address, "response has media type \"" + std::string(response->headers.Get("Content-Type")) +
                     "\" and must have \"application/json\""));
  }
  return *std::move(response);
}

bool NetworkMirror::ReadHashes(const JsonNode& archives, const std::string& platform,
                               MirrorEvidence& evidence, std::string& bad) const {
  for (const JsonMember& member : archives.members()) {
    const JsonNode* hashes = json::FindInAnyCase(member.value, "hashes");
    if (hashes == nullptr || (member.name != platform && !method_.trust_all_hashes)) {
      continue;
    }
    for (const JsonNode& hash : hashes->elements()) {
      evidence.hashes.emplace_back(hash.is_string() ? hash.text() : "");
      if (!evidence.hashes.back().contains(':')) {
        bad = evidence.hashes.back();
        return false;
      }
    }
  }
  evidence.trust_all = method_.trust_all_hashes;
  return true;
}

SourceResult<PackageOffer> NetworkMirror::Package(const std::string& address,
                                                  const Version& version,
                                                  const std::string& platform) {
  KINU_TRY(const net::HttpResponse response, Get(address, version.ToText() + ".json"));
  if (response.status == 404) {
    return std::unexpected(
        QueryError(address, "provider mirror does not have archive index for previously-reported " +
                                address + " version " + version.ToText()));
  }
  const JsonDocument document = ParseJson(response.body);
  if (const auto problem = json::ProblemOf(response.body, document, kArchives); !problem.empty()) {
    return std::unexpected(
        QueryError(address, "invalid response content from mirror server: " + problem));
  }
  const JsonNode* archives = json::FindInAnyCase(document.root(), "archives");
  const JsonNode* archive = archives == nullptr ? nullptr : archives->Find(platform);
  if (archive == nullptr) {
    return std::unexpected(
        SourceError{.problem = SourceProblem::kPlatform, .mirror = method_.location});
  }
  const std::string text = json::TextInAnyCase(*archive, "url");
  const auto base = net::Url::Parse(response.url);
  const auto url = base ? base->Resolve(text) : base;
  if (!url) {
    return std::unexpected(
        QueryError(address, "provider mirror returned invalid URL \"" + text + '"'));
  }
  PackageOffer offer;
  offer.version = version;
  offer.platform = platform;
  offer.form = PackageForm::kRemote;
  offer.request = network_.PackageRequest(*url, method_.download_retries);
  MirrorEvidence evidence;
  if (std::string bad; !ReadHashes(*archives, platform, evidence, bad)) {
    return std::unexpected(QueryError(address, "provider mirror returned invalid provider hash \"" +
                                                   bad + "\": a hash has a scheme, as in \"h1:\""));
  }
  if (!evidence.hashes.empty()) {
    offer.evidence.mirror = std::move(evidence);
  }
  return offer;
}

}  // namespace

std::unique_ptr<PackageSource> MakeNetworkMirror(const InstallMethod& method, Network& network) {
  return std::make_unique<NetworkMirror>(method, network);
}

}  // namespace kinu::install
