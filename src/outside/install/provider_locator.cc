#include "install/provider_locator.h"

#include <algorithm>
#include <future>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "base/flat_map.h"
#include "base/program_name.h"
#include "install/package_hash.h"
#include "install/package_source.h"
#include "install/provider_installer.h"
#include "provider/builtin.h"

namespace kinu::install {

/// One provider in a run. The mutex guards all members except the address.
struct ProviderLocator::Entry {
  std::string address;
  std::mutex mutex;
  bool located = false;
  std::string executable;
  const plugin::Attachment* attachment = nullptr;
  std::string cache_key;
  Version version;  ///< that has the key
  std::shared_ptr<const schema::ProviderSchema> schema;
  std::future<Result<PluginPtr>> prepared;
  PluginPtr spare;

  Result<PluginPtr> TakePrepared() {
    if (spare != nullptr) {
      return std::move(spare);
    }
    if (prepared.valid()) {
      return prepared.get();
    }
    return PluginPtr();
  }
};

namespace {

/// A file of the working directory that the schema of OpenTofu's own mock provider depends on,
/// besides the package: it declares further resource types.
constexpr std::string_view kSchemaInput = "dynamic_resources.json";

/// The note about the newest version of a provider: the version, a space, the key of its schema.
std::string NewestNote(std::string_view address) {
  return "newest schema of " + std::string(address);
}

}  // namespace

ProviderLocator::ProviderLocator(Options options)
    : options_(std::move(options)), cache_(options_.cache_directory) {
}

ProviderLocator::~ProviderLocator() = default;

/// The key of a package's schema in the cache.
std::string ProviderLocator::SchemaKey(const std::string& package_hash) const {
  auto types = ReadFile(JoinPath(options_.working_directory, kSchemaInput));
  return types ? package_hash + ' ' + std::to_string(HashBytes(*types)) : package_hash;
}

ProviderLocator::Entry& ProviderLocator::EntryOf(std::string_view address) {
  std::lock_guard lock(mutex_);
  auto it = entries_.find(address);
  if (it == entries_.end()) {
    auto entry = std::make_unique<Entry>();
    entry->address = address;
    it = entries_.emplace(std::string(address), std::move(entry)).first;
  }
  return *it->second;
}

bool ProviderLocator::IsAvailable(std::string_view address) const {
  return options_.attachments.contains(address) || options_.dev_overrides.contains(address) ||
         (SplitProviderAddress(address).is_built_in() ? address == kBuiltInProvider
                                                      : options_.locks.Find(address) != nullptr);
}

std::optional<std::string> ProviderLocator::Missing(std::string_view address) const {
  // What replaces a package is looked for when the provider is started.
  if (SplitProviderAddress(address).is_built_in() || options_.attachments.contains(address) ||
      options_.dev_overrides.contains(address)) {
    return std::nullopt;
  }
  const ProviderLock* lock = options_.locks.Find(address);
  if (lock == nullptr) {
    return "required by this configuration but no version is selected";
  }
  std::string directory = PackageDirectory(options_.providers_directory, address, lock->version);
  if (!IsDirectory(directory)) {
    return "there is no package for " + std::string(address) + ' ' + lock->version.ToText() +
           " cached in " + options_.providers_directory;
  }
  return std::nullopt;
}

std::vector<ProviderLocator::MissingPackage> ProviderLocator::MissingPackages() const {
  std::vector<MissingPackage> missing;
  for (const auto& [address, lock] : options_.locks.providers) {
    if (auto why = Missing(address)) {
      missing.push_back({address, *std::move(why)});
    }
  }
  return missing;
}

std::optional<std::string> ProviderLocator::BrokenOverride(std::string_view address) const {
  const auto it = options_.dev_overrides.find(address);
  if (it == options_.dev_overrides.end() || options_.attachments.contains(address)) {
    return std::nullopt;
  }
  auto executable = FindExecutable(it->second, SplitProviderAddress(address).type);
  return executable ? std::nullopt : std::optional(std::move(executable).error().message);
}

Result<void> ProviderLocator::Locate(std::string_view address, Entry& entry) const {
  if (entry.located) {
    return {};
  }
  if (auto it = options_.attachments.find(address); it != options_.attachments.end()) {
    entry.attachment = &it->second;
    entry.located = true;
    return {};
  }
  std::string type = SplitProviderAddress(address).type;
  if (auto it = options_.dev_overrides.find(address); it != options_.dev_overrides.end()) {
    KINU_TRY(entry.executable, FindExecutable(it->second, type));
    // Development builds change without a change of name: their schema is not cached.
    entry.located = true;
    return {};
  }
  if (!IsAvailable(address)) {
    return Fail(ErrorCode::kNotFound, "unavailable provider \"" + std::string(address) + '"');
  }
  if (auto missing = Missing(address)) {
    if (options_.processes == Processes::kForbidden && FindByLock(address, entry)) {
      return {};
    }
    return Fail(ErrorCode::kNotFound, *missing);
  }
  const ProviderLock& lock = *options_.locks.Find(address);
  std::string directory = PackageDirectory(options_.providers_directory, address, lock.version);
  auto hash = RememberedPackageHash(directory, cache_);
  std::vector<std::string> wanted = lock.PreferredHashes();
  if (!hash && !wanted.empty()) {
    return Fail(ErrorCode::kIo, "failed to verify checksum of " + std::string(address) + ' ' +
                                    lock.version.ToText() + " package cached in " +
                                    options_.providers_directory + ": " + hash.error().message);
  }
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), *hash) == wanted.end()) {
    return Fail(
        ErrorCode::kInvalid,
        "the cached package for " + std::string(address) + ' ' + lock.version.ToText() + " (in " +
            options_.providers_directory +
            Hint(") does not match any of the checksums recorded in the dependency lock file, "
                 "run tofu init to ensure all providers are correctly installed"));
  }
  KINU_TRY(entry.executable, FindExecutable(directory, type));
  if (!entry.executable.starts_with('/')) {
    entry.executable = AbsolutePath(entry.executable);
  }
  entry.cache_key = hash ? SchemaKey(*hash) : "";
  entry.version = lock.version;
  entry.located = true;
  return {};
}

bool ProviderLocator::FindByLock(std::string_view address, Entry& entry) const {
  const ProviderLock& lock = *options_.locks.Find(address);
  for (const std::string& hash : lock.PreferredHashes()) {
    std::string key = SchemaKey(hash);
    if (cache_.Find(key)) {
      entry.cache_key = std::move(key);
      entry.version = lock.version;
      entry.located = true;
      return true;
    }
  }
  return false;
}

Result<ProviderLocator::PluginPtr> ProviderLocator::Launch(const Entry& entry) const {
  if (options_.processes == Processes::kForbidden) {
    return Fail(ErrorCode::kNotFound, "the schema of " + entry.address + " is not in the cache");
  }
  Result<PluginPtr> started = entry.attachment != nullptr
                                  ? plugin::PluginProvider::Attach(entry.address, *entry.attachment)
                                  : plugin::PluginProvider::Start(
                                        {.address = entry.address, .executable = entry.executable});
  if (!started) {
    return Fail(started.error().code, "the provider " + entry.address + " cannot be started" +
                                          (entry.executable.empty() ? "" : " from ") +
                                          entry.executable + ": " + started.error().message);
  }
  return started;
}

Result<void> ProviderLocator::LoadSchema(Entry& entry) {
  if (entry.schema != nullptr) {
    return {};
  }
  if (!entry.cache_key.empty()) {
    if (auto raw = cache_.Find(entry.cache_key)) {
      if (auto opened = provider::OpenWireSchema(*std::move(raw))) {
        entry.schema = *std::move(opened);
        return {};
      }
    }
  }
  KINU_TRY(PluginPtr running, entry.TakePrepared());
  if (running == nullptr) {
    KINU_TRY(running, Launch(entry));
  }
  KINU_TRY(provider::RawSchema raw, running->FetchSchema());
  if (auto checked = provider::CheckWireSchema(raw); !checked) {
    return Fail(
        ErrorCode::kInvalid,
        "provider " + entry.address +
            " has an invalid schema, which is a bug of the provider: " + checked.error().message);
  }
  if (!entry.cache_key.empty()) {
    cache_.Store(entry.cache_key, raw);
    RememberSchema(cache_, entry.address, entry.version, entry.cache_key);
  }
  KINU_TRY(entry.schema, provider::OpenWireSchema(std::move(raw)));
  entry.spare = std::move(running);
  return {};
}

Result<const schema::ProviderSchema*> ProviderLocator::Schema(std::string_view address) {
  if (address == kBuiltInProvider) {
    return &provider::BuiltInSchema();
  }
  Entry& entry = EntryOf(address);
  std::lock_guard lock(entry.mutex);
  if (auto located = Locate(address, entry); !located) {
    return std::unexpected(located.error());
  }
  if (auto loaded = LoadSchema(entry); !loaded) {
    return std::unexpected(loaded.error());
  }
  return entry.schema.get();
}

Result<std::unique_ptr<provider::Provider>> ProviderLocator::Start(std::string_view address) {
  if (address == kBuiltInProvider) {
    return provider::MakeBuiltInProvider(options_.remote_states);
  }
  Entry& entry = EntryOf(address);
  PluginPtr running;
  std::shared_ptr<const schema::ProviderSchema> schema;
  {
    std::lock_guard lock(entry.mutex);
    if (auto located = Locate(address, entry); !located) {
      return std::unexpected(located.error());
    }
    if (auto loaded = LoadSchema(entry); !loaded) {
      return std::unexpected(loaded.error());
    }
    KINU_TRY(running, entry.TakePrepared());
    schema = entry.schema;
  }
  if (running == nullptr) {
    KINU_TRY(running, Launch(entry));
  }
  running->UseSchema(std::move(schema));
  return running;
}

void ProviderLocator::Prepare(std::string_view address) {
  if (address == kBuiltInProvider) {
    return;
  }
  Entry& entry = EntryOf(address);
  std::lock_guard lock(entry.mutex);
  if (!entry.prepared.valid() && entry.spare == nullptr && Locate(address, entry)) {
    entry.prepared = std::async(std::launch::async, [this, &entry] { return Launch(entry); });
  }
}

void RememberSchema(const provider::SchemaCache& cache, std::string_view address,
                    const Version& version, std::string_view key) {
  const std::string note = NewestNote(address);
  if (const auto known = cache.FindNote(note)) {
    const auto newest = Version::ParseExact(std::string_view(*known).substr(0, known->find(' ')));
    if (newest && version < *newest) {
      return;
    }
  }
  cache.StoreNote(note, version.ToText() + ' ' + std::string(key));
}

std::shared_ptr<const schema::ProviderSchema> NewestKnownSchema(
    std::string_view address, const std::string& cache_directory) {
  const provider::SchemaCache cache(cache_directory);
  const auto note = cache.FindNote(NewestNote(address));
  if (!note || !note->contains(' ')) {
    return nullptr;
  }
  auto raw = cache.Find(std::string_view(*note).substr(note->find(' ') + 1));
  if (!raw) {
    return nullptr;
  }
  auto opened = provider::OpenWireSchema(*std::move(raw));
  return opened ? *std::move(opened) : nullptr;
}

}  // namespace kinu::install
