#include "engine/console.h"

#include <algorithm>

#include "engine/nodes/nodes.h"
#include "engine/passes/passes.h"
#include "engine/reference_check.h"
#include "engine/scope.h"
#include "schema/marks.h"

namespace kinu::engine {

struct ConsoleSession::Parts {
  explicit Parts(const Input& input) : walk(WalkKind::kEval, input) {}
  Walk walk;
  CheckRecord checks;
  std::unique_ptr<ModuleScope> scope;
};

ConsoleSession::ConsoleSession(const Input& input) : parts_(std::make_unique<Parts>(input)) {
}
ConsoleSession::~ConsoleSession() = default;

const lang::Scope& ConsoleSession::scope() const {
  return *parts_->scope;
}

bool ConsoleSession::CheckReferences(const hcl::Expr& expr, Diagnostics& diags) const {
  return ReferenceCheck(parts_->walk, *parts_->walk.config.nodes[0]).Expr(expr, diags);
}

bool ConsoleSession::Open(Diagnostics& diags) {
  Walk& walk = parts_->walk;
  if (!BuildGraph(walk, diags)) {
    return false;
  }
  walk.root = ModuleInstance::Make(ModuleInstId(), walk.config.nodes[0].get(), nullptr, {});
  walk.instances[0].push_back(walk.root.get());
  NodeContext context{walk, parts_->checks};
  walk.Run(
      [&](NodeId id, Diagnostics& found) {
        switch (walk.graph.node(id).kind) {
          case NodeKind::kModule:
            return ExpandModule(context, id, found);
          case NodeKind::kVariable:
            return EvaluateVariable(context, id, found);
          case NodeKind::kLocal:
            return EvaluateLocal(context, id, found);
          case NodeKind::kOutput:
            return EvaluateOutput(context, id, found);
          default:
            return;  // objects are read when they are asked for
        }
      },
      diags);
  parts_->scope = std::make_unique<ModuleScope>(walk, *walk.root);
  return true;
}

void LoadStoredRows(const Walk& walk, const ModuleInstance& instance, size_t resource) {
  ResourceTable& table = *instance.resources[resource];
  const config::Resource& block = instance.node->module->resources[resource];
  const BlockInfo& info = walk.blocks[instance.node->index][resource];
  table.expanded = true;
  const state::Resource* stored = nullptr;
  for (const state::Resource* candidate : info.stored) {
    if (candidate->address.module == instance.id) {
      stored = candidate;
    }
  }
  Expansion& expansion = table.expansion;
  bool repeated = block.count != nullptr || block.for_each != nullptr;
  if (stored == nullptr || info.schema == nullptr) {
    if (repeated || info.schema == nullptr) {
      expansion.kind = Expansion::Kind::kUnknown;
    }
    return;
  }
  std::vector<const state::Instance*> found;
  for (const state::Instance& entry : stored->instances) {
    bool fits = block.count != nullptr      ? entry.key.kind() == InstanceKey::Kind::kInt
                : block.for_each != nullptr ? entry.key.kind() == InstanceKey::Kind::kString
                                            : entry.key.none();
    if (fits) {
      found.push_back(&entry);
    }
  }
  if (block.count != nullptr) {
    expansion.kind = Expansion::Kind::kCount;
    for (const state::Instance* entry : found) {
      expansion.count = std::max(expansion.count, entry->key.index() + 1);
    }
  } else if (block.for_each != nullptr) {
    expansion.kind = Expansion::Kind::kForEach;
    for (const state::Instance* entry : found) {
      expansion.keys.push_back(entry->key.symbol());
      expansion.values.push_back(Value::DynamicUnknown());
    }
  } else if (block.enabled != nullptr && found.empty()) {
    expansion.kind = Expansion::Kind::kDisabled;
  }
  table.rows.resize(expansion.size());
  for (size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].key = expansion.key(i);
  }
  for (const state::Instance* entry : found) {
    Row* row = table.Find(entry->key);
    if (row == nullptr || entry->current == nullptr) {
      continue;
    }
    row->stored = entry;
    auto value = state::DecodeObject(*entry->current, info.schema->block.implied_type());
    if (value) {
      row->value = schema::MarkSensitive(info.schema->block, *value);
    }
  }
}

}  // namespace kinu::engine
