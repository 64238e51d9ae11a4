#include "state/store.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <pwd.h>
#include <unistd.h>

#include "base/files.h"
#include "compatibility/level.h"
#include "json/writer.h"
#include "state/json_text.h"

namespace kinu::state {
namespace {

struct LockField {
  std::string_view name;
  std::string LockInfo::* member;
};
/// In the order of the lock info file.
constexpr LockField kLockFields[] = {
    {"ID", &LockInfo::id},     {"Operation", &LockInfo::operation}, {"Info", &LockInfo::info},
    {"Who", &LockInfo::who},   {"Version", &LockInfo::version},     {"Created", &LockInfo::created},
    {"Path", &LockInfo::path},
};

/// "2006-01-02T15:04:05.999999999Z": the fraction without trailing zeros.
std::string Rfc3339Nano() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  ::gmtime_r(&now.tv_sec, &parts);
  std::array<char, 32> text{};
  std::string out(text.data(),
                  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts));
  std::string fraction = std::to_string(1'000'000'000 + now.tv_nsec).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (!fraction.empty()) {
    out += '.' + fraction;
  }
  return out + 'Z';
}

std::string UserAtHost() {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  std::string out;
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr) {
    out = found->pw_name;
  }
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return out + '@' + host.data();
}

/// Formats a time as Go's time.Time prints it: "2006-01-02 15:04:05.999999999 +0000 UTC".
std::string GoTime(std::string_view rfc3339) {
  std::string out(rfc3339);
  size_t t = out.find('T');
  if (t != std::string::npos && out.ends_with('Z')) {
    out[t] = ' ';
    out.pop_back();
    out += " +0000 UTC";
  }
  return out;
}

void RemoveHusk(State& state, Resource& resource, const InstanceKey& key) {
  Instance* instance = resource.Find(key);
  if (instance == nullptr || instance->current != nullptr || !instance->deposed.empty()) {
    return;
  }
  resource.instances.erase(resource.instances.begin() + (instance - resource.instances.data()));
  if (resource.instances.empty()) {
    AbsResource address = resource.address;
    state.Remove(address);
  }
}

std::vector<DeposedObject>::iterator FindDeposed(Instance& instance, const std::string& key) {
  return std::lower_bound(
      instance.deposed.begin(), instance.deposed.end(), key,
      [](const DeposedObject& have, const std::string& want) { return have.key < want; });
}

void PutDeposed(Instance& instance, const std::string& key, Object object) {
  auto at = FindDeposed(instance, key);
  if (at != instance.deposed.end() && at->key == key) {
    at->object = std::move(object);
  } else {
    instance.deposed.insert(at, DeposedObject{key, std::move(object)});
  }
}

}  // namespace

std::string LockInfo::ToJson() const {
  std::string out;
  JsonWriter writer(out);
  writer.BeginObject();
  for (const LockField& field : kLockFields) {
    writer.Member(field.name, this->*field.member);
  }
  writer.EndObject();
  return out;
}

Result<LockInfo> LockInfo::FromJson(std::string_view json) {
  LockInfo info;
  std::string text(json);
  JsonCursor cursor(text);
  if (!cursor.Take('{')) {
    return Fail(ErrorCode::kInvalid, "the lock info is not a JSON object");
  }
  bool first = true;
  std::string_view key;
  while (cursor.NextMember(&first, &key)) {
    const auto* field = std::find_if(std::begin(kLockFields), std::end(kLockFields),
                                     [&](const LockField& f) { return f.name == key; });
    if (field != std::end(kLockFields) && cursor.Peek() == '"') {
      info.*field->member = DecodeStringBody(cursor.StringBody());
    } else {
      (void)cursor.Value();
    }
  }
  if (cursor.failed() || !cursor.AtEnd()) {
    return Fail(ErrorCode::kInvalid, "the lock info is not valid JSON");
  }
  return info;
}

std::string LockInfo::ToText() const {
  return "Lock Info:\n  ID:        " + id + "\n  Path:      " + path +
         "\n  Operation: " + operation + "\n  Who:       " + who + "\n  Version:   " + version +
         "\n  Created:   " + GoTime(created) + "\n  Info:      " + info + "\n";
}

LockInfo NewLockInfo(std::string_view operation) {
  LockInfo info;
  info.id = RandomUuid();
  info.operation = operation;
  info.who = UserAtHost();
  info.version = compatibility::Release();
  info.created = Rfc3339Nano();
  return info;
}

void DropHusks(State& state) {
  const auto is_husk = [](const Instance& instance) {
    return instance.current == nullptr && instance.deposed.empty();
  };
  std::vector<AbsResource> empty;
  for (auto& resource : state.resources) {
    if (std::ranges::none_of(resource->instances, is_husk)) {
      continue;
    }
    std::erase_if(resource.Own().instances, is_husk);
    if (resource->instances.empty()) {
      empty.push_back(resource->address);
    }
  }
  for (const AbsResource& address : empty) {
    state.Remove(address);
  }
}

void DropEmptyResources(State& state) {
  std::vector<AbsResource> empty;
  for (const auto& resource : state.resources) {
    if (resource->instances.empty()) {
      empty.push_back(resource->address);
    }
  }
  for (const AbsResource& address : empty) {
    state.Remove(address);
  }
}

void Apply(const ObjectRecord& record, State& state, Husks husks) {
  const AbsResource& address = record.address.resource;
  const InstanceKey& key = record.address.key;
  if (record.step == ObjectRecord::Step::kStore) {
    Resource& resource = state.Ensure(address, record.provider);
    Instance& instance = resource.Ensure(*state.program, key);
    instance.provider_key = record.provider_key;
    if (record.deposed.empty()) {
      instance.current = std::make_unique<Object>(record.object);
    } else {
      PutDeposed(instance, record.deposed, record.object);
    }
    return;
  }
  Resource* resource = state.Find(address);
  Instance* instance = resource == nullptr ? nullptr : resource->Find(key);
  if (instance == nullptr) {
    return;
  }
  auto deposed = FindDeposed(*instance, record.deposed);
  bool is_deposed = deposed != instance->deposed.end() && deposed->key == record.deposed;
  switch (record.step) {
    case ObjectRecord::Step::kStore:
      break;
    case ObjectRecord::Step::kRemove:
      if (record.deposed.empty()) {
        instance->current = nullptr;
      } else if (is_deposed) {
        instance->deposed.erase(deposed);
      }
      if (husks == Husks::kDrop) {
        RemoveHusk(state, *resource, key);
      }
      break;
    case ObjectRecord::Step::kDepose:
      if (instance->current != nullptr && !record.deposed.empty()) {
        Object object = std::move(*instance->current);
        instance->current = nullptr;
        PutDeposed(*instance, record.deposed, std::move(object));
      }
      break;
    case ObjectRecord::Step::kRestore:
      if (instance->current == nullptr && is_deposed) {
        instance->current = std::make_unique<Object>(std::move(deposed->object));
        instance->deposed.erase(deposed);
      }
      break;
  }
}

}  // namespace kinu::state
