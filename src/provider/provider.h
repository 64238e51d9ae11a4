// Provider: what the engine asks of a provider, in values. One implementation talks to a process
// (plugin/), one is built in (terraform_data), one is scripted for tests.
//
// Every call may come from several threads at once. Values given and returned carry no marks.
// Problems of the provider go to `diags`; a Diagnostic there may name an attribute path.
// Ref: opentofu internal/providers/provider.go; wire: shared contract "provider and files", 4
// to 12.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cty/path.h"
#include "cty/value.h"
#include "diag/diagnostic.h"
#include "schema/schema.h"

namespace kinu::provider {

/// A problem reported by a provider: like a Diagnostic, but its place is a path into the
/// configuration value, which the engine turns into a source range.
struct Problem {
  Severity severity = Severity::kError;
  std::string summary;
  std::string detail;
  std::optional<Path> attribute;
  bool sourceless = false;  ///< about the call, not about anything configured
};
using Problems = std::vector<Problem>;
bool HasErrors(const Problems& problems);

/// An object as stored in a state: JSON of its attributes, or the flat map of old states.
struct RawState {
  std::string json;
  std::vector<std::pair<std::string, std::string>> flatmap;
};

struct ReadRequest {
  std::string_view type;
  Value prior;
  std::string private_data;
  Value provider_meta;
  Value identity;  ///< null when unknown
};
struct ReadResponse {
  Value state;  ///< null: the object is gone
  std::string private_data;
  Value identity;
};
struct PlanRequest {
  std::string_view type;
  Value prior;     ///< null for create
  Value proposed;  ///< null for destroy
  Value config;
  std::string private_data;
  Value provider_meta;
  Value identity;
};
struct PlanResponse {
  Value planned;
  std::vector<Path> requires_replace;
  std::string private_data;
  bool legacy_type_system = false;
  Value identity;
};
struct ApplyRequest {
  std::string_view type;
  Value prior;
  Value planned;  ///< null for destroy
  Value config;
  std::string private_data;
  Value provider_meta;
  Value identity;
};
struct ApplyResponse {
  Value state;
  bool has_state = true;  ///< false: the provider returned nothing at all
  std::string private_data;
  bool legacy_type_system = false;
  Value identity;
};
struct ImportedObject {
  std::string type;
  Value state;
  std::string private_data;
  Value identity;
};
struct MoveRequest {
  std::string source_provider;
  std::string source_type;
  int64_t source_schema_version = 0;
  RawState source_state;
  std::string source_private;
  std::string_view target_type;
};
struct EphemeralResponse {
  Value result;
  std::string private_data;
  std::optional<int64_t> renew_at;  ///< Unix seconds
};

class Provider {
 public:
  virtual ~Provider() = default;

  virtual const schema::ProviderSchema& schema() const = 0;
  /// Whether calls leave this process (and so belong on a worker thread).
  virtual bool blocking() const { return true; }

  virtual void ValidateProviderConfig(const Value& config, Problems& problems) = 0;
  virtual void ValidateResourceConfig(std::string_view type, const Value& config,
                                      Problems& problems) = 0;
  virtual void ValidateDataConfig(std::string_view type, const Value& config,
                                  Problems& problems) = 0;
  virtual void ValidateEphemeralConfig(std::string_view type, const Value& config,
                                       Problems& problems) = 0;
  virtual void Configure(const Value& config, Problems& problems) = 0;
  /// Brings a stored object to the current schema version; null with problems on failure.
  virtual Value UpgradeResourceState(std::string_view type, int64_t version, const RawState& raw,
                                     Problems& problems) = 0;
  virtual Value UpgradeResourceIdentity(std::string_view type, int64_t version,
                                        std::string_view json, Problems& problems) = 0;
  virtual ReadResponse ReadResource(const ReadRequest& request, Problems& problems) = 0;
  virtual PlanResponse PlanResourceChange(const PlanRequest& request, Problems& problems) = 0;
  virtual ApplyResponse ApplyResourceChange(const ApplyRequest& request, Problems& problems) = 0;
  virtual Value ReadDataSource(std::string_view type, const Value& config,
                               const Value& provider_meta, Problems& problems) = 0;
  virtual std::vector<ImportedObject> ImportResourceState(std::string_view type,
                                                          std::string_view id,
                                                          const Value& identity,
                                                          Problems& problems) = 0;
  /// Makes a stored object of another type, or of another provider, one of the target type.
  virtual ImportedObject MoveResourceState(const MoveRequest& request, Problems& problems) = 0;
  virtual EphemeralResponse OpenEphemeral(std::string_view type, const Value& config,
                                          Problems& problems) = 0;
  virtual EphemeralResponse RenewEphemeral(std::string_view type, std::string_view private_data,
                                           Problems& problems) = 0;
  virtual void CloseEphemeral(std::string_view type, std::string_view private_data,
                              Problems& problems) = 0;
  /// Calls a provider function; `argument` receives the index that an error is about, or -1.
  virtual std::expected<Value, std::string> CallFunction(std::string_view name,
                                                         std::span<const Value> arguments,
                                                         int* argument) = 0;
  /// A function that the schema does not have, but the provider as it is configured has; null when
  /// there is none. Lives as long as the provider.
  virtual const schema::FunctionSignature* ConfiguredFunction(std::string_view /*name*/) {
    return nullptr;
  }
  /// Asks running calls to end soon. May be called at any time, from any thread.
  virtual void Stop() = 0;
  /// Ends the provider (process shutdown). No call may follow.
  virtual void Close() = 0;
};

/// Where providers come from: installed packages, overrides, attached processes, built-ins, fakes.
class ProviderSource {
 public:
  virtual ~ProviderSource() = default;
  /// Schema of a provider by full address ("registry.opentofu.org/hashicorp/aws"), from a cache
  /// where possible. An error message otherwise.
  virtual Result<const schema::ProviderSchema*> Schema(std::string_view address) = 0;
  /// A provider ready for calls, not configured. One per provider configuration and run.
  virtual Result<std::unique_ptr<Provider>> Start(std::string_view address) = 0;
};

}  // namespace kinu::provider
