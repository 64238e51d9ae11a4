#include "state/state.h"

#include <algorithm>
#include <utility>

#include "base/sort_runs.h"
#include "cty/ops.h"

namespace kinu::state {
namespace {

template <typename Instances>
auto LowerBound(Instances& instances, const Program& program, const InstanceKey& key) {
  return std::lower_bound(instances.begin(), instances.end(), key,
                          [&](const Instance& have, const InstanceKey& want) {
                            return program.KeyLess(have.key, want);
                          });
}

template <typename Instances>
auto FindInstance(Instances& instances, const Program* program, const InstanceKey& key) {
  using Pointer = decltype(instances.data());
  // Without gaps, the instance of a `count` index is at that index.
  if (key.kind() == InstanceKey::Kind::kInt && key.index() >= 0 &&
      static_cast<uint64_t>(key.index()) < instances.size() &&
      instances[static_cast<size_t>(key.index())].key == key) {
    return Pointer(&instances[static_cast<size_t>(key.index())]);
  }
  auto it = program != nullptr
                ? LowerBound(instances, *program, key)
                : std::find_if(instances.begin(), instances.end(),
                               [&](const Instance& have) { return have.key == key; });
  return it == instances.end() || it->key != key ? Pointer{} : Pointer(&*it);
}

}  // namespace

Instance* Resource::Find(const InstanceKey& key) {
  return FindInstance(instances, program, key);
}
const Instance* Resource::Find(const InstanceKey& key) const {
  return FindInstance(instances, program, key);
}

Instance& Resource::Ensure(const Program& names, const InstanceKey& key) {
  if (instances.empty() || names.KeyLess(instances.back().key, key)) {
    instances.emplace_back().key = key;
    return instances.back();
  }
  auto it = LowerBound(instances, names, key);
  if (it == instances.end() || it->key != key) {
    it = instances.emplace(it);
    it->key = key;
  }
  return *it;
}

Instance Instance::Clone() const {
  Instance copy;
  copy.key = key;
  copy.provider_key = provider_key;
  if (current != nullptr) {
    copy.current = std::make_unique<Object>(*current);
  }
  copy.deposed = deposed;
  return copy;
}

Resource Resource::Clone() const {
  Resource copy;
  copy.address = address;
  copy.provider = provider;
  copy.program = program;
  copy.instances.reserve(instances.size());
  for (const Instance& instance : instances) {
    copy.instances.push_back(instance.Clone());
  }
  return copy;
}

Resource* State::Find(const AbsResource& address) {
  auto it = index_->find(address);
  return it == index_->end() ? nullptr : &resources[it->second].Own();
}
const Resource* State::Find(const AbsResource& address) const {
  auto it = index_->find(address);
  return it == index_->end() ? nullptr : &*resources[it->second];
}

Resource& State::Ensure(const AbsResource& address, const ProviderConfig& provider) {
  auto it = index_->find(address);
  const size_t at = it == index_->end() ? resources.size() : it->second;
  if (at == resources.size()) {
    index_.Own().emplace(address, at);
    Resource& added = resources.emplace_back().Own();
    added.address = address;
    added.program = program.get();
  }
  Resource& resource = resources[at].Own();
  resource.provider = provider;
  return resource;
}

void State::Remove(const AbsResource& address) {
  auto& index = index_.Own();
  auto it = index.find(address);
  if (it == index.end()) {
    return;
  }
  size_t at = it->second;
  index.erase(it);
  if (at + 1 != resources.size()) {
    resources[at] = std::move(resources.back());
    index[resources[at]->address] = at;
  }
  resources.pop_back();
}

const OutputValue* State::FindOutput(std::string_view name) const {
  const auto at = std::ranges::lower_bound(outputs, name, {}, &OutputValue::name);
  return at != outputs.end() && at->name == name ? &*at : nullptr;
}

void State::SetOutput(OutputValue output) {
  const auto at = std::ranges::lower_bound(outputs, output.name, {}, &OutputValue::name);
  const bool found = at != outputs.end() && at->name == output.name;
  if (output.value.IsNull()) {
    if (found) {
      outputs.erase(at);
    }
    return;
  }
  if (!output.value.IsWhollyKnown()) {
    output.value = UnknownAsNull(output.value);
  }
  if (found) {
    *at = std::move(output);
  } else {
    outputs.insert(at, std::move(output));
  }
}

std::vector<const Resource*> State::Sorted() const {
  std::vector<const Resource*> sorted;
  sorted.reserve(resources.size());
  for (const CopyOnWrite<Resource>& resource : resources) {
    sorted.push_back(&*resource);
  }
  SortRuns(sorted, [&](const Resource* a, const Resource* b) {
    return program->Less(a->address, b->address);
  });
  return sorted;
}

State State::Clone() const {
  State copy;
  copy.program = program;
  copy.buffer = buffer;
  copy.mapped = mapped;
  copy.terraform_version = terraform_version;
  copy.serial = serial;
  copy.lineage = lineage;
  copy.outputs = outputs;
  copy.checks = checks;
  copy.has_checks = has_checks;
  copy.is_stored = is_stored;
  copy.index_ = index_;
  copy.resources = resources;
  return copy;
}

Object Detach(const Object& object) {
  Object copy = object;
  auto text = std::make_shared<std::string>();
  text->reserve(object.attributes.size() + object.attributes_flat.size() +
                object.sensitive_paths.size() + 1);
  *text += object.attributes;
  *text += object.attributes_flat;
  *text += object.sensitive_paths;
  std::string_view all = *text;
  copy.attributes = all.substr(0, object.attributes.size());
  copy.attributes_flat = all.substr(object.attributes.size(), object.attributes_flat.size());
  copy.sensitive_paths = all.substr(object.attributes.size() + object.attributes_flat.size());
  copy.owned_attributes = std::move(text);
  return copy;
}

Result<void> CheckReplacement(const State& replacement, const State& existing) {
  if (existing.empty() || replacement.lineage.empty() || existing.lineage.empty()) {
    return {};
  }
  if (replacement.lineage != existing.lineage) {
    return Fail(ErrorCode::kInvalid, "cannot import state with lineage \"" + replacement.lineage +
                                         "\" over unrelated state with lineage \"" +
                                         existing.lineage + "\"");
  }
  if (replacement.serial < existing.serial) {
    return Fail(ErrorCode::kInvalid,
                "cannot import state with serial " + std::to_string(replacement.serial) +
                    " over newer state with serial " + std::to_string(existing.serial));
  }
  if (replacement.serial == existing.serial && !SameContent(replacement, existing)) {
    return Fail(ErrorCode::kInvalid, "cannot overwrite existing state with serial " +
                                         std::to_string(replacement.serial) +
                                         " with a different state that has the same serial");
  }
  return {};
}

}  // namespace kinu::state
