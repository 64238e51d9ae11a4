#include "engine/nodes/apply_row.h"

#include <algorithm>

#include "base/files.h"
#include "cty/ops.h"
#include "cty/walk_inl.h"
#include "engine/assemble.h"
#include "engine/expansion.h"
#include "engine/nodes/provision.h"
#include "lang/eval.h"
#include "schema/marks.h"
#include "schema/propose.h"
#include "text/quote.h"

namespace kinu::engine {

using When = config::Provisioner::When;

bool Recorder::Record(const state::ObjectRecord& record, state::Durability durability) {
  std::lock_guard lock(mutex_);
  state::Apply(record, working_, state::Husks::kLeave);
  if (store_ == nullptr) {
    return true;
  }
  Result<void> kept = store_->Record(record);
  if (kept) {
    kept = store_->Flush(durability);
  }
  if (!kept && failure_.empty()) {
    failure_ = kept.error().message;
    if (on_failure_) {
      on_failure_();
    }
  }
  return kept.has_value();
}

std::optional<state::Object> Recorder::Current(const ResourceInstance& address) {
  std::lock_guard lock(mutex_);
  const state::Resource* resource = working_.Find(address.resource);
  const state::Instance* instance = resource == nullptr ? nullptr : resource->Find(address.key);
  if (instance == nullptr || instance->current == nullptr) {
    return std::nullopt;
  }
  return *instance->current;
}

std::optional<state::Object> Recorder::Deposed(const ResourceInstance& address,
                                               const std::string& key) {
  std::lock_guard lock(mutex_);
  const state::Resource* resource = working_.Find(address.resource);
  const state::Instance* instance = resource == nullptr ? nullptr : resource->Find(address.key);
  if (instance != nullptr) {
    for (const state::DeposedObject& deposed : instance->deposed) {
      if (deposed.key == key) {
        return deposed.object;
      }
    }
  }
  return std::nullopt;
}

ApplyContext::ApplyContext(NodeContext& node_context, Recorder& records,
                           const Refactoring& refactoring)
    : node(node_context),
      plan(node_context.walk.apply->plan),
      recorder(records),
      removed(refactoring),
      done(plan.changes.size(), 0),
      deposed_keys(plan.changes.size()) {
  const Walk& walk = node.walk;
  const std::vector<Cell>& cells = walk.apply->cells;
  std::vector<bool> left_out(plan.changes.size(), false);
  for (const Cell& cell : cells) {
    for (const CellRow& row : cell.rows) {
      left_out[row.change] = left_out[row.change] || (cell.phase == Phase::kApply && !row.kept);
    }
  }
  for (uint32_t i = 0; i < plan.changes.size(); ++i) {
    if (plan.changes[i].deposed.empty() && !left_out[i]) {
      change_of.emplace(plan.changes[i].address, i);
    }
  }
  orphan_infos.resize(cells.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    BlockInfo& info = orphan_infos[i];
    info.provider = cells[i].provider;
    const schema::ProviderSchema* schema = walk.graph.providers[info.provider].schema;
    if (cells[i].block < 0 && schema != nullptr) {
      info.schema = schema->FindResource(walk.program.Text(cells[i].resource.resource.type));
    }
  }
}

void Recorder::SetOutput(state::OutputValue output) {
  std::lock_guard lock(mutex_);
  engine::SetOutput(working_, std::move(output));
}

namespace {

/// Objects that the block does not want any more are seen as long as the plan lets them be: it only
/// refreshed, or was limited to others. Ref: evaluate.go GetResource.
void AddUntouchedRows(const ApplyContext& context, const AbsResource& address,
                      const state::Resource& stored, const BlockInfo& info, ResourceTable& table) {
  const auto wanted = static_cast<size_t>(std::count_if(
      table.rows.begin(), table.rows.end(), [](const Row& row) { return row.stored != nullptr; }));
  if (wanted == stored.instances.size() || info.schema == nullptr) {
    return;
  }
  FlatSet<InstanceKey> known;
  for (const Row& row : table.rows) {
    known.insert(row.key);
  }
  std::vector<const state::Instance*> untouched;
  for (const state::Instance& entry : stored.instances) {
    if (entry.current != nullptr && !known.contains(entry.key) &&
        !context.change_of.contains(ResourceInstance{address, entry.key})) {
      untouched.push_back(&entry);
    }
  }
  for (const state::Instance* entry : untouched) {
    auto value = state::DecodeObject(*entry->current, info.schema->block.implied_type());
    if (value) {
      Row& row = table.rows.emplace_back();
      row.key = entry->key;
      row.orphan = true;
      row.stored = entry;
      row.value = schema::MarkSensitive(info.schema->block, *value);
      table.has_gaps = true;
    }
  }
}

}  // namespace

bool ExpandTable(ApplyContext& context, NodeId id, ModuleInstance& instance, Diagnostics& diags) {
  Walk& walk = context.node.walk;
  const Node& node = walk.graph.node(id);
  ResourceTable& table = *instance.resources[node.index];
  std::unique_lock lock(table.whole_mutex);
  if (table.expanded) {
    return true;
  }
  const config::Resource& resource = instance.node->module->resources[node.index];
  const BlockInfo& info = walk.graph.blocks[node.config_node][node.index];
  AbsResource address{instance.id, resource.name};
  const state::Resource* stored = context.plan.prior_state.Find(address);
  Expansion expansion;
  bool ephemeral = resource.name.mode == ResourceMode::kEphemeral;
  if (context.node.destroying && !ephemeral) {
    // Nothing is wanted any more: the instances are those that the state has.
    expansion.kind = resource.count != nullptr      ? Expansion::Kind::kCount
                     : resource.for_each != nullptr ? Expansion::Kind::kForEach
                                                    : Expansion::Kind::kSingle;
    if (stored != nullptr) {
      for (const state::Instance& entry : stored->instances) {
        if (entry.key.kind() == InstanceKey::Kind::kInt) {
          expansion.count = std::max(expansion.count, entry.key.index() + 1);
        } else if (entry.key.kind() == InstanceKey::Kind::kString) {
          expansion.keys.push_back(entry.key.symbol());
          expansion.values.push_back(Value::DynamicUnknown());
        }
      }
    }
  } else {
    size_t errors = diags.error_count();
    FlatSet<InstanceKey> going;
    if (!info.self_references.empty()) {
      lock.unlock();  // it looks at itself, and no two cells of such a block run side by side
      for (const plan::ResourceChange& change : context.plan.changes) {
        if (change.address.resource == address && change.action == plan::Action::kDelete) {
          going.insert(change.address.key);
        }
      }
    }
    expansion = ExpandBlock(walk, instance, node.index, stored, going, diags);
    if (!lock.owns_lock()) {
      lock.lock();
    }
    if (diags.error_count() != errors) {
      return false;
    }
  }
  table.expansion = std::move(expansion);
  table.stored = stored != nullptr && !stored->instances.empty();
  table.rows.resize(table.expansion.size());
  for (size_t i = 0; i < table.rows.size(); ++i) {
    Row& row = table.rows[i];
    row.key = table.expansion.key(i);
    row.expansion_row = static_cast<uint32_t>(i);
    const state::Instance* entry = stored == nullptr ? nullptr : stored->Find(row.key);
    row.stored = entry;
    auto change = context.change_of.find(ResourceInstance{address, row.key});
    // What was read is seen until it is forgotten, and no change holds it.
    const bool forgets = context.node.destroying && resource.name.mode == ResourceMode::kData;
    if (change != context.change_of.end() && !forgets) {
      const plan::ResourceChange& planned = context.plan.changes[change->second];
      if (planned.action == plan::Action::kNoOp) {
        row.value = planned.after;
      } else if (context.node.destroying) {
        row.value = planned.before;
      }
    } else if (entry != nullptr && entry->current != nullptr && info.schema != nullptr) {
      auto value = state::DecodeObject(*entry->current, info.schema->block.implied_type());
      if (value) {
        row.value = schema::MarkSensitive(info.schema->block, *value);
      }
    } else if (!ephemeral) {
      row.absent = true;  // left out of the plan, or the plan only refreshed
      table.has_gaps = true;
    }
  }
  if (stored != nullptr && !context.node.destroying && !ephemeral) {
    AddUntouchedRows(context, address, *stored, info, table);
  }
  table.expanded = true;
  return true;
}

namespace {

/// Brings the object that a provider returned into the form that is stored.
state::Object MakeObject(RowContext& row, const Value& value, const ProviderNotes& notes,
                         state::ObjectStatus status) {
  state::Object object;
  object.status = status;
  object.schema_version =
      row.address.resource.resource.mode == ResourceMode::kManaged
          ? static_cast<uint64_t>(std::max<int64_t>(row.info.schema->version, 0))
          : 0;
  // A value that the provider returns for a write-only attribute is never stored.
  const schema::Block& block = row.info.schema->block;
  state::EncodeObject(block.has_write_only() ? schema::WithoutWriteOnly(block, value) : value,
                      block.implied_type(), object);
  object.private_data = notes.private_data;
  StoreIdentity(*row.info.schema, notes.identity, object);
  object.dependencies = row.info.dependencies;
  object.create_before_destroy = row.create_before_destroy;
  object.skip_destroy = row.row.keeps_object;
  return object;
}

state::ObjectRecord RecordFor(const RowContext& row, state::ObjectRecord::Step step) {
  state::ObjectRecord record;
  record.step = step;
  record.address = row.address;
  record.provider = row.provider_info().address;
  if (!row.row.provider_key.none()) {
    record.provider_key = row.row.provider_key;
  } else if (row.row.stored != nullptr && row.row.stored->has_provider_key) {
    record.provider_key = row.row.stored->provider_key;
  }
  return record;
}

/// What an object's record has to survive: with a provider process there is something real behind
/// it, which a power loss would orphan; a built-in object, and what was read, are in the state
/// alone.
state::Durability DurabilityOf(const RowContext& row) {
  return row.provider_slot().blocking &&
                 row.address.resource.resource.mode == ResourceMode::kManaged
             ? state::Durability::kPowerLoss
             : state::Durability::kKill;
}

/// The call itself with all the checks on its answer. Ref: provider contract 9.3.
/// One error for each value that is still unknown.
void ReportUnknownResults(const Value& value, const std::string& address, Diagnostics& diags) {
  Path at;
  WalkValue(value, at, [&](const Path& path, const Value& part) {
    if (!part.IsKnown()) {
      diags.Error("Provider returned invalid result object after apply",
                  "After the apply operation, the provider still indicated an unknown value for " +
                      address + path.ToText() +
                      ". All values must be known after apply.\n\nThis is a bug of the provider: "
                      "please report it to its authors.");
    }
    return true;
  });
}

struct Applied {
  Value value;
  ProviderNotes notes;
  bool failed = false;
};
Applied CallApply(RowContext& row, provider::Provider& provider, const Value& before,
                  const Value& after, const Value& config, const ProviderNotes& notes,
                  Diagnostics& diags) {
  const schema::Block& block = row.info.schema->block;
  const Type& type = block.implied_type();
  bool deleting = after.IsNull();
  size_t errors = diags.error_count();
  std::vector<PathMarks> marks;
  provider::ApplyRequest request;
  request.type = row.walk().program.Text(row.address.resource.resource.type);
  request.prior = before.UnmarkDeep();
  request.planned = after.ContainsMarked() ? after.UnmarkDeepWithPaths(&marks) : after;
  request.config = config.UnmarkDeep();
  request.private_data = notes.private_data;
  request.identity = notes.identity;
  provider::Problems problems;
  provider::ApplyResponse response = provider.ApplyResourceChange(request, problems);
  std::string address = row.AddressText();
  // A destruction has no configuration that its problems could point at.
  AppendProblems(problems, deleting ? nullptr : row.resource.body, deleting ? "" : address, diags);
  auto failed = [&] { return diags.error_count() != errors; };
  auto bug = [&](std::string summary, const std::string& what) {
    diags.Error(std::move(summary),
                what + "\n\nThis is a bug of the provider: please report it to its authors.");
  };
  const std::string named = text::GoQuote(row.walk().program.ToText(row.provider_info().address));
  const std::string after_applying = std::string("After applying a ") +
                                     (deleting          ? "Delete"
                                      : before.IsNull() ? "Create"
                                                        : "Update") +
                                     " plan, the provider returned ";
  Applied out;
  out.notes = {std::move(response.private_data), std::move(response.identity), false};
  Value value =
      response.has_state ? response.state : (deleting ? Value::Null(type) : before.UnmarkDeep());
  if (!response.has_state && !failed()) {
    bug("Provider produced invalid object",
        "Provider " + named + " produced an invalid nil value after apply for " + address + ".");
  }
  if (!value.IsWhollyKnown()) {
    ReportUnknownResults(value, address, diags);
    value = UnknownAsNull(value);
  }
  if (!deleting && !failed() && !response.legacy_type_system) {
    for (const ValueError& error : schema::CheckCompatible(block, after.UnmarkDeep(), value)) {
      bug("Provider produced inconsistent result after apply",
          "When applying changes to " + address + ", provider " + named +
              " produced an unexpected new value: " + error.ToText() + ".");
    }
  }
  if (!failed() && deleting && !value.IsNull()) {
    bug("Provider returned invalid result object after apply",
        after_applying + "a non-null object for " + address + ".");
  } else if (!failed() && !deleting && value.IsNull()) {
    bug("Provider returned invalid result object after apply",
        after_applying + "a null object for " + address + ".");
  }
  if (!value.IsNull()) {
    if (!marks.empty()) {
      value = value.MarkWithPaths(marks);
    }
    value = schema::MarkSensitive(block, std::move(value));
  }
  out.value = std::move(value);
  out.failed = failed();
  return out;
}

}  // namespace

void ApplyManagedRow(ApplyContext& context, RowContext& row, uint32_t change_index,
                     Diagnostics& diags) {
  const plan::ResourceChange& saved = context.plan.changes[change_index];
  provider::Provider* provider = ProviderOf(row, diags);
  if (provider == nullptr) {
    return;
  }
  Walk& walk = row.walk();
  bool create_first = saved.action == plan::Action::kCreateThenDelete;
  std::string deposed;
  if (create_first) {
    deposed = RandomUuid().substr(0, 8);
    state::ObjectRecord record = RecordFor(row, state::ObjectRecord::Step::kDepose);
    record.deposed = deposed;
    const bool kept = context.recorder.Record(record, DurabilityOf(row));
    context.deposed_keys[change_index] = deposed;
    if (!kept) {
      record.step = state::ObjectRecord::Step::kRestore;
      (void)context.recorder.Record(record, DurabilityOf(row));
      diags.Error("execution halted", "");
      return;
    }
  }
  std::optional<state::Object> current = context.recorder.Current(row.address);
  std::optional<Value> prior;
  if (current) {
    prior = saved.before;
  }
  size_t errors = diags.error_count();
  auto restore = [&] {
    if (create_first && !context.recorder.Current(row.address)) {
      state::ObjectRecord record = RecordFor(row, state::ObjectRecord::Step::kRestore);
      record.deposed = deposed;
      context.recorder.Record(record, DurabilityOf(row));
    }
  };
  std::optional<PlannedRow> planned =
      PlanChange(row, *provider, prior, current ? &*current : nullptr,
                 current ? saved.before_identity : Value(), &saved, diags);
  if (!planned) {
    restore();
    return;
  }
  plan::ResourceChange& change = planned->change;
  bool action_fits =
      change.action == saved.action ||
      (saved.action == plan::Action::kUpdate && change.action == plan::Action::kNoOp) ||
      (saved.action == plan::Action::kForgetThenCreate && change.action == plan::Action::kCreate);
  std::string address = row.AddressText();
  const std::string named = text::GoQuote(walk.program.Text(row.provider_info().address.provider));
  if (!action_fits) {
    diags.Error("Provider produced inconsistent final plan",
                "When expanding the plan for " + address +
                    " to include new values learned so far during apply, provider " + named +
                    " changed the planned action from " +
                    std::string(plan::MessageName(saved.action)) + " to " +
                    std::string(plan::MessageName(change.action)) +
                    ".\n\nThis is a bug of the provider: please report it to its authors.");
  } else {
    for (const ValueError& error : schema::CheckCompatible(
             row.info.schema->block, saved.after.UnmarkDeep(), change.after.UnmarkDeep())) {
      diags.Error("Provider produced inconsistent final plan",
                  "When expanding the plan for " + address +
                      " to include new values learned so far during apply, provider " + named +
                      " produced an invalid new value for " + error.ToText() +
                      ".\n\nThis is a bug of the provider: please report it to its authors.");
    }
  }
  if (diags.error_count() != errors) {
    restore();
    return;
  }
  if (change.action == plan::Action::kNoOp) {
    row.row.value = change.before;
    (void)CheckConditions(row, ConditionKind::kPostcondition, row.resource.postconditions,
                          &*row.row.value, Severity::kError, diags);
    return;
  }
  row.row.keeps_object = BlockKeepsObject(row, diags);
  bool creating = change.action != plan::Action::kUpdate;
  plan::Action shown = creating ? plan::Action::kCreate : plan::Action::kUpdate;
  Value before = creating ? Value::Null(row.info.schema->block.implied_type()) : change.before;
  auto [id_key, id_value] = IdentifyObject(before);
  walk.Post({.kind = EventKind::kApplyStart,
             .address = row.address,
             .action = shown,
             .id_key = id_key,
             .id_value = id_value});
  bool may_take_long = row.provider_slot().blocking || HasProvisioners(row.resource, When::kCreate);
  Timed watch(walk.ticker, may_take_long,
              {.address = row.address, .action = shown, .id_key = id_key, .id_value = id_value});
  // Where only the sensitivity changes there is nothing for the provider to do.
  bool only_marks = !creating && Value::RawEquals(before.UnmarkDeep(), change.after.UnmarkDeep());
  Applied applied;
  if (only_marks) {
    applied.value = change.after;
    applied.notes = {current->private_data, saved.before_identity, false};
  } else {
    applied = CallApply(row, *provider, before, change.after, planned->config,
                        {change.private_data, change.after_identity}, diags);
  }
  bool keep = !applied.value.IsNull();
  if (keep) {
    // A failed creation leaves something that nobody can rely on: tainted. A failed update leaves
    // the object as it was before in that respect.
    state::ObjectStatus status = state::ObjectStatus::kReady;
    if (applied.failed) {
      status = creating ? state::ObjectStatus::kTainted
                        : (current ? current->status : state::ObjectStatus::kReady);
    }
    state::ObjectRecord record = RecordFor(row, state::ObjectRecord::Step::kStore);
    record.object = MakeObject(row, applied.value, applied.notes, status);
    if (only_marks) {
      record.object.status = current->status;
      record.object.create_before_destroy = current->create_before_destroy;
      record.object.skip_destroy = current->skip_destroy;
    } else if (applied.failed) {
      record.object.skip_destroy = current && current->skip_destroy;
    }
    context.recorder.Record(record, DurabilityOf(row));
  } else if (applied.failed && current) {
    // Nothing came back: the object stays as it was known.
    state::ObjectRecord record = RecordFor(row, state::ObjectRecord::Step::kStore);
    record.object = *current;
    context.recorder.Record(record, DurabilityOf(row));
  }
  if (creating && !applied.failed && HasProvisioners(row.resource, When::kCreate)) {
    row.row.value = applied.value;
    size_t before_provisioners = diags.error_count();
    RunProvisioners(row, When::kCreate, applied.value, nullptr, diags);
    applied.failed = diags.error_count() != before_provisioners;
    if (applied.failed) {
      state::ObjectRecord record = RecordFor(row, state::ObjectRecord::Step::kStore);
      record.object = MakeObject(row, applied.value, applied.notes, state::ObjectStatus::kTainted);
      context.recorder.Record(record, DurabilityOf(row));
    }
  }
  if (applied.failed) {
    restore();
    walk.Post({.kind = EventKind::kApplyErrored,
               .address = row.address,
               .action = shown,
               .elapsed_seconds = watch.seconds()});
    if (keep) {
      // What was made is judged all the same.
      (void)CheckConditions(row, ConditionKind::kPostcondition, row.resource.postconditions,
                            &applied.value, Severity::kError, diags);
    }
    return;
  }
  {
    std::lock_guard lock(context.recorder.mutex());
    ++(creating ? context.recorder.counts.added : context.recorder.counts.changed);
  }
  std::tie(id_key, id_value) = IdentifyObject(applied.value);
  walk.Post({.kind = EventKind::kApplyComplete,
             .address = row.address,
             .action = shown,
             .id_key = id_key,
             .id_value = id_value,
             .elapsed_seconds = watch.seconds()});
  row.row.value = applied.value;
  (void)CheckConditions(row, ConditionKind::kPostcondition, row.resource.postconditions,
                        &*row.row.value, Severity::kError, diags);
}

void DestroyRow(ApplyContext& context, RowContext& row, uint32_t change_index,
                const std::string& deposed, Diagnostics& diags) {
  const plan::ResourceChange& saved = context.plan.changes[change_index];
  if (row.info.schema == nullptr) {
    diags.Error("Missing resource type schema",
                "The provider no longer knows the type of " + row.AddressText() + ".");
    return;
  }
  std::optional<state::Object> object = deposed.empty()
                                            ? context.recorder.Current(row.address)
                                            : context.recorder.Deposed(row.address, deposed);
  if (!object) {
    return;  // gone already
  }
  provider::Provider* provider = ProviderOf(row, diags);
  if (provider == nullptr) {
    return;
  }
  Walk& walk = row.walk();
  auto [id_key, id_value] = IdentifyObject(saved.before);
  walk.Post({.kind = EventKind::kApplyStart,
             .address = row.address,
             .deposed = deposed,
             .action = plan::Action::kDelete,
             .id_key = id_key,
             .id_value = id_value});
  bool may_take_long =
      row.provider_slot().blocking || HasProvisioners(row.resource, When::kDestroy);
  Timed watch(walk.ticker, may_take_long,
              {.address = row.address,
               .deposed = deposed,
               .action = plan::Action::kDelete,
               .id_key = id_key,
               .id_value = id_value});
  if (deposed.empty() && object->status != state::ObjectStatus::kTainted) {
    size_t errors = diags.error_count();
    RunProvisioners(row, When::kDestroy, saved.before, &context.removed, diags);
    if (diags.error_count() != errors) {
      walk.Post({.kind = EventKind::kApplyErrored,
                 .address = row.address,
                 .action = plan::Action::kDelete,
                 .elapsed_seconds = watch.seconds()});
      return;
    }
  }
  Value nothing = Value::Null(row.info.schema->block.implied_type());
  bool plain_delete = saved.action == plan::Action::kDelete;
  ProviderNotes notes{object->private_data, saved.before_identity};
  if (plain_delete) {
    notes = {saved.private_data, saved.after_identity, false};
  }
  Applied applied = CallApply(row, *provider, saved.before, nothing, nothing, notes, diags);
  if (applied.failed) {
    if (!applied.value.IsNull()) {
      state::ObjectRecord record = RecordFor(row, state::ObjectRecord::Step::kStore);
      record.deposed = deposed;
      record.object = MakeObject(row, applied.value, applied.notes, object->status);
      record.object.dependencies = object->dependencies;
      record.object.create_before_destroy = false;  // the next plan sets it again
      record.object.skip_destroy = object->skip_destroy;
      context.recorder.Record(record, DurabilityOf(row));
    }
    if (deposed.empty()) {
      walk.Post({.kind = EventKind::kApplyErrored,
                 .address = row.address,
                 .action = plan::Action::kDelete,
                 .elapsed_seconds = watch.seconds()});
    }
    return;
  }
  state::ObjectRecord record = RecordFor(row, state::ObjectRecord::Step::kRemove);
  record.deposed = deposed;
  context.recorder.Record(record, DurabilityOf(row));
  {
    std::lock_guard lock(context.recorder.mutex());
    ++context.recorder.counts.removed;
  }
  walk.Post({.kind = EventKind::kApplyComplete,
             .address = row.address,
             .deposed = deposed,
             .action = plan::Action::kDelete,
             .elapsed_seconds = watch.seconds()});
}

void ApplyDataRow(ApplyContext& context, RowContext& row, Diagnostics& diags) {
  provider::Provider* provider = ProviderOf(row, diags);
  if (provider == nullptr) {
    return;
  }
  Diagnostics found;
  std::optional<Value> value = EvaluateAndRead(row, *provider, found);
  bool nested = row.resource.check >= 0;
  if (nested) {
    ReportToCheck(row, value ? nullptr : &found);
    AppendAsCheckWarnings(std::move(found), diags);
  } else {
    diags.Append(std::move(found));
  }
  if (!value) {
    return;
  }
  state::ObjectRecord record = RecordFor(row, state::ObjectRecord::Step::kStore);
  record.object = MakeObject(row, *value, {}, state::ObjectStatus::kReady);
  record.object.dependencies = nullptr;
  record.object.create_before_destroy = false;
  context.recorder.Record(record, DurabilityOf(row));
  row.row.value = *value;
  (void)CheckConditions(row, ConditionKind::kPostcondition, row.resource.postconditions,
                        &*row.row.value, Severity::kError, diags);
}

void ForgetRow(ApplyContext& context, RowContext& row, const std::string& deposed) {
  state::ObjectRecord record = RecordFor(row, state::ObjectRecord::Step::kRemove);
  record.deposed = deposed;
  context.recorder.Record(record, DurabilityOf(row));
}

void ExpandForApply(ApplyContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.node.walk;
  const Node& node = walk.graph.node(id);
  bool expanded = true;
  for (ModuleInstance* instance : walk.slots.instances[node.config_node]) {
    expanded = ExpandTable(context, id, *instance, diags) && expanded;
  }
  const config::Resource& resource =
      walk.config.nodes[node.config_node]->module->resources[node.index];
  if (!expanded || resource.name.mode != ResourceMode::kEphemeral) {
    return;
  }
  std::vector<std::pair<ModuleInstance*, Row*>> work;
  for (ModuleInstance* instance : walk.slots.instances[node.config_node]) {
    for (Row& row : instance->resources[node.index]->rows) {
      work.emplace_back(instance, &row);
    }
  }
  const BlockInfo& info = walk.graph.blocks[node.config_node][node.index];
  std::vector<Diagnostics> found(work.size());
  walk.scheduler.ForEachRow(
      work.size(), walk.slots.providers[info.provider].blocking, [&](size_t i) {
        auto [instance, row] = work[i];
        RowContext row_context{
            context.node, id,       resource,
            info,         instance, ResourceInstance{{instance->id, resource.name}, row->key},
            *row};
        OpenEphemeralRow(row_context, found[i]);
      });
  for (Diagnostics& list : found) {
    diags.Append(std::move(list));
  }
}

}  // namespace kinu::engine
