// Provider: the calls of the provider protocol, with values in place of messages. Implementations:
// a plugin process (plugin/), the built-in provider, and a scripted one for tests.
//
// Calls are thread-safe. Values in requests and responses have no marks. Errors of the provider are
// appended to `problems`. Ref: opentofu internal/providers/provider.go; proto/tfplugin5.proto,
// tfplugin6.proto.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cty/path.h"
#include "cty/value.h"
#include "diag/diagnostic.h"
#include "schema/schema.h"

namespace kinu::provider {

/// A diagnostic of a provider. Its place is a path into the configuration value, which the engine
/// resolves to a source range.
struct Problem {
  Severity severity = Severity::kError;
  std::string summary;
  std::string detail;
  std::optional<Path> attribute;
  bool sourceless = false;  ///< about the call itself, not about the configuration
};
using Problems = std::vector<Problem>;
bool HasErrors(const Problems& problems);

/// A stored object before the upgrade: its attributes as JSON, or the flat map of states before
/// 0.12.
struct RawState {
  std::string json;
  std::vector<std::pair<std::string, std::string>> flatmap;
};

/// Values for ReadResource. Optional parts of requests are null or empty if there is none.
struct ReadRequest {
  std::string_view type;
  Value prior;
  std::string private_data;
  Value provider_meta;
  Value identity;  ///< null if there is none
};
/// The refreshed object.
struct ReadResponse {
  Value state;  ///< null: the object no longer exists
  std::string private_data;
  Value identity;
};
/// Values for PlanResourceChange. `proposed` is the result of schema::ProposeNew().
struct PlanRequest {
  std::string_view type;
  Value prior;     ///< null for create
  Value proposed;  ///< null for destroy
  Value config;
  std::string private_data;
  Value provider_meta;
  Value identity;
};
/// The planned object. `requires_replace` has the paths whose change needs a new object;
/// `legacy_type_system` tolerates what the checks of objects would report as errors.
struct PlanResponse {
  Value planned;
  std::vector<Path> requires_replace;
  std::string private_data;
  bool legacy_type_system = false;
  Value identity;
};
/// Values for ApplyResourceChange.
struct ApplyRequest {
  std::string_view type;
  Value prior;
  Value planned;  ///< null for destroy
  Value config;
  std::string private_data;
  Value provider_meta;
  Value identity;
};
/// The object after the apply, also after an error.
struct ApplyResponse {
  Value state;
  bool has_state = true;  ///< false: the response has no state at all
  std::string private_data;
  bool legacy_type_system = false;
  Value identity;
};
/// An imported or moved object. `type` can differ from the requested one.
struct ImportedObject {
  std::string type;
  Value state;
  std::string private_data;
  Value identity;
};
/// A stored object of `source_type` (of `source_provider`) and the type to convert it to.
struct MoveRequest {
  std::string source_provider;
  std::string source_type;
  int64_t source_schema_version = 0;
  RawState source_state;
  std::string source_private;
  std::string_view target_type;
};
/// An open ephemeral object. `private_data` is needed to renew and close it.
struct EphemeralResponse {
  Value result;
  std::string private_data;
  std::optional<int64_t> renew_at;  ///< Unix seconds
};

/// A provider, configured by Configure(). Methods are the calls of the protocol.
class Provider {
 public:
  virtual ~Provider() = default;

  /// The schema, valid as long as the provider.
  virtual const schema::ProviderSchema& schema() const = 0;
  /// Whether calls wait for another process and therefore belong on a worker thread.
  virtual bool blocking() const { return true; }
  /// Whether reading data sources waits for another process.
  virtual bool reads_block() const { return blocking(); }

  /// Report invalid arguments of a configuration, whose values may be unknown.
  virtual void ValidateProviderConfig(const Value& config, Problems& problems) = 0;
  virtual void ValidateResourceConfig(std::string_view type, const Value& config,
                                      Problems& problems) = 0;
  virtual void ValidateDataConfig(std::string_view type, const Value& config,
                                  Problems& problems) = 0;
  virtual void ValidateEphemeralConfig(std::string_view type, const Value& config,
                                       Problems& problems) = 0;
  /// Configures the provider. Must be called before the calls below.
  virtual void Configure(const Value& config, Problems& problems) = 0;
  /// Upgrades a stored object to the current schema version. Null after an error.
  virtual Value UpgradeResourceState(std::string_view type, int64_t version, const RawState& raw,
                                     Problems& problems) = 0;
  /// Upgrades a stored identity. Null after an error.
  virtual Value UpgradeResourceIdentity(std::string_view type, int64_t version,
                                        std::string_view json, Problems& problems) = 0;
  /// Reads the present form of an object.
  virtual ReadResponse ReadResource(const ReadRequest& request, Problems& problems) = 0;
  /// Plans the change of an object.
  virtual PlanResponse PlanResourceChange(const PlanRequest& request, Problems& problems) = 0;
  /// Creates, updates or destroys an object as planned.
  virtual ApplyResponse ApplyResourceChange(const ApplyRequest& request, Problems& problems) = 0;
  /// Whether DefersRead() may be true of anything.
  virtual bool defers_reads() const { return false; }
  /// Whether this provider cannot read a data source or an ephemeral object: a plan then knows of
  /// it what its configuration says.
  virtual bool DefersRead(std::string_view /*type*/, std::string_view /*address*/,
                          const Value& /*config*/) {
    return false;
  }
  /// Reads a data source. Null after an error. `address`: of the instance, for the provider that is
  /// built in.
  virtual Value ReadDataSource(std::string_view type, std::string_view address, const Value& config,
                               const Value& provider_meta, Problems& problems) = 0;
  /// Imports the object with this id or, if `id` is empty, this identity. May return several
  /// objects.
  virtual std::vector<ImportedObject> ImportResourceState(std::string_view type,
                                                          std::string_view id,
                                                          const Value& identity,
                                                          Problems& problems) = 0;
  /// Converts a stored object of another type or provider to the target type.
  virtual ImportedObject MoveResourceState(const MoveRequest& request, Problems& problems) = 0;
  /// Opens an ephemeral object.
  virtual EphemeralResponse OpenEphemeral(std::string_view type, const Value& config,
                                          Problems& problems) = 0;
  /// Renews an open object. Only `renew_at` and `private_data` of the response count.
  virtual EphemeralResponse RenewEphemeral(std::string_view type, std::string_view private_data,
                                           Problems& problems) = 0;
  /// Closes an open object.
  virtual void CloseEphemeral(std::string_view type, std::string_view private_data,
                              Problems& problems) = 0;
  /// Calls a provider function. Sets `argument` to the index of the invalid argument, or to -1.
  virtual std::expected<Value, std::string> CallFunction(std::string_view name,
                                                         std::span<const Value> arguments,
                                                         int* argument) = 0;
  /// A function that only the configured provider declares, not its schema. Null if there is none.
  /// Valid as long as the provider.
  virtual const schema::FunctionSignature* ConfiguredFunction(std::string_view /*name*/) {
    return nullptr;
  }
  /// Asks running calls to end soon. Thread-safe; may be called at any time.
  virtual void Stop() = 0;
  /// Ends the provider and its process. No call may follow.
  virtual void Close() = 0;
};

/// Finds providers: installed packages, development overrides, attached processes, built-in
/// providers, test providers.
class ProviderSource {
 public:
  virtual ~ProviderSource() = default;
  /// The schema of a provider by source address ("registry.opentofu.org/hashicorp/aws"). From a
  /// cache if possible.
  virtual Result<const schema::ProviderSchema*> Schema(std::string_view address) = 0;
  /// A running provider that is not configured yet. One for each provider configuration and run.
  virtual Result<std::unique_ptr<Provider>> Start(std::string_view address) = 0;
};

/// The text of an error whose cause is that a provider gave no schema; clients match it.
/// Ref: opentofu internal/tofu/context_plugins.go.
std::string SchemaFailure(std::string_view address, std::string_view cause);
/// The same for a provisioner that does not exist.
std::string ProvisionerFailure(std::string_view type);
/// The detail of "Failed to load plugin schemas" for texts of these functions, of which there is
/// one or more.
std::string SchemaLoadFailure(std::span<const std::string> failures);

}  // namespace kinu::provider
