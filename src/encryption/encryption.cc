#include "encryption/encryption.h"

#include <algorithm>
#include <mutex>

#include "encryption/envelope.h"
#include "encryption/key_provider.h"
#include "encryption/method.h"

namespace kinu::encryption {
namespace {

/// Keys that were made before in this run, by key provider and metadata. Deriving one takes time on
/// purpose.
class KeyCache {
 public:
  Result<Provided> Get(const KeyProviderSpec& spec, const config::PartValues& values,
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

 private:
  std::map<std::string, Provided> made_;
};

/// What all sealers of a configuration share.
struct Shared {
  std::shared_ptr<const Source> source;
  std::mutex mutex;  ///< evaluation and cache belong to one thread at a time
  KeyCache cache;
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

  std::optional<Value> Make(const config::PartValues& values, Diagnostics& diags) {
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

  Metadata& metadata() { return metadata_; }

 private:
  KeyCache& cache_;
  const Metadata* stored_ = nullptr;
  bool checks_ = false;
  Metadata metadata_;
};

/// Makes a method with its keys. Null after an error.
std::unique_ptr<Method> MakeMethod(Shared& shared, const config::EncryptionPart& part, KeyRun& keys,
                                   Diagnostics& diags) {
  const auto values = shared.source->Evaluate(
      part,
      [&](const config::PartValues& provider, Diagnostics& problems) {
        return keys.Make(provider, problems);
      },
      diags);
  if (!values) {
    return nullptr;
  }
  const MethodSpec* spec = FindMethod(part.type);
  if (spec == nullptr) {
    return nullptr;
  }
  Result<std::unique_ptr<Method>> method = spec->make(*values);
  if (!method) {
    diags.Error("Invalid method configuration", method.error().message);
    return nullptr;
  }
  return *std::move(method);
}

std::string FirstErrorOf(const Diagnostics& diags) {
  for (const Diagnostic& problem : diags) {
    if (problem.severity == Severity::kError) {
      return problem.detail.empty() ? problem.summary : problem.summary + "; " + problem.detail;
    }
  }
  return {};
}

class TargetSealer final : public state::Sealer {
 public:
  TargetSealer(std::shared_ptr<Shared> shared, std::string name,
               std::vector<const config::EncryptionPart*> methods)
      : shared_(std::move(shared)), name_(std::move(name)), methods_(std::move(methods)) {}

  /// False after an error: later there is none. Keys that take time are made once something is
  /// sealed, so that whoever reads only does not wait for them.
  bool SetUp(Diagnostics& diags) {
    if (!encrypts()) {
      return true;
    }
    KeyRun keys(shared_->cache, KeyRun::Use::kCheck);
    return MakeMethod(*shared_, *methods_[0], keys, diags) != nullptr;
  }

  Result<std::string> Seal(std::string_view document,
                           const state::Snapshot* snapshot) const override {
    if (!encrypts()) {
      return std::string(document);
    }
    KINU_TRY(const Method* method, SealingMethod());
    Result<std::string> data = method->Encrypt(document);
    if (!data) {
      return Fail(data.error().code,
                  "encryption failed for " + name_ + ": " + data.error().message);
    }
    Envelope envelope;
    envelope.metadata = metadata_;
    envelope.data = *std::move(data);
    if (snapshot != nullptr) {
      envelope.serial = snapshot->serial;
      envelope.lineage = snapshot->lineage;
    }
    return envelope.ToJson(snapshot != nullptr);
  }

  Result<Opened> Open(std::string_view bytes) const override {
    std::string problem;
    KINU_TRY(const std::optional<Envelope> envelope, ReadEnvelope(bytes, problem));
    if (!envelope) {
      return OpenPlain(bytes, problem);
    }
    KINU_TRY(Opened opened, Decrypt(*envelope));
    if (name_ != kPlan) {
      if (Result<void> same = CheckSnapshot(*envelope, opened.document); !same) {
        return std::unexpected(std::move(same).error());
      }
    }
    return opened;
  }

  static constexpr std::string_view kPlan = "plan";

 private:
  bool encrypts() const { return !methods_.empty() && methods_[0]->type != kUnencrypted; }

  /// The first method with its keys, which are made once.
  Result<const Method*> SealingMethod() const {
    const std::lock_guard lock(shared_->mutex);
    if (method_ == nullptr) {
      Diagnostics diags;
      KeyRun keys(shared_->cache, KeyRun::Use::kEncrypt);
      method_ = MakeMethod(*shared_, *methods_[0], keys, diags);
      metadata_ = std::move(keys.metadata());
      if (method_ == nullptr) {
        return Fail(ErrorCode::kInvalid,
                    "encryption failed for " + name_ + ": " + FirstErrorOf(diags));
      }
    }
    return method_.get();
  }

  Result<Opened> OpenPlain(std::string_view bytes, const std::string& problem) const {
    const bool is_plan = name_ == kPlan;
    std::string document(bytes);
    if (is_plan ? !bytes.starts_with("PK") : !ReadStateNumber(document).is_state) {
      const std::string what = is_plan ? "Invalid plan file " + std::string(bytes.substr(0, 2))
                                       : std::string("Given payload is not a state file");
      return Fail(ErrorCode::kUnsupported,
                  problem.empty() ? "unable to determine data structure during decryption: " + what
                                  : "invalid data format for decryption: " + problem + ", " + what);
    }
    if (std::ranges::none_of(methods_,
                             [](const auto* part) { return part->type == kUnencrypted; })) {
      return Fail(ErrorCode::kInvalid,
                  "encountered unencrypted payload without unencrypted method configured");
    }
    return Opened{std::move(document), methods_[0]->type != kUnencrypted};
  }

  Result<Opened> Decrypt(const Envelope& envelope) const {
    const std::lock_guard lock(shared_->mutex);
    std::string failures = "decryption failed for all provided methods";
    for (size_t i = 0; i < methods_.size(); ++i) {
      if (methods_[i]->type == kUnencrypted) {
        continue;
      }
      Diagnostics diags;
      KeyRun keys(shared_->cache, envelope.metadata);
      const std::unique_ptr<Method> method = MakeMethod(*shared_, *methods_[i], keys, diags);
      if (method == nullptr) {
        return Fail(ErrorCode::kInvalid, FirstErrorOf(diags));
      }
      Result<std::string> document = method->Decrypt(envelope.data);
      if (document) {
        return Opened{*std::move(document), i != 0};
      }
      failures += "\nattempted decryption failed for " + name_ + ": " + document.error().message;
    }
    return Fail(ErrorCode::kInvalid, std::move(failures));
  }

  static Result<void> CheckSnapshot(const Envelope& envelope, const std::string& document) {
    const StateNumber inner = ReadStateNumber(document);
    if (envelope.serial && inner.serial && *envelope.serial != *inner.serial) {
      return Fail(ErrorCode::kInvalid, "invalid state metadata, serial field mismatch " +
                                           std::to_string(*envelope.serial) + " vs " +
                                           std::to_string(*inner.serial));
    }
    if (!envelope.lineage.empty() && envelope.lineage != inner.lineage) {
      return Fail(ErrorCode::kInvalid, "invalid state metadata, linage field mismatch " +
                                           envelope.lineage + " vs " + inner.lineage);
    }
    return {};
  }

  std::shared_ptr<Shared> shared_;
  std::string name_;  // in messages
  std::vector<const config::EncryptionPart*> methods_;
  // Of methods_[0], once something is sealed; under the mutex until then.
  mutable std::unique_ptr<Method> method_;
  mutable Metadata metadata_;
};

constexpr const MethodSpec* kMethods[] = {&kAesGcm, &kExternalMethod};

}  // namespace

const MethodSpec* FindMethod(std::string_view type) {
  const auto found =
      std::ranges::find_if(kMethods, [&](const MethodSpec* spec) { return spec->type == type; });
  return found == std::end(kMethods) ? nullptr : *found;
}

std::shared_ptr<const Encryption> Encryption::SetUp(std::shared_ptr<const Source> source,
                                                    Diagnostics& diags) {
  auto shared = std::make_shared<Shared>();
  shared->source = source;
  config::WarnOfUnencrypted(source->block(), diags);
  bool good = true;
  auto make = [&](const config::EncryptionTarget& target, std::string name) -> state::SealerRef {
    auto sealer = std::make_shared<TargetSealer>(shared, std::move(name), source->Methods(target));
    good = sealer->SetUp(diags) && good;
    return sealer;
  };
  auto out = std::make_shared<Encryption>();
  const config::Encryption& block = source->block();
  if (block.state) {
    out->state_ = make(*block.state, "state");
  }
  if (block.plan) {
    out->plan_ = make(*block.plan, std::string(TargetSealer::kPlan));
  }
  if (block.remote_default) {
    out->remote_default_ = make(*block.remote_default, "remote.default");
  }
  for (const auto& [name, target] : block.remotes) {
    out->remotes_.emplace_back(name, make(target, "remote.remote_state_datasource." + name));
  }
  return good ? out : nullptr;
}

const state::SealerRef& Encryption::RemoteState(std::string_view name) const {
  const auto found =
      std::ranges::find(remotes_, name, &std::pair<std::string, state::SealerRef>::first);
  return found == remotes_.end() ? remote_default_ : found->second;
}

}  // namespace kinu::encryption
