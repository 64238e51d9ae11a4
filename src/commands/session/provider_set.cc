#include "session/provider_set.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "addrs/provider_source.h"
#include "backend/remote_state.h"
#include "base/environment.h"
#include "base/flat_map.h"
#include "base/program_name.h"
#include "config/requirements.h"
#include "diag/error_line.h"
#include "plugin/handshake.h"
#include "provider/find_schema.h"
#include "provisioners/provisioner.h"
#include "session/hosts.h"
#include "text/quote.h"

namespace kinu::session {
namespace {

std::string ListOf(std::span<const install::ProviderLocator::MissingPackage> packages) {
  std::string list;
  for (const auto& [address, why] : packages) {
    list.append("\n  - ").append(address).append(": ").append(why);
  }
  return list;
}

}  // namespace

std::unique_ptr<ProviderSet> ProviderSet::Open(const Workspace& workspace, Diagnostics& diags,
                                               install::ProviderLocator::Processes processes) {
  install::ProviderLocator::Options options;
  options.providers_directory = workspace.providers_directory();
  Diagnostics lock_diags;
  options.locks = install::LockFile::Read(workspace.lock_file_path(), lock_diags);
  AddLockFileError(lock_diags, diags);
  options.dev_overrides = workspace.cli_config.dev_overrides();
  auto states = std::make_shared<backend::StoredStates>();
  states->Reach(HostsOf(workspace));
  options.remote_states = states;
  options.attachments = workspace.attachments;
  options.processes = processes;
  options.working_directory = workspace.directory;
  return std::unique_ptr<ProviderSet>(new ProviderSet(std::move(options), std::move(states)));
}

void ProviderSet::Decrypt(const EncryptionRef& encryption) {
  states_->Decrypt([encryption](std::string_view name) { return encryption->RemoteState(name); });
}

plan::SchemaLookup ProviderSet::PlanSchemas(const Program& program) {
  return
      [this, &program](Symbol provider, const ResourceName& name) -> const schema::ResourceSchema* {
        auto schema = source().Schema(program.Text(provider));
        if (!schema) {
          return nullptr;
        }
        return provider::FindSchema(**schema, name.mode, program.Text(name.type));
      };
}

bool ProviderSet::RequirePackages(Missing form, Diagnostics& diags) const {
  const auto missing = locator_->MissingPackages();
  if (missing.empty()) {
    return true;
  }
  if (form == Missing::kAdvice) {
    diags.Error("Required plugins are not installed",
                "Providers that the lock file selects are not in the cache of this directory:" +
                    ListOf(missing) + Hint("\n\nTo download them, run:\n  tofu init"));
  } else {
    diags.Error(missing.size() == 1 ? std::string(missing[0].address) + ": " + missing[0].why
                                    : "missing or corrupted provider plugins:" + ListOf(missing),
                "");
  }
  return false;
}

void ProviderSet::RequirePlugins(const config::Config& config, Diagnostics& diags,
                                 Packages packages) const {
  const Program& program = *config.program;
  size_t errors = diags.error_count();
  const auto needs = config::ProviderRequirements(config, diags);
  if (diags.error_count() != errors) {
    return;
  }
  if (packages == Packages::kRequired && !RequirePackages(Missing::kList, diags)) {
    return;
  }
  for (const config::ProviderRequirement& need : needs) {
    const std::string address(program.Text(need.provider));
    if (SplitProviderAddress(address).is_built_in()) {
      if (address != kBuiltInProvider) {
        diags.Error("Missing required provider",
                    "The configuration needs " + address + ", which no version has built in.");
      }
      continue;
    }
    if (packages == Packages::kOptional) {
      continue;
    }
    if (const auto broken = locator_->BrokenOverride(address)) {
      diags.Error("failed to read provider configuration schema for " + address + ": " +
                      provider::SchemaFailure(address, *broken),
                  "");
    } else if (locator_->Missing(address)) {
      diags.Error(
          "Missing required provider",
          "This configuration requires provider " + address +
              Hint(", but that provider isn't available. To install it, run:\n  tofu init"));
    }
  }
  for (const auto& node : config.nodes) {
    for (const config::Resource& resource : node->module->resources) {
      for (const config::Provisioner& block : resource.provisioners) {
        if (provisioners::FindProvisioner(block.type) == nullptr) {
          diags.Error("Missing required provisioner plugin",
                      "There is no provisioner \"" + std::string(block.type) +
                          "\": this program has local-exec, file and remote-exec.");
        }
      }
    }
  }
}

namespace {

/// Reports the schemas that could not be loaded, if any, as one error. Returns whether there are
/// none.
bool ReportLoadFailures(std::vector<std::string> failures, Diagnostics& diags) {
  if (failures.empty()) {
    return true;
  }
  std::ranges::sort(failures);
  diags.Error("Failed to load plugin schemas", provider::SchemaLoadFailure(failures));
  return false;
}

}  // namespace

void ProviderSet::RequireSelected(const config::Config& config, Diagnostics& diags) const {
  const Program& program = *config.program;
  Diagnostics found;
  const auto needs = config::ProviderRequirements(config, found);
  const install::LockFile& locks = locator_->locks();
  std::string list;
  if (found.has_errors()) {
    list =
        "\n  - failed to determine the configuration's provider requirements: " + ErrorLine(found);
  }
  for (const config::ProviderRequirement& need : needs) {
    const std::string address(program.Text(need.provider));
    if (SplitProviderAddress(address).is_built_in()) {
      continue;
    }
    const install::ProviderLock* lock = locks.Find(address);
    if (lock == nullptr) {
      if (locator_->Missing(address)) {
        list += "\n  - provider " + address +
                ": required by this configuration but no version is selected";
      }
    } else if (!need.constraints.empty() && !need.constraints.AllowsProvider(lock->version)) {
      const std::string wanted = text::GoQuote(need.constraints.ToCanonicalText());
      list += "\n  - provider " + address + ": " +
              (need.constraints.ToCanonicalText() != lock->constraints.ToCanonicalText()
                   ? "locked version selection " + lock->version.ToText() +
                         " doesn't match the updated version constraints " + wanted
                   : "version constraints " + wanted +
                         " don't match the locked version selection " + lock->version.ToText());
    }
  }
  if (!list.empty()) {
    diags.Error(
        "Inconsistent dependency lock file",
        "The following dependency selections recorded in the lock file are inconsistent "
        "with the current configuration:" +
            list +
            (locks.providers.empty()
                 ? Hint("\n\nTo make the first selections, run:\n  tofu init")
                 : Hint("\n\nTo bring the selections up to date, run:\n  tofu init -upgrade")));
    return;
  }
  std::vector<std::string> failures;
  for (const config::ProviderRequirement& need : needs) {
    const std::string_view address = program.Text(need.provider);
    if (const auto broken = locator_->BrokenOverride(address)) {
      failures.push_back(provider::SchemaFailure(address, *broken));
    }
  }
  ReportLoadFailures(std::move(failures), diags);
}

namespace {

/// The addresses of the providers of all stored objects.
std::set<std::string_view> AddressesIn(const state::State& state) {
  FlatSet<Symbol> seen;
  std::set<std::string_view> addresses;
  for (const auto& resource : state.resources) {
    if (seen.insert(resource->provider.provider).second) {
      addresses.insert(state.program->Text(resource->provider.provider));
    }
  }
  return addresses;
}

/// Provisioners that do not exist, as failures of loading their schemas.
void AddUnknownProvisioners(const config::Config& config, std::vector<std::string>& failures) {
  std::set<std::string_view> unknown;
  for (const auto& node : config.nodes) {
    for (const config::Resource& resource : node->module->resources) {
      for (const config::Provisioner& block : resource.provisioners) {
        if (provisioners::FindProvisioner(block.type) == nullptr) {
          unknown.insert(block.type);
        }
      }
    }
  }
  for (const std::string_view type : unknown) {
    failures.push_back(provider::ProvisionerFailure(type));
  }
}

}  // namespace

bool ProviderSet::RequireAvailable(const std::set<std::string_view>& addresses,
                                   std::vector<std::string> failures, Diagnostics& diags) const {
  for (const std::string_view address : addresses) {
    if (!locator_->IsAvailable(address)) {
      failures.push_back(
          provider::SchemaFailure(address, "unavailable provider " + text::GoQuote(address)));
    }
  }
  return ReportLoadFailures(std::move(failures), diags);
}

bool ProviderSet::RequireForState(const state::State& state, Diagnostics& diags) const {
  return RequireAvailable(AddressesIn(state), {}, diags);
}

bool ProviderSet::RequireForSchemas(const config::Config& config, const state::State& state,
                                    Diagnostics& diags) const {
  std::set<std::string_view> addresses = AddressesIn(state);
  Diagnostics ignored;  // requirements that contradict each other are no matter here
  for (const config::ProviderRequirement& need : config::ProviderRequirements(config, ignored)) {
    addresses.insert(config.program->Text(need.provider));
  }
  std::vector<std::string> failures;
  AddUnknownProvisioners(config, failures);
  return RequireAvailable(addresses, std::move(failures), diags);
}

std::vector<std::pair<std::string, const schema::ProviderSchema*>> ProviderSet::LoadSchemas(
    const config::Config& config, const state::State* state, Provisioners provisioners,
    Diagnostics& diags) {
  const Program& program = *config.program;
  std::set<std::string> addresses;
  for (const auto& node : config.nodes) {
    for (const config::Resource& resource : node->module->resources) {
      addresses.emplace(program.Text(resource.provider));
    }
    for (const config::ProviderBlock& block : node->module->providers) {
      addresses.emplace(program.Text(config.ProviderAddress(*node->module, block.local_name)));
    }
    for (const config::RequiredProvider& required : node->module->required_providers) {
      addresses.emplace(program.Text(required.provider));
    }
  }
  if (state != nullptr) {
    for (const auto& resource : state->resources) {
      addresses.emplace(state->program->Text(resource->provider.provider));
    }
  }
  std::vector<std::pair<std::string, const schema::ProviderSchema*>> schemas;
  std::vector<std::string> failures;
  for (const std::string& address : addresses) {
    if (auto schema = source().Schema(address)) {
      schemas.emplace_back(address, *schema);
    } else {
      failures.push_back(provider::SchemaFailure(address, schema.error().message));
    }
  }
  if (provisioners == Provisioners::kRequired) {
    AddUnknownProvisioners(config, failures);
  }
  ReportLoadFailures(std::move(failures), diags);
  return schemas;
}

void ProviderSet::RequireSame(const Result<std::string>& saved_text, const Workspace& workspace,
                              Diagnostics& diags) const {
  if (!saved_text) {
    const bool absent = saved_text.error().code == ErrorCode::kNotFound;
    diags.Error(absent ? "Saved plan has no dependency lock information"
                       : "Failed to read dependency locks from plan file",
                saved_text.error().message);
    return;
  }
  static constexpr std::string_view kSavedName = "<saved-plan>";
  const auto saved = std::make_shared<install::LockFile>(
      install::LockFile::Parse(std::string(kSavedName), *saved_text, diags));
  workspace.kept->Add(saved);  // problems point into it
  if (*saved != locks()) {
    diags.Error("Inconsistent dependency lock file",
                "The plan was made with other selections of providers than the lock file has now. "
                "A saved plan is applied with the providers that made it: make a new plan.");
  }
}

void AddLockFileError(const Diagnostics& lock_diags, Diagnostics& diags) {
  if (!lock_diags.has_errors()) {
    return;
  }
  // An error made of errors, as the reference gives it: all of it is the summary.
  std::string summary = "failed to read dependency lock file: ";
  if (lock_diags.size() == 1) {
    const Diagnostic& only = lock_diags.list()[0];
    summary += only.summary + ": " + only.detail;
  } else {
    summary += std::to_string(lock_diags.size()) + " problems:\n";
    for (const Diagnostic& problem : lock_diags) {
      summary += "\n- " + problem.summary + ": " + problem.detail;
    }
  }
  diags.Error(std::move(summary), "");
}

void WarnOfOverrides(const Workspace& workspace, bool for_init, Diagnostics& diags) {
  const auto& overrides = workspace.cli_config.dev_overrides();
  if (overrides.empty()) {
    return;
  }
  std::string detail =
      "The CLI configuration replaces these providers by what is being developed:\n";
  for (const auto& [address, path] : overrides) {
    detail += " - " + address + " in " + path + "\n";
  }
  detail += for_init ? Hint("\nThey need no \"tofu init\", which may even fail because of them.")
                     : "\nThey may behave otherwise than any release, and what they write to the "
                       "state may be of no use to a release.";
  diags.Warning("Provider development overrides are in effect", std::move(detail));
}

install::LockFile ReadLocksToInstall(const Workspace& workspace, Diagnostics& diags) {
  const auto read = std::make_shared<const install::LockFile>(
      install::LockFile::Read(workspace.lock_file_path(), diags));
  workspace.kept->Add(read);  // problems point into it
  install::LockFile locks = *read;
  const auto taken = locks.TakeOverPredecessor();
  if (!taken.empty()) {
    std::string list;
    for (const auto& [old, ours] : taken) {
      list += "  - " + old + " => " + ours + '\n';
    }
    diags.Warning("Dependency lock file entries automatically updated",
                  "These entries of the dependency lock file count for other providers:\n" + list +
                      "\nThe versions stay selected. The hashes do not, because the packages of "
                      "the two registries differ.");
  }
  return locks;
}

void AdoptProviders(const config::Config& config, state::State& state) {
  constexpr std::string_view kOldHost = "registry.terraform.io";
  if (Environment("OPENTOFU_STATEFILE_PROVIDER_ADDRESS_TRANSLATION") == "0") {
    return;
  }
  FlatMap<uint32_t, Symbol> replaced;  // by provider; itself where it stays
  auto replacement = [&](Symbol provider) {
    const std::string_view text = state.program->Text(provider);
    auto address = ParseProviderSource(text);
    if (!address || address->host != kOldHost) {
      return provider;
    }
    Diagnostics reported_elsewhere;
    for (const config::ProviderRequirement& need :
         config::ProviderRequirements(config, reported_elsewhere)) {
      if (config.program->Text(need.provider) == text) {
        return provider;
      }
    }
    address->host = kDefaultRegistryHost;
    return state.program->Intern(address->ToText());
  };
  for (auto& resource : state.resources) {
    const Symbol provider = resource->provider.provider;
    auto [it, added] = replaced.try_emplace(provider.id, provider);
    if (added) {
      it.value() = replacement(provider);
    }
    if (it->second != provider) {
      resource.Own().provider.provider = it->second;
    }
  }
}

}  // namespace kinu::session
