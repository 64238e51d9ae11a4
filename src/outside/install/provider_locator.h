// ProviderLocator: finds and starts the providers of a working directory. Searches attached
// processes first, then development overrides, the built-in provider, and the packages that the
// lock file selects.
//
// Schemas come from a cache if possible. A process that had to be started for its schema is kept
// for the first Start(). Ref: opentofu internal/command/meta_providers.go.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "install/cli_config.h"
#include "install/lock_file.h"
#include "plugin/plugin_provider.h"
#include "provider/builtin.h"
#include "provider/schema_cache.h"

namespace kinu::install {

class ProviderLocator final : public provider::ProviderSource {
 public:
  /// Whether a provider may be started.
  enum class Processes : uint8_t {
    kAllowed,
    kForbidden,  ///< schemas come from the cache alone, and only what is built in starts
  };
  struct Options {
    std::string providers_directory;  ///< `.terraform/providers`
    LockFile locks;
    std::map<std::string, std::string, ProviderAddressLess> dev_overrides;
    plugin::Attachments attachments;
    std::string cache_directory = provider::CacheDirectory();
    std::shared_ptr<provider::RemoteStates> remote_states;  ///< for the built-in provider
    Processes processes = Processes::kAllowed;
    /// Where providers run; empty: the working directory.
    std::string working_directory = {};
  };

  explicit ProviderLocator(Options options);
  ~ProviderLocator() override;

  /// The lock file of the working directory.
  const LockFile& locks() const { return options_.locks; }

  Result<const schema::ProviderSchema*> Schema(std::string_view address) override;
  Result<std::unique_ptr<provider::Provider>> Start(std::string_view address) override;
  /// Starts a provider process in the background, so that Start() finds it ready. Start() reports
  /// its errors.
  void Prepare(std::string_view address);
  /// Explains why a required provider cannot be used: it is not locked, or its package is missing.
  /// Returns nothing if it can, or is attached or overridden. Fast: it neither hashes a package nor
  /// starts a process.
  std::optional<std::string> Missing(std::string_view address) const;
  /// Whether the provider is built in, attached, overridden or selected by the lock file. Its
  /// package may be missing all the same.
  bool IsAvailable(std::string_view address) const;
  struct MissingPackage {
    std::string_view address;
    std::string why;
  };
  /// The providers in the lock file, required or not, whose packages are missing.
  std::vector<MissingPackage> MissingPackages() const;
  /// Why the directory of an overridden provider has no executable. Nothing: it has one, or the
  /// provider is not overridden.
  std::optional<std::string> BrokenOverride(std::string_view address) const;

 private:
  struct Entry;
  using PluginPtr = std::unique_ptr<plugin::PluginProvider>;

  Entry& EntryOf(std::string_view address);
  /// Finds what Start() needs, and the key of the schema in the cache ("" if it must not be
  /// cached).
  Result<void> Locate(std::string_view address, Entry& entry) const;
  /// Finds the schema of a locked package that is not there, by the hashes in the lock file.
  bool FindByLock(std::string_view address, Entry& entry) const;
  Result<PluginPtr> Launch(const Entry& entry) const;
  std::string SchemaKey(const std::string& package_hash) const;
  Result<void> LoadSchema(Entry& entry);

  Options options_;
  provider::SchemaCache cache_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
};

/// Notes in the cache which key the schema of a version has, unless it has a newer one.
void RememberSchema(const provider::SchemaCache& cache, std::string_view address,
                    const Version& version, std::string_view key);
/// The schema of a provider in the newest version whose schema was ever stored in the cache; null
/// if there is none. It may differ from that of the version which a configuration would get.
std::shared_ptr<const schema::ProviderSchema> NewestKnownSchema(
    std::string_view address, const std::string& cache_directory = provider::CacheDirectory());

}  // namespace kinu::install
