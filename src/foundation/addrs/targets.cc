#include "addrs/targets.h"

namespace kinu {

std::string ToText(const Program& program, const TargetAddress& address) {
  return address.resource
             ? program.ToText(ResourceInstance{{address.module, *address.resource}, address.key})
             : program.ToText(address.module);
}

bool ParseTarget(Program& program, std::string_view text, TargetAddress* out) {
  *out = {};
  if (!text.empty() && program.ParseModuleInstance(text, &out->module)) {
    return true;
  }
  ResourceInstance instance;
  if (!program.ParseResourceInstance(text, &instance)) {
    return false;
  }
  *out = {instance.resource.module, instance.resource.resource, instance.key};
  return true;
}

Targets::Targets(Program& program, std::span<const TargetAddress> targets,
                 std::span<const TargetAddress> excludes)
    : program_(&program),
      active_(!targets.empty() || !excludes.empty()),
      excluding_(targets.empty() && !excludes.empty()) {
  for (const TargetAddress& address : excluding_ ? excludes : targets) {
    if (address.resource) {
      AddResource({{address.module, *address.resource}, address.key});
    } else {
      AddModule(address.module);
    }
  }
}

void Targets::AddModule(ModuleInstId module) {
  modules_.insert(module.id);
  if (program_->Key(module).none()) {
    any_key_.insert(module.id);
  }
  const ModuleId general = program_->ModuleOf(module);
  general_modules_.insert(general.id);
  if (!program_->HasKeys(module)) {
    whole_modules_.insert(general.id);
  }
}

void Targets::AddResource(const ResourceInstance& instance) {
  const AbsResource& resource = instance.resource;
  const ConfigResource general{program_->ModuleOf(resource.module), resource.resource};
  general_blocks_.insert(general);
  if (!instance.key.none()) {
    instances_.insert(instance);
    return;
  }
  resources_.insert(resource);
  if (!program_->HasKeys(resource.module)) {
    whole_blocks_.insert(general);
  }
}

bool Targets::ContainsModule(ModuleInstId module) const {
  for (ModuleInstId at = module;; at = program_->Parent(at)) {
    if (modules_.contains(at.id)) {
      return true;
    }
    if (at.is_root()) {
      return false;
    }
    if (!any_key_.empty() && !program_->Key(at).none()) {
      ModuleInstId all = program_->ModuleInstance(program_->Parent(at), program_->CallName(at), {});
      if (any_key_.contains(all.id)) {
        return true;
      }
    }
  }
}

bool Targets::Contains(const ResourceInstance& instance) const {
  return instances_.contains(instance) || resources_.contains(instance.resource) ||
         (!modules_.empty() && ContainsModule(instance.resource.module));
}

namespace {

/// Whether the module or one around it is in the set.
bool ContainsPath(const Program& program, const FlatSet<uint32_t>& modules, ModuleId module) {
  for (ModuleId at = module;; at = program.Parent(at)) {
    if (modules.contains(at.id)) {
      return true;
    }
    if (at.is_root()) {
      return false;
    }
  }
}

}  // namespace

bool Targets::Contains(const ConfigResource& block) const {
  return whole_blocks_.contains(block) ||
         (!whole_modules_.empty() && ContainsPath(*program_, whole_modules_, block.module));
}

bool Targets::Touches(const ConfigResource& block) const {
  return general_blocks_.contains(block) ||
         (!general_modules_.empty() && ContainsPath(*program_, general_modules_, block.module));
}

}  // namespace kinu
