// The sealer of one target of an `encryption` block: a method for writing, fallbacks for reading.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "encryption/encryption.h"
#include "encryption/key_run.h"
#include "encryption/method.h"

namespace kinu::encryption {

/// What all sealers of a configuration share.
struct Shared {
  std::shared_ptr<const Source> source;
  std::mutex mutex;  ///< evaluation and cache belong to one thread at a time
  KeyCache cache;
};

class TargetSealer final : public state::Sealer {
 public:
  static constexpr std::string_view kPlan = "plan";

  /// The sealer of a target. `name` stands in messages; kPlan: of plans. Nothing after an error.
  /// Keys that take time are made once something is sealed, so that whoever reads only does not
  /// wait for them.
  static std::optional<state::SealerRef> Make(const std::shared_ptr<Shared>& shared,
                                              const config::EncryptionTarget& target,
                                              std::string name, Diagnostics& diags);

  Result<Opened> Open(std::string bytes) const override;
  bool reads_clear() const override;

 protected:
  Result<std::string> Encrypt(std::string_view document,
                              const state::Snapshot* snapshot) const override;

 private:
  /// A method with the row of its type.
  struct DeclaredMethod {
    const config::EncryptionPart& part;
    const MethodSpec& spec;
  };

  TargetSealer(std::shared_ptr<Shared> shared, std::string name, DeclaredMethod method,
               std::vector<DeclaredMethod> fallbacks, state::Enforcement enforcement);

  static std::optional<DeclaredMethod> Find(const config::EncryptionPart& part, Diagnostics& diags);
  static Result<void> CheckSnapshot(const Envelope& envelope, const std::string& document);

  Result<std::unique_ptr<Method>> MakeMethod(const DeclaredMethod& method, KeyRun& keys,
                                             Diagnostics& diags) const;
  Result<const Method*> SealingMethod() const;
  Result<Opened> OpenClear(std::string document, std::string problem) const;
  Result<Opened> Decrypt(const Envelope& envelope) const;

  std::shared_ptr<Shared> shared_;
  std::string name_;
  DeclaredMethod method_;
  std::vector<DeclaredMethod> fallbacks_;
  // Of method_, once something is sealed; under the mutex until then.
  mutable std::unique_ptr<Method> sealing_;
  mutable Metadata metadata_;
};

}  // namespace kinu::encryption
