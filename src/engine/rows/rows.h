// One row of a resource block: the unit that runs on a worker. Planning and applying it are steps
// (read → decide → ask → check the answer → record) over a RowFate.
#pragma once

#include "engine/nodes/nodes.h"
#include "engine/scope.h"

namespace kinu::engine {

/// The row that is planned or applied, with its surroundings.
struct RowContext {
  NodeContext& node;
  NodeId id;
  const config::Resource& resource;  ///< an empty one for orphans
  const BlockInfo& info;
  ModuleInstance* instance;  ///< null: the module instance no longer exists
  ResourceInstance address;
  Row& row;
  bool triggered = false;              ///< replace_triggered_by asks for a replacement
  bool create_before_destroy = false;  ///< while applying: stored with the new object
  NodeId trace_node = kNoNode;         ///< the node of its span; kNoNode: `id`

  Walk& walk() const { return node.walk; }
  std::string AddressText() const { return node.walk.program.ToText(address); }
  const ProviderInfo& provider_info() const { return node.walk.graph.providers[info.provider]; }
  const ProviderSlot& provider_slot() const { return node.walk.slots.providers[info.provider]; }
};

void PlanManagedRow(RowContext& row, Diagnostics& diags);
void PlanDataRow(RowContext& row, Diagnostics& diags);
/// Reports arguments of the row's block that refer to the block or the row. True if there are none.
bool ReportSelfReferences(const RowContext& row, Diagnostics& diags);
/// Opens an ephemeral object (while planning only if its configuration is known).
void OpenEphemeralRow(RowContext& row, Diagnostics& diags);
/// Whether a managed resource changes that this block names (directly, through values, or in
/// depends_on of a module call around it). If the block has conditions, all dependencies count.
bool DependenciesPending(const RowContext& row);
/// Whether the provider cannot read a data source or an ephemeral object with a known
/// configuration.
bool ProviderDefers(const RowContext& row, provider::Provider& provider, const Value& config);
void PlanOrphanRow(RowContext& row, Diagnostics& diags);
/// The change that ends a deposed object of the row; nothing after an error, or if none is needed.
std::optional<plan::ResourceChange> PlanDeposedObject(RowContext& row,
                                                      const state::DeposedObject& deposed,
                                                      Diagnostics& diags);

/// What decides which instance of a provider with for_each serves a row.
enum class KeyBasis : uint8_t {
  kConfiguration,  ///< the key that its block has, or that a call of its module passes
  kState,          ///< the key that its object has in the state
};
/// The key of the provider instance that serves a row; none: the provider has one instance. What
/// has no block has its stored key. A block whose provider has no key there has none. The stored
/// key counts, too, where the configuration has a key for instances that do not exist any more.
InstanceKey ProviderKeyOf(const RowContext& row, KeyBasis basis, Diagnostics& diags);
/// The provider instance that serves a row (for_each providers have several), or null with a
/// diagnostic. Sets Row::provider_key.
provider::Provider* ProviderOf(RowContext& row, KeyBasis basis, Diagnostics& diags);

/// Reports an answer of a provider that the protocol does not allow.
void ProviderBug(RowContext& row, std::string_view summary, std::string_view what,
                 const std::string& detail, Diagnostics& diags);

/// A stored object in the current schema, and the provider's own data for it.
struct StoredObject {
  Value value;  ///< marked with its stored sensitive paths
  std::string private_data;
};
/// Converts a stored object to the current schema: the provider upgrades it, or moves it from its
/// previous type. Nothing, with diagnostics, on failure.
std::optional<StoredObject> ReadStored(RowContext& row, provider::Provider& provider,
                                       const state::Object& object, Diagnostics& diags);

/// The provider's data of a stored object, and its identity, which the provider upgrades if it has
/// an older schema. Nothing, with diagnostics, on failure.
std::optional<ProviderNotes> NotesOf(RowContext& row, provider::Provider& provider,
                                     const state::Object& object, std::string private_data,
                                     Diagnostics& diags);

/// The value of the `provider_meta` block that the module of a row's block has for the row's
/// provider, unmarked; a null without such a block. Nothing, with diagnostics, if the block is
/// invalid or the provider has no schema for it. Ref: opentofu
/// internal/tofu/node_resource_abstract_instance.go providerMetas.
std::optional<Value> ProviderMetaOf(const RowContext& row, Diagnostics& diags);

/// Refreshes an object and the provider's data; a null value if the object no longer exists. Posts
/// the refresh events. `meta`: of ProviderMetaOf().
std::optional<Value> RefreshObject(RowContext& row, provider::Provider& provider,
                                   const Value& prior, const std::string& deposed, Value meta,
                                   ProviderNotes& notes, Diagnostics& diags);

/// Converts a stored object to the current schema, refreshes it if the walk does, and fills
/// Row::read. `deposed`: its key; empty: the current object. False, with diagnostics, on failure.
bool ReadObject(RowContext& row, provider::Provider& provider, const state::Object& object,
                const std::string& deposed, Diagnostics& diags);

/// The import of the row's object, if the state has none at its address; else null.
const ImportTarget* ImportOf(const RowContext& row);
/// Whether the import command imports the object of a row of a block: then the block is neither
/// checked nor planned for it.
bool ImportedByCommand(const Walk& walk, const Node& node, const ResourceInstance& address);
/// Imports an existing object and refreshes it. Nothing, with diagnostics, on failure. `read`
/// receives what else is read.
std::optional<Value> ImportObject(RowContext& row, provider::Provider& provider,
                                  const ImportTarget& target, ReadValues& read, Diagnostics& diags);
/// A block that describes the imported object, for an import block without one.
struct GeneratedBlock {
  config::Resource resource;
  std::string text;
};
GeneratedBlock WriteBlock(const RowContext& row, const Value& object);

/// The facts about a managed row, filled step by step.
struct RowFate {
  std::optional<Value> object;          ///< the current object, marked; empty: none
  std::optional<state::Object> stored;  ///< its status and private data; empty: none was stored
  Value identity;                       ///< of the object; null: none
  const plan::ResourceChange* earlier = nullptr;  ///< applying: the saved change
  Value config;                                   ///< evaluated, marked
  plan::ResourceChange change;
};
/// Plans the change of a row, for a plan and for the second plan of an apply. Needs `object` to
/// `earlier`, fills in the rest. False, with diagnostics, on failure.
bool PlanChange(RowContext& row, provider::Provider& provider, RowFate& fate, Diagnostics& diags);

/// A change of the row without action and values.
plan::ResourceChange StartChange(const RowContext& row);
/// The removal of an object, by the provider in the state, without values.
plan::ResourceChange StartRemoval(const RowContext& row);

/// The change that destroys an object; calls the provider if it plans destructions.
std::optional<plan::ResourceChange> PlanDestroy(RowContext& row, provider::Provider& provider,
                                                const Value& prior, const ProviderNotes& notes,
                                                Diagnostics& diags);
/// Whether an object that is no longer configured is only forgotten, and why.
struct Disposal {
  bool forget = false;
  plan::Reason reason = plan::Reason::kNone;
};
/// Whether lifecycle.destroy = false keeps the row's object in existence.
bool BlockKeepsObject(const RowContext& row, Diagnostics& diags);
/// Records that of the row. Returns false after an error.
bool KeepAsConfigured(RowContext& row, Diagnostics& diags);
/// Decides by `removed` blocks, lifecycle.destroy and its stored value. Warns if the object will be
/// forgotten.
Disposal DecideDisposal(RowContext& row, const state::Object& object, bool deposed,
                        Diagnostics& diags);
/// The change that forgets an object.
plan::ResourceChange PlanForget(RowContext& row, const Value& prior, const ProviderNotes& notes,
                                plan::Reason reason);

/// Evaluates lifecycle.prevent_destroy, whose value must be right even when the row is not
/// destroyed. False, and an error, when it is wrong or forbids that the row is destroyed.
bool CheckPreventDestroy(const RowContext& row, bool destroys, Diagnostics& diags);

/// The check block around a data source, in the module instance of the row.
ResourceInstance EnclosingCheck(const RowContext& row);
/// Records for the check block around a data source that it was read (null), or why not.
void ReportToCheck(const RowContext& row, const Diagnostics* failure);

/// The names that the row's block sees.
ModuleScope RowScope(const RowContext& row);
/// The row's body as a value, marked, with the names of `scope`.
Value DecodeConfig(const RowContext& row, const ModuleScope& scope, Diagnostics& diags);
/// Reports and clears problems of a provider with the row's block. False if there was an error.
bool AskedWithoutErrors(const RowContext& row, provider::Problems& problems, Diagnostics& diags);
/// Evaluates the row's preconditions, then its body; nothing after an error.
std::optional<Value> EvaluateConfig(RowContext& row, Diagnostics& diags);
/// Evaluates a data source's configuration and reads it (preconditions included).
std::optional<Value> EvaluateAndRead(RowContext& row, provider::Provider& provider,
                                     Diagnostics& diags);

/// Validates the configuration of a data source and reads it. The marked value, or nothing after an
/// error.
std::optional<Value> ReadDataSource(RowContext& row, provider::Provider& provider,
                                    const Value& config, Diagnostics& diags);

/// The attribute that identifies an object in messages about what was done: ("id", "…") or, for
/// objects without that attribute, ("name", "…"). The text may be empty; both are if nothing can be
/// shown.
std::pair<std::string, std::string> IdentifyObject(const Value& value);
/// The same in messages about what begins, where a name or the tag of that name stands for an id
/// that cannot be shown.
std::pair<std::string, std::string> IdentifyOrNameObject(const Value& value);

/// Evaluates conditions of one kind for a row. `self`: its value; null: not available.
bool CheckConditions(RowContext& row, meta_arguments::ConditionKind kind,
                     const std::vector<config::Condition>& conditions, const Value* self,
                     Severity severity, Diagnostics& diags);
/// What `self` is where there is no object: of a block with instance keys an element that is not
/// there.
Value AbsentSelf(const RowContext& row);

}  // namespace kinu::engine
