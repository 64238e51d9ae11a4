#include "engine/imports.h"

#include <memory>
#include <optional>
#include <utility>

#include "engine/evaluation.h"
#include "engine/reference_check.h"
#include "engine/scope.h"
#include "text/quote.h"

namespace kinu::engine {
namespace {

/// Calls `visit(repetition)` for each element of the block's for_each, or once.
template <typename F>
void ForEachElement(Walk& walk, const config::Import& import, bool validating, Diagnostics& diags,
                    F&& visit) {
  if (import.for_each == nullptr) {
    visit(Repetition());
    return;
  }
  if (!ReferenceCheck(walk, walk.config.root()).Expr(*import.for_each, diags)) {
    return;
  }
  size_t errors = diags.error_count();
  ModuleScope outer(walk, *walk.slots.root);
  Expansion expansion =
      config::ExpandImport(*import.for_each, outer, walk.program, validating, diags);
  if (diags.error_count() != errors || expansion.kind == Expansion::Kind::kUnknown) {
    return;
  }
  for (size_t row = 0; row < expansion.size(); ++row) {
    visit(Repetition{&expansion, row});
  }
}

ImportBlocks* ImportsOf(PlanGraph& graph, const ConfigResource& target) {
  const config::ConfigNode* node = graph.config.Find(target.module);
  int block = node == nullptr ? -1 : node->module->FindResource(target.resource);
  if (block < 0) {
    return nullptr;
  }
  auto& imports = graph.blocks[node->index][static_cast<size_t>(block)].imports;
  if (imports == nullptr) {
    imports = std::make_unique<ImportBlocks>();
  }
  return imports.get();
}

/// Shows the stored instances of a resource of the root module while its import blocks refer to it:
/// they are evaluated before its expansion.
class StoredInstancesInSight {
 public:
  StoredInstancesInSight(const Walk& walk, size_t resource)
      : table_(walk.slots.root->resources[resource]),
        hidden_(std::exchange(table_, std::make_unique<ResourceTable>())) {
    LoadStoredRows(walk, *walk.slots.root, resource);
  }
  StoredInstancesInSight(const StoredInstancesInSight&) = delete;
  StoredInstancesInSight& operator=(const StoredInstancesInSight&) = delete;
  ~StoredInstancesInSight() { table_ = std::move(hidden_); }

 private:
  std::unique_ptr<ResourceTable>& table_;
  std::unique_ptr<ResourceTable> hidden_;
};

}  // namespace

void AttachImports(PlanGraph& graph) {
  for (const ImportTarget& target : graph.context.command_imports) {
    const AbsResource& resource = target.address.resource;
    ImportBlocks* imports =
        ImportsOf(graph, {graph.program.ModuleOf(resource.module), resource.resource});
    if (imports != nullptr) {
      imports->commands.push_back(&target);
    }
  }
  if (!graph.context.command_imports.empty() || !graph.context.imports) {
    return;
  }
  for (const config::Import& import : graph.config.root().module->imports) {
    ImportBlocks* imports = ImportsOf(graph, import.target);
    if (imports != nullptr) {
      imports->blocks.push_back(&import);
      const meta_arguments::GeneratedBlocks* generated = graph.context.request.generated;
      imports->generated = generated != nullptr && generated->IsGenerated(import.target);
    }
  }
}

void ValidateImport(Walk& walk, const config::Import& import, Diagnostics& diags) {
  const schema::ResourceSchema* schema = nullptr;
  bool is_known = true;
  if (import.id == nullptr && import.identity != nullptr) {
    if (auto provider =
            walk.context.request.providers->Schema(walk.program.Text(import.provider))) {
      schema = (*provider)->FindResource(walk.program.Text(import.target.resource.type));
    } else {
      is_known = walk.context.request.missing_schemas != MissingSchemas::kSkip;
    }
  }
  const hcl::Expr* identifier = import.id != nullptr ? import.id : import.identity;
  ForEachElement(walk, import, true, diags, [&](const Repetition& element) {
    const ReferenceCheck check(walk, walk.config.root(), {}, element.expansion);
    if (identifier != nullptr && check.Expr(*identifier, diags) && is_known) {
      const ModuleScope scope(walk, *walk.slots.root, element);
      meta_arguments::ValidateImport(import, schema, scope, diags);
    }
  });
}

void ResolveImports(Walk& walk, const BlockInfo& info, BlockSlot& slot, Diagnostics& diags) {
  slot.imports = std::make_unique<ImportSlot>();
  ImportSlot& imports = *slot.imports;
  for (const ImportTarget* command : info.imports->commands) {
    imports.index.emplace(command->address, static_cast<uint32_t>(imports.targets.size()));
    imports.targets.push_back(*command);
  }
  std::optional<StoredInstancesInSight> stored;
  if (info.imports->refer_to_target) {
    const auto& target = info.imports->blocks[0]->target.resource;
    stored.emplace(walk, static_cast<size_t>(walk.config.root().module->FindResource(target)));
  }
  for (const config::Import* import : info.imports->blocks) {
    ForEachElement(walk, *import, false, diags, [&](const Repetition& element) {
      const ModuleScope scope(walk, *walk.slots.root, element);
      std::optional<ImportTarget> target =
          meta_arguments::EvaluateImport(walk.program, *import, info.schema, scope, diags);
      if (!target) {
        return;
      }
      auto [it, added] =
          imports.index.emplace(target->address, static_cast<uint32_t>(imports.targets.size()));
      if (added) {
        imports.targets.push_back(*std::move(target));
        return;
      }
      const config::Import& first = *imports.targets[it->second].block;
      const std::string address = walk.program.ToText(target->address);
      diags.Error("Duplicate import configuration for " + text::GoQuote(address),
                  "Another import block brings an object to " + address +
                      " already. Each instance can be imported once.",
                  first.range);
    });
  }
}

bool CheckImportedInstances(const Walk& walk, Diagnostics& diags) {
  bool sound = true;
  for (const auto& node : walk.config.nodes) {
    for (size_t i = 0; i < walk.graph.blocks[node->index].size(); ++i) {
      const BlockSlot& slot = walk.slots.blocks[node->index][i];
      if (slot.imports == nullptr || slot.imports->targets.empty()) {
        continue;
      }
      FlatMap<uint32_t, const ModuleInstance*> places;
      for (const ModuleInstance* instance : walk.slots.instances[node->index]) {
        places.emplace(instance->id.id, instance);
      }
      for (const ImportTarget& target : slot.imports->targets) {
        auto place = places.find(target.address.resource.module.id);
        const Row* row =
            place == places.end() ? nullptr : place->second->resources[i]->Find(target.address.key);
        if (row != nullptr && !row->orphan()) {
          continue;
        }
        sound = false;
        diags.Error("Configuration for import target does not exist",
                    "The configuration for the given import " +
                        walk.program.ToText(target.address) +
                        " does not exist. All target instances must have an associated "
                        "configuration to be imported.");
      }
    }
  }
  return sound;
}

}  // namespace kinu::engine
