#include "encryption/key_run.h"

namespace kinu::encryption {

Result<Provided> KeyCache::Get(const KeyProviderSpec& spec, const config::PartValues& values,
                               const std::string* metadata) {
  // Not by metadata_key, which an alias can make that of several key providers.
  std::string key = values.part->type + '.' + values.part->name + '\n' +
                    (metadata == nullptr ? "" : '=' + *metadata);
  // A chained key provider has other keys while decrypting.
  const auto chain = values.arguments.find("chain");
  if (chain != values.arguments.end()) {
    const Keys keys = KeysOf(chain->second);
    key += '\n' + keys.encryption + '\n' + keys.decryption;
  }
  if (const auto found = made_.find(key); found != made_.end()) {
    return found->second;
  }
  Result<Provided> made = spec.provide(values, metadata);
  if (made) {
    made_.emplace(std::move(key), *made);
  }
  return made;
}

std::optional<Value> KeyRun::Make(const config::PartValues& values, Diagnostics& diags) {
  const std::string& name = values.part->metadata_key;
  const std::string* metadata = nullptr;
  static const std::string kNone = "null";
  if (stored_ != nullptr) {
    const auto found = stored_->find(name);
    metadata = found == stored_->end() ? &kNone : &found->second;
  }
  const KeyProviderSpec& spec = KeyProviderOf(values.part->type);
  const Result<Provided> made =
      checks_ && spec.check != nullptr ? spec.check(values) : cache_.Get(spec, values, metadata);
  if (!made) {
    const ErrorCode code = made.error().code;
    if (code == ErrorCode::kUnsupported) {
      diags.Error("Unable to decode encrypted metadata (did you change your encryption config?)",
                  "metadata decoder for " + name + " failed with error: " + made.error().message);
    } else {
      diags.Error(code == ErrorCode::kInvalid ? "Unable to build encryption key data"
                                              : "Unable to fetch encryption key data",
                  name + " failed with error: " + made.error().message);
    }
    return std::nullopt;
  }
  if (!metadata_.emplace(name, made->metadata).second) {
    diags.Error("Duplicate metadata key",
                "The metadata key " + name +
                    " is used by several key providers of one method. Give them different names "
                    "with encrypted_metadata_alias.");
    return std::nullopt;
  }
  return ToValue(made->keys);
}

}  // namespace kinu::encryption
