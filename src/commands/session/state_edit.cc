#include "session/state_edit.h"

#include <algorithm>
#include <map>

#include "addrs/instance_order.h"
#include "config/address.h"

namespace kinu::session {
namespace {

bool Has(const state::Resource& resource, const InstanceKey& key) {
  return resource.Find(key) != nullptr;
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

/// The addresses of modules that name what is in a module: its own and those of the modules around
/// it, each also without its last key, which stands for all instances.
std::vector<ModuleInstId> ModulesAround(Program& program, ModuleInstId module) {
  std::vector<ModuleInstId> out = {module};
  for (; !module.is_root(); out.push_back(module)) {
    const ModuleInstId parent = program.Parent(module);
    if (!program.Key(module).none()) {
      out.push_back(program.ModuleInstance(parent, program.CallName(module), {}));
    }
    module = parent;
  }
  return out;
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

void StateAddressSet::Add(const StateAddress& address) {
  if (address.is_module) {
    modules_[address.module.id].clear();
  } else {
    instances_[address.instance].clear();
  }
}

void StateAddressSet::Collect(const ResourceInstance& instance) {
  const auto give_to = [&instance](auto& addresses, const auto& key) {
    if (const auto it = addresses.find(key); it != addresses.end()) {
      it.value().push_back(instance);
    }
  };
  give_to(instances_, instance);
  if (!instance.key.none()) {
    give_to(instances_, ResourceInstance{instance.resource, {}});
  }
  if (!modules_.empty()) {
    for (const ModuleInstId module : ModulesAround(program_, instance.resource.module)) {
      give_to(modules_, module.id);
    }
  }
}

const std::vector<ResourceInstance>& StateAddressSet::Collected(const StateAddress& address) const {
  return address.is_module ? modules_.at(address.module.id) : instances_.at(address.instance);
}

void InstanceSelector::AddModules() {
  for (const auto& resource : state_.resources) {
    for (const ModuleInstId module : ModulesAround(*state_.program, resource->address.module)) {
      modules_[module.id].push_back(&*resource);
    }
  }
  has_modules_ = true;
}

std::vector<ResourceInstance> InstanceSelector::Select(const StateAddress& address) {
  std::vector<ResourceInstance> out;
  const auto add_all = [&out](const state::Resource& resource) {
    for (const state::Instance& instance : resource.instances) {
      out.push_back({resource.address, instance.key});
    }
  };
  if (address.is_module) {
    if (!has_modules_) {
      AddModules();
    }
    for (const state::Resource* resource : modules_[address.module.id]) {
      add_all(*resource);
    }
  } else if (const state::Resource* resource = state_.Find(address.instance.resource)) {
    if (address.instance.key.none()) {
      add_all(*resource);
    } else if (resource->Find(address.instance.key) != nullptr) {
      out.push_back(address.instance);
    }
  }
  SortInstances(*state_.program, out);
  return out;
}

void RemoveInstances(state::State& state, const std::vector<ResourceInstance>& addresses) {
  const FlatSet<ResourceInstance> removed(addresses.begin(), addresses.end());
  FlatSet<AbsResource> done;
  for (const ResourceInstance& address : addresses) {
    state::Resource* resource =
        done.insert(address.resource).second ? state.Find(address.resource) : nullptr;
    if (resource == nullptr) {
      continue;
    }
    std::erase_if(resource->instances, [&](const state::Instance& instance) {
      return removed.contains({address.resource, instance.key});
    });
    if (resource->instances.empty()) {
      state.Remove(address.resource);
    }
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

StateModules& StateMover::SourceModules() {
  return source_modules_ ? *source_modules_ : source_modules_.emplace(source_);
}

StateModules& StateMover::DestinationModules() {
  if (&destination_ == &source_) {
    return SourceModules();
  }
  return destination_modules_ ? *destination_modules_ : destination_modules_.emplace(destination_);
}

void StateMover::NoteMove(const AbsResource& from, const AbsResource& to) {
  if (source_modules_ && source_.Find(from) == nullptr) {
    source_modules_->Remove(from);
  }
  if (&destination_ == &source_ ? source_modules_.has_value() : destination_modules_.has_value()) {
    DestinationModules().Add(to);
  }
}

void StateMover::MoveOne(const ResourceInstance& from, const ResourceInstance& to) {
  state::Resource* source = source_.Find(from.resource);
  const auto at = source->instances.begin() + (source->Find(from.key) - source->instances.data());
  state::Instance moved = std::move(*at);
  const ProviderConfig provider = source->provider;
  source->instances.erase(at);
  if (source->instances.empty()) {
    source_.Remove(from.resource);
  }
  state::Instance& target =
      destination_.Ensure(to.resource, provider).Ensure(*destination_.program, to.key);
  moved.key = to.key;
  target = std::move(moved);
  NoteMove(from.resource, to.resource);
}

void StateMover::MoveWhole(const AbsResource& from, const AbsResource& to) {
  state::Resource* source = source_.Find(from);
  const ProviderConfig provider = source->provider;
  std::vector<state::Instance> instances = std::move(source->instances);
  source_.Remove(from);
  destination_.Ensure(to, provider).instances = std::move(instances);
  NoteMove(from, to);
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
  for (const AbsResource& address : SourceModules().Inside(from.module)) {
    modules[program.ToText(address.module)].push_back(address);
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
    if (DestinationModules().HasResources(target)) {
      return Fail("Destination module already exists",
                  "There are objects in " + program.ToText(target) +
                      " already. Nothing was changed in the stored states.");
    }
    Report(name, program.ToText(target));
    if (options_.dry_run) {
      continue;
    }
    for (const AbsResource& address : addresses) {
      MoveWhole(address, {target, address.resource});
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
    MoveWhole(from, target);
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
    MoveWhole(from.resource, to.instance.resource);
  } else {
    MoveOne(from, to.instance);
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
