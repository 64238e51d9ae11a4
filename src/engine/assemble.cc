#include "engine/assemble.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"
#include "cty/json.h"
#include "cty/ops.h"
#include "engine/module_references.h"
#include "plan/relevant_attributes.h"
#include "refactoring/refactoring.h"
#include "state/store.h"

namespace kinu::engine {
namespace {

/// Calls `visit(address, block info, row)` for every row of the walk.
template <typename AnyWalk, typename F>
void ForEachRowOf(AnyWalk& walk, F&& visit) {
  for (const auto& node : walk.config.nodes) {
    const auto& resources = node->module->resources;
    for (size_t i = 0; i < resources.size(); ++i) {
      const BlockInfo& info = walk.graph.blocks[node->index][i];
      for (const ModuleInstance* instance : walk.slots.instances[node->index]) {
        for (Row& row : instance->resources[i]->rows) {
          visit(ResourceInstance{{instance->id, resources[i].name}, row.key}, info, row);
        }
      }
      for (auto& stray : walk.slots.blocks[node->index][i].Strays()) {
        for (auto& row : stray.rows) {
          visit(ResourceInstance{stray.resource->address, row.key}, info, row);
        }
      }
    }
  }
  for (size_t i = 0; i < walk.graph.stored.size(); ++i) {
    const StoredNode& stored = walk.graph.stored[i];
    auto& rows = walk.slots.stored[i].rows;
    if (rows.empty()) {
      continue;
    }
    BlockInfo info;
    info.provider = stored.provider;
    const schema::ProviderSchema* schema = walk.graph.providers[stored.provider].schema;
    if (schema != nullptr) {
      info.schema = schema->FindResource(walk.program.Text(stored.resource->address.resource.type));
    }
    for (auto& row : rows) {
      visit(ResourceInstance{stored.resource->address, row.key}, info, row);
    }
  }
}

std::optional<plan::ResourceChange> DriftOf(const Walk& walk, const ResourceInstance& address,
                                            const BlockInfo& info, const Row& row) {
  // What was imported and could not be read further counts as gone.
  const bool unread = row.reading == RowReading::kFailed && row.stored != nullptr;
  if (!row.read().previous || unread || !walk.context.refresh ||
      address.resource.resource.mode != ResourceMode::kManaged) {
    return std::nullopt;
  }
  plan::ResourceChange change;
  change.address = address;
  change.previous_address = walk.context.PreviousAddress(address);
  if (change.previous_address.resource.resource.type != address.resource.resource.type) {
    return std::nullopt;  // a moved object of another type has not drifted
  }
  change.provider = walk.graph.providers[info.provider].address;
  change.before = WithUnsignedZeros(*row.read().previous);
  change.before_identity = row.read().previous_identity;
  if (!row.read().refreshed) {
    change.action = plan::Action::kDelete;
    change.after = Value::Null(row.read().previous->type());
    return change;
  }
  // Objects that only moved count as drift too, for refresh-only plans.
  bool same = Value::RawEquals(*row.read().previous, *row.read().refreshed);
  if (same && change.address == change.previous_address) {
    return std::nullopt;
  }
  change.action = same ? plan::Action::kNoOp : plan::Action::kUpdate;
  change.after = WithUnsignedZeros(*row.read().refreshed);
  change.after_identity = row.read().notes.identity;
  return change;
}

const schema::ResourceSchema* SchemaOf(const Walk& walk, const state::Resource& resource) {
  const auto info = std::ranges::find(walk.graph.providers, resource.provider,
                                      [](const ProviderInfo& one) { return one.address; });
  return info == walk.graph.providers.end() || info->schema == nullptr
             ? nullptr
             : info->schema->FindResource(walk.program.Text(resource.address.resource.type));
}

/// The drift of an object that has moved and that the walk did not read.
std::optional<plan::ResourceChange> DriftOfMoved(const Walk& walk, const ResourceInstance& from,
                                                 const ResourceInstance& to) {
  const state::Resource* stored = walk.context.prior_state->Find(to.resource);
  const state::Instance* instance = stored != nullptr ? stored->Find(to.key) : nullptr;
  const schema::ResourceSchema* schema = stored != nullptr ? SchemaOf(walk, *stored) : nullptr;
  if (instance == nullptr || instance->current == nullptr || schema == nullptr ||
      from.resource.resource.type != to.resource.resource.type) {
    return std::nullopt;
  }
  const std::optional<Value> value = StoredValue(*schema, *instance->current);
  if (!value) {
    return std::nullopt;
  }
  plan::ResourceChange change;
  change.address = to;
  change.previous_address = from;
  change.provider = stored->provider;
  change.action = plan::Action::kNoOp;
  change.before = change.after = WithUnsignedZeros(*value);
  return change;
}

/// Adds the moves of objects that targets leave out. They are no changes, and done all the same.
void AddUnreadMoves(const Walk& walk, const FlatSet<ResourceInstance>& read, plan::Plan& plan) {
  if (walk.context.refactoring == nullptr || !walk.context.refresh) {
    return;
  }
  for (const auto& [from, to] : walk.context.refactoring->Moves()) {
    if (read.contains(to)) {
      continue;
    }
    if (auto drift = DriftOfMoved(walk, from, to)) {
      plan.drift.push_back(std::move(*drift));
    }
  }
}

void RemoveCurrent(const ResourceInstance& address, state::State& state) {
  state::ObjectRecord record;
  record.step = state::ObjectRecord::Step::kRemove;
  record.address = address;
  state::Apply(record, state, state::Husks::kLeave);
}

/// The dependencies of an object whose change is still to be applied: those of its block, and those
/// that it was stored with.
state::DependencyList MergeDependencies(const Program& program, const state::DependencyList& block,
                                        const state::DependencyList& stored) {
  std::vector<ConfigResource> merged = *block;
  for (const ConfigResource& dependency : *stored) {
    if (std::find(merged.begin(), merged.end(), dependency) == merged.end()) {
      merged.push_back(dependency);
    }
  }
  std::sort(merged.begin(), merged.end(), [&](const ConfigResource& a, const ConfigResource& b) {
    return program.ToText(a) < program.ToText(b);
  });
  return std::make_shared<const std::vector<ConfigResource>>(std::move(merged));
}

/// Puts what was read of a row into its object. `fresh`: the state had none.
void RefreshAttributes(const BlockInfo& info, const Row& row, bool data, bool fresh,
                       state::Object& object) {
  const bool rewritten = fresh || data || !row.read().previous ||
                         object.schema_version != static_cast<uint64_t>(info.schema->version) ||
                         row.read().has_other_attributes;
  if (rewritten || !row.read().refreshed->SameRepresentation(*row.read().previous)) {
    if (rewritten || !Value::RawEquals(*row.read().refreshed, *row.read().previous)) {
      state::EncodeObject(*row.read().refreshed, info.schema->block.implied_type(), object);
      object.schema_version =
          data ? 0 : static_cast<uint64_t>(std::max<int64_t>(info.schema->version, 0));
    }
    if (!data) {
      object.private_data = row.read().notes.private_data;
    }
  }
  if (!data && !row.read().notes.is_stored) {
    StoreIdentity(*info.schema, row.read().notes.identity, object);
  }
}

/// Puts the settings and the dependencies of a row's block into its object. Rows without a change
/// get their final dependencies now, the others when they are applied.
void RefreshSettings(const Walk& walk, const BlockInfo& info, const Row& row,
                     state::Object& object) {
  KINU_INVARIANT(info.dependencies != nullptr, "objects of the block can be stored");
  const bool no_op = row.change && row.change->action == plan::Action::kNoOp;
  // An import is recorded before the settings of its block are known, and again if its dependencies
  // are final, which they never are in the command `import`.
  // Ref: node_resource_plan_instance.go managedResourceExecute.
  const bool by_command = !walk.context.command_imports.empty();
  const bool settings = !row.imported() || (!walk.context.refresh && !by_command) ||
                        (no_op && !info.dependencies->empty());
  object.create_before_destroy = settings && info.create_before_destroy;
  object.skip_destroy = settings && row.keeps_object;
  if (!no_op && (row.imported() || !walk.context.refresh)) {
    return;
  }
  if (no_op || object.dependencies == nullptr || object.dependencies->empty()) {
    object.dependencies = info.dependencies;
  } else if (object.dependencies != info.dependencies) {
    object.dependencies = MergeDependencies(walk.program, info.dependencies, object.dependencies);
  }
}

/// Updates the entry of one row in the refreshed state. An entry that stays as it is remains shared
/// with the prior state.
void RefreshEntry(const Walk& walk, const ResourceInstance& address, const BlockInfo& info,
                  const Row& row, state::State& refreshed) {
  if (row.left_out()) {
    return;
  }
  if (row.view == RowView::kForgotten) {
    RemoveCurrent(address, refreshed);
    return;
  }
  const bool data = address.resource.resource.mode == ResourceMode::kData;
  if (!row.read().refreshed) {
    if (!row.failed() && row.stored != nullptr && (row.read().previous || data)) {
      if (walk.context.refresh || data) {
        RemoveCurrent(address, refreshed);
      }
    }
    return;
  }
  if (info.schema == nullptr) {
    return;
  }
  const ProviderConfig& provider = walk.graph.providers[info.provider].address;
  const state::Resource* stored = std::as_const(refreshed).Find(address.resource);
  const state::Instance* instance = stored != nullptr ? stored->Find(row.key) : nullptr;
  const state::Object* current = instance != nullptr ? instance->current.get() : nullptr;
  state::Object object = current != nullptr ? *current : state::Object();
  RefreshAttributes(info, row, data, current == nullptr, object);
  if (!data && !row.orphan() && row.reading != RowReading::kFailed) {
    RefreshSettings(walk, info, row, object);
    if (walk.context.request.options.refresh_changed) {
      object.configuration = row.read().configuration;
    }
  }
  if (current != nullptr && stored->provider == provider &&
      instance->provider_key == row.provider_key && state::SharesText(object, *current)) {
    return;
  }
  state::Instance& entry =
      refreshed.Ensure(address.resource, provider).Ensure(walk.program, row.key);
  entry.current = std::make_unique<state::Object>(std::move(object));
  entry.provider_key = row.provider_key;
}

/// Adds each resource that the configuration gives no instance, without objects: the command
/// `import` stores what it has expanded. Ref: opentofu node_resource_abstract.go
/// writeResourceState, called in an import without the removal of what stays empty.
void StoreEmptyResources(const Walk& walk, state::State& imported) {
  for (const auto& node : walk.config.nodes) {
    const auto& resources = node->module->resources;
    for (size_t i = 0; i < resources.size(); ++i) {
      if (resources[i].name.mode == ResourceMode::kEphemeral) {
        continue;
      }
      const BlockInfo& info = walk.graph.blocks[node->index][i];
      for (const ModuleInstance* instance : walk.slots.instances[node->index]) {
        if (instance->resources[i]->rows.empty()) {
          imported.Ensure({instance->id, resources[i].name},
                          walk.graph.providers[info.provider].address);
        }
      }
    }
  }
}

}  // namespace

void StoreIdentity(const schema::ResourceSchema& schema, const Value& identity,
                   state::Object& object) {
  if (identity.IsNull() || schema.identity == nullptr) {
    object.identity.clear();
    object.identity_schema_version.reset();
    return;
  }
  object.identity =
      ValueToJson(identity, schema.identity_type, WholeNumbers::kExact).value_or("null");
  object.identity_schema_version = static_cast<uint64_t>(schema.identity_version);
}

plan::OutputChange ChangeOfOutput(const Program& program, const config::Output& output,
                                  const state::State* before, const Value& after) {
  plan::OutputChange change;
  change.name = program.Text(output.name);
  const state::OutputValue* old = before != nullptr ? before->FindOutput(change.name) : nullptr;
  change.before = old != nullptr ? WithUnsignedZeros(old->value) : Value::Null(Type::Dynamic());
  change.after = WithUnsignedZeros(after);
  bool was_sensitive = old != nullptr && old->sensitive;
  change.sensitive = was_sensitive || output.sensitive;
  Value plain_before = change.before.UnmarkDeep();
  Value plain_after = after.UnmarkDeep();
  auto same = [&] {
    Value equal = Equals(plain_after, plain_before);
    return equal.IsKnown() && !equal.IsNull() && equal.AsBool();
  };
  if (plain_after.IsNull() && plain_before.IsNull()) {
    change.action = plan::Action::kNoOp;
  } else if (old == nullptr) {
    change.action = plan::Action::kCreate;
  } else if (plain_after.IsWhollyKnown() && same() && output.sensitive == was_sensitive &&
             output.deprecated == old->deprecated) {
    change.action = plan::Action::kNoOp;
  } else {
    change.action = plan::Action::kUpdate;
  }
  return change;
}

plan::BoxList<plan::ResourceChange> TakeChanges(Walk& walk) {
  plan::BoxList<plan::ResourceChange> changes;
  ForEachRowOf(walk, [&](const ResourceInstance&, const BlockInfo&, Row& row) {
    if (row.change) {
      changes.push_back(std::move(row.change));
    }
  });
  for (StoredSlot& slot : walk.slots.stored) {
    for (plan::ResourceChange& change : slot.changes) {
      changes.push_back(std::move(change));
    }
    slot.changes.clear();
  }
  changes.SortBy([&](const plan::ResourceChange& a, const plan::ResourceChange& b) {
    return a.address == b.address ? a.deposed.text() < b.deposed.text()
                                  : walk.program.Less(a.address, b.address);
  });
  return changes;
}

std::vector<plan::RelevantAttribute> RelevantAttributes(const Walk& walk, const plan::Plan& plan) {
  plan::RelevantAttributeFinder finder(
      walk.config,
      [&](const config::ConfigNode& node, size_t resource) {
        return walk.graph.blocks[node.index][resource].schema;
      },
      [&](const config::ConfigNode& node, size_t resource) {
        return walk.graph.references().OfBody(*node.module, resource).traversals;
      });
  const AbsResource* last = nullptr;
  for (const plan::ResourceChange& change : plan.changes) {  // those of a resource are together
    const AbsResource& resource = change.address.resource;
    if (change.action != plan::Action::kNoOp && (last == nullptr || *last != resource)) {
      last = &resource;
      finder.AddResource(resource);
    }
  }
  const config::Module& root = *walk.config.root().module;
  for (const plan::OutputChange& change : plan.outputs) {
    const int index = root.FindOutput(walk.program.Find(change.name));
    if (change.action != plan::Action::kNoOp && index >= 0) {
      finder.AddOutput(ModuleInstId(), root.outputs[static_cast<size_t>(index)]);
    }
  }
  // No state has the outputs of modules, so each that has a value counts as a change.
  for (const auto& node : walk.config.nodes) {
    for (const ModuleInstance* instance : walk.slots.instances[node->index]) {
      for (size_t i = 0; node->parent != nullptr && i < instance->outputs.size(); ++i) {
        const config::Output& output = node->module->outputs[i];
        if (instance->outputs[i].evaluated() &&
            (!instance->outputs[i].value().IsNull() || !output.deprecated.empty())) {
          finder.AddOutput(instance->id, output);
        }
      }
    }
  }
  return finder.Run();
}

namespace {

void CollectModuleOutputs(const Walk& walk, plan::Plan& plan) {
  for (const auto& node : walk.config.nodes) {
    const std::vector<config::Output>& outputs = node->module->outputs;
    for (size_t i = 0; node->parent != nullptr && i < outputs.size(); ++i) {
      for (const ModuleInstance* instance : walk.slots.instances[node->index]) {
        const OutputSlot& output = instance->outputs[i];
        if (outputs[i].ephemeral) {
          plan.has_ephemeral_outputs |= output.evaluated();
        } else if (output.evaluated()) {
          plan.module_outputs.push_back(
              {instance->id, outputs[i].name, output.value(), outputs[i].sensitive});
        }
      }
    }
  }
}

/// Whether reading a managed object has changed what is stored beside its value.
bool HasNewSettings(const Walk& walk, const plan::Plan& plan) {
  bool found = false;
  ForEachRowOf(walk, [&](const ResourceInstance& address, const BlockInfo&, const Row& row) {
    if (found || !row.read().previous || row.stored == nullptr || row.stored->current == nullptr) {
      return;
    }
    const state::Object& before = *row.stored->current;
    const state::Resource* resource = plan.prior_state.Find(address.resource);
    const state::Instance* after = resource != nullptr ? resource->Find(row.key) : nullptr;
    found = after != nullptr && after->current != nullptr &&
            (after->current->create_before_destroy != before.create_before_destroy ||
             after->current->private_data != before.private_data ||
             !state::SameDependencies(after->current->dependencies, before.dependencies) ||
             !Value::RawEquals(row.read().previous_identity, row.read().notes.identity));
  });
  return found;
}

}  // namespace

void WarnOfUnreadable(const Walk& walk, const plan::Plan& plan, Diagnostics& diags) {
  const refactoring::Refactoring* refactoring = walk.context.refactoring;
  const bool moved = refactoring != nullptr && !refactoring->Moves().empty();
  // OpenTofu decodes the objects of a state only if the refreshed state is another one. Ref:
  // opentofu internal/tofu/context_plan.go driftedResources.
  if (plan.drift.empty() && !moved &&
      (!walk.context.targets.active() || !HasNewSettings(walk, plan))) {
    return;
  }
  FlatSet<ResourceInstance> read;
  ForEachRowOf(walk, [&](const ResourceInstance& address, const BlockInfo&, const Row& row) {
    if (row.read().previous || row.read().unread) {
      read.insert(address);
    }
  });
  for (const state::Resource* resource : plan.previous_state.Sorted()) {
    if (resource->address.resource.mode != ResourceMode::kManaged) {
      continue;
    }
    const schema::ResourceSchema* const schema = SchemaOf(walk, *resource);
    for (const state::Instance& instance : resource->instances) {
      const ResourceInstance address{resource->address, instance.key};
      const ResourceName& before = walk.context.PreviousAddress(address).resource.resource;
      if (instance.current == nullptr || schema == nullptr || read.contains(address) ||
          before.type != address.resource.resource.type) {
        continue;
      }
      const auto value = state::DecodeObject(*instance.current, schema->block.implied_type());
      if (!value) {
        diags.Warning("Failed to decode resource from state",
                      "What is stored of " + walk.program.ToText(address) +
                          " does not fit its schema: " + value.error().message + ".");
      }
    }
  }
}

void AssemblePlan(Walk& walk, const CheckRecord& checks, plan::Plan& plan) {
  const Program& program = walk.program;
  const state::State* prior = walk.context.prior_state;
  plan.refresh_changed = walk.context.request.options.refresh_changed;
  plan.prior_state.program = plan.program;
  plan.previous_state.program = plan.program;
  if (prior != nullptr) {
    plan.prior_state = prior->Clone();
    plan.previous_state = prior->Clone();
  }
  FlatSet<ResourceInstance> read;
  ForEachRowOf(walk, [&](const ResourceInstance& address, const BlockInfo& info, const Row& row) {
    if (walk.context.targets.active() && !row.left_out()) {
      read.insert(address);
    }
    if (auto drift = DriftOf(walk, address, info, row)) {
      plan.drift.push_back(std::move(*drift));
    }
    RefreshEntry(walk, address, info, row, plan.prior_state);
    plan.unread_objects += row.read().unread ? 1 : 0;
    if (row.imported()) {
      // The previous state has imported objects too.
      RefreshEntry(walk, address, info, row, plan.previous_state);
      if (state::Resource* resource = plan.previous_state.Find(address.resource)) {
        if (state::Instance* instance = resource->Find(address.key)) {
          instance->current->dependencies = nullptr;
          instance->current->create_before_destroy = false;
        }
      }
    }
  });
  if (walk.context.targets.active()) {
    AddUnreadMoves(walk, read, plan);
  }
  state::DropHusks(plan.prior_state);
  if (!walk.context.command_imports.empty()) {
    StoreEmptyResources(walk, plan.prior_state);
  }
  plan.changes = TakeChanges(walk);
  plan.drift.SortBy([&](const plan::ResourceChange& a, const plan::ResourceChange& b) {
    return program.Less(a.address, b.address);
  });

  const config::Module& module = *walk.config.root().module;
  const PlanGraph::Bases& base = walk.graph.bases[0];
  for (size_t i = 0; i < module.outputs.size(); ++i) {
    const config::Output& output = module.outputs[i];
    if (output.ephemeral || !walk.scheduler.Succeeded(base.outputs + static_cast<NodeId>(i))) {
      continue;
    }
    const Value value = walk.slots.root->outputs[i].value();
    plan.outputs.push_back(ChangeOfOutput(program, output, prior, value));
    // Known values are outputs of the prior state already.
    if (value.IsWhollyKnown() && plan.mode != plan::Mode::kDestroy) {
      plan.prior_state.SetOutput({std::string(program.Text(output.name)), value.UnmarkDeep(),
                                  output.sensitive, output.deprecated});
    }
  }
  if (prior != nullptr && !walk.context.targets.active()) {
    for (const state::OutputValue& old : prior->outputs) {
      Symbol name = program.Find(old.name);
      if (name.empty() || module.FindOutput(name) < 0) {
        plan::OutputChange change;
        change.name = old.name;
        change.action = plan::Action::kDelete;
        change.before = WithUnsignedZeros(old.value);
        change.after = Value::Null(Type::Dynamic());
        change.sensitive = old.sensitive;
        plan.outputs.push_back(std::move(change));
      }
    }
  }
  std::sort(
      plan.outputs.begin(), plan.outputs.end(),
      [](const plan::OutputChange& a, const plan::OutputChange& b) { return a.name < b.name; });
  CollectModuleOutputs(walk, plan);
  plan.checks = checks.Results();
}

}  // namespace kinu::engine
