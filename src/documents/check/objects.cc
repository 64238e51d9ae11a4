#include "check/objects.h"

#include <algorithm>

#include "json/writer.h"
#include "tfjson/masks.h"

namespace kinu::check {
namespace {

using json::Member;
using json::Node;

constexpr int kMaxDepth = 1000;

/// No node for a mask that marks nothing, so that nothing is looked up in it.
Node MaskOrNone(const Node& mask) {
  return tfjson::AnyTrue(mask) ? mask : Node();
}

void ReadChangeOf(const Node& change, Object& object) {
  object.change = change;
  for (const Member member : change.members()) {
    if (member.name.Is("actions")) {
      object.actions = member.value;
    } else if (member.name.Is("before")) {
      object.before.value = member.value;
    } else if (member.name.Is("after")) {
      object.after.value = member.value;
    } else if (member.name.Is("before_sensitive")) {
      object.before.sensitive = MaskOrNone(member.value);
    } else if (member.name.Is("after_sensitive")) {
      object.after.sensitive = MaskOrNone(member.value);
    } else if (member.name.Is("after_unknown")) {
      object.after.unknown = MaskOrNone(member.value);
    }
  }
}

}  // namespace

Object Object::Of(const Node& entry) {
  Object object{.entry = entry};
  for (const Member member : entry.members()) {
    if (member.name.Is("address") && member.value.is_string()) {
      object.address = member.value;
    } else if (member.name.Is("type") && member.value.is_string()) {
      object.type = member.value;
    } else if (member.name.Is("change")) {
      ReadChangeOf(member.value, object);
    } else if (member.name.Is("values")) {
      object.after.value = member.value;
    } else if (member.name.Is("sensitive_values")) {
      object.after.sensitive = MaskOrNone(member.value);
    }
  }
  return object;
}

bool Object::HasAction(const std::vector<std::string>& names) const {
  if (!actions) {
    return false;
  }
  for (const Node action : actions.elements()) {
    if (std::any_of(names.begin(), names.end(),
                    [&](const auto& name) { return action.Is(name); })) {
      return true;
    }
  }
  return false;
}

ObjectList::ObjectList(const Node& root) : root_(root) {
  if (const Node changes = root.Find("resource_changes")) {
    all_.reserve(changes.size());
    for (const Node entry : changes.elements()) {
      if (entry.is_object()) {
        all_.push_back(Object::Of(entry));
      }
    }
  } else if (const Node values = root.Find("values")) {
    if (const Node module = values.Find("root_module")) {
      AddModule(module, 0);
    }
  }
  for (uint32_t i = 0; i < all_.size(); ++i) {
    by_type_[all_[i].type ? all_[i].type.String() : std::string()].push_back(i);
  }
  ForgetReadValues();
}

void ObjectList::AddModule(const Node& module, int depth) {
  if (const Node resources = module.Find("resources")) {
    for (const Node entry : resources.elements()) {
      if (entry.is_object()) {
        all_.push_back(Object::Of(entry));
      }
    }
  }
  const Node children = depth < kMaxDepth ? module.Find("child_modules") : Node();
  if (children) {
    for (const Node child : children.elements()) {
      AddModule(child, depth + 1);
    }
  }
}

bool Object::HasType(const std::vector<std::string>& patterns) const {
  return type && type.is_string() &&
         std::ranges::any_of(patterns, [name = type.String()](const std::string& pattern) {
           return MatchesPattern(pattern, name);
         });
}

std::vector<const Object*> ObjectList::OfTypes(const std::vector<std::string>& types) const {
  std::vector<uint32_t> found;
  for (const auto& [type, objects] : by_type_) {
    if (std::any_of(types.begin(), types.end(),
                    [&](const auto& pattern) { return MatchesPattern(pattern, type); })) {
      found.insert(found.end(), objects.begin(), objects.end());
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<const Object*> objects;
  objects.reserve(found.size());
  for (const uint32_t i : found) {
    objects.push_back(&all_[i]);
  }
  return objects;
}

std::string ObjectList::WithoutSecrets(std::string text) const {
  if (secrets_ == nullptr) {
    secrets_ = std::make_unique<tfjson::Secrets>(root_);
  }
  if (secrets_->empty()) {
    return text;
  }
  std::string quoted;
  JsonWriter json(quoted, {.escape = JsonEscape::kPlain});
  json.String(text);
  const auto document = json::Document::Parse(std::move(quoted));
  return document && !secrets_->AreIn((*document)->root()) ? text : "(sensitive value)";
}

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) {
    return pattern == text;
  }
  if (text.substr(0, star) != pattern.substr(0, star)) {
    return false;
  }
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  // The leftmost place of each part leaves the most text for the parts behind it.
  for (size_t next = pattern.find('*'); next != std::string_view::npos; next = pattern.find('*')) {
    const size_t at = text.find(pattern.substr(0, next));
    if (at == std::string_view::npos) {
      return false;
    }
    text.remove_prefix(at + next);
    pattern.remove_prefix(next + 1);
  }
  return text.ends_with(pattern);
}

}  // namespace kinu::check
