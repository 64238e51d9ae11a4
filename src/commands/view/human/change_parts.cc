#include "view/human/change_parts.h"

#include <algorithm>

#include "view/human/shown.h"

namespace kinu::view {

using plan::Action;

bool IsUnknown(const Change& change) {
  switch (change.unknown) {
    case UnknownSource::kValue:
      return change.after != nullptr && !change.after->IsKnown();
    case UnknownSource::kSelf:
      return true;
    case UnknownSource::kNone:
    case UnknownSource::kAttributes:
      return false;
  }
  return false;
}

Change AsDelete(Change change) {
  change.after = nullptr;
  change.after_explicit = false;
  change.after_sensitive = false;
  change.unknown = UnknownSource::kNone;
  return change;
}

Change AsCreate(Change change) {
  change.before = nullptr;
  change.before_explicit = false;
  change.before_sensitive = false;
  return change;
}

bool NothingBefore(const Change& change) {
  return IsNothing(change.before);
}
bool NothingAfter(const Change& change) {
  return IsNothing(change.after);
}
bool NothingAtAll(const Change& change) {
  return NothingBefore(change) && NothingAfter(change);
}

const Value* ObjectOf(const Value* value) {
  return ShownAs(value) == Shown::kObject ? value : nullptr;
}

std::span<const Value> ElementsOf(const Value* value) {
  return ShownAs(value) == Shown::kArray ? value->elements() : std::span<const Value>();
}

bool IsArray(const Value* value) {
  return ShownAs(value) == Shown::kArray;
}

namespace {

const schema::Attribute* FindIn(const std::vector<schema::Attribute>* attributes,
                                std::string_view name) {
  if (attributes == nullptr) {
    return nullptr;
  }
  const auto it = std::ranges::lower_bound(
      *attributes, name, {}, [](const schema::Attribute& a) { return std::string_view(a.name); });
  return it != attributes->end() && it->name == name ? &*it : nullptr;
}

/// Makes the change one without a difference if nothing of it is relevant.
void DropIfIrrelevant(Change& change) {
  if (change.relevant.MatchesPartly()) {
    return;
  }
  change.after = change.before;
  change.after_explicit = change.before_explicit;
  change.after_sensitive = change.before_sensitive;
  change.after_marks = change.before_marks;
  change.unknown = UnknownSource::kNone;
}

/// A child inherits sensitivity and unknowns from its parent.
Change ChildOf(const Change& parent, const Value* before, const Value* after) {
  Change child;
  child.before = before;
  child.after = after;
  child.before_marks = parent.before_marks && !parent.before_sensitive;
  child.after_marks = parent.after_marks && !parent.after_sensitive;
  child.before_sensitive = child.before_marks && IsSensitive(before);
  child.after_sensitive = child.after_marks && IsSensitive(after);
  child.unknown =
      parent.unknown == UnknownSource::kValue ? UnknownSource::kValue : UnknownSource::kNone;
  return child;
}

}  // namespace

namespace {

/// The member by name, with the sensitivity that its declaration, if any, gives it in an object
/// that exists.
Change DeclaredMemberOf(const Change& parent, std::string_view name, bool declared_sensitive) {
  const Value* before = ObjectOf(parent.before);
  const Value* after = ObjectOf(parent.after);
  Change child = ChildOf(parent, before == nullptr ? nullptr : before->Find(name),
                         after == nullptr ? nullptr : after->Find(name));
  child.before_explicit = child.before != nullptr && child.before->IsKnown();
  child.after_explicit = child.after != nullptr && child.after->IsKnown();
  if (declared_sensitive) {
    child.before_sensitive |= child.before_marks && before != nullptr;
    child.after_sensitive |= child.after_marks && after != nullptr;
  }
  if (parent.unknown == UnknownSource::kAttributes &&
      FindIn(parent.unknown_attributes, name) != nullptr) {
    child.unknown = UnknownSource::kSelf;
  }
  child.replace = parent.replace.Member(name);
  child.relevant = parent.relevant.Member(name);
  DropIfIrrelevant(child);
  return child;
}

}  // namespace

Change MemberOf(const Change& parent, std::string_view name) {
  return DeclaredMemberOf(parent, name, /*declared_sensitive=*/false);
}

Change MemberOf(const Change& parent, const schema::Attribute& attribute) {
  return DeclaredMemberOf(parent, attribute.name, attribute.sensitive);
}

Change ElementOf(const Change& parent, size_t before_index, size_t after_index) {
  const std::span<const Value> before = ElementsOf(parent.before);
  const std::span<const Value> after = ElementsOf(parent.after);
  Change child = ChildOf(parent, before_index < before.size() ? &before[before_index] : nullptr,
                         after_index < after.size() ? &after[after_index] : nullptr);
  child.before_explicit = child.before != nullptr;
  child.after_explicit = child.after != nullptr;
  const size_t index = before_index < before.size() ? before_index : after_index;
  child.replace = parent.replace.Element(index);
  child.relevant = parent.relevant.Element(index);
  return child;
}

Change RelevantElementOf(const Change& parent, size_t index) {
  Change child = ElementOf(parent, index, index);
  DropIfIrrelevant(child);
  return child;
}

std::vector<std::string_view> KeysOf(const Change& change, bool unknown_too) {
  std::vector<std::string_view> keys;
  for (const Value* side : {ObjectOf(change.before), ObjectOf(change.after)}) {
    if (side != nullptr) {
      keys.reserve(keys.size() + side->size());
      for (size_t i = 0; i < side->size(); ++i) {
        if (unknown_too || side->elements()[i].IsKnown()) {
          keys.push_back(side->key(i));
        }
      }
    }
  }
  std::ranges::sort(keys);
  keys.erase(std::ranges::unique(keys).begin(), keys.end());
  return keys;
}

Action Combine(Action current, Action next) {
  if (next == Action::kNoOp) {
    return current;
  }
  return current == next ? current : Action::kUpdate;
}

Action ActionOf(bool before, bool after) {
  if (before == after) {
    return Action::kNoOp;
  }
  return before ? Action::kDelete : Action::kCreate;
}

Action StartAction(const Change& change) {
  return ActionOf(!NothingBefore(change), !NothingAfter(change));
}

Action SimpleAction(const Change& change) {
  const bool no_before = NothingBefore(change) && !change.before_explicit;
  const bool no_after = NothingAfter(change) && !change.after_explicit;
  if (no_before != no_after) {
    return no_before ? Action::kCreate : Action::kDelete;
  }
  if (ShownEqual(change.before, change.after) && change.before_explicit == change.after_explicit &&
      change.before_sensitive == change.after_sensitive) {
    return Action::kNoOp;
  }
  return Action::kUpdate;
}

Change Change::Of(const Value& before, const Value& after) {
  Change change;
  change.before = &before;
  change.after = &after;
  change.before_sensitive = IsSensitive(&before);
  change.after_sensitive = IsSensitive(&after);
  return change;
}

}  // namespace kinu::view
