// providers lock and providers mirror: packages of several platforms, for the lock file and for
// directories that machines without a network install from. Packages come from mirrors in
// directories. Ref: opentofu internal/command/providers_lock.go, providers_mirror.go.
#include <algorithm>
#include <filesystem>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/narrator.h"
#include "codec/hash.h"
#include "codec/json_writer.h"
#include "codec/zip.h"
#include "config/requirements.h"
#include "install/package_hash.h"
#include "install/provider_installer.h"

namespace kinu::cli {
namespace {

/// The platforms of -platform, or this machine's.
std::vector<std::string> ReadPlatforms(CommandRun& run) {
  std::vector<std::string> platforms = run.flags.List("platform");
  for (const std::string& platform : platforms) {
    size_t line = platform.find('_');
    bool valid = line != std::string::npos && line > 0 && line + 1 < platform.size() &&
                 platform.find('_', line + 1) == std::string::npos &&
                 platform.find_first_of(" \t\n/") == std::string::npos;
    if (!valid) {
      run.diags.Error("Invalid target platform",
                      "The string \"" + platform +
                          "\" given in the -platform option is not a valid target platform: "
                          "must be two words separated by an underscore.");
    }
  }
  return platforms.empty() ? std::vector<std::string>{install::CurrentPlatform()} : platforms;
}

/// What the configuration requires, without what is built in.
install::ProviderRequirements ReadRequirements(CommandRun& run) {
  install::ProviderRequirements out;
  auto arguments = VariableArguments(run.flags);
  Loaded loaded = session::Load(run.invocation.workspace, {.variables = arguments}, run.diags);
  if (run.diags.has_errors()) {
    return out;
  }
  for (config::ProviderRequirement& need :
       config::ProviderRequirements(*loaded.config, run.diags)) {
    std::string address(loaded.program->Text(need.provider));
    out[address] = std::move(need.constraints);
  }
  return out;
}

/// The version that the lock file has, else the newest that the constraints allow.
const install::Package* SelectPackage(const std::vector<install::Package>& packages,
                                      const VersionConstraints& constraints,
                                      const install::ProviderLock* lock) {
  const install::Package* best = nullptr;
  for (const install::Package& package : packages) {
    bool acceptable = lock != nullptr ? package.version.ToText() == lock->version.ToText()
                                      : constraints.AllowsProvider(package.version);
    if (acceptable && (best == nullptr || best->version < package.version)) {
      best = &package;
    }
  }
  return best;
}

std::string WantedText(const std::string& address, const VersionConstraints& constraints,
                       const install::ProviderLock* lock) {
  if (lock != nullptr) {
    return address + " " + lock->version.ToText();
  }
  return address + (constraints.empty() ? "" : " " + constraints.ToCanonicalText());
}

Result<std::vector<std::string>> HashesOf(const install::Package& package) {
  if (!package.packed) {
    KINU_TRY(std::string hash, install::HashPackage(package.location));
    return std::vector<std::string>{hash};
  }
  KINU_TRY(std::string archive, ReadFile(package.location));
  KINU_TRY(std::string hash, install::HashArchive(archive));
  return std::vector<std::string>{hash, "zh:" + HexDigest(HashKind::kSha256, archive)};
}

/// The run of one `providers lock`.
class Lock {
 public:
  explicit Lock(CommandRun& run) : run_(run), narrator_(run.invocation, *run.audience) {}

  int Run();

 private:
  bool LimitToArguments();
  bool Fetch(const std::string& platform);

  struct Found {
    std::string platform;
    Version version;
    std::vector<std::string> hashes;
  };

  CommandRun& run_;
  Narrator narrator_;
  install::ProviderRequirements requirements_;
  install::LockFile old_locks_;
  std::map<std::string, std::vector<Found>, install::ProviderAddressLess> found_;
};

/// Only the providers that the command line names.
bool Lock::LimitToArguments() {
  const auto& words = run_.flags.positionals();
  std::vector<std::string> named;
  for (const std::string& word : words) {
    auto address = ParseProviderSource(word);
    if (!address) {
      run_.diags.Error(address.error().summary, address.error().detail);
      continue;
    }
    named.push_back(address->ToText());
    if (!requirements_.contains(named.back())) {
      run_.diags.Error(
          "Invalid provider argument",
          "The provider " + named.back() + " is not required by the current configuration.");
    }
  }
  std::erase_if(requirements_, [&](const auto& entry) {
    return SplitProviderAddress(entry.first).is_built_in() ||
           (!words.empty() && std::find(named.begin(), named.end(), entry.first) == named.end());
  });
  return !run_.diags.has_errors();
}

bool Lock::Fetch(const std::string& platform) {
  const std::string& mirror = run_.flags.String("fs-mirror");
  std::string problems;
  for (const auto& [address, constraints] : requirements_) {
    const install::ProviderLock* lock = old_locks_.Find(address);
    if (mirror.empty()) {
      problems += "\n- " + address +
                  ": this version does not download providers: name a mirror with -fs-mirror";
      continue;
    }
    auto packages = install::ListMirror(mirror, address, platform);
    const install::Package* package =
        packages ? SelectPackage(*packages, constraints, lock) : nullptr;
    if (package == nullptr) {
      problems += "\n- " + address + ": " +
                  (packages ? "the mirror has no package for " +
                                  WantedText(address, constraints, lock) + " on " + platform
                            : packages.error().message);
      continue;
    }
    const std::string text =
        ProviderForDisplay(address) + " " + package->version.ToText() + " for " + platform;
    narrator_.Say("- Fetching " + text + "...");
    auto hashes = HashesOf(*package);
    if (!hashes) {
      problems += "\n- " + address + ": " + hashes.error().message;
      continue;
    }
    narrator_.Say("- Retrieved " + text + " (unauthenticated)");
    std::vector<Found>& found = found_[address];
    if (!found.empty() && found.front().version.ToText() != package->version.ToText()) {
      run_.diags.Error("Inconsistent provider versions",
                       "For " + address +
                           " the mirror has other versions on one platform than on another, "
                           "so no version suits all.");
    }
    found.push_back({platform, package->version, *std::move(hashes)});
  }
  if (!problems.empty()) {
    run_.diags.Error("Could not retrieve providers for locking",
                     "Not all packages for " + platform + " could be had:" + problems);
  }
  return !run_.diags.has_errors();
}

int Lock::Run() {
  std::vector<std::string> platforms = ReadPlatforms(run_);
  if (const std::string& url = run_.flags.String("net-mirror"); !url.empty()) {
    bool https = url.starts_with("https://");
    run_.diags.Error(https ? "Network mirrors are not supported" : "Invalid network mirror URL",
                     https ? "This version does not download providers: use -fs-mirror."
                           : "The value of -net-mirror must be an https: URL.");
    return run_.Fail();
  }
  requirements_ = ReadRequirements(run_);
  if (run_.diags.has_errors() || !LimitToArguments()) {
    return run_.Fail();
  }
  old_locks_ = session::ReadLocksToInstall(run_.invocation.workspace, run_.diags);
  if (run_.diags.has_errors()) {
    return run_.Fail();
  }
  for (const std::string& platform : platforms) {
    if (!Fetch(platform)) {
      return run_.Fail();
    }
  }
  bool changed = false;
  install::LockFile locks = old_locks_;
  for (const auto& [address, constraints] : requirements_) {
    const install::ProviderLock* old = old_locks_.Find(address);
    std::vector<std::string> hashes = old != nullptr ? old->hashes : std::vector<std::string>();
    const auto known = hashes;
    for (const Found& found : found_[address]) {
      bool is_new = old == nullptr || old->version.ToText() != found.version.ToText();
      bool has_all = std::all_of(found.hashes.begin(), found.hashes.end(), [&](const auto& hash) {
        return std::find(known.begin(), known.end(), hash) != known.end();
      });
      changed |= is_new || !has_all;
      narrator_.Say(
          "- Obtained " + ProviderForDisplay(address) + " checksums for " + found.platform + "; " +
          (is_new     ? "This was a new provider and the checksums for this platform are now "
                        "tracked in the lock file"
           : !has_all ? "Additional checksums for this platform are now tracked in the lock file"
                      : "All checksums for this platform were already tracked in the lock file"));
      hashes.insert(hashes.end(), found.hashes.begin(), found.hashes.end());
    }
    if (!found_[address].empty()) {
      locks.Set(address, Version(found_[address].back().version), constraints, std::move(hashes));
    }
  }
  if (auto written = locks.Write(std::string(install::kLockFileName)); !written) {
    return run_.Fail("Failed to update dependency lock file", written.error().message);
  }
  if (!changed) {
    narrator_.Say(
        "\n[bold][green]Success![reset] [bold]OpenTofu has validated the lock file and found no "
        "need for changes.[reset]");
    return 0;
  }
  run_.audience->Text(run_.invocation.style().Paint(
                          "\n[bold][green]Success![reset] [bold]OpenTofu has updated the lock "
                          "file.[reset]") +
                      "\n\nReview the changes in .terraform.lock.hcl and then commit to your\n"
                      "version control system to retain the new checksums.\n\n");
  if (run_.audience->json() != nullptr) {
    run_.audience->json()->Message(
        view::JsonUi::Level::kInfo,
        "Success! OpenTofu has updated the lock file. Review the changes in .terraform.lock.hcl "
        "and then commit to your version control system to retain the new checksums");
  }
  return 0;
}

/// The run of one `providers mirror`.
class MirrorCommand {
 public:
  explicit MirrorCommand(CommandRun& run)
      : run_(run),
        narrator_(run.invocation, *run.audience),
        source_(run.invocation.workspace.cli_config, {},
                run.invocation.workspace.original_directory),
        target_(run.flags.positionals()[0]) {}

  int Run();

 private:
  void MirrorProvider(const std::string& address, const VersionConstraints& constraints,
                      const install::ProviderLock* lock, const std::vector<std::string>& platforms);
  Result<std::string> Archive(const install::Package& package);
  Result<void> WriteIndexes(const std::string& address);

  CommandRun& run_;
  Narrator narrator_;
  install::PackageSource source_;
  std::string target_;
};

/// The bytes of a package as a zip archive.
Result<std::string> MirrorCommand::Archive(const install::Package& package) {
  if (package.packed) {
    return ReadFile(package.location);
  }
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  const fs::path root = fs::canonical(package.location, error);
  for (auto it = fs::recursive_directory_iterator(root, error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (it->is_regular_file(error)) {
      names.push_back(it->path().lexically_relative(root).generic_string());
    }
  }
  if (error) {
    return Fail(ErrorCode::kIo, "cannot read " + package.location + ": " + error.message());
  }
  std::sort(names.begin(), names.end());
  ZipWriter zip;
  for (const std::string& name : names) {
    KINU_TRY(std::string content, ReadFile(JoinPath(root.string(), name)));
    zip.Add(name, content);
  }
  return zip.Finish();
}

void MirrorCommand::MirrorProvider(const std::string& address,
                                   const VersionConstraints& constraints,
                                   const install::ProviderLock* lock,
                                   const std::vector<std::string>& platforms) {
  const ProviderAddress provider = SplitProviderAddress(address);
  const std::string directory =
      JoinPath(JoinPath(JoinPath(target_, provider.host), provider.space), provider.type);
  bool told = false;
  for (const std::string& platform : platforms) {
    auto packages = source_.Find(address, platform);
    const install::Package* package =
        packages ? SelectPackage(*packages, constraints, lock) : nullptr;
    if (package == nullptr) {
      run_.diags.Error(
          "Provider not available",
          packages
              ? "No source has a package for " + WantedText(address, constraints, lock) + " on " +
                    platform + "."
              : "The provider " + address + " cannot be had: " + packages.error().message + ".");
      continue;
    }
    const std::string version = package->version.ToText();
    if (!told) {
      narrator_.Say("  - Selected v" + version +
                    (lock != nullptr ? " to match dependency lock file"
                     : constraints.empty()
                         ? " with no constraints"
                         : " to meet constraints " + constraints.ToCanonicalText()));
      told = true;
    }
    narrator_.Say("  - Downloading package for " + platform + "...");
    auto archive = Archive(*package);
    auto made = archive ? MakeDirectories(directory) : std::unexpected(archive.error());
    if (made) {
      made = ReplaceFile(JoinPath(directory, "terraform-provider-" + provider.type + "_" + version +
                                                 "_" + platform + ".zip"),
                         *archive, 0644);
    }
    if (!made) {
      run_.diags.Error("Cannot download provider package",
                       "The package of " + address + " v" + version + " for " + platform +
                           " was not mirrored: " + made.error().message + ".");
      continue;
    }
    narrator_.Say("  - Package authenticated: unauthenticated");
  }
}

/// The files that make a directory a network mirror: the versions, and the packages of each.
Result<void> MirrorCommand::WriteIndexes(const std::string& address) {
  const ProviderAddress provider = SplitProviderAddress(address);
  const std::string directory =
      JoinPath(JoinPath(JoinPath(target_, provider.host), provider.space), provider.type);
  const std::string prefix = "terraform-provider-" + provider.type + "_";
  std::map<std::string, std::map<std::string, std::string>> versions;  // platform to file name
  KINU_TRY(auto names, ListDirectory(directory));
  for (const std::string& name : names) {
    if (!name.starts_with(prefix) || !name.ends_with(".zip")) {
      continue;
    }
    std::string middle = name.substr(prefix.size(), name.size() - prefix.size() - 4);
    if (size_t line = middle.find('_'); line != std::string::npos) {
      versions[middle.substr(0, line)][middle.substr(line + 1)] = name;
    }
  }
  std::string index;
  JsonWriter all(index, {.indent = "  "});
  all.BeginObject();
  all.Key("versions");
  all.BeginObject();
  for (const auto& [version, archives] : versions) {
    all.Key(version);
    all.BeginObject();
    all.EndObject();
    std::string text;
    JsonWriter one(text, {.indent = "  "});
    one.BeginObject();
    one.Key("archives");
    one.BeginObject();
    for (const auto& [platform, name] : archives) {
      KINU_TRY(std::string archive, ReadFile(JoinPath(directory, name)));
      KINU_TRY(std::string hash, install::HashArchive(archive));
      one.Key(platform);
      one.BeginObject();
      one.Key("hashes");
      one.BeginArray();
      one.String(hash);
      one.EndArray();
      one.Member("url", name);
      one.EndObject();
    }
    one.EndObject();
    one.EndObject();
    if (auto done = ReplaceFile(JoinPath(directory, version + ".json"), text, 0644); !done) {
      return done;
    }
  }
  all.EndObject();
  all.EndObject();
  return ReplaceFile(JoinPath(directory, "index.json"), index, 0644);
}

int MirrorCommand::Run() {
  std::vector<std::string> platforms = ReadPlatforms(run_);
  install::ProviderRequirements requirements = ReadRequirements(run_);
  const install::LockFile locks =
      session::ReadLocksToInstall(run_.invocation.workspace, run_.diags);
  if (run_.diags.has_errors()) {
    return run_.Fail();
  }
  for (const auto& [address, constraints] : requirements) {
    const std::string name = ProviderForDisplay(address);
    if (SplitProviderAddress(address).is_built_in()) {
      narrator_.Say("- Skipping " + name + " because it is built in to OpenTofu CLI");
      continue;
    }
    narrator_.Say("- Mirroring " + name + "...");
    if (!locks.providers.empty() && locks.Find(address) == nullptr) {
      run_.diags.Error("Provider not found in lockfile",
                       "Failed to find " + address + " in the lock file");
      continue;
    }
    size_t errors = run_.diags.error_count();
    MirrorProvider(address, constraints, locks.Find(address), platforms);
    if (run_.diags.error_count() == errors) {
      if (auto written = WriteIndexes(address); !written) {
        run_.diags.Error("Failed to update indexes", written.error().message);
      }
    }
  }
  if (const std::string& directory = run_.flags.positionals()[0]; !IsDirectory(directory)) {
    run_.diags.Error("Failed to update indexes",
                     "Nothing was put into " + directory + ", and there is no such directory.");
  }
  return run_.diags.has_errors() ? run_.Fail() : 0;
}

}  // namespace

static int RunProvidersLock(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  if (!run.flags.String("fs-mirror").empty() && !run.flags.String("net-mirror").empty()) {
    run.diags.Error("Invalid installation method options",
                    "The -fs-mirror and -net-mirror command line options are "
                    "mutually-exclusive.");
  }
  if (!run.ArgumentsFit()) {
    return run.Usage();
  }
  return Lock(run).Run();
}

static int RunProvidersMirror(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  if (run.flags.positionals().size() != 1) {
    run.diags.Error("Wrong number of arguments",
                    "The providers mirror command requires an output directory as a "
                    "command-line argument.");
  }
  if (!run.ArgumentsFit()) {
    return run.Usage();
  }
  return MirrorCommand(run).Run();
}

constexpr auto kProvidersLockFlags =
    JoinFlags(std::to_array<FlagSpec>({
                  {.name = "fs-mirror",
                   .kind = FlagKind::kString,
                   .form = "=dir",
                   .help = "Take packages from this mirror in a directory."},
                  {.name = "net-mirror",
                   .kind = FlagKind::kString,
                   .form = "=url",
                   .help = "Take packages from a network mirror. Not supported by\n"
                           "this version."},
                  {.name = "platform",
                   .kind = FlagKind::kList,
                   .form = "=os_arch",
                   .help = "A platform to record hashes for, such as linux_amd64; may\n"
                           "be repeated. The default is this machine's."},
              }),
              kJsonStream, kVariables);

extern constexpr CommandSpec kProvidersLockCommand{
    .name = "providers lock",
    .synopsis = "Write out dependency locks for the configured providers",
    .usage = "tofu [global options] providers lock [options] [PROVIDER...]",
    .description = R"(Writes hashes of provider packages into the dependency lock file, also of
platforms other than this one. Without arguments it does so for every provider
that the configuration requires.)",
    .flags = kProvidersLockFlags,
    .spaced_help = true,
    .run = RunProvidersLock,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

constexpr auto kProvidersMirrorFlags =
    JoinFlags(std::to_array<FlagSpec>({
                  {.name = "platform",
                   .kind = FlagKind::kList,
                   .form = "=os_arch",
                   .help = "A platform to get packages for, such as linux_amd64; may\n"
                           "be repeated. The default is this machine's."},
              }),
              kJsonStream, kVariables);

extern constexpr CommandSpec kProvidersMirrorCommand{
    .name = "providers mirror",
    .synopsis = "Save local copies of all required provider plugins",
    .usage = "tofu [global options] providers mirror [options] TARGET_DIR",
    .description = R"(Puts the packages of all providers that the configuration requires into a
directory, laid out as a mirror that "tofu init" can install from, with the
index files of a network mirror. Packages come from the mirrors of the CLI
configuration.)",
    .flags = kProvidersMirrorFlags,
    .spaced_help = true,
    .run = RunProvidersMirror,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
