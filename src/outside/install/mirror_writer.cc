#include "install/mirror_writer.h"

#include <algorithm>
#include <map>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "install/package_hash.h"
#include "json/writer.h"

namespace kinu::install {
namespace {

/// What the archives of a provider are named before version and platform.
std::string ArchivePrefix(const ProviderAddress& provider) {
  return "terraform-provider-" + provider.type + "_";
}

/// Platforms and the names of their archives.
using Archives = std::map<std::string, std::string>;

/// The hashes of a platform's package that a mirror can offer: those that were computed from it or
/// reported for it.
std::vector<std::string> OfferedHashes(const PackageOffer& offer, const PackageTrust& trust,
                                       const std::string& checksum) {
  std::vector<std::string> hashes;
  for (const auto& [hash, known] : trust.hashes) {
    if (known.verified) {
      hashes.push_back(hash);
    }
  }
  if (offer.evidence.registry) {
    const auto own = offer.evidence.registry->packages.find(offer.platform);
    if (own != offer.evidence.registry->packages.end()) {
      std::ranges::copy(KnownHashes(own->second.hashes), std::back_inserter(hashes));
    }
    hashes.push_back("zh:" + checksum);
  }
  std::ranges::sort(hashes);
  const auto repeated = std::ranges::unique(hashes);
  hashes.erase(repeated.begin(), repeated.end());
  return hashes;
}

std::vector<std::string> DirectoriesIn(const std::string& path) {
  std::vector<std::string> out;
  const auto names = ListDirectory(path);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (IsDirectory(JoinPath(path, name))) {
      out.push_back(name);
    }
  }
  return out;
}

}  // namespace

Result<std::string> MirrorWriter::VersionIndex(const std::string& directory,
                                               const Archives& archives) const {
  std::string text;
  JsonWriter out(text, {.indent = "  "});
  out.BeginObject();
  out.Key("archives");
  out.BeginObject();
  for (const auto& [platform, name] : archives) {
    const std::string path = JoinPath(directory, name);
    const auto known = hashes_.find(path);
    std::vector<std::string> hashes =
        known == hashes_.end() ? std::vector<std::string>() : known->second;
    if (hashes.empty()) {
      KINU_TRY(const std::string archive, ReadFile(path));
      KINU_TRY(std::string hash, HashArchive(archive));
      hashes.push_back(std::move(hash));
    }
    out.Key(platform);
    out.BeginObject();
    out.Key("hashes");
    out.BeginArray();
    for (const std::string& hash : hashes) {
      out.String(hash);
    }
    out.EndArray();
    out.Member("url", name);
    out.EndObject();
  }
  out.EndObject();
  out.EndObject();
  return text;
}

std::string MirrorWriter::ProviderDirectory(const std::string& address) const {
  const ProviderAddress provider = SplitProviderAddress(address);
  return JoinPath(JoinPath(JoinPath(directory_, provider.host), provider.space), provider.type);
}

Result<void> MirrorWriter::WriteProviderIndexes(const std::string& address) const {
  const std::string directory = ProviderDirectory(address);
  const std::string prefix = ArchivePrefix(SplitProviderAddress(address));
  std::map<std::string, Archives> versions;
  KINU_TRY(auto names, ListDirectory(directory));
  for (const std::string& name : names) {
    if (!name.starts_with(prefix) || !name.ends_with(".zip")) {
      continue;
    }
    const std::string middle = name.substr(prefix.size(), name.size() - prefix.size() - 4);
    if (const size_t line = middle.find('_'); line != std::string::npos) {
      versions[middle.substr(0, line)][middle.substr(line + 1)] = name;
    }
  }
  std::string index;
  JsonWriter out(index, {.indent = "  "});
  out.BeginObject();
  out.Key("versions");
  out.BeginObject();
  for (const auto& [version, archives] : versions) {
    out.Key(version);
    out.BeginObject();
    out.EndObject();
    KINU_TRY(const std::string text, VersionIndex(directory, archives));
    if (auto done = ReplaceFile(JoinPath(directory, version + ".json"), text, 0644); !done) {
      return done;
    }
  }
  out.EndObject();
  out.EndObject();
  return ReplaceFile(JoinPath(directory, "index.json"), index, 0644);
}

Result<void> MirrorWriter::WriteIndexes() const {
  if (!IsDirectory(directory_)) {
    return Fail(
        ErrorCode::kNotFound,
        "Could not scan the output directory to get package metadata for the JSON indexes: lstat " +
            directory_ + ": no such file or directory");
  }
  for (const std::string& host : DirectoriesIn(directory_)) {
    for (const std::string& space : DirectoriesIn(JoinPath(directory_, host))) {
      for (const std::string& type : DirectoriesIn(JoinPath(directory_, host + '/' + space))) {
        if (auto done = WriteProviderIndexes(host + '/' + space + '/' + type); !done) {
          return done;
        }
      }
    }
  }
  return {};
}

/// Downloads one package. Returns false after an error.
bool MirrorWriter::AddPackage(const std::string& address, const Version& version,
                              const std::string& platform, const MirrorEvents& events,
                              Diagnostics& diags) {
  const std::string text = address + " v" + version.ToText() + " for " + platform;
  events.downloading(version, platform);
  const auto offer = source_.Package(address, version, platform);
  if (!offer) {
    diags.Error("Provider release not available",
                "Failed to download " + text + ": " + offer.error().message + ".");
    return false;
  }
  const std::string directory = ProviderDirectory(address);
  const std::string name =
      ArchivePrefix(SplitProviderAddress(address)) + version.ToText() + "_" + platform + ".zip";
  if (auto made = MakeDirectories(directory); !made) {
    diags.Error("Cannot download provider release", made.error().message);
    return false;
  }
  PackagePlacer::Options options;
  options.warn = events.warn;
  const std::string path = JoinPath(directory, name);
  const auto fetched = placer_.Fetch(address, *offer, path, options);
  if (!fetched) {
    const bool transfer = fetched.error().code == ErrorCode::kUnavailable;
    diags.Error(transfer ? "Cannot download provider release" : "Invalid provider package",
                "Failed to download " + text + ": " + fetched.error().message + ".");
    return false;
  }
  hashes_[path] = OfferedHashes(*offer, fetched->trust, fetched->checksum);
  events.downloaded(version, platform, fetched->trust);
  return true;
}

void MirrorWriter::Add(const std::string& address, const VersionConstraints& constraints,
                       const ProviderLock* lock, const std::vector<std::string>& platforms,
                       const MirrorEvents& events, Diagnostics& diags) {
  const auto offered = source_.Versions(address);
  const std::optional<Version> version =
      offered ? SelectVersion(*offered, constraints, lock) : std::nullopt;
  if (!version) {
    diags.Error("Provider not available",
                "Failed to download " + address + " from its origin registry: " +
                    (offered ? "no available releases match the given constraints " +
                                   (lock != nullptr ? lock->version.ToText()
                                                    : constraints.ToCanonicalText())
                             : offered.error().message) +
                    ".");
    return;
  }
  events.selected(*version, constraints, lock != nullptr);
  for (const std::string& platform : platforms) {
    AddPackage(address, *version, platform, events, diags);
  }
}

}  // namespace kinu::install
