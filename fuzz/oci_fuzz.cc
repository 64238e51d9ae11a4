// Fuzzes what OCI registries answer: manifests, lists of tags, challenges, headers.

#include "answers.h"
#include "base/invariant.h"
#include "install/oci_registry.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  const auto parts = fuzz::SplitInput(data, size);
  const auto index =
      install::ReadOciManifest(parts[0], install::kOciIndexType, install::kOciProviderType);
  if (index) {
    const auto selected = install::SelectOciProvider(*index, "linux_amd64");
    KINU_INVARIANT(!selected || !*selected || (*selected)->platform->os == "linux", "the platform");
  }
  for (const std::string_view type : {install::kOciProviderTargetType, install::kOciModuleType}) {
    const auto image = install::ReadOciManifest(parts[0], install::kOciImageType, type);
    const auto archive = image ? install::SelectOciArchive(*image, "packages")
                               : Result<install::OciDescriptor>(std::unexpected(image.error()));
    KINU_INVARIANT(!archive || (archive->size >= 0 && archive->media_type == "archive/zip"),
                   "a zip");
  }
  const install::OciChallenge challenge = install::ParseOciChallenge(parts[0]);
  const bool is_good = install::CheckOciRealm(challenge.realm, "r.test").has_value();
  KINU_INVARIANT(!is_good || challenge.realm.starts_with("https:") ||
                     challenge.realm.starts_with("HTTPS:") || challenge.realm.find(':') == 5,
                 "tokens come encrypted");
  fuzz::Answers answers(parts);
  const net::HttpClient client(answers);
  install::OciStore store(client, {"r.test", "acme/net"}, {.username = "u", .password = "p"});
  static_cast<void>(store.Ping());
  const auto tags = store.Tags();
  const auto resolved = store.Resolve("latest");
  if (resolved) {
    KINU_INVARIANT(install::CheckOciDigest(resolved->digest).has_value(), "a digest");
    const auto manifest = store.Manifest(*resolved);
    KINU_INVARIANT(!manifest || install::MatchesOciDigest(*manifest, resolved->digest),
                   "the bytes");
  }
  return 0;
}
