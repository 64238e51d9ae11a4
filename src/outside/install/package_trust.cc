#include "install/package_trust.h"

#include <algorithm>

#include "addrs/provider_source.h"
#include "base/environment.h"
#include "install/package_runtime.h"

namespace kinu::install {
namespace {

constexpr size_t kChecksumDigits = 64;

std::string Quoted(const std::string& text) {
  return '"' + text + '"';
}

bool IsHexadecimal(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

std::string LowerHex(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c;
  });
  return text;
}

/// The words of a line.
std::vector<std::string> Words(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r\v\f";
  std::vector<std::string> out;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
    if (line.empty()) {
      return out;
    }
    const size_t end = std::min(line.find_first_of(kSpace), line.size());
    out.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// The hashes that a SHA256SUMS document lists; none if it is another document.
std::vector<std::string> ListedHashes(const std::string& document) {
  std::vector<std::string> out;
  for (const std::string_view line : Lines(document)) {
    const std::vector<std::string> words = Words(line);
    if (words.empty()) {
      continue;
    }
    if (words.size() < 2 || words[0].size() != kChecksumDigits || !IsHexadecimal(words[0])) {
      return {};
    }
    out.push_back("zh:" + LowerHex(words[0]));
  }
  return out;
}

/// Checks what the registry says about the package of this platform, and records its hashes.
Result<void> CheckReported(const RegistryEvidence& evidence, const ArrivedPackage& package,
                           PackageTrust& trust) {
  if (evidence.packages.empty()) {
    return {};
  }
  const auto own = evidence.packages.find(package.platform);
  if (own == evidence.packages.end()) {
    return Fail(ErrorCode::kInvalid,
                "registry response missing package with platform " + Quoted(package.platform));
  }
  if (own->second.size <= 0) {
    return Fail(ErrorCode::kInvalid,
                "registry response has invalid package size " + std::to_string(own->second.size));
  }
  if (own->second.size != package.size) {
    return Fail(ErrorCode::kInvalid, "registry response indicates a package of size " +
                                         std::to_string(own->second.size) +
                                         ", but received a package of size " +
                                         std::to_string(package.size));
  }
  bool found = false;
  for (const std::string& hash : own->second.hashes) {
    if (!hash.starts_with("zh:")) {
      continue;
    }
    if (hash.substr(3) != evidence.checksum) {
      return Fail(ErrorCode::kInvalid,
                  "registry response expected sha256sum is " + Quoted(evidence.checksum) +
                      ", which does not match the platform's value of " + Quoted(hash.substr(3)));
    }
    found = true;
  }
  if (!found) {
    return Fail(ErrorCode::kInvalid,
                "registry response does not contain matching sha256sum package entry and is "
                "invalid");
  }
  for (const auto& [platform, data] : evidence.packages) {
    for (const std::string& hash : KnownHashes(data.hashes)) {
      trust.hashes[hash].registry = true;
    }
  }
  return {};
}

/// The checksum must be that of the file in the signed document.
Result<void> CheckListed(const RegistryEvidence& evidence) {
  for (const std::string_view line : Lines(evidence.checksums)) {
    const std::vector<std::string> words = Words(line);
    if (words.size() < 2 || words[1] != evidence.filename) {
      continue;
    }
    if (words[0].size() != kChecksumDigits || !IsHexadecimal(words[0])) {
      return Fail(ErrorCode::kInvalid, "checksum list has invalid SHA256 hash " + Quoted(words[0]));
    }
    if (LowerHex(words[0]) != LowerHex(evidence.checksum)) {
      return Fail(ErrorCode::kInvalid, "checksum list has unexpected SHA-256 hash " +
                                           LowerHex(words[0]) + " (expected " +
                                           LowerHex(evidence.checksum) + ")");
    }
    return {};
  }
  return Fail(ErrorCode::kInvalid,
              "checksum list has no SHA-256 hash for " + Quoted(evidence.filename));
}

/// The ID of the key that signed the document.
Result<std::string> FindSigner(const RegistryEvidence& evidence, const std::string& address,
                               const std::function<void(const std::string&)>& warn) {
  constexpr const char* kRefused =
      "the provider is not signed with a valid signing key; please contact the provider author (";
  std::optional<std::string> expired;
  for (const std::string& key : evidence.keys) {
    KINU_TRY(PackageRuntime * runtime, LoadPackageRuntime());
    auto result = runtime->VerifySignature(evidence.checksums, evidence.signature, key);
    if (!result) {
      return Fail(ErrorCode::kInvalid,
                  kRefused + ("error decoding signing key: " + result.error().message) + ")");
    }
    switch (result->status) {
      case SignatureStatus::kValid:
        return result->key_id;
      case SignatureStatus::kExpired:
        expired = expired.value_or(result->key_id);
        break;
      case SignatureStatus::kUnknownKey:
        break;
      case SignatureStatus::kInvalid:
        return Fail(ErrorCode::kInvalid,
                    kRefused + ("error checking signature: " + result->problem) + ")");
    }
  }
  if (expired && Environment("OPENTOFU_ENFORCE_GPG_EXPIRATION") != "true") {
    const ProviderAddress provider = SplitProviderAddress(address);
    warn("[WARN] Provider " + provider.space + '/' + provider.type + " (" + provider.host +
         ") gpg key expired, this will fail in future versions of OpenTofu");
    return *expired;
  }
  return Fail(ErrorCode::kInvalid,
              std::string(kRefused) + "authentication signature from unknown issuer)");
}

Result<PackageTrust> AuthenticateFromRegistry(const RegistryEvidence& evidence,
                                              const ArrivedPackage& package,
                                              const std::function<void(const std::string&)>& warn) {
  PackageTrust trust;
  if (auto checked = CheckReported(evidence, package, trust); !checked) {
    return std::unexpected(checked.error());
  }
  if (auto checked = CheckListed(evidence); !checked) {
    return std::unexpected(checked.error());
  }
  if (LowerHex(evidence.checksum) != package.checksum) {
    return Fail(ErrorCode::kInvalid, "archive has incorrect checksum zh:" + package.checksum +
                                         " (expected zh:" + LowerHex(evidence.checksum) + ")");
  }
  trust.hashes["zh:" + package.checksum].verified = true;
  std::set<std::string> signers;
  if (!evidence.keys.empty() || SignatureRequired(package.address)) {
    KINU_TRY(std::string signer, FindSigner(evidence, package.address, warn));
    signers.insert(std::move(signer));
  }
  for (const std::string& hash : ListedHashes(evidence.checksums)) {
    HashTrust& entry = trust.hashes[hash];
    entry.registry = true;
    entry.key_ids.insert(signers.begin(), signers.end());
  }
  return trust;
}

Result<PackageTrust> AuthenticateFromMirror(const MirrorEvidence& evidence,
                                            const ArrivedPackage& package) {
  const std::vector<std::string> known = KnownHashes(evidence.hashes);
  if (known.empty()) {
    return Fail(ErrorCode::kInvalid,
                "this version of OpenTofu does not support any of the checksum formats given for "
                "this provider");
  }
  PackageTrust trust;
  std::string content;
  if (std::ranges::any_of(known, [](const auto& hash) { return hash.starts_with("h1:"); })) {
    KINU_TRY(content, package.content_hash());
  }
  for (const std::string& hash : known) {
    if (hash == content || hash == "zh:" + package.checksum) {
      trust.hashes[hash].verified = true;
    }
  }
  if (trust.hashes.empty()) {
    return Fail(ErrorCode::kInvalid,
                known.size() == 1
                    ? "provider package doesn't match the expected checksum " + Quoted(known[0])
                    : "provider package doesn't match the any of the expected checksums");
  }
  if (evidence.trust_all) {
    for (const std::string& hash : known) {
      HashTrust& entry = trust.hashes[hash];
      entry.trusted_mirror = !entry.verified;
    }
  }
  return trust;
}

}  // namespace

bool PackageTrust::is_signed() const {
  return std::ranges::any_of(hashes,
                             [](const auto& entry) { return !entry.second.key_ids.empty(); });
}

bool PackageTrust::signing_skipped() const {
  return !is_signed() && std::ranges::any_of(hashes, [](const auto& entry) {
    return entry.second.registry || entry.second.trusted_mirror;
  });
}

std::string PackageTrust::Summary() const {
  const auto any = [&](bool HashTrust::* member) {
    return std::ranges::any_of(hashes, [&](const auto& entry) { return entry.second.*member; });
  };
  if (is_signed()) {
    return "signed";
  }
  if (any(&HashTrust::registry)) {
    return "signing skipped";
  }
  if (any(&HashTrust::verified)) {
    return "verified checksum";
  }
  return any(&HashTrust::trusted_mirror) ? "signing skipped" : "unauthenticated";
}

std::string PackageTrust::KeyIds() const {
  std::set<std::string> ids;
  for (const auto& [hash, entry] : hashes) {
    ids.insert(entry.key_ids.begin(), entry.key_ids.end());
  }
  std::string out;
  for (const std::string& id : ids) {
    out += (out.empty() ? "" : ", ") + id;
  }
  return out;
}

bool SignatureRequired(const std::string& address) {
  return SplitProviderAddress(address).host != kDefaultRegistryHost ||
         Environment("OPENTOFU_ENFORCE_GPG_VALIDATION") == "true";
}

std::vector<std::string> KnownHashes(const std::vector<std::string>& hashes) {
  std::vector<std::string> out;
  for (const std::string& hash : hashes) {
    if (hash.starts_with("h1:") || hash.starts_with("zh:")) {
      out.push_back(hash);
    }
  }
  return out;
}

Result<PackageTrust> Authenticate(const PackageEvidence& evidence, const ArrivedPackage& package,
                                  const std::function<void(const std::string&)>& warn) {
  if (evidence.registry) {
    return AuthenticateFromRegistry(*evidence.registry, package, warn);
  }
  if (evidence.mirror) {
    return AuthenticateFromMirror(*evidence.mirror, package);
  }
  return PackageTrust();
}

}  // namespace kinu::install
