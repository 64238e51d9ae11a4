// The JSON documents, one function each: the table of contents. The order of a function's body is
// the order of the document's keys. Documents that can fail say why in an Error; what was written
// so far is then worthless. Ref: shared contract "json output".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "codec/json_writer.h"
#include "config/config.h"
#include "functions/function.h"
#include "plan/plan.h"
#include "schema/schema.h"
#include "state/state.h"
#include "view/schema_lookup.h"

namespace kinu::view {

inline constexpr std::string_view kPlanFormatVersion = "1.2";
inline constexpr std::string_view kStateFormatVersion = "1.0";
inline constexpr std::string_view kProviderSchemasFormatVersion = "1.0";
inline constexpr std::string_view kFunctionsFormatVersion = "1.0";
inline constexpr std::string_view kValidateFormatVersion = "1.0";

/// `show -json PLAN`. `config` null: the configuration is left empty.
struct PlanDocumentOptions {
  std::string_view version;  ///< of the running program, with pre-release
};
Result<void> WritePlan(JsonWriter& out, const plan::Plan& plan, const config::Config* config,
                       const SchemaLookup& schemas, const PlanDocumentOptions& options);

/// `show -json` of a state; also a plan's prior_state, which has no checks.
struct StateDocumentOptions {
  bool checks = true;
};
Result<void> WriteState(JsonWriter& out, const state::State& state, const SchemaLookup& schemas,
                        const StateDocumentOptions& options = {});

/// `show -config -json`, and a plan's configuration.
Result<void> WriteConfig(JsonWriter& out, const config::Config& config,
                         const SchemaLookup& schemas);
/// `show -module=DIR -json`: the root module alone, without expressions and schemas.
void WriteSingleModule(JsonWriter& out, const config::Config& config);

/// The array of check results. `program` parses their addresses.
void WriteChecks(JsonWriter& out, Program& program, std::span<const state::CheckResult> checks);
/// Whether there is anything to list.
bool HasChecks(std::span<const state::CheckResult> checks);

/// `providers schema -json`; providers sorted by address.
void WriteProviderSchemas(
    JsonWriter& out,
    std::span<const std::pair<std::string, const schema::ProviderSchema*>> providers);

/// `metadata functions -json`: every function twice, by its name and as core::name.
void WriteFunctions(JsonWriter& out, const functions::Table& table);

/// `validate -json`.
void WriteValidate(JsonWriter& out, const Diagnostics& diags);

/// `output -json`: all outputs.
void WriteOutputs(JsonWriter& out, std::span<const state::OutputValue> outputs);
/// `output -json NAME`: the bare value.
void WriteOutput(JsonWriter& out, const state::OutputValue& output);

/// `version -json`.
struct VersionDocument {
  std::string version;
  std::string platform;
  bool fips140 = false;
  std::vector<std::pair<std::string, std::string>> provider_selections;  ///< sorted by address
};
void WriteVersion(JsonWriter& out, const VersionDocument& document);

// --- Parts that several documents share. ---

/// The "actions" array.
void WriteActions(JsonWriter& out, plan::Action action);
/// The change of an output: `before`, `after` (left out when unknown) and the masks, without
/// actions. Also the "difference" of a diagnostic.
void WriteValueChange(JsonWriter& out, const Value& before, const Value& after);
/// The provider's full source address of a provider configuration.
std::string_view ProviderName(const Program& program, const ProviderConfig& provider);

}  // namespace kinu::view
