// Planning of rows: managed rows, orphans, deposed objects. Ref: opentofu
// internal/tofu/node_resource_plan_instance.go, node_resource_plan_orphan.go.
#include <algorithm>

#include "cty/conversion.h"
#include "engine/configuration_digest.h"
#include "engine/rows/rows.h"
#include "engine/triggers.h"
#include "lang/eval.h"
#include "schema/marks.h"

namespace kinu::engine {

namespace {

/// Reads the object at the row's address: an imported one, a stored one or none.
bool ReadCurrent(RowContext& row, provider::Provider& provider, const ImportTarget* import,
                 RowFate& fate, Diagnostics& diags) {
  Row& slot = row.row;
  if (import != nullptr) {
    ReadValues& read = slot.object.Ensure();
    read.refreshed = ImportObject(row, provider, *import, read, diags);
    if (!read.refreshed) {
      return false;
    }
    slot.origin = RowOrigin::kImported;
  }
  const state::Object* stored = slot.stored != nullptr ? slot.stored->current.get() : nullptr;
  if (stored != nullptr && !ReadObject(row, provider, *stored, "", diags)) {
    return false;
  }
  slot.reading = RowReading::kRead;
  slot.object.Ensure().configuration = DigestOfConfiguration(row);
  fate.object = slot.read().refreshed;
  fate.identity = slot.read().notes.identity;
  // The provider gets its data even if the object no longer exists.
  if (stored != nullptr || import != nullptr) {
    fate.stored.emplace();
    fate.stored->status = stored != nullptr ? stored->status : state::ObjectStatus::kReady;
    fate.stored->private_data = slot.read().notes.private_data;
  }
  return true;
}

/// Checks the conditions of a refreshed object in a refresh-only plan, also if it does not exist.
/// A precondition that cannot be evaluated ends it; one that is not met does not.
void CheckRefreshed(RowContext& row, const std::optional<Value>& object, Diagnostics& diags) {
  if (!CheckConditions(row, meta_arguments::ConditionKind::kPrecondition,
                       row.resource.preconditions, nullptr, row.node.condition_severity, diags)) {
    return;
  }
  row.row.value = object;
  if (!object) {
    row.row.view = RowView::kAbsent;
  }
  const Value self = object ? *object : AbsentSelf(row);
  (void)CheckConditions(row, meta_arguments::ConditionKind::kPostcondition,
                        row.resource.postconditions, &self, row.node.condition_severity, diags);
}

/// A generated block that cannot be planned is kept, so that the user can complete it.
plan::ResourceChange UnplannedBlock(const RowContext& row, const Value& object,
                                    GeneratedBlock block) {
  plan::ResourceChange change;
  change.address = row.address;
  change.previous_address = row.address;
  change.provider = row.provider_info().address;
  change.before = object;
  change.after = object;
  change.generated_config = std::move(block.text);
  return change;
}

/// Plans the change; generates the block of an imported object if there is none.
bool PlanRowChange(RowContext& row, provider::Provider& provider, const ImportTarget* import,
                   RowFate& fate, Diagnostics& diags) {
  if (import == nullptr || !row.info.imports->generated) {
    return PlanChange(row, provider, fate, diags);
  }
  GeneratedBlock block = WriteBlock(row, *fate.object);
  const Value object = *fate.object;
  RowContext described{row.node,     row.id,      block.resource, row.info,
                       row.instance, row.address, row.row,        row.triggered};
  if (!PlanChange(described, provider, fate, diags)) {
    row.row.SetChange(UnplannedBlock(row, object, std::move(block)));
    return false;
  }
  fate.change.generated_config = std::move(block.text);
  return true;
}

/// Records the change of a row, and the value that expressions see.
void RecordPlanned(RowContext& row, plan::ResourceChange change, Diagnostics& diags) {
  const bool destroys = plan::IsReplace(change.action) || change.action == plan::Action::kDelete;
  if (!CheckPreventDestroy(row, destroys, diags)) {
    row.row.SetChange(std::move(change));
    return;
  }
  row.row.value = schema::MarkSensitive(
      row.info.schema->block, change.action == plan::Action::kNoOp ? change.before : change.after);
  row.row.SetChange(std::move(change));
  (void)CheckConditions(row, meta_arguments::ConditionKind::kPostcondition,
                        row.resource.postconditions, &*row.row.value, row.node.condition_severity,
                        diags);
}

/// Whether the object can be planned as it is in the state, because nothing that it was last read
/// or applied with has changed. A block that names a resource that changes is read.
bool MayStayUnread(const RowContext& row) {
  const Walk& walk = row.walk();
  if (!walk.context.refresh_changed || row.row.stored == nullptr ||
      row.row.stored->current == nullptr) {
    return false;
  }
  const state::Object& object = *row.row.stored->current;
  if (object.status != state::ObjectStatus::kReady || object.configuration == 0 ||
      object.configuration != DigestOfConfiguration(row)) {
    return false;
  }
  return std::ranges::none_of(walk.graph.dependencies(row.id), [&](NodeId id) {
    const Node& node = walk.graph.node(id);
    return node.kind == NodeKind::kResource && !walk.slots.BlockOf(node).pending.empty();
  });
}

/// Plans with the object of the state. False, and nothing has happened, unless it needs no change.
bool PlanUnread(RowContext& row, provider::Provider& provider, RowFate& fate, Diagnostics& diags) {
  Diagnostics found;
  row.row.object.Ensure().unread = true;
  if (ReadCurrent(row, provider, nullptr, fate, found)) {
    row.triggered = ReplaceTriggered(row, found);
    if (!found.has_errors() && PlanChange(row, provider, fate, found) && !found.has_errors() &&
        fate.change.action == plan::Action::kNoOp) {
      diags.Append(std::move(found));
      return true;
    }
  }
  row.row.object = ReadValues();
  row.row.reading = RowReading::kNone;
  row.row.change.reset();
  row.triggered = false;
  fate = RowFate();
  return false;
}

}  // namespace

void PlanManagedRow(RowContext& row, Diagnostics& diags) {
  provider::Provider* provider = ProviderOf(row, KeyBasis::kConfiguration, diags);
  if (provider == nullptr) {
    return;
  }
  const bool stored = row.row.stored != nullptr && row.row.stored->current != nullptr;
  if (stored && !KeepAsConfigured(row, diags)) {
    return;
  }
  RowFate fate;
  const ImportTarget* import = ImportOf(row);
  if (import == nullptr && MayStayUnread(row) && PlanUnread(row, *provider, fate, diags)) {
    return RecordPlanned(row, std::move(fate.change), diags);
  }
  if (!ReadCurrent(row, *provider, import, fate, diags)) {
    return;
  }
  if (import != nullptr && !row.walk().context.command_imports.empty()) {
    row.row.value = fate.object;  // unchecked
    return;
  }
  if (import != nullptr && !KeepAsConfigured(row, diags)) {
    return;
  }
  if (row.walk().context.mode == plan::Mode::kRefreshOnly) {
    return CheckRefreshed(row, fate.object, diags);
  }
  row.triggered = ReplaceTriggered(row, diags);
  if (diags.has_errors() || !PlanRowChange(row, *provider, import, fate, diags)) {
    return;
  }
  if (row.triggered) {
    fate.change.reason = plan::Reason::kReplaceByTriggers;
  }
  if (import != nullptr) {
    fate.change.importing = plan::Importing{.id = import->id, .identity = import->identity};
  }
  RecordPlanned(row, std::move(fate.change), diags);
}

namespace {

/// A destruction removes data sources from the state, by a change that is not shown.
/// Ref: node_resource_plan_destroy.go dataResourceExecute.
plan::ResourceChange ForgetData(const RowContext& row) {
  plan::ResourceChange change = StartChange(row);
  change.action = plan::Action::kDelete;
  // Nobody needs the schema of a type that the provider does not have any more.
  change.before = Value::Null(row.info.schema != nullptr ? row.info.schema->block.implied_type()
                                                         : Type::Dynamic());
  change.after = change.before;
  return change;
}

/// The change that destroys or forgets an object that is no longer configured.
std::optional<plan::ResourceChange> PlanEnd(RowContext& row, provider::Provider& provider,
                                            const Disposal& disposal, Diagnostics& diags) {
  const ReadValues& read = row.row.read();
  return disposal.forget ? PlanForget(row, *read.refreshed, read.notes, disposal.reason)
                         : PlanDestroy(row, provider, *read.refreshed, read.notes, diags);
}

/// Why an object is removed.
plan::Reason EndReason(const RowContext& row, const plan::ResourceChange& change) {
  plan::Reason reason = change.reason;
  if (reason == plan::Reason::kNone && !row.node.destroying) {
    reason = row.row.delete_reason;
  }
  const bool moved = !(change.previous_address == change.address);
  return moved && reason == plan::Reason::kDeleteNoResourceConfig
             ? plan::Reason::kDeleteNoMoveTarget
             : reason;
}

}  // namespace

void PlanOrphanRow(RowContext& row, Diagnostics& diags) {
  const bool managed = row.address.resource.resource.mode == ResourceMode::kManaged;
  if (row.info.schema == nullptr && managed) {
    diags.Error("no schema available for " + row.AddressText() +
                    " while reading state; this is a bug in OpenTofu and should be reported",
                "");
    return;
  }
  if (!managed) {
    row.row.view = RowView::kForgotten;
    if (row.node.destroying) {
      row.row.SetChange(ForgetData(row));
    }
    return;
  }
  provider::Provider* provider =
      ProviderOf(row, row.node.destroying ? KeyBasis::kState : KeyBasis::kConfiguration, diags);
  const state::Object& object = *row.row.stored->current;
  if (provider == nullptr || !ReadObject(row, *provider, object, "", diags)) {
    return;
  }
  if (!row.row.read().refreshed) {
    row.row.view = RowView::kDeleted;
    return;  // it no longer exists: drift, but no change
  }
  if (row.walk().context.mode == plan::Mode::kRefreshOnly) {
    row.row.value = *row.row.read().refreshed;
    return;
  }
  const Disposal disposal = DecideDisposal(row, object, false, diags);
  if (diags.has_errors()) {
    return;
  }
  std::optional<plan::ResourceChange> change = PlanEnd(row, *provider, disposal, diags);
  if (!change) {
    return;
  }
  change->reason = EndReason(row, *change);
  row.row.SetChange(*std::move(change));
  if (CheckPreventDestroy(row, !disposal.forget, diags)) {
    row.row.view = RowView::kDeleted;
  }
}

std::optional<plan::ResourceChange> PlanDeposedObject(RowContext& row,
                                                      const state::DeposedObject& deposed,
                                                      Diagnostics& diags) {
  provider::Provider* provider = ProviderOf(row, KeyBasis::kState, diags);
  if (provider == nullptr || !ReadObject(row, *provider, deposed.object, deposed.key, diags) ||
      !row.row.read().refreshed || row.walk().context.mode == plan::Mode::kRefreshOnly) {
    return std::nullopt;
  }
  const size_t errors = diags.error_count();
  const Disposal disposal = DecideDisposal(row, deposed.object, true, diags);
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  std::optional<plan::ResourceChange> change = PlanEnd(row, *provider, disposal, diags);
  if (change) {
    change->deposed = deposed.key;
  }
  return change;
}

}  // namespace kinu::engine
