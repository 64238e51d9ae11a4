#include "engine/checks.h"

#include <algorithm>

namespace kinu::engine {

void CheckRecord::Declare(NodeId node, const ConfigCheckable& block, size_t conditions) {
  std::lock_guard lock(mutex_);
  Entry& entry = entries_[node];
  entry.block = block;
  entry.conditions = conditions;
  has_entries_.store(true, std::memory_order_release);
}

void CheckRecord::DeclareLeftOut(const ConfigCheckable& block) {
  std::lock_guard lock(mutex_);
  left_out_.push_back(block);
}

void CheckRecord::DeclareObject(NodeId node, const ResourceInstance& object_address) {
  std::lock_guard lock(mutex_);
  auto it = entries_.find(node);
  if (it == entries_.end()) {
    return;
  }
  it->second.has_objects = true;
  if (it->second.objects.try_emplace(object_address).second) {
    it->second.order.push_back(object_address);
  }
}

void CheckRecord::DeclareExpanded(NodeId node) {
  if (!has_entries_.load(std::memory_order_acquire)) {
    return;
  }
  std::lock_guard lock(mutex_);
  auto it = entries_.find(node);
  if (it != entries_.end()) {
    it->second.has_objects = true;
  }
}

bool CheckRecord::Declared(NodeId node) const {
  if (!has_entries_.load(std::memory_order_acquire)) {
    return false;
  }
  std::lock_guard lock(mutex_);
  return entries_.contains(node);
}

bool CheckRecord::Failing(NodeId node, const ResourceInstance& object_address) const {
  std::lock_guard lock(mutex_);
  auto entry = entries_.find(node);
  if (entry == entries_.end()) {
    return false;
  }
  auto object = entry->second.objects.find(object_address);
  return object != entry->second.objects.end() && object->second.reported &&
         (object->second.status == CheckStatus::kFail ||
          object->second.status == CheckStatus::kError);
}

void CheckRecord::DeclareObjectsOf(const std::vector<state::CheckResult>& earlier) {
  FlatMap<ConfigCheckable, const state::CheckResult*> by_address;
  for (const state::CheckResult& result : earlier) {
    by_address.emplace(result.block, &result);
  }
  std::lock_guard lock(mutex_);
  for (auto& [node, entry] : entries_) {
    auto it = by_address.find(entry.block);
    if (it == by_address.end()) {
      continue;
    }
    entry.has_objects = entry.has_objects || it->second->status != CheckStatus::kUnknown;
    for (const auto& object : it->second->objects) {
      entry.has_objects = true;
      if (entry.objects.try_emplace(object.address).second) {
        entry.order.push_back(object.address);
      }
    }
  }
}

namespace {

/// The status of an object, and of a block, is its worst result: error, fail, unknown, pass.
int Rank(CheckStatus status) {
  switch (status) {
    case CheckStatus::kError:
      return 3;
    case CheckStatus::kFail:
      return 2;
    case CheckStatus::kUnknown:
      return 1;
    case CheckStatus::kPass:
      return 0;
  }
  return 0;
}

}  // namespace

void CheckRecord::Report(NodeId node, const ResourceInstance& object_address,
                         const ConditionResult& result) {
  DeclareObject(node, object_address);
  std::lock_guard lock(mutex_);
  auto it = entries_.find(node);
  if (it == entries_.end()) {
    return;
  }
  Object& object = it->second.objects[object_address];
  if (!object.reported || Rank(result.status) > Rank(object.status)) {
    object.status = result.status;
  }
  object.reported = true;
  object.rules.resize(std::max(object.rules.size(), result.rule + 1));
  const bool again = object.rules[result.rule];  // a change that is planned twice
  object.rules[result.rule] = true;
  if (result.status == CheckStatus::kFail && !result.failure_message.empty() &&
      !(again &&
        std::ranges::find(object.messages, result.failure_message) != object.messages.end())) {
    object.messages.push_back(result.failure_message);
  }
}

std::vector<state::CheckResult> CheckRecord::Results() const {
  std::lock_guard lock(mutex_);
  std::vector<state::CheckResult> out;
  for (const auto& [node, entry] : entries_) {
    state::CheckResult result;
    result.block = entry.block;
    result.has_objects = entry.has_objects;
    // Ref: checks.State aggregation: errors first, then failures, then unknowns.
    result.status = entry.has_objects ? CheckStatus::kPass : CheckStatus::kUnknown;
    for (const ResourceInstance& address : entry.order) {
      const Object& object = entry.objects.at(address);
      const auto reported =
          static_cast<size_t>(std::count(object.rules.begin(), object.rules.end(), true));
      const CheckStatus status = object.status == CheckStatus::kPass && reported < entry.conditions
                                     ? CheckStatus::kUnknown
                                     : object.status;
      result.objects.push_back({address, status, object.messages});
      if (Rank(status) > Rank(result.status)) {
        result.status = status;
      }
    }
    out.push_back(std::move(result));
  }
  for (const ConfigCheckable& block : left_out_) {
    state::CheckResult& result = out.emplace_back();
    result.block = block;
    result.status = CheckStatus::kUnknown;
  }
  return out;
}

void DeclareChecks(const PlanGraph& graph, CheckRecord& checks) {
  for (const auto& node : graph.config.nodes) {
    const config::Module& module = *node->module;
    const PlanGraph::Bases& base = graph.bases[node->index];
    auto declare = [&](NodeId first, size_t index, CheckableKind kind, Symbol name,
                       size_t conditions) {
      checks.Declare(first + static_cast<NodeId>(index), {kind, {node->path, {.name = name}}},
                     conditions);
    };
    for (size_t i = 0; i < module.variables.size(); ++i) {
      if (!module.variables[i].validations.empty()) {
        declare(base.variables, i, CheckableKind::kVariable, module.variables[i].name,
                module.variables[i].validations.size());
      }
    }
    for (size_t i = 0; i < module.outputs.size(); ++i) {
      if (!module.outputs[i].preconditions.empty()) {
        declare(base.outputs, i, CheckableKind::kOutput, module.outputs[i].name,
                module.outputs[i].preconditions.size());
      }
    }
    for (size_t i = 0; i < module.checks.size(); ++i) {
      const config::Check& check = module.checks[i];
      // Reading its data source is the last condition.
      declare(base.checks, i, CheckableKind::kCheck, check.name,
              check.asserts.size() + (check.data_resource >= 0 ? 1 : 0));
    }
    for (size_t i = 0; i < module.resources.size(); ++i) {
      const config::Resource& resource = module.resources[i];
      if (!resource.preconditions.empty() || !resource.postconditions.empty()) {
        checks.Declare(base.resources + static_cast<NodeId>(i),
                       {CheckableKind::kResource, {node->path, resource.name}},
                       resource.preconditions.size() + resource.postconditions.size());
      }
    }
    if (module.overridden != nullptr) {
      for (const config::Resource& resource : module.overridden->resources) {
        if (!resource.preconditions.empty() || !resource.postconditions.empty()) {
          checks.DeclareLeftOut({CheckableKind::kResource, {node->path, resource.name}});
        }
      }
    }
  }
}

}  // namespace kinu::engine
