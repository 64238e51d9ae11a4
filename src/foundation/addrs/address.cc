#include "addrs/address.h"

#include <algorithm>
#include <deque>
#include <mutex>

namespace kinu {
namespace {

struct ModuleKey {
  uint32_t parent;
  Symbol call;
  uint64_t Hash() const { return HashCombine(parent, call.id); }
  friend bool operator==(const ModuleKey&, const ModuleKey&) = default;
};
struct ModuleInstKey {
  uint32_t parent;
  Symbol call;
  InstanceKey key;
  uint64_t Hash() const { return HashCombine(HashCombine(parent, call.id), key.Hash()); }
  friend bool operator==(const ModuleInstKey&, const ModuleInstKey&) = default;
};
struct ModuleEntry {
  ModuleId parent;
  Symbol call;
  uint32_t depth = 0;
};
struct ModuleInstEntry {
  ModuleInstId parent;
  Symbol call;
  InstanceKey key;
  ModuleId module;
  uint32_t depth = 0;
  bool has_keys = false;
};

}  // namespace

// Every access but to the root locks the mutex and copies the entry. The mutex is recursive because
// ModuleInstance() calls Module().
struct Program::Paths {
  mutable std::recursive_mutex mutex;
  std::deque<ModuleEntry> modules;
  std::deque<ModuleInstEntry> instances;
  FlatMap<ModuleKey, uint32_t> module_ids;
  FlatMap<ModuleInstKey, uint32_t> instance_ids;

  // The root is asked for at every block; it never changes.
  ModuleEntry Get(ModuleId id) const {
    if (id.is_root()) {
      return {};
    }
    std::lock_guard lock(mutex);
    return modules[id.id];
  }
  ModuleInstEntry Get(ModuleInstId id) const {
    if (id.is_root()) {
      return {};
    }
    std::lock_guard lock(mutex);
    return instances[id.id];
  }
};

Program::Program() : paths_(std::make_unique<Paths>()) {
  paths_->modules.emplace_back();
  paths_->instances.emplace_back();
}
Program::~Program() = default;

ModuleId Program::Module(ModuleId parent, Symbol call) {
  std::lock_guard lock(paths_->mutex);
  auto next = static_cast<uint32_t>(paths_->modules.size());
  auto [it, added] = paths_->module_ids.emplace(ModuleKey{parent.id, call}, next);
  if (added) {
    paths_->modules.push_back({parent, call, paths_->modules[parent.id].depth + 1});
  }
  return ModuleId{it->second};
}

ModuleId Program::Parent(ModuleId module) const {
  return paths_->Get(module).parent;
}
Symbol Program::CallName(ModuleId module) const {
  return paths_->Get(module).call;
}

ModuleInstId Program::ModuleInstance(ModuleInstId parent, Symbol call, InstanceKey key) {
  std::lock_guard lock(paths_->mutex);
  auto next = static_cast<uint32_t>(paths_->instances.size());
  auto [it, added] = paths_->instance_ids.emplace(ModuleInstKey{parent.id, call, key}, next);
  uint32_t id = it->second;
  if (added) {
    const ModuleInstEntry& up = paths_->instances[parent.id];
    ModuleInstEntry entry{
        parent, call, key, Module(up.module, call), up.depth + 1, up.has_keys || !key.none()};
    paths_->instances.push_back(entry);
  }
  return ModuleInstId{id};
}

ModuleInstId Program::Parent(ModuleInstId instance) const {
  return paths_->Get(instance).parent;
}
Symbol Program::CallName(ModuleInstId instance) const {
  return paths_->Get(instance).call;
}
InstanceKey Program::Key(ModuleInstId instance) const {
  return paths_->Get(instance).key;
}
ModuleId Program::ModuleOf(ModuleInstId instance) const {
  return paths_->Get(instance).module;
}
bool Program::HasKeys(ModuleInstId instance) const {
  return paths_->Get(instance).has_keys;
}

std::string_view ModePrefix(ResourceMode mode) {
  switch (mode) {
    case ResourceMode::kManaged:
      return "";
    case ResourceMode::kData:
      return "data";
    case ResourceMode::kEphemeral:
      return "ephemeral";
  }
  return "";
}

std::string_view ModeName(ResourceMode mode) {
  return mode == ResourceMode::kManaged ? "managed" : ModePrefix(mode);
}

void Program::Append(std::string& out, const InstanceKey& key) const {
  switch (key.kind()) {
    case InstanceKey::Kind::kNone:
      return;
    case InstanceKey::Kind::kInt:
      out += '[';
      out += std::to_string(key.index());
      out += ']';
      return;
    case InstanceKey::Kind::kString:
      out += '[';
      out += QuoteKey(Text(key.symbol()));
      out += ']';
      return;
  }
}

void Program::Append(std::string& out, ModuleInstId instance) const {
  if (instance.is_root()) {
    return;
  }
  ModuleInstEntry entry = paths_->Get(instance);
  if (!entry.parent.is_root()) {
    Append(out, entry.parent);
    out += '.';
  }
  out += "module.";
  out += Text(entry.call);
  Append(out, entry.key);
}

void Program::Append(std::string& out, const AbsResource& r) const {
  if (!r.module.is_root()) {
    Append(out, r.module);
    out += '.';
  }
  const std::string_view prefix = ModePrefix(r.resource.mode);
  const std::string_view type = Text(r.resource.type);
  const std::string_view name = Text(r.resource.name);
  constexpr size_t kDots = 2;
  constexpr size_t kKey = 8;  // a key of a few digits may follow
  if (out.capacity() - out.size() < prefix.size() + type.size() + name.size() + kDots + kKey) {
    out.reserve(std::max(2 * out.size(),
                         out.size() + prefix.size() + type.size() + name.size() + kDots + kKey));
  }
  if (!prefix.empty()) {
    out += prefix;
    out += '.';
  }
  out += type;
  out += '.';
  out += name;
}

void Program::Append(std::string& out, const ResourceInstance& r) const {
  Append(out, r.resource);
  Append(out, r.key);
}

std::string Program::ToText(ModuleId module) const {
  if (module.is_root()) {
    return "";
  }
  ModuleEntry entry = paths_->Get(module);
  std::string out = ToText(entry.parent);
  if (!out.empty()) {
    out += '.';
  }
  out += "module.";
  out += Text(entry.call);
  return out;
}

std::string Program::ToText(ModuleInstId instance) const {
  std::string out;
  Append(out, instance);
  return out;
}

std::string Program::ToText(const ResourceName& name) const {
  std::string out;
  Append(out, AbsResource{{}, name});
  return out;
}

std::string Program::ToText(const ConfigResource& r) const {
  std::string out = ToText(r.module);
  if (!out.empty()) {
    out += '.';
  }
  Append(out, AbsResource{{}, r.resource});
  return out;
}

std::string Program::ToText(const AbsResource& r) const {
  std::string out;
  Append(out, r);
  return out;
}

std::string Program::ToText(const ResourceInstance& r) const {
  std::string out;
  Append(out, r);
  return out;
}

std::string Program::ToText(const InstanceKey& key) const {
  std::string out;
  Append(out, key);
  return out;
}

std::string Program::ToText(const ProviderConfig& p) const {
  std::string out = ToText(p.module);
  if (!out.empty()) {
    out += '.';
  }
  out += "provider[";
  out += QuoteKey(Text(p.provider));
  out += ']';
  if (!p.alias.empty()) {
    out += '.';
    out += Text(p.alias);
  }
  return out;
}

bool Program::KeyLess(const InstanceKey& a, const InstanceKey& b) const {
  if (a.kind() != b.kind()) {
    return a.kind() < b.kind();
  }
  switch (a.kind()) {
    case InstanceKey::Kind::kNone:
      return false;
    case InstanceKey::Kind::kInt:
      return a.index() < b.index();
    case InstanceKey::Kind::kString:
      return a.symbol() != b.symbol() && Text(a.symbol()) < Text(b.symbol());
  }
  return false;
}

std::strong_ordering Program::Compare(ModuleInstId a, ModuleInstId b) const {
  if (a == b) {
    return std::strong_ordering::equal;
  }
  ModuleInstEntry ea = paths_->Get(a);
  ModuleInstEntry eb = paths_->Get(b);
  if (ea.depth != eb.depth) {
    return ea.depth <=> eb.depth;
  }
  if (auto up = Compare(ea.parent, eb.parent); up != std::strong_ordering::equal) {
    return up;
  }
  if (ea.call != eb.call) {
    return Text(ea.call) <=> Text(eb.call);
  }
  return KeyLess(ea.key, eb.key) ? std::strong_ordering::less : std::strong_ordering::greater;
}

bool Program::Less(const AbsResource& a, const AbsResource& b) const {
  if (a.module != b.module) {
    return Compare(a.module, b.module) == std::strong_ordering::less;
  }
  if (a.resource.mode != b.resource.mode) {
    return a.resource.mode == ResourceMode::kData;
  }
  if (a.resource.type != b.resource.type) {
    return Text(a.resource.type) < Text(b.resource.type);
  }
  return a.resource.name != b.resource.name && Text(a.resource.name) < Text(b.resource.name);
}

bool Program::Less(const ResourceInstance& a, const ResourceInstance& b) const {
  if (a.resource != b.resource) {
    return Less(a.resource, b.resource);
  }
  return KeyLess(a.key, b.key);
}

}  // namespace kinu
