#include "refactoring/move_index.h"

#include <algorithm>

namespace kinu::refactoring {
namespace {

std::vector<StepPattern> ExactPattern(const Steps& steps) {
  std::vector<StepPattern> pattern;
  pattern.reserve(steps.size());
  for (const Step& step : steps) {
    pattern.push_back({step.call, step.key});
  }
  return pattern;
}

}  // namespace

void EndIndex::Add(const MoveEnd& end, uint32_t statement) {
  const StepTree::Id node = tree_.Add(end.Pattern());
  mentioned_.insert(node);
  if (end.is_module) {
    statements_[{node, Part::kModule}].push_back(statement);
    return;
  }
  statements_[{node, Part::kAll, end.resource}].push_back(statement);
  if (end.whole) {
    statements_[{node, Part::kWhole, end.resource}].push_back(statement);
  } else {
    statements_[{node, Part::kInstance, end.resource, end.key}].push_back(statement);
  }
}

void EndIndex::Collect(const Key& key, std::vector<uint32_t>& out) const {
  if (auto it = statements_.find(key); it != statements_.end()) {
    out.insert(out.end(), it->second.begin(), it->second.end());
  }
}

void EndIndex::FindAround(const MoveEnd& end, std::vector<uint32_t>& out) const {
  const std::vector<StepPattern> steps = end.Pattern();
  tree_.Visit(steps, [&](StepTree::Id node, bool at_end) {
    Collect({node, Part::kModule}, out);
    if (!at_end || end.is_module) {
      return;
    }
    if (end.whole) {
      Collect({node, Part::kAll, end.resource}, out);
    } else {
      Collect({node, Part::kWhole, end.resource}, out);
      Collect({node, Part::kInstance, end.resource, end.key}, out);
    }
  });
}

bool EndIndex::Mentions(const Steps& module, const ResourceName* name) const {
  bool found = false;
  const std::vector<StepPattern> steps = ExactPattern(module);
  tree_.Visit(steps, [&](StepTree::Id node, bool at_end) {
    found =
        found || (at_end && (name == nullptr ? mentioned_.contains(node)
                                             : statements_.contains(Key{node, Part::kAll, *name})));
  });
  return found;
}

void ObjectIndex::Add(const AbsResource& address) {
  auto [it, added] = nodes_.emplace(address.module.id, StepTree::kRoot);
  if (added) {
    it.value() = tree_.Add(ExactPattern(StepsOf(program_, address.module)));
    modules_.resize(tree_.size());
    modules_[it->second].id = address.module;
  }
  modules_[it->second].resources.insert(address.resource);
}

void ObjectIndex::Remove(const AbsResource& address) {
  if (auto it = nodes_.find(address.module.id); it != nodes_.end()) {
    modules_[it->second].resources.erase(address.resource);
  }
}

void ObjectIndex::CollectBelow(StepTree::Id node, std::vector<AbsResource>& out) const {
  for (const ResourceName& resource : modules_[node].resources) {
    out.push_back({modules_[node].id, resource});
  }
  for (const StepTree::Id child : tree_.children(node)) {
    CollectBelow(child, out);
  }
}

std::vector<AbsResource> ObjectIndex::Inside(const MoveEnd& from) const {
  std::vector<AbsResource> out;
  if (modules_.empty()) {
    return out;
  }
  const std::vector<StepPattern> steps = from.Pattern();
  tree_.Visit(steps, [&](StepTree::Id node, bool at_end) {
    if (at_end && from.is_module) {
      CollectBelow(node, out);
    } else if (at_end && modules_[node].resources.contains(from.resource)) {
      out.push_back({modules_[node].id, from.resource});
    }
  });
  return out;
}

bool ObjectIndex::HasObjects(ModuleInstId module) const {
  auto it = nodes_.find(module.id);
  return it != nodes_.end() && !modules_[it->second].resources.empty();
}

}  // namespace kinu::refactoring
