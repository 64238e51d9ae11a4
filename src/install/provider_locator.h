// ProviderLocator: how every command gets at providers. Attached processes come first, then
// development overrides, the built-in provider, and what the lock file selects.
//
// Schemas come from a cache where possible; a process that had to be started for its schema is kept
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
  struct Options {
    std::string providers_directory;  ///< `.terraform/providers`
    LockFile locks;
    std::map<std::string, std::string, ProviderAddressLess> dev_overrides;
    std::map<std::string, plugin::Attachment, std::less<>> attachments;
    std::string cache_directory = provider::CacheDirectory();
    std::shared_ptr<provider::RemoteStates> remote_states;  ///< for the built-in provider
  };

  explicit ProviderLocator(Options options);
  ~ProviderLocator() override;

  /// The selections of the lock file.
  const LockFile& locks() const { return options_.locks; }

  Result<const schema::ProviderSchema*> Schema(std::string_view address) override;
  Result<std::unique_ptr<provider::Provider>> Start(std::string_view address) override;
  /// Starts the process of a provider in the background, so that it is ready when Start() is
  /// called. Errors appear there.
  void Prepare(std::string_view address);
  /// Why a provider that the configuration needs cannot be used, or nothing: not locked, or its
  /// package is missing. Cheap: no package is hashed and nothing started.
  std::optional<std::string> Missing(std::string_view address) const;
  struct MissingPackage {
    std::string_view address;
    std::string why;
  };
  /// The providers that the lock file selects, needed or not, whose packages are not there.
  std::vector<MissingPackage> MissingPackages() const;

 private:
  struct Entry;
  using PluginPtr = std::unique_ptr<plugin::PluginProvider>;

  Entry& EntryOf(std::string_view address);
  /// What is needed to start a provider, and the key of its schema in the cache ("" for none).
  Result<void> Locate(std::string_view address, Entry& entry) const;
  Result<PluginPtr> Launch(const Entry& entry) const;
  Result<void> LoadSchema(Entry& entry);

  Options options_;
  provider::SchemaCache cache_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
};

}  // namespace kinu::install
