// The keys of a method: its key providers, each of which runs once per command and stored metadata.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "encryption/envelope.h"
#include "encryption/key_provider.h"

namespace kinu::encryption {

/// Keys that were made before in this run, by key provider and metadata. Deriving one takes time on
/// purpose.
class KeyCache {
 public:
  /// KeyProviderSpec::provide().
  Result<Provided> Get(const KeyProviderSpec& spec, const config::PartValues& values,
                       const std::string* metadata);

 private:
  std::map<std::string, Provided> made_;
};

/// One run of the key providers of a method.
class KeyRun {
 public:
  enum class Use : uint8_t {
    kCheck,  ///< nothing is encrypted: keys that take time are not made
    kEncrypt,
  };
  KeyRun(KeyCache& cache, Use use) : cache_(cache), checks_(use == Use::kCheck) {}
  /// `stored`: the metadata of what is decrypted.
  KeyRun(KeyCache& cache, const Metadata& stored) : cache_(cache), stored_(&stored) {}

  /// config::KeyMaker: the keys of one provider.
  std::optional<Value> Make(const config::PartValues& values, Diagnostics& diags);
  /// That of the providers that ran, to be stored beside what their keys encrypt.
  Metadata& metadata() { return metadata_; }

 private:
  KeyCache& cache_;
  const Metadata* stored_ = nullptr;  ///< null: nothing is decrypted
  bool checks_ = false;
  Metadata metadata_;
};

}  // namespace kinu::encryption
