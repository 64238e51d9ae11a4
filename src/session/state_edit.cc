#include "session/state_edit.h"

#include <algorithm>
#include <map>

#include "addrs/instance_order.h"
#include "config/address.h"

namespace kinu::session {
namespace {

bool Has(const state::Resource& resource, const InstanceKey& key) {
  return std::ranges::any_of(resource.instances,
                             [&](const state::Instance& instance) { return instance.key == key; });
}

bool Inside(const Program& program, ModuleInstId module, ModuleInstId ancestor) {
  while (module != ancestor && !module.is_root()) {
    module = program.Parent(module);
  }
  return module == ancestor;
}

/// `module` with the part that is `from` replaced by `to`.
ModuleInstId Rebase(Program& program, ModuleInstId module, ModuleInstId from, ModuleInstId to) {
  std::vector<ModuleInstId> below;
  for (; module != from && !module.is_root(); module = program.Parent(module)) {
    below.push_back(module);
  }
  for (auto it = below.rbegin(); it != below.rend(); ++it) {
    to = program.ModuleInstance(to, program.CallName(*it), program.Key(*it));
  }
  return to;
}

/// Moves an instance into another state, or to another address in the same one.
void MoveOne(state::State& from_state, const ResourceInstance& from, state::State& target_state,
             const ResourceInstance& to) {
  state::Resource* source = from_state.Find(from.resource);
  const auto at = std::ranges::find_if(
      source->instances, [&](const state::Instance& entry) { return entry.key == from.key; });
  state::Instance moved = std::move(*at);
  const ProviderConfig provider = source->provider;
  source->instances.erase(at);
  if (source->instances.empty()) {
    from_state.Remove(from.resource);
  }
  state::Instance& target =
      target_state.Ensure(to.resource, provider).Ensure(*target_state.program, to.key);
  moved.key = to.key;
  target = std::move(moved);
}

/// Moves a whole resource, with all of its instances.
void MoveWhole(state::State& from_state, const AbsResource& from, state::State& target_state,
               const AbsResource& to) {
  state::Resource* source = from_state.Find(from);
  const ProviderConfig provider = source->provider;
  std::vector<state::Instance> instances = std::move(source->instances);
  from_state.Remove(from);
  target_state.Ensure(to, provider).instances = std::move(instances);
}

/// What was moved, as dependencies name it.
class MovedBlocks {
 public:
  MovedBlocks(const Program& program, const std::vector<StateAddress>& addresses)
      : program_(program) {
    for (const StateAddress& from : addresses) {
      if (!from.is_module) {
        resources_.insert(
            {program.ModuleOf(from.instance.resource.module), from.instance.resource.resource});
      } else if (!program.HasKeys(from.module)) {
        modules_.insert(program.ModuleOf(from.module).id);
      }
    }
  }
  /// Whether a stored dependency may be on one of them.
  bool Contains(const ConfigResource& dependency) const {
    if (resources_.contains(dependency)) {
      return true;
    }
    ModuleId module = dependency.module;
    while (!modules_.contains(module.id) && !module.is_root()) {
      module = program_.Parent(module);
    }
    return modules_.contains(module.id);
  }

 private:
  const Program& program_;
  FlatSet<ConfigResource> resources_;
  FlatSet<uint32_t> modules_;  // ModuleId::id
};

/// Whether a module is the one that an address names, or inside it. An address that ends without a
/// key names all instances of the module.
bool ContainsModule(const Program& program, ModuleInstId target, ModuleInstId module) {
  const bool all_instances = !target.is_root() && program.Key(target).none();
  for (; module != target && !module.is_root(); module = program.Parent(module)) {
    if (all_instances && program.Parent(module) == program.Parent(target) &&
        program.CallName(module) == program.CallName(target)) {
      return true;
    }
  }
  return module == target;
}

}  // namespace

std::optional<StateAddress> ParseStateAddress(Program& program, const SourceFile* source,
                                              Diagnostics& diags) {
  const auto endpoint = config::ParseAddress(program, source, diags);
  if (!endpoint) {
    return std::nullopt;
  }
  return StateAddress{.is_module = endpoint->is_module,
                      .module = endpoint->module,
                      .instance = {{endpoint->module, endpoint->resource}, endpoint->key}};
}

bool Matches(const Program& program, const StateAddress& address,
             const ResourceInstance& instance) {
  if (address.is_module) {
    return ContainsModule(program, address.module, instance.resource.module);
  }
  return instance.resource == address.instance.resource &&
         (address.instance.key.none() || instance.key == address.instance.key);
}

std::vector<ResourceInstance> SelectInstances(const state::State& state,
                                              const StateAddress& address) {
  std::vector<ResourceInstance> out;
  const auto select_from = [&](const state::Resource& resource) {
    for (const state::Instance& instance : resource.instances) {
      const ResourceInstance candidate{resource.address, instance.key};
      if (Matches(*state.program, address, candidate)) {
        out.push_back(candidate);
      }
    }
  };
  if (!address.is_module) {
    if (const state::Resource* resource = state.Find(address.instance.resource)) {
      select_from(*resource);
    }
  } else {
    for (const auto& resource : state.resources) {
      select_from(*resource);
    }
  }
  SortInstances(*state.program, out);
  return out;
}

void RemoveInstance(state::State& state, const ResourceInstance& address) {
  state::Resource* resource = state.Find(address.resource);
  if (resource == nullptr) {
    return;
  }
  std::erase_if(resource->instances,
                [&](const state::Instance& instance) { return instance.key == address.key; });
  if (resource->instances.empty()) {
    state.Remove(address.resource);
  }
}

bool StateMover::Run(const StateAddress& from, const StateAddress& to, const std::string& to_text) {
  errors_before_ = diags_.error_count();
  if (from.is_module) {
    return MoveModules(from, to);
  }
  const state::Resource* resource = source_.Find(from.instance.resource);
  if (!from.instance.key.none() || (resource != nullptr && Has(*resource, InstanceKey()))) {
    return MoveInstance(from.instance, resource, to, to_text);
  }
  return MoveResource(from.instance.resource, resource, to);
}

bool StateMover::Fail(const char* summary, std::string detail) {
  diags_.Error(summary, std::move(detail));
  return false;
}

bool StateMover::NoSource(const std::string& text) {
  return Fail("Invalid source address",
              "Cannot move " + text + ": does not match anything in the current state.");
}

void StateMover::Report(const std::string& from, const std::string& to) {
  options_.moving(from, to);
  ++moved_;
}

void StateMover::CheckKinds(const AbsResource& from, const AbsResource& to) {
  const Program& program = *source_.program;
  const ResourceName& one = from.resource;
  const ResourceName& other = to.resource;
  const std::string move = "Cannot move " + program.ToText(from) + " to " + program.ToText(to);
  if (one.mode == ResourceMode::kEphemeral || other.mode == ResourceMode::kEphemeral) {
    Fail("Invalid state move request",
         "Ephemeral resources cannot be used as sources or targets for the move action. Just "
         "update your configuration accordingly.");
    return;
  }
  if (one.mode != other.mode) {
    Fail("Invalid state move request",
         move + ": a resource stays managed, and a data source stays one.");
  }
  if (one.type != other.type) {
    Fail("Invalid state move request", move + ": resource types don't match.");
  }
}

bool StateMover::MoveModules(const StateAddress& from, const StateAddress& to) {
  Program& program = *source_.program;
  std::map<std::string, std::vector<AbsResource>> modules;
  for (const state::Resource* resource : source_.Sorted()) {
    if (Inside(program, resource->address.module, from.module)) {
      modules[program.ToText(resource->address.module)].push_back(resource->address);
    }
  }
  const std::string from_text = program.ToText(from.module);
  if (modules.empty()) {
    return NoSource(from_text);
  }
  if (!to.is_module) {
    return Fail("Invalid target address", "Cannot move " + from_text + " to " +
                                              program.ToText(to.instance) +
                                              ": the target must also be a module.");
  }
  for (const auto& [name, addresses] : modules) {
    const ModuleInstId target = Rebase(program, addresses.front().module, from.module, to.module);
    if (std::any_of(destination_.resources.begin(), destination_.resources.end(),
                    [&](const auto& resource) { return resource->address.module == target; })) {
      return Fail("Destination module already exists",
                  "There are objects in " + program.ToText(target) +
                      " already. Nothing was changed in the stored states.");
    }
    Report(name, program.ToText(target));
    if (options_.dry_run) {
      continue;
    }
    for (const AbsResource& address : addresses) {
      MoveWhole(source_, address, destination_, {target, address.resource});
    }
  }
  return true;
}

bool StateMover::MoveResource(const AbsResource& from, const state::Resource* resource,
                              const StateAddress& to) {
  const Program& program = *source_.program;
  if (resource == nullptr) {
    return NoSource(program.ToText(from));
  }
  if (to.is_module || !to.instance.key.none()) {
    return Fail("Invalid target address",
                "Cannot move " + program.ToText(from) +
                    ": a resource as a whole can only become a resource as a whole.");
  }
  const AbsResource& target = to.instance.resource;
  CheckKinds(from, target);
  if (destination_.Find(target) != nullptr) {
    Fail("Invalid target address",
         "Cannot move to " + program.ToText(target) +
             ": there is already a resource at that address in the current state.");
  }
  if (diags_.error_count() != errors_before_) {
    return false;
  }
  Report(program.ToText(from), program.ToText(target));
  if (!options_.dry_run) {
    MoveWhole(source_, from, destination_, target);
  }
  return true;
}

bool StateMover::MoveInstance(const ResourceInstance& from, const state::Resource* resource,
                              const StateAddress& to, const std::string& to_text) {
  const Program& program = *source_.program;
  if (to.is_module) {
    return Fail("Invalid target address", "Cannot move " + program.ToText(from) + " to " +
                                              program.ToText(to.module) +
                                              ": the target must also be a resource instance.");
  }
  CheckKinds(from.resource, to.instance.resource);
  const state::Resource* existing = destination_.Find(to.instance.resource);
  if (existing != nullptr && Has(*existing, to.instance.key)) {
    Fail("Invalid target address",
         "Cannot move to " + program.ToText(to.instance) +
             ": there is already a resource instance at that address in the current state.");
  }
  if (resource == nullptr || !Has(*resource, from.key)) {
    NoSource(program.ToText(from));
  }
  if (diags_.error_count() != errors_before_) {
    return false;
  }
  Report(program.ToText(from), to_text);
  if (options_.dry_run) {
    return true;
  }
  if (existing == nullptr && resource->instances.size() == 1 && from.key == to.instance.key) {
    MoveWhole(source_, from.resource, destination_, to.instance.resource);
  } else {
    MoveOne(source_, from, destination_, to.instance);
  }
  return true;
}

void ForgetDependencies(state::State& state, const std::vector<StateAddress>& from) {
  const MovedBlocks moved(*state.program, from);
  for (auto& resource : state.resources) {
    for (state::Instance& instance : resource.Own().instances) {
      if (instance.current == nullptr || instance.current->dependencies == nullptr) {
        continue;
      }
      const auto& list = *instance.current->dependencies;
      if (std::ranges::any_of(list, [&](const auto& entry) { return moved.Contains(entry); })) {
        instance.current->dependencies = nullptr;
      }
    }
  }
}

}  // namespace kinu::session
