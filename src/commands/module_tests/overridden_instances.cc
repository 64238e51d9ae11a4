#include "module_tests/overridden_instances.h"

#include <algorithm>

namespace kinu::module_tests {

std::vector<InstanceKey> KeysOf(const Program& program, const ResourceInstance& object) {
  std::vector<InstanceKey> keys{object.key};
  for (ModuleInstId module = object.resource.module; !module.is_root();
       module = program.Parent(module)) {
    keys.push_back(program.Key(module));
  }
  std::ranges::reverse(keys);
  return keys;
}

void OverriddenInstances::Add(const config::ResourceOverride& block) {
  size_t at = 0;
  for (size_t depth = 0; depth < block.keys.size(); ++depth) {
    const config::KeyPattern& pattern = block.keys[depth];
    has_every_ |= pattern.every;
    if (!pattern.every && pattern.key.none()) {
      without_key_[depth].push_back(block.target.range);
    }
    size_t& next = pattern.key.none() ? steps_[at].every : steps_[at].by_key[pattern.key];
    if (next == 0) {
      next = steps_.size();
      at = next;
      steps_.emplace_back();  // `next` is no longer valid
    } else {
      at = next;
    }
  }
  steps_[at].block = &block;
}

OverriddenInstances::Match OverriddenInstances::Find(const std::vector<InstanceKey>& keys) const {
  Match match;
  FindFrom(steps_[0], 0, keys, match);
  return match;
}

/// True when the search is over.
bool OverriddenInstances::FindFrom(const Step& step, size_t depth,
                                   const std::vector<InstanceKey>& keys, Match& match) const {
  if (depth == keys.size()) {
    match.block = step.block;
    return match.block != nullptr;
  }
  const InstanceKey& key = keys[depth];
  if (const auto without = without_key_.find(depth);
      has_every_ && !key.none() && without != without_key_.end()) {
    match.mixed = &without->second;
    return true;
  }
  if (const auto next = step.by_key.find(key);
      next != step.by_key.end() && FindFrom(steps_[next->second], depth + 1, keys, match)) {
    return true;
  }
  return step.every != 0 && FindFrom(steps_[step.every], depth + 1, keys, match);
}

}  // namespace kinu::module_tests
