#include "cli/provider_check.h"

#include <span>
#include <string>

#include "base/environment.h"
#include "base/flat_map.h"
#include "base/keep.h"
#include "config/requirements.h"
#include "install/lock_file.h"
#include "provider/provisioner.h"
#include "text/quote.h"

namespace kinu::cli {
namespace {

constexpr std::string_view kBuiltInPrefix = "terraform.io/builtin/";

std::string ListOf(std::span<const install::ProviderLocator::MissingPackage> packages) {
  std::string list;
  for (const auto& [address, why] : packages) {
    list.append("\n  - ").append(address).append(": ").append(why);
  }
  return list;
}

}  // namespace

void WarnOfOverrides(const Invocation& invocation, bool for_init, Diagnostics& diags) {
  const auto& overrides = invocation.cli_config.dev_overrides();
  if (overrides.empty()) {
    return;
  }
  std::string detail =
      "The CLI configuration replaces these providers by what is being developed:\n";
  for (const auto& [address, path] : overrides) {
    detail += " - " + address + " in " + path + "\n";
  }
  detail += for_init ? "\nThey need no \"tofu init\", which may even fail because of them."
                     : "\nThey may behave otherwise than any release, and what they write to the "
                       "state may be of no use to a release.";
  diags.Warning("Provider development overrides are in effect", std::move(detail));
}

bool RequirePackages(const install::ProviderLocator& locator, MissingPackagesForm form,
                     Diagnostics& diags) {
  const auto missing = locator.MissingPackages();
  if (missing.empty()) {
    return true;
  }
  if (form == MissingPackagesForm::kAdvice) {
    diags.Error("Required plugins are not installed",
                "Providers that the lock file selects are not in the cache of this directory:" +
                    ListOf(missing) + "\n\nTo download them, run:\n  tofu init");
  } else {
    diags.Error(missing.size() == 1 ? std::string(missing[0].address) + ": " + missing[0].why
                                    : "missing or corrupted provider plugins:" + ListOf(missing),
                "");
  }
  return false;
}

void RequirePlugins(const config::Config& config, const install::ProviderLocator& locator,
                    Diagnostics& diags) {
  const Program& program = *config.program;
  size_t errors = diags.error_count();
  const auto needs = config::ProviderRequirements(config, diags);
  if (diags.error_count() != errors) {
    return;
  }
  if (!RequirePackages(locator, MissingPackagesForm::kList, diags)) {
    return;
  }
  for (const config::ProviderRequirement& need : needs) {
    const std::string address(program.Text(need.provider));
    if (address.starts_with(kBuiltInPrefix)) {
      if (address != std::string(kBuiltInPrefix) + "terraform") {
        diags.Error("Missing required provider",
                    "The configuration needs " + address + ", which no version has built in.");
      }
    } else if (locator.Missing(address)) {
      diags.Error("Missing required provider",
                  "This configuration requires provider " + address +
                      ", but that provider isn't available. To install it, run:\n  tofu init");
    }
  }
  for (const auto& node : config.nodes) {
    for (const config::Resource& resource : node->module->resources) {
      for (const config::Provisioner& block : resource.provisioners) {
        if (provider::FindProvisioner(block.type) == nullptr) {
          diags.Error("Missing required provisioner plugin",
                      "There is no provisioner \"" + std::string(block.type) +
                          "\": this program has local-exec, file and remote-exec.");
        }
      }
    }
  }
}

install::LockFile ReadLocksToInstall(Diagnostics& diags) {
  install::LockFile locks = install::LockFile::Read(std::string(install::kLockFileName), diags);
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

void TakeOverProviders(const config::Config& config, state::State& state) {
  constexpr std::string_view kOld = "registry.terraform.io/";
  constexpr std::string_view kNew = "registry.opentofu.org/";
  if (Environment("OPENTOFU_STATEFILE_PROVIDER_ADDRESS_TRANSLATION") == "0") {
    return;
  }
  FlatMap<uint32_t, Symbol> replaced;  // by provider; itself where it stays
  auto replacement = [&](Symbol provider) {
    const std::string_view address = state.program->Text(provider);
    if (!address.starts_with(kOld)) {
      return provider;
    }
    Diagnostics reported_elsewhere;
    for (const config::ProviderRequirement& need :
         config::ProviderRequirements(config, reported_elsewhere)) {
      if (config.program->Text(need.provider) == address) {
        return provider;
      }
    }
    return state.program->Intern(std::string(kNew) + std::string(address.substr(kOld.size())));
  };
  for (const auto& resource : state.resources) {
    Symbol& provider = resource->provider.provider;
    auto [it, added] = replaced.try_emplace(provider.id, provider);
    if (added) {
      it.value() = replacement(provider);
    }
    provider = it->second;
  }
}

void RequireSelections(const config::Config& config, const install::ProviderLocator& locator,
                       Diagnostics& diags) {
  if (RequirePackages(locator, MissingPackagesForm::kAdvice, diags)) {
    RequireSelected(config, locator, diags);
  }
}

void RequireSelected(const config::Config& config, const install::ProviderLocator& locator,
                     Diagnostics& diags) {
  const Program& program = *config.program;
  size_t errors = diags.error_count();
  const auto needs = config::ProviderRequirements(config, diags);
  const install::LockFile& locks = locator.locks();
  if (diags.error_count() != errors) {
    return;
  }
  std::string list;
  for (const config::ProviderRequirement& need : needs) {
    const std::string address(program.Text(need.provider));
    if (address.starts_with(kBuiltInPrefix)) {
      continue;
    }
    const install::ProviderLock* lock = locks.Find(address);
    if (lock == nullptr) {
      if (locator.Missing(address)) {
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
    diags.Error("Inconsistent dependency lock file",
                "The following dependency selections recorded in the lock file are inconsistent "
                "with the current configuration:" +
                    list +
                    (locks.providers.empty()
                         ? "\n\nTo make the first selections, run:\n  tofu init"
                         : "\n\nTo bring the selections up to date, run:\n  tofu init -upgrade"));
  }
}

void RequireSameSelections(const Result<std::string>& saved_text,
                           const install::ProviderLocator& locator, Diagnostics& diags) {
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
  KeepUntilExit(saved);  // problems point into it
  if (*saved != locator.locks()) {
    diags.Error("Inconsistent dependency lock file",
                "The plan was made with other selections of providers than the lock file has now. "
                "A saved plan is applied with the providers that made it: make a new plan.");
  }
}

}  // namespace kinu::cli
