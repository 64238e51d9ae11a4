// Encryption: what an `encryption` block makes of states and plans. Ref: opentofu
// internal/encryption.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  /// The methods of a target.
  virtual std::vector<const config::EncryptionPart*> Methods(
      const config::EncryptionTarget& target) const = 0;
  /// config::EvaluateMethod().
  virtual std::optional<config::PartValues> Evaluate(const config::EncryptionPart& method,
                                                     const config::KeyMaker& make_key,
                                                     Diagnostics& diags) const = 0;
};

/// The sealers of a configuration. A target without configuration has none.
class Encryption {
 public:
  /// Makes the keys of all targets. Null after an error.
  static std::shared_ptr<const Encryption> SetUp(std::shared_ptr<const Source> source,
                                                 Diagnostics& diags);

  const state::SealerRef& state() const { return state_; }
  const state::SealerRef& plan() const { return plan_; }
  /// Of the state that a terraform_remote_state data source reads. `name`: its address without
  /// "data.terraform_remote_state." and a leading "module.".
  const state::SealerRef& RemoteState(std::string_view name) const;

 private:
  state::SealerRef state_, plan_, remote_default_;
  std::vector<std::pair<std::string, state::SealerRef>> remotes_;
};

}  // namespace kinu::encryption
