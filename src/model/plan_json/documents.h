// The JSON documents, one function each. Each function writes the document's keys in their order.
// After an error the written text is incomplete and must be dropped. docs/schemas/ has a JSON
// schema of each document. Ref: opentofu internal/command/jsonplan, jsonstate, jsonconfig,
// jsonprovider.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "functions/function.h"
#include "json/writer.h"
#include "plan/plan.h"
#include "plan_json/schema_lookup.h"
#include "schema/schema.h"
#include "state/state.h"

namespace kinu::view {

class BlockPositions;

inline constexpr std::string_view kPlanFormatVersion = "1.2";
inline constexpr std::string_view kStateFormatVersion = "1.0";
inline constexpr std::string_view kProviderSchemasFormatVersion = "1.0";
inline constexpr std::string_view kFunctionsFormatVersion = "1.0";
inline constexpr std::string_view kValidateFormatVersion = "1.0";

/// How much of the document of a plan is written.
enum class PlanParts : uint8_t {
  kAll,
  /// Without planned values, and of the configuration the variables of the root module alone. The
  /// changes have the same values and the same sensitive ones.
  kChanges,
};

/// `show -json PLAN`. With a null `config` the configuration is empty.
struct PlanDocumentOptions {
  std::string_view version;  ///< of the running program, pre-release included
  bool prior_state = true;
  bool positions = false;  ///< with `position` members, if there is a configuration
  /// With the outputs of child modules beside those of the root, which hide others of their name:
  /// what OpenTofu writes of a plan that was never in a file.
  bool module_outputs = false;
  PlanParts parts = PlanParts::kAll;
};
Result<void> WritePlan(JsonWriter& out, const plan::Plan& plan, const config::Config* config,
                       const SchemaLookup& schemas, const PlanDocumentOptions& options);

/// Whether an instance of a state can be shown with the schema of its type (null: there is none):
/// an object of another version cannot. The text of `show` has the same limits as its document.
Result<void> CheckDocumented(const Program& program, const state::Resource& resource,
                             const state::Instance& instance, const schema::ResourceSchema* schema);
/// `show -json` of a state, and the prior_state of a plan (without checks).
struct StateDocumentOptions {
  bool checks = true;
};
Result<void> WriteState(JsonWriter& out, const state::State& state, const SchemaLookup& schemas,
                        const StateDocumentOptions& options = {});

/// `show -config -json`, and the configuration of a plan.
Result<void> WriteConfig(JsonWriter& out, const config::Config& config, const SchemaLookup& schemas,
                         bool positions = false);
/// The configuration of a plan without schemas: the variables of the root module alone.
void WriteConfigVariables(JsonWriter& out, const config::Config& config);
/// `show -module=DIR -json`: only the root module, without expressions and schemas.
void WriteSingleModule(JsonWriter& out, const config::Config& config, bool positions = false);

/// The array of check results. `program` parses their addresses. `positions`: of their blocks;
/// null: without.
void WriteChecks(JsonWriter& out, const Program& program,
                 std::span<const state::CheckResult> checks,
                 const BlockPositions* positions = nullptr);
/// Whether the array of check results would have elements.
bool HasChecks(std::span<const state::CheckResult> checks);

/// `providers schema -json`. `providers` must be sorted by address. `write` receives the document
/// in pieces.
void WriteProviderSchemas(
    std::span<const std::pair<std::string, const schema::ProviderSchema*>> providers,
    const std::function<void(std::string_view)>& write);

/// `metadata functions -json`. Each function appears twice: as its name and as core::name.
void WriteFunctions(JsonWriter& out, const functions::Table& table);

/// `validate -json`.
void WriteValidate(JsonWriter& out, const Diagnostics& diags);

/// `output -json`: all outputs.
void WriteOutputs(JsonWriter& out, std::span<const state::OutputValue> outputs);
/// `output -json NAME`: the value alone.
void WriteOutput(JsonWriter& out, const state::OutputValue& output);

/// `version -json`.
struct VersionDocument {
  std::string version;
  std::string platform;
  bool fips140 = false;
  std::vector<std::pair<std::string, std::string>> provider_selections;  ///< sorted by address
};
void WriteVersion(JsonWriter& out, const VersionDocument& document);

// --- Parts that several documents have. ---

/// The words of an action in documents: "delete" and "create", for instance.
std::span<const std::string_view> ActionWords(plan::Action action);
/// An action in one word, as the filter of -actions knows it: "no-op", "create", "read", "update",
/// "delete", "replace", "forget", "forget-then-create".
std::string_view ActionWord(plan::Action action);
/// The "actions" array of a change.
void WriteActions(JsonWriter& out, plan::Action action);
/// The change of an output without its actions: `before`, `after` (omitted if unknown) and the
/// masks. Also the "difference" of a diagnostic.
void WriteValueChange(JsonWriter& out, const Value& before, const Value& after);
/// The source address of the provider of a provider configuration.
std::string_view ProviderName(const Program& program, const ProviderConfig& provider);

}  // namespace kinu::view
