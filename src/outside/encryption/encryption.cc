#include "encryption/encryption.h"

#include <algorithm>

#include "encryption/method.h"
#include "encryption/target_sealer.h"

namespace kinu::encryption {

Result<const MethodSpec*> FindMethod(std::string_view type) {
  static constexpr const MethodSpec* kMethods[] = {&kAesGcm, &kExternalMethod, &kUnencrypted};
  const auto found =
      std::ranges::find_if(kMethods, [&](const MethodSpec* spec) { return spec->type == type; });
  return found != std::end(kMethods)
             ? Result<const MethodSpec*>(*found)
             : Fail(ErrorCode::kNotFound,
                    "Error fetching encryption method \"" + std::string(type) + '"');
}

EncryptionRef Encryption::None() {
  static const EncryptionRef kNone =
      std::shared_ptr<const Encryption>(new Encryption(state::NoSealing()));
  return kNone;
}

EncryptionRef Encryption::Undecided() {
  static const EncryptionRef kUndecided =
      std::shared_ptr<const Encryption>(new Encryption(state::Undecided()));
  return kUndecided;
}

std::optional<EncryptionRef> Encryption::SetUp(std::shared_ptr<const Source> source,
                                               Diagnostics& diags) {
  auto shared = std::make_shared<Shared>();
  shared->source = std::move(source);
  const config::Encryption& block = shared->source->block();
  config::WarnOfUnencrypted(block, diags);
  bool good = true;
  /// What a target without a block has, the reference stores as it is.
  const auto make = [&](const std::optional<config::EncryptionTarget>& target, std::string name) {
    const auto sealer = target ? TargetSealer::Make(shared, *target, std::move(name), diags)
                               : std::optional(state::NoSealing());
    good = good && sealer;
    return sealer.value_or(state::Undecided());
  };
  const std::shared_ptr<Encryption> out(new Encryption(state::Undecided()));
  out->state_ = make(block.state, "state");
  out->plan_ = make(block.plan, std::string(TargetSealer::kPlan));
  out->remote_default_ = make(block.remote_default, "remote.default");
  for (const auto& [name, target] : block.remotes) {
    out->remotes_.emplace_back(name, make(target, "remote.remote_state_datasource." + name));
  }
  return good ? std::optional<EncryptionRef>(out) : std::nullopt;
}

const state::SealerRef& Encryption::RemoteState(std::string_view name) const {
  const auto found =
      std::ranges::find(remotes_, name, &std::pair<std::string, state::SealerRef>::first);
  return found == remotes_.end() ? remote_default_ : found->second;
}

}  // namespace kinu::encryption
