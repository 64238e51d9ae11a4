#include "addrs/targets.h"

namespace kinu {

Targets::Targets(Program& program, std::span<const std::string> targets,
                 std::span<const std::string> excludes)
    : program_(&program),
      active_(!targets.empty() || !excludes.empty()),
      excluding_(targets.empty() && !excludes.empty()) {
  for (const std::string& text : excluding_ ? excludes : targets) {
    ModuleInstId module;
    ResourceInstance instance;
    if (program.ParseModuleInstance(text, &module)) {
      modules_.insert(module.id);
      if (program.Key(module).none()) {
        any_key_.insert(module.id);
      }
      ModuleId general = program.ModuleOf(module);
      general_modules_.insert(general.id);
      if (!program.HasKeys(module)) {
        whole_modules_.insert(general.id);
      }
    } else if (program.ParseResourceInstance(text, &instance)) {
      const AbsResource& resource = instance.resource;
      ConfigResource general{program.ModuleOf(resource.module), resource.resource};
      general_blocks_.insert(general);
      if (!instance.key.none()) {
        instances_.insert(instance);
        continue;
      }
      resources_.insert(resource);
      if (!program.HasKeys(resource.module)) {
        whole_blocks_.insert(general);
      }
    }
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
