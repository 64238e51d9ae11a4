// One row of a resource block: the unit that runs on a worker. Planning and applying it are steps
// (read → decide → ask → check the answer → record) over a RowFate.
#pragma once

#include "engine/nodes/nodes.h"
#include "engine/scope.h"

namespace kinu::engine {

/// Everything about the row that is being worked on.
struct RowContext {
  NodeContext& node;
  NodeId id;
  const config::Resource& resource;  ///< an empty one for orphans
  const BlockInfo& info;
  ModuleInstance* instance;  ///< null when the module instance is gone
  ResourceInstance address;
  Row& row;
  bool triggered = false;              ///< replace_triggered_by asks for a replacement
  bool create_before_destroy = false;  ///< while applying: what the new object remembers

  Walk& walk() const { return node.walk; }
  std::string AddressText() const { return node.walk.program.ToText(address); }
  const ProviderInfo& provider_info() const { return node.walk.graph.providers[info.provider]; }
  const ProviderSlot& provider_slot() const { return node.walk.slots.providers[info.provider]; }
};

void PlanManagedRow(RowContext& row, Diagnostics& diags);
void PlanDataRow(RowContext& row, Diagnostics& diags);
/// Reports arguments of the row's block that name the block or the row. True when there are none.
bool ReportSelfReferences(const RowContext& row, Diagnostics& diags);
/// Opens an ephemeral object (while planning only when all is known).
void OpenEphemeralRow(RowContext& row, Diagnostics& diags);
/// Whether a managed resource that this block names (itself, through values, or in depends_on of an
/// enclosing module call) has a change to make. With conditions every ancestor counts.
bool DependenciesPending(const RowContext& row);
void PlanOrphanRow(RowContext& row, Diagnostics& diags);
/// The change that ends a deposed object of the row; nothing after an error, or if none is needed.
std::optional<plan::ResourceChange> PlanDeposedObject(RowContext& row,
                                                      const state::DeposedObject& deposed,
                                                      Diagnostics& diags);

/// The key of the provider instance that the configuration chooses for a row, or the stored one for
/// an object that is not configured any more; none: the provider has one instance.
InstanceKey ProviderKeyOf(const RowContext& row, Diagnostics& diags);
/// The provider instance that serves a row (for_each providers have several), or null with a
/// diagnostic. Sets Row::provider_key.
provider::Provider* ProviderOf(RowContext& row, Diagnostics& diags);

/// Reports an answer of a provider that the protocol does not allow.
void ProviderBug(RowContext& row, std::string_view summary, std::string_view what,
                 const std::string& detail, Diagnostics& diags);

/// A stored object in the current schema, and the provider's own data for it.
struct StoredObject {
  Value value;  ///< marked with its stored sensitive paths
  std::string private_data;
};
/// Brings a stored object to the current schema: upgraded by the provider, or moved by it from the
/// type that the object was of. Nothing with diagnostics on failure.
std::optional<StoredObject> ReadStored(RowContext& row, provider::Provider& provider,
                                       const state::Object& object, Diagnostics& diags);

/// What the provider keeps with a stored object: its data, and the identity, upgraded by the
/// provider where it is of an older schema. Nothing with diagnostics on failure.
std::optional<ProviderNotes> NotesOf(RowContext& row, provider::Provider& provider,
                                     const state::Object& object, std::string private_data,
                                     Diagnostics& diags);

/// Reads the object again, and what the provider keeps with it; a null value when it is gone. Posts
/// the refresh events.
std::optional<Value> RefreshObject(RowContext& row, provider::Provider& provider,
                                   const Value& prior, const std::string& deposed,
                                   ProviderNotes& notes, Diagnostics& diags);

/// Reads a stored object as the provider sees it, and again when the walk refreshes: fills
/// Row::read. `deposed`: its key; empty: the current object. False with diagnostics.
bool ReadObject(RowContext& row, provider::Provider& provider, const state::Object& object,
                const std::string& deposed, Diagnostics& diags);

/// The import that brings the row's object, if the state has nothing at its address.
const ImportTarget* ImportOf(const RowContext& row);
/// Asks the provider for an existing object, as it is now. Nothing with diagnostics on failure.
std::optional<Value> ImportObject(RowContext& row, provider::Provider& provider,
                                  const ImportTarget& target, ProviderNotes& notes,
                                  Diagnostics& diags);
/// A block that describes the imported object, for an import block without one.
struct GeneratedBlock {
  config::Resource resource;
  std::string text;
};
GeneratedBlock WriteBlock(const RowContext& row, const Value& object);

/// What becomes of a managed row, filled step by step.
struct RowFate {
  std::optional<Value> object;          ///< the current object, marked; empty: none
  std::optional<state::Object> stored;  ///< its status and private data; empty: there never was one
  Value identity;                       ///< of the object; null: none
  const plan::ResourceChange* earlier = nullptr;  ///< applying: the saved change
  Value config;                                   ///< evaluated, marked
  plan::ResourceChange change;
};
/// Plans the row's change: what plan and the re-plan of apply have in common. Needs what the row
/// has (`object` to `earlier`), fills in the rest. False with diagnostics.
bool PlanChange(RowContext& row, provider::Provider& provider, RowFate& fate, Diagnostics& diags);

/// A change of the row without action and values.
plan::ResourceChange StartChange(const RowContext& row);
/// The same for the end of an object, by the provider that the state says.
plan::ResourceChange StartRemoval(const RowContext& row);

/// The change that destroys an object; asks the provider when it plans destruction.
std::optional<plan::ResourceChange> PlanDestroy(RowContext& row, provider::Provider& provider,
                                                const Value& prior, const ProviderNotes& notes,
                                                Diagnostics& diags);
/// Whether an object that is not wanted any more is only forgotten, and why.
struct Disposal {
  bool forget = false;
  plan::Reason reason = plan::Reason::kNone;
};
/// Whether lifecycle.destroy = false keeps the row's object in existence.
bool BlockKeepsObject(const RowContext& row, Diagnostics& diags);
/// Decides by `removed` blocks, lifecycle.destroy and what the state remembers of it. Warns when
/// the object will be forgotten.
Disposal DecideDisposal(RowContext& row, const state::Object& object, bool deposed,
                        Diagnostics& diags);
/// The change that forgets an object.
plan::ResourceChange PlanForget(RowContext& row, const Value& prior, const ProviderNotes& notes,
                                plan::Reason reason);

/// Evaluates lifecycle.prevent_destroy, whose value must be right even when the row is not
/// destroyed. False, and an error, when it is wrong or forbids that the row is destroyed.
bool CheckPreventDestroy(const RowContext& row, bool destroys, Diagnostics& diags);

/// Tells the check block around a data source that its read went well (null), or why it did not.
void ReportToCheck(const RowContext& row, const Diagnostics* failure);

/// The names that the row's block sees.
ModuleScope RowScope(const RowContext& row);
/// The row's body as a value, marked.
Value DecodeConfig(const RowContext& row, Diagnostics& diags);
/// Reports what a provider said of the row's block, and forgets it. False when there was an error.
bool AskedWithoutErrors(const RowContext& row, provider::Problems& problems, Diagnostics& diags);
/// The row's preconditions, then its body as a value; nothing when either went wrong.
std::optional<Value> EvaluateConfig(RowContext& row, Diagnostics& diags);
/// Evaluates a data source's configuration and reads it (preconditions included).
std::optional<Value> EvaluateAndRead(RowContext& row, provider::Provider& provider,
                                     Diagnostics& diags);

/// Validates a data source's configuration and reads it; marked value, or nothing with diagnostics.
std::optional<Value> ReadDataSource(RowContext& row, provider::Provider& provider,
                                    const Value& config, Diagnostics& diags);

/// The attribute that names an object for people: ("id", "…") or ("name", "…"); empty when none.
std::pair<std::string, std::string> IdentifyObject(const Value& value);

/// Evaluates conditions of one kind for a row; `self` is bound where the language allows it.
bool CheckConditions(RowContext& row, meta::ConditionKind kind,
                     const std::vector<config::Condition>& conditions, const Value* self,
                     Severity severity, Diagnostics& diags);

}  // namespace kinu::engine
