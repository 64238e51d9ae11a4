#include "install/mirror_writer.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "codec/json_writer.h"
#include "codec/zip.h"
#include "install/package_hash.h"

namespace kinu::install {
namespace {

/// The paths of the files below a directory, relative to it and sorted.
Result<std::vector<std::string>> FilesBelow(const std::filesystem::path& root) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto it = std::filesystem::recursive_directory_iterator(root, error);
       !error && it != std::filesystem::recursive_directory_iterator(); it.increment(error)) {
    if (it->is_regular_file(error)) {
      names.push_back(it->path().lexically_relative(root).generic_string());
    }
  }
  if (error) {
    return Fail(ErrorCode::kIo, "cannot read " + root.string() + ": " + error.message());
  }
  std::ranges::sort(names);
  return names;
}

/// The bytes of a package as a zip archive.
Result<std::string> ArchiveOf(const Package& package) {
  if (package.packed) {
    return ReadFile(package.location);
  }
  std::error_code error;
  const std::filesystem::path root = std::filesystem::canonical(package.location, error);
  if (error) {
    return Fail(ErrorCode::kIo, "cannot read " + package.location + ": " + error.message());
  }
  KINU_TRY(const std::vector<std::string> names, FilesBelow(root));
  ZipWriter zip;
  for (const std::string& name : names) {
    KINU_TRY(std::string content, ReadFile(JoinPath(root.string(), name)));
    zip.Add(name, content);
  }
  return zip.Finish();
}

/// What the archives of a provider are named before version and platform.
std::string ArchivePrefix(const ProviderAddress& provider) {
  return "terraform-provider-" + provider.type + "_";
}

/// Platforms and the names of their archives.
using Archives = std::map<std::string, std::string>;

/// The index of one version: its archives with their hashes.
Result<std::string> VersionIndex(const std::string& directory, const Archives& archives) {
  std::string text;
  JsonWriter out(text, {.indent = "  "});
  out.BeginObject();
  out.Key("archives");
  out.BeginObject();
  for (const auto& [platform, name] : archives) {
    KINU_TRY(std::string archive, ReadFile(JoinPath(directory, name)));
    KINU_TRY(std::string hash, HashArchive(archive));
    out.Key(platform);
    out.BeginObject();
    out.Key("hashes");
    out.BeginArray();
    out.String(hash);
    out.EndArray();
    out.Member("url", name);
    out.EndObject();
  }
  out.EndObject();
  out.EndObject();
  return text;
}

}  // namespace

std::string MirrorWriter::ProviderDirectory(const std::string& address) const {
  const ProviderAddress provider = SplitProviderAddress(address);
  return JoinPath(JoinPath(JoinPath(directory_, provider.host), provider.space), provider.type);
}

Result<void> MirrorWriter::WritePackage(const std::string& address, const Package& package,
                                        const std::string& platform) const {
  KINU_TRY(std::string archive, ArchiveOf(package));
  const std::string directory = ProviderDirectory(address);
  if (auto made = MakeDirectories(directory); !made) {
    return made;
  }
  const std::string name = ArchivePrefix(SplitProviderAddress(address)) + package.version.ToText() +
                           "_" + platform + ".zip";
  return ReplaceFile(JoinPath(directory, name), archive, 0644);
}

Result<void> MirrorWriter::WriteIndexes(const std::string& address) const {
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

void MirrorWriter::Add(const std::string& address, const VersionConstraints& constraints,
                       const ProviderLock* lock, const std::vector<std::string>& platforms,
                       const MirrorEvents& events, Diagnostics& diags) const {
  const size_t errors = diags.error_count();
  bool is_selected = false;
  for (const std::string& platform : platforms) {
    const auto packages = source_.Find(address, platform);
    const Package* package = packages ? SelectPackage(*packages, constraints, lock) : nullptr;
    if (package == nullptr) {
      diags.Error("Provider not available",
                  packages ? "No source has a package for " +
                                 WantedPackage(address, constraints, lock) + " on " + platform + "."
                           : "The provider " + address +
                                 " cannot be had: " + packages.error().message + ".");
      continue;
    }
    if (!std::exchange(is_selected, true)) {
      events.selected(package->version, constraints, lock != nullptr);
    }
    events.downloading(platform);
    if (auto written = WritePackage(address, *package, platform); !written) {
      diags.Error("Cannot download provider package",
                  "The package of " + address + " v" + package->version.ToText() + " for " +
                      platform + " was not mirrored: " + written.error().message + ".");
      continue;
    }
    events.downloaded();
  }
  if (diags.error_count() == errors) {
    if (auto written = WriteIndexes(address); !written) {
      diags.Error("Failed to update indexes", written.error().message);
    }
  }
}

}  // namespace kinu::install
