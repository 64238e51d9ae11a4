// Fuzzes what provider registries answer: versions, packages, checksums, signatures.

#include "answers.h"
#include "base/invariant.h"
#include "install/package_source.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  constexpr const char* kAddress = "h.test/acme/thing";
  install::CliConfig config;
  config.hosts["h.test"]["providers.v1"] = "https://h.test/v1/";
  config.installation.emplace().methods.emplace_back();
  fuzz::Answers answers(fuzz::SplitInput(data, size));
  install::Network network(config, fuzz::Options(answers));
  install::SourceSet sources(config, {}, "/nowhere", network);
  const auto versions = sources.Versions(kAddress);
  if (!versions) {
    KINU_INVARIANT(!versions.error().message.empty(), "an error has a message");
  }
  const auto offer = sources.Package(kAddress, *Version::ParseExact("1.0.0"), "linux_amd64");
  if (offer) {
    KINU_INVARIANT(offer->form == install::PackageForm::kRemote, "packages are remote");
    KINU_INVARIANT(offer->evidence.registry.has_value(), "packages have evidence");
    KINU_INVARIANT(offer->request.headers.Find("Authorization") == nullptr, "no credentials");
  }
  return 0;
}
