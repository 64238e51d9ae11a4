// Fuzzes the documents of network mirrors: the index of versions, the packages of a version.

#include "answers.h"
#include "base/invariant.h"
#include "install/package_source.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  constexpr const char* kAddress = "h.test/acme/thing";
  const install::CliConfig config;
  fuzz::Answers answers(fuzz::SplitInput(data, size));
  install::Network network(config, fuzz::Options(answers));
  const auto source = install::SourceSet::OfNetworkMirror("https://m.test/x/", network);
  const auto versions = source->Versions(kAddress);
  if (!versions) {
    KINU_INVARIANT(!versions.error().message.empty(), "an error has a message");
  }
  const auto offer = source->Package(kAddress, *Version::ParseExact("1.0.0"), "linux_amd64");
  if (offer) {
    KINU_INVARIANT(offer->platform == "linux_amd64", "the platform is the one that was asked for");
    KINU_INVARIANT(offer->request.headers.Find("Authorization") == nullptr, "no credentials");
  }
  return 0;
}
