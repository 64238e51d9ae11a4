// The table of getters, by the kind of a remote address.
#include <algorithm>
#include <array>
#include <optional>

#include "config/module_source.h"
#include "install/module_getters.h"
#include "trace/trace.h"

namespace kinu::install {
namespace {

struct Getter {
  std::string_view scheme;
  Result<void> (*get)(const PackageFetch& fetch);
};
constexpr std::array<Getter, 8> kGetters = {{
    {"file", GetFile},
    {"gcs", GetGcs},
    {"git", GetGit},
    {"hg", GetMercurial},
    {"http", GetHttp},
    {"https", GetHttp},
    {"oci", GetOci},
    {"s3", GetS3},
}};

}  // namespace

Result<void> GetPackage(const std::string& address, const std::string& target, Network& network,
                        PackageCache& cache, int hops) {
  std::string rest = address;
  std::string scheme;
  const size_t forced = rest.find("::");
  const size_t plain = rest.find("://");
  if (forced != std::string::npos && (plain == std::string::npos || forced < plain)) {
    scheme = rest.substr(0, forced);
    rest.erase(0, forced + 2);
  }
  if (scheme.empty()) {
    scheme = rest.substr(0, rest.find(':'));
  }
  const auto* getter = std::ranges::find(kGetters, scheme, &Getter::scheme);
  if (getter == kGetters.end()) {
    return Fail(ErrorCode::kUnsupported, "download not supported for scheme '" + scheme + "'");
  }
  std::optional<trace::Span> span;
  if (hops == 0 && trace::On()) {
    span.emplace("kinu/install", "Fetch Package");
    span->Set("url.full", config::WithoutSecrets(address));
  }
  auto done = getter->get(
      {.address = rest, .target = target, .network = network, .cache = cache, .hops = hops});
  if (span && !done) {
    span->Fail(done.error().message);
  }
  return done;
}

}  // namespace kinu::install
