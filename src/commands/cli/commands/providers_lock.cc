// providers lock and providers mirror: packages of several platforms, for the lock file and for
// directories that machines without a network install from. Ref: opentofu
// internal/command/providers_lock.go, providers_mirror.go.
#include <algorithm>
#include <optional>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/narrator.h"
#include "install/mirror_writer.h"
#include "install/oci_config.h"
#include "install/platform_locks.h"
#include "session/network.h"
#include "session/provider_installation.h"
#include "trace/trace.h"

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

/// What the configuration requires as far as it can be read, built-in providers included. Nothing
/// if values of variables have errors.
std::optional<install::ProviderRequirements> ReadRequirements(CommandRun& run) {
  const session::Workspace& workspace = run.invocation.workspace;
  const auto arguments = VariableArguments(run.flags);
  Diagnostics of_inputs;
  const config::RawInputs inputs = session::GatherInputs(workspace, arguments, of_inputs);
  const bool given = !of_inputs.has_errors();
  run.diags.Append(std::move(of_inputs));
  if (!given) {
    return std::nullopt;
  }
  OpenWorkspace open(workspace);
  // No state is read, so that nothing is decrypted.
  (void)open.LoadModules({.variables = arguments, .inputs = &inputs, .encryption_off = true},
                         run.diags);
  return session::RequiredProviders(open.loaded, run.diags);
}

/// Leaves the providers that are not built in and, if the command line names any, that it names.
void LimitToArguments(CommandRun& run, install::ProviderRequirements& requirements) {
  const auto& words = run.flags.positionals();
  std::vector<std::string> named;
  for (const std::string& word : words) {
    auto address = ParseProviderSource(word);
    if (!address) {
      run.diags.Error(address.error().summary, address.error().detail);
      continue;
    }
    named.push_back(address->ToText());
    if (!requirements.contains(named.back())) {
      run.diags.Error(
          "Invalid provider argument",
          "The provider " + named.back() + " is not required by the current configuration.");
    }
  }
  std::erase_if(requirements, [&](const auto& entry) {
    return SplitProviderAddress(entry.first).is_built_in() ||
           (!words.empty() && std::ranges::find(named, entry.first) == named.end());
  });
}

/// Where packages for the lock file come from: the mirror of the command line, or the registries
/// whatever the CLI configuration says.
std::unique_ptr<install::SourceSet> LockSource(CommandRun& run, install::Network& network) {
  if (const std::string& url = run.flags.String("net-mirror"); !url.empty()) {
    return install::SourceSet::OfNetworkMirror(url, network);
  }
  if (const std::string& uri_template = run.flags.String("oci-mirror"); !uri_template.empty()) {
    return install::SourceSet::OfOciMirror(uri_template, network);
  }
  if (const std::string& directory = run.flags.String("fs-mirror"); !directory.empty()) {
    return install::SourceSet::OfDirectory(directory, network);
  }
  const session::Workspace& workspace = run.invocation.workspace;
  return std::make_unique<install::SourceSet>(workspace.cli_config, std::vector<std::string>(),
                                              workspace.original_directory, network,
                                              install::SourceChoice::kDirectOnly);
}

/// Checks that at most one mirror is given, and the template of the one in an OCI registry.
void CheckMirrors(CommandRun& run) {
  const auto is_given = [&run](const char* name) { return !run.flags.String(name).empty(); };
  constexpr auto kMirrors = std::to_array<const char*>({"fs-mirror", "net-mirror", "oci-mirror"});
  if (std::ranges::count_if(kMirrors, is_given) > 1) {
    run.diags.Error("Invalid installation method options",
                    "-fs-mirror, -net-mirror and -oci-mirror exclude each other.");
  }
  if (const std::string problem = install::UriTemplateProblem(run.flags.String("oci-mirror"));
      !problem.empty()) {
    run.diags.Error("Invalid OCI mirror URI template",
                    "The template of -oci-mirror is invalid: " + problem + ".");
  }
}

std::string_view NewsText(install::HashNews news) {
  switch (news) {
    case install::HashNews::kNewProvider:
      return "This was a new provider and the checksums for this platform are now tracked in the "
             "lock file";
    case install::HashNews::kNewHashes:
      return "Additional checksums for this platform are now tracked in the lock file";
    case install::HashNews::kNothing:
      break;
  }
  return "All checksums for this platform were already tracked in the lock file";
}

install::PlatformLockEvents LockEvents(Narrator& narrator) {
  const auto named = [](const std::string& address, const Version& version,
                        const std::string& platform) {
    return ProviderForDisplay(address) + " " + version.ToText() + " for " + platform;
  };
  return {
      .fetching =
          [&narrator, named](const auto& address, const Version& version, const auto& platform) {
            narrator.Say("- Fetching " + named(address, version, platform) + "...");
          },
      .fetched =
          [&narrator, named](const auto& address, const Version& version, const auto& platform,
                             const install::PackageTrust& trust) {
            narrator.Say("- Retrieved " + named(address, version, platform) + " (" +
                         trust.Summary() + (trust.is_signed() ? ", key ID " + trust.KeyIds() : "") +
                         ")");
          },
      .locked =
          [&narrator](const auto& address, const auto& platform, install::HashNews news) {
            narrator.Say("- Obtained " + ProviderForDisplay(address) + " checksums for " +
                         platform + "; " + std::string(NewsText(news)));
          },
  };
}

void ReportLocks(CommandRun& run, Narrator& narrator, bool changed) {
  if (!changed) {
    narrator.Say(
        "\n[bold][green]Success![reset] [bold]OpenTofu has validated the lock file and found no "
        "need for changes.[reset]");
    return;
  }
  run.audience->Text(run.invocation.style().Paint(
                         "\n[bold][green]Success![reset] [bold]OpenTofu has updated the lock "
                         "file.[reset]") +
                     "\n\nReview the changes in .terraform.lock.hcl and then commit to your\n"
                     "version control system to retain the new checksums.\n\n");
  if (run.audience->json() != nullptr) {
    run.audience->json()->Message(
        view::JsonUi::Level::kInfo,
        "Success! OpenTofu has updated the lock file. Review the changes in .terraform.lock.hcl "
        "and then commit to your version control system to retain the new checksums");
  }
}

std::string WhySelected(const VersionConstraints& constraints, bool locked) {
  if (locked) {
    return " to match dependency lock file";
  }
  return constraints.empty() ? " with no constraints"
                             : " to meet constraints " + constraints.ToCanonicalText();
}

install::MirrorEvents MirrorEvents(Narrator& narrator, const std::string& name) {
  return {
      .selected =
          [&narrator, name](const Version& version, const VersionConstraints& constraints,
                            bool locked) {
            const std::string text = " v" + version.ToText() + WhySelected(constraints, locked);
            narrator.Say("  - Selected" + text, "Selected " + name + text);
          },
      .downloading =
          [&narrator, name](const Version& version, const std::string& platform) {
            narrator.Say("  - Downloading package for " + platform + "...",
                         "Downloading " + name + " v" + version.ToText() + " package for " +
                             platform + "...");
          },
      .downloaded =
          [&narrator, name](const Version& version, const std::string& platform,
                            const install::PackageTrust& trust) {
            narrator.Say("  - Package authenticated: " + trust.Summary(),
                         "Package " + name + " v" + version.ToText() + " for " + platform +
                             " authenticated: " + trust.Summary());
          },
      .warn = [&narrator](const std::string& line) { narrator.Say(line); },
  };
}

}  // namespace

/// Says in a trace what is locked. Ref: opentofu internal/command/providers_lock.go.
static void Describe(const CommandRun& run, const std::vector<std::string>& platforms,
                     trace::Span& span) {
  span.Set("opentofu.provider.lock.targetplatforms", platforms);
  if (const std::string& directory = run.flags.String("fs-mirror"); !directory.empty()) {
    span.Set("opentofu.provider.lock.fsmirror", directory);
  }
  if (const std::string& url = run.flags.String("net-mirror"); !url.empty()) {
    span.Set("opentofu.provider.lock.netmirror", url);
  }
}

static int RunProvidersLock(Invocation& invocation) {
  trace::Span span("kinu/cli", "Providers lock");
  CommandRun run(invocation);
  run.Parse();
  CheckMirrors(run);
  if (!run.ArgumentsFit()) {
    return run.Usage();
  }
  Narrator narrator(invocation, *run.audience);
  install::PlatformLockRequest request{
      .requirements = {},
      .platforms = ReadPlatforms(run),
      .warn = [&narrator](const std::string& line) { narrator.Say(line); }};
  if (span.on()) {
    Describe(run, request.platforms, span);
  }
  if (const std::string& url = run.flags.String("net-mirror");
      !url.empty() && !url.starts_with("https://")) {
    return run.Fail("Invalid network mirror URL",
                    "The value of -net-mirror must be an https: URL.");
  }
  auto requirements = ReadRequirements(run);
  if (!requirements) {
    return run.Fail();
  }
  request.requirements = *std::move(requirements);
  LimitToArguments(run, request.requirements);
  const install::LockFile old = session::ReadLocksToInstall(invocation.workspace, run.diags);
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  run.StopOnInterrupt();
  install::Network network = session::OpenNetwork(invocation.workspace);
  const std::unique_ptr<install::SourceSet> source = LockSource(run, network);
  const auto result =
      install::LockPlatforms(request, old, *source, network, LockEvents(narrator), run.diags);
  if (!result) {
    return run.Fail();
  }
  if (auto written = result->locks.Write(std::string(install::kLockFileName)); !written) {
    return run.Fail("Failed to update dependency lock file", written.error().message);
  }
  run.audience->Show(run.diags);
  ReportLocks(run, narrator, result->changed);
  return 0;
}

static int RunProvidersMirror(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  if (!WordsFit(run.flags.positionals(), 1)) {
    WordsError(run.diags,
               WrongWordsSummary("Wrong number of arguments", run.flags.positionals(), 1),
               "The providers mirror command requires an output directory as a command-line "
               "argument.");
  }
  if (!run.ArgumentsFit()) {
    return run.Usage();
  }
  const std::string& directory = run.flags.positionals()[0];
  const std::vector<std::string> platforms = ReadPlatforms(run);
  const auto requirements = ReadRequirements(run);
  if (!requirements) {
    return run.Fail();
  }
  const install::LockFile locks = session::ReadLocksToInstall(invocation.workspace, run.diags);
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  const session::Workspace& workspace = invocation.workspace;
  run.StopOnInterrupt();
  install::Network network = session::OpenNetwork(workspace);
  install::SourceSet source(workspace.cli_config, {}, workspace.original_directory, network,
                            install::SourceChoice::kDirectOnly);
  install::MirrorWriter writer(source, network, directory);
  Narrator narrator(invocation, *run.audience);
  for (const auto& [address, constraints] : *requirements) {
    const std::string name = ProviderForDisplay(address);
    if (SplitProviderAddress(address).is_built_in()) {
      narrator.Say("- Skipping " + name + " because it is built in to OpenTofu CLI");
      continue;
    }
    narrator.Say("- Mirroring " + name + "...");
    const install::ProviderLock* lock = locks.Find(address);
    if (!locks.providers.empty() && lock == nullptr) {
      run.diags.Error("Provider not found in lockfile",
                      "Failed to find " + address + " in the lock file");
      continue;
    }
    writer.Add(address, constraints, lock, platforms, MirrorEvents(narrator, name), run.diags);
  }
  if (auto written = writer.WriteIndexes(); !written) {
    run.diags.Error("Failed to update indexes", written.error().message);
  }
  return run.diags.has_errors() ? run.Fail() : 0;
}

constexpr FlagSpec kPlatforms{.name = "platform",
                              .kind = FlagKind::kList,
                              .form = "=os_arch",
                              .help =
                                  "A platform of which packages are wanted, such as linux_amd64;\n"
                                  "may be repeated. The default is this machine's."};

constexpr auto kProvidersLockFlags =
    JoinFlags(FlagSpec{.name = "fs-mirror",
                       .kind = FlagKind::kString,
                       .form = "=dir",
                       .help = "Take packages from this mirror in a directory."},
              FlagSpec{.name = "net-mirror",
                       .kind = FlagKind::kString,
                       .form = "=url",
                       .help = "Take packages from the network mirror at this https: URL."},
              FlagSpec{.name = "oci-mirror",
                       .kind = FlagKind::kString,
                       .form = "=template",
                       .help = "Take packages from this OCI registry. The address of the\n"
                               "repository of a provider is made of the template:\n"
                               "{hostname}, {namespace} and {type} are replaced."},
              kPlatforms, kJsonStream, kVariables);

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

constexpr auto kProvidersMirrorFlags = JoinFlags(kPlatforms, kJsonStream, kVariables);

extern constexpr CommandSpec kProvidersMirrorCommand{
    .name = "providers mirror",
    .synopsis = "Save local copies of all required provider plugins",
    .usage = "tofu [global options] providers mirror [options] TARGET_DIR",
    .description = R"(Puts the packages of all providers that the configuration requires into a
directory, laid out as a mirror that "tofu init" can install from, with the
index files of a network mirror. Packages come from the registries of the
providers.)",
    .flags = kProvidersMirrorFlags,
    .spaced_help = true,
    .run = RunProvidersMirror,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
