#include "install/provider_installer.h"

#include <algorithm>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "base/program_name.h"
#include "install/ordered_jobs.h"
#include "install/package_hash.h"
#include "install/package_placer.h"
#include "text/quote.h"
#include "trace/trace.h"

namespace kinu::install {
namespace {

/// How many packages are looked for or downloaded at once.
constexpr size_t kParallel = 8;

/// What the queries decided about one provider.
struct Selection {
  std::string address;
  VersionConstraints constraints;
  std::optional<Version> version;
};

/// What the installation of one provider gives.
struct Installed {
  bool done = false;
  std::vector<std::string> hashes;
  bool fetched = false;  ///< by this run, not found in place
  bool incomplete = false;
  bool is_signed = false;
};

SourceError Failure(std::string message) {
  return {.message = std::move(message)};
}

SourceError FailureOf(const Error& error) {
  return {.problem = error.code == ErrorCode::kCancelled ? SourceProblem::kCancelled
                                                         : SourceProblem::kFailed,
          .message = error.message};
}

/// Reports the beginning and the end of an installation to a watch that may be null.
class Watched {
 public:
  Watched(InstallWatch* watch, const std::string& address) : watch_(watch), address_(address) {
    if (watch_ != nullptr) {
      watch_->Start(address_);
    }
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() {
    if (watch_ != nullptr) {
      watch_->Finish(address_);
    }
  }

 private:
  InstallWatch* watch_;
  const std::string& address_;
};

constexpr std::string_view kTraceScope = "kinu/install";

/// The state of one InstallProviders() call.
class Installer {
 public:
  Installer(const ProviderRequirements& requirements, PackageSource& source, Network& network,
            const InstallOptions& options, const InstallEvents& events, InstallResult& result)
      : requirements_(requirements),
        source_(source),
        options_(options),
        events_(events),
        result_(result),
        placer_(network, cache_) {}

  void Run();

 private:
  void ReportBuiltIn();
  void Select(Selection& selection, JobReports& reports);
  void Install(const Selection& selection, Installed& installed, JobReports& reports);
  std::optional<Installed> InstallInto(const Selection& selection, const ProviderLock* lock,
                                       bool to_cache, JobReports& reports);
  Installed Finish(const Selection& selection, const ProviderLock* lock,
                   const PlacedPackage& placed, JobReports& reports);
  static void Describe(const Selection& selection, trace::Span& span);
  bool LinkFromCache(const Selection& selection, JobReports& reports);
  void ReportFailure(JobReports& reports, InstallProblem problem);
  /// The lock of the selected version, or null.
  const ProviderLock* LockOf(const Selection& selection) const;
  /// Whether the locked package is in a directory and matches its hashes.
  bool IsInstalled(const std::string& base, const Selection& selection,
                   const ProviderLock* lock) const;
  bool InCache(const std::string& address, const Version& version) const;

  const ProviderRequirements& requirements_;
  PackageSource& source_;
  const InstallOptions& options_;
  const InstallEvents& events_;
  InstallResult& result_;
  provider::SchemaCache cache_{options_.cache_directory};
  PackagePlacer placer_;
};

void Installer::ReportFailure(JobReports& reports, InstallProblem problem) {
  reports.Post([this, problem = std::move(problem)] {
    result_.errors[problem.address] = problem.error.message;
    if (events_.failed) {
      events_.failed(problem);
    }
  });
}

void Installer::ReportBuiltIn() {
  for (const auto& [address, constraints] : requirements_) {
    const ProviderAddress provider = SplitProviderAddress(address);
    if (!provider.is_built_in()) {
      continue;
    }
    std::string error;
    if (provider.type != "terraform") {
      error = "this OpenTofu release has no built-in provider named \"" + provider.type + '"';
    } else if (!constraints.empty()) {
      error = "built-in providers do not support explicit version constraints";
    }
    if (error.empty()) {
      if (events_.built_in) {
        events_.built_in(address);
      }
      continue;
    }
    result_.errors[address] = error;
    if (events_.failed) {
      events_.failed({.address = address,
                      .step = InstallStep::kBuiltIn,
                      .version = {},
                      .error = Failure(std::move(error))});
    }
  }
}

bool Installer::InCache(const std::string& address, const Version& version) const {
  return !options_.plugin_cache_directory.empty() &&
         IsDirectory(PackageDirectory(options_.plugin_cache_directory, address, version));
}

/// Selects the version of a provider. Reads the lock file, which nothing changes meanwhile.
void Installer::Select(Selection& selection, JobReports& reports) {
  const std::string& address = selection.address;
  const VersionConstraints& constraints = selection.constraints;
  const ProviderLock* lock = options_.upgrade ? nullptr : result_.locks.Find(address);
  reports.Post([this, &address, &constraints, locked = lock != nullptr] {
    if (events_.query) {
      events_.query(address, constraints, locked);
    }
  });
  const auto fail = [&](SourceError error) {
    ReportFailure(reports, {.address = address,
                            .step = InstallStep::kQuery,
                            .version = {},
                            .error = std::move(error)});
  };
  if (lock != nullptr && !constraints.AllowsProvider(lock->version)) {
    return fail(Failure("locked provider " + address + ' ' + lock->version.ToText() +
                        " does not match configured version constraint " +
                        constraints.ToCanonicalText() +
                        Hint("; must use tofu init -upgrade to allow selection of new versions")));
  }
  const auto& terms = constraints.terms();
  if (terms.size() == 1 && terms[0].op == VersionConstraints::Operator::kEqual &&
      terms[0].version.ToText() == "0.0.0") {
    return fail(Failure(
        "0.0.0 is not a valid provider version. \nA provider under development is used through "
        "dev_overrides of the CLI configuration, which need no version: "
        "https://opentofu.org/docs/cli/config/config-file/"
        "#development-overrides-for-provider-developers"));
  }
  if (lock != nullptr && InCache(address, lock->version)) {
    selection.version = lock->version;
    return;
  }
  auto offered = source_.Versions(address);
  if (!offered) {
    return fail(std::move(offered).error());
  }
  if (!offered->warnings.empty()) {
    reports.Post([this, &address, warnings = offered->warnings] {
      if (events_.warned) {
        events_.warned(address, warnings);
      }
    });
  }
  selection.version = SelectVersion(*offered, constraints, lock);
  if (!selection.version) {
    fail(Failure(lock != nullptr ? "the previously-selected version " + lock->version.ToText() +
                                       " is no longer available"
                                 : "no available releases match the given constraints " +
                                       constraints.ToCanonicalText()));
  }
}

const ProviderLock* Installer::LockOf(const Selection& selection) const {
  const ProviderLock* lock = result_.locks.Find(selection.address);
  return lock != nullptr && lock->version.ToText() == selection.version->ToText() ? lock : nullptr;
}

bool Installer::IsInstalled(const std::string& base, const Selection& selection,
                            const ProviderLock* lock) const {
  if (lock == nullptr || lock->hashes.empty()) {
    return false;
  }
  const std::string directory = PackageDirectory(base, selection.address, *selection.version);
  if (!IsDirectory(directory)) {
    return false;
  }
  const auto hash = RememberedPackageHash(directory, cache_);
  return hash && MatchesAny(lock->hashes, *hash);
}

Installed Installer::Finish(const Selection& selection, const ProviderLock* lock,
                            const PlacedPackage& placed, JobReports& reports) {
  Installed out{.done = true, .fetched = true};
  RecordedHashes recorded = HashesToRecord(selection.address, placed.trust);
  recorded.verified.push_back(placed.hash);
  std::ranges::sort(recorded.verified);
  const auto repeated = std::ranges::unique(recorded.verified);
  recorded.verified.erase(repeated.begin(), repeated.end());
  const std::vector<std::string> prior =
      lock == nullptr ? std::vector<std::string>() : KnownHashes(lock->hashes);
  out.hashes = prior;
  out.hashes.insert(out.hashes.end(), recorded.verified.begin(), recorded.verified.end());
  out.hashes.insert(out.hashes.end(), recorded.vouched.begin(), recorded.vouched.end());
  out.incomplete = recorded.vouched.empty() && (prior.empty() || prior == recorded.verified);
  out.is_signed = placed.trust.is_signed();
  reports.Post([this, &selection, trust = placed.trust] {
    if (events_.installed) {
      events_.installed(selection.address, *selection.version, trust);
    }
  });
  return out;
}

/// Installs into the plugin cache or the providers directory. Returns nothing after a failure.
std::optional<Installed> Installer::InstallInto(const Selection& selection,
                                                const ProviderLock* lock, bool to_cache,
                                                JobReports& reports) {
  const std::string& address = selection.address;
  const Version& version = *selection.version;
  const std::string& base =
      to_cache ? options_.plugin_cache_directory : options_.providers_directory;
  if (IsInstalled(base, selection, lock)) {
    reports.Post([this, &address, &version, to_cache] {
      if (events_.already_installed) {
        events_.already_installed(address, version, to_cache);
      }
    });
    return Installed{.done = true, .hashes = lock->hashes};
  }
  const auto fail = [&](SourceError error) {
    ReportFailure(reports, {.address = address,
                            .step = InstallStep::kPackage,
                            .version = version,
                            .error = std::move(error)});
    return std::nullopt;
  };
  auto offer = source_.Package(address, version, CurrentPlatform());
  if (!offer) {
    return fail(std::move(offer).error());
  }
  reports.Post([this, &address, &version, to_cache] {
    if (events_.installing) {
      events_.installing(address, version, to_cache);
    }
  });
  const std::string directory = AbsolutePath(PackageDirectory(base, address, version));
  PackagePlacer::Options options;
  options.warn = [&](const std::string& line) {
    reports.Post([this, line] { options_.warn(line); });
  };
  options.waiting = [&] {
    reports.Post([this, &base] {
      if (events_.waiting) {
        events_.waiting(base);
      }
    });
  };
  if (options_.watch != nullptr) {
    options.received = [&](uint64_t bytes, uint64_t size) {
      options_.watch->Receive(address, bytes, size);
    };
  }
  options.trust_present = to_cache && options_.plugin_cache_may_break_lock_file;
  auto placed = placer_.Place(
      address, *offer, directory,
      lock == nullptr ? std::vector<std::string>() : KnownHashes(lock->hashes), options);
  if (!placed) {
    return fail(FailureOf(placed.error()));
  }
  return Finish(selection, lock, *placed, reports);
}

bool Installer::LinkFromCache(const Selection& selection, JobReports& reports) {
  reports.Post([this, &selection] {
    if (events_.linking_from_cache) {
      events_.linking_from_cache(selection.address, *selection.version);
    }
  });
  const auto linked = PackagePlacer::Link(
      AbsolutePath(
          PackageDirectory(options_.plugin_cache_directory, selection.address, *selection.version)),
      PackageDirectory(options_.providers_directory, selection.address, *selection.version));
  if (!linked) {
    ReportFailure(reports, {.address = selection.address,
                            .step = InstallStep::kLink,
                            .version = *selection.version,
                            .error = FailureOf(linked.error())});
  }
  return linked.has_value();
}

void Installer::Install(const Selection& selection, Installed& installed, JobReports& reports) {
  const ProviderLock* lock = LockOf(selection);
  const bool cached = !options_.plugin_cache_directory.empty();
  if (IsInstalled(options_.providers_directory, selection, lock)) {
    reports.Post([this, &selection] {
      if (events_.already_installed) {
        events_.already_installed(selection.address, *selection.version, false);
      }
    });
    installed = {.done = true, .hashes = lock->hashes};
    return;
  }
  auto done = InstallInto(selection, lock, cached, reports);
  if (done && (!cached || LinkFromCache(selection, reports))) {
    installed = *std::move(done);
  }
}

/// Sets the name and the attributes of a span. Ref: providercache/installer.go.
void Installer::Describe(const Selection& selection, trace::Span& span) {
  span.record().name = "Install Provider " + text::GoQuote(selection.address);
  span.Set("opentofu.provider.address", selection.address);
  span.Set("opentofu.provider.version", selection.version->ToText());
  span.Set("opentofu.target_platform", std::string(CurrentPlatform()));
}

void Installer::Run() {
  trace::Span whole(kTraceScope, "Install Providers");
  if (whole.on()) {
    whole.record().name += " - " + std::string(CurrentPlatform());
    whole.Set("opentofu.target_platform", std::string(CurrentPlatform()));
  }
  ReportBuiltIn();
  std::vector<Selection> selections;
  for (const auto& [address, constraints] : requirements_) {
    if (!SplitProviderAddress(address).is_built_in() && !MatchesAny(options_.unmanaged, address)) {
      selections.push_back({address, constraints, std::nullopt});
    }
  }
  RunOrdered(selections.size(), kParallel,
             [&](size_t i, JobReports& reports) { Select(selections[i], reports); });
  std::erase_if(selections, [](const Selection& selection) { return !selection.version; });
  std::vector<Installed> installed(selections.size());
  if (options_.watch != nullptr) {
    options_.watch->Expect(selections.size());
  }
  const trace::SpanId all = trace::Current();
  RunOrdered(selections.size(), kParallel, [&](size_t i, JobReports& reports) {
    const Watched watched(options_.watch, selections[i].address);
    trace::Span span(kTraceScope, "Install Provider", trace::Kind::kStep, all);
    if (span.on()) {
      Describe(selections[i], span);
    }
    Install(selections[i], installed[i], reports);
  });
  placer_.StoreHashes();
  bool any = false;
  bool any_signed = false;
  for (size_t i = 0; i < selections.size(); ++i) {
    if (!installed[i].done) {
      continue;
    }
    any |= installed[i].fetched;
    any_signed |= installed[i].is_signed;
    if (installed[i].incomplete) {
      result_.incomplete_hashes.push_back(selections[i].address);
    }
    result_.locks.Set(selections[i].address, Version(*selections[i].version),
                      selections[i].constraints, std::move(installed[i].hashes));
  }
  if (any && events_.authenticated) {
    events_.authenticated(any_signed);
  }
}

}  // namespace

std::string PackageDirectory(const std::string& providers_directory, std::string_view address,
                             const Version& version) {
  return JoinPath(JoinPath(JoinPath(providers_directory, address), version.ToText()),
                  CurrentPlatform());
}

std::optional<Version> SelectVersion(const OfferedVersions& offered,
                                     const VersionConstraints& constraints,
                                     const ProviderLock* lock) {
  std::optional<Version> best;
  for (const Version& version : offered.versions) {
    const bool acceptable = lock != nullptr ? version.ToText() == lock->version.ToText()
                                            : constraints.AllowsProvider(version);
    if (acceptable && (!best || *best < version)) {
      best = version;
    }
  }
  return best;
}

RecordedHashes HashesToRecord(const std::string& address, const PackageTrust& trust) {
  RecordedHashes out;
  const bool signature_required = SignatureRequired(address);
  for (const auto& [hash, known] : trust.hashes) {
    if (known.verified) {
      out.verified.push_back(hash);
    }
    if (signature_required ? !known.key_ids.empty() : known.registry || known.trusted_mirror) {
      out.vouched.push_back(hash);
    }
  }
  return out;
}

InstallResult InstallProviders(const ProviderRequirements& requirements, const LockFile& locks,
                               PackageSource& source, Network& network,
                               const InstallOptions& options, const InstallEvents& events) {
  InstallResult result;
  result.locks = locks;
  Installer(requirements, source, network, options, events, result).Run();
  std::erase_if(result.locks.providers,
                [&](const auto& entry) { return !requirements.contains(entry.first); });
  return result;
}

}  // namespace kinu::install
