// Encryption: what an `encryption` block makes of states and plans. Ref: opentofu
// internal/encryption.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/never_null.h"
#include "config/encryption_values.h"
#include "diag/diagnostic.h"
#include "state/sealer.h"

namespace kinu::encryption {

/// The configuration of encryption and how its expressions are evaluated, again for all that is
/// decrypted. Kept by the sealers.
class Source {
 public:
  virtual ~Source() = default;
  virtual const config::Encryption& block() const = 0;
  /// config::MethodsOf().
  virtual std::optional<config::TargetMethods> Methods(const config::EncryptionTarget& target,
                                                       Diagnostics& diags) const = 0;
  /// config::EvaluateMethod().
  virtual std::optional<config::PartValues> Evaluate(const config::EncryptionPart& method,
                                                     const config::KeyMaker& make_key,
                                                     Diagnostics& diags) const = 0;
};

class Encryption;
using EncryptionRef = NeverNull<const Encryption>;

/// The sealers of a configuration.
class Encryption {
 public:
  /// Checks the keys of all targets. Nothing after an error.
  static std::optional<EncryptionRef> SetUp(std::shared_ptr<const Source> source,
                                            Diagnostics& diags);
  /// Of a configuration that does not speak of encryption.
  static EncryptionRef None();
  /// Until the configuration is read: nothing can be stored or read.
  static EncryptionRef Undecided();

  const state::SealerRef& state() const { return state_; }
  const state::SealerRef& plan() const { return plan_; }
  /// Of the state that a terraform_remote_state data source reads. `name`: its address without
  /// "data.terraform_remote_state." and a leading "module.".
  const state::SealerRef& RemoteState(std::string_view name) const;

 private:
  /// All targets have the sealer.
  explicit Encryption(const state::SealerRef& sealer)
      : state_(sealer), plan_(sealer), remote_default_(sealer) {}

  state::SealerRef state_, plan_, remote_default_;
  std::vector<std::pair<std::string, state::SealerRef>> remotes_;
};

}  // namespace kinu::encryption
