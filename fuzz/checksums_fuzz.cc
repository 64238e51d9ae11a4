// Fuzzes SHA256SUMS: a package is accepted only when the document lists its checksum.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/invariant.h"
#include "install/package_trust.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  const std::string sum(64, 'a');
  install::PackageEvidence evidence;
  install::RegistryEvidence& registry = evidence.registry.emplace();
  registry.filename = "f.zip";
  registry.checksum = sum;
  registry.checksums.assign(reinterpret_cast<const char*>(data), size);
  const install::ArrivedPackage package{
      .address = "registry.opentofu.org/acme/thing",  // no signature is needed there
      .platform = "linux_amd64",
      .checksum = sum,
      .size = 1,
      .content_hash = [] { return Result<std::string>("h1:x"); }};
  const auto trust = install::Authenticate(evidence, package, [](const std::string&) {});
  if (!trust) {
    KINU_INVARIANT(!trust.error().message.empty(), "an error has a message");
    return 0;
  }
  std::string lower = registry.checksums;
  for (char& c : lower) {
    c = c == 'A' ? 'a' : c;
  }
  KINU_INVARIANT(lower.find(sum) != std::string::npos && lower.find("f.zip") != std::string::npos,
                 "the document lists the package");
  for (const auto& [hash, entry] : trust->hashes) {
    KINU_INVARIANT(hash.starts_with("zh:") && hash.size() == 67, "hashes have their form");
  }
  return 0;
}
