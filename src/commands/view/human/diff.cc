#include "view/human/diff.h"

#include <algorithm>
#include <optional>

#include "base/flat_map.h"
#include "compatibility/features.h"
#include "view/human/align.h"
#include "view/human/change_parts.h"
#include "view/human/shown.h"

namespace kinu::view {

using plan::Action;
using schema::Nesting;

namespace {

// --- Common to all kinds of values: sensitivity first, then unknown values. ---

bool IsHidden(const Change& change) {
  return change.before_sensitive || change.after_sensitive;
}

template <typename Compute>
Diff DiffSensitive(const Change& change, Diff::Kind kind, Compute&& compute) {
  Change open = change;
  open.before_sensitive = open.after_sensitive = false;
  open.before_marks = open.after_marks = false;
  Diff inner = compute(open);
  Diff diff{.kind = kind,
            .action = inner.action,
            .replace = change.replace.Matches(),
            .before_sensitive = change.before_sensitive,
            .after_sensitive = change.after_sensitive};
  const bool empty = NothingAtAll(change) && !change.before_explicit && !change.after_explicit;
  if (inner.action == Action::kNoOp && change.before_sensitive != change.after_sensitive &&
      !empty) {
    diff.action = Action::kUpdate;
  }
  diff.members.push_back(std::move(inner));
  return diff;
}

/// `attributes`, if any, are shown as unknown too when something known becomes unknown as a whole.
template <typename Compute>
Diff DiffUnknown(const Change& change, const std::vector<schema::Attribute>* attributes,
                 Compute&& compute) {
  Diff diff{.kind = Diff::Kind::kUnknown, .replace = change.replace.Matches()};
  if (NothingBefore(change)) {
    diff.action = Action::kCreate;
    return diff;
  }
  diff.action = Action::kUpdate;
  Change before = AsDelete(change);
  if (attributes != nullptr) {
    before.unknown = UnknownSource::kAttributes;
    before.unknown_attributes = attributes;
  }
  diff.members.push_back(compute(before));
  return diff;
}

Diff DiffPrimitive(const Change& change, TypeKind type, Action action, bool replace) {
  return {.kind = Diff::Kind::kPrimitive,
          .action = action,
          .replace = replace,
          .type = type,
          .before = NothingBefore(change) ? Value() : *change.before,
          .after = NothingAfter(change) ? Value() : *change.after};
}

/// Whether both are strings, one of them has several lines, and they share a line.
bool ShareALine(const Value& a, const Value& b) {
  if (ShownAs(&a) != Shown::kString || ShownAs(&b) != Shown::kString) {
    return false;
  }
  const std::string_view before = a.AsString();
  const std::string_view after = b.AsString();
  if (before.find('\n') == std::string_view::npos && after.find('\n') == std::string_view::npos) {
    return false;
  }
  FlatSet<std::string> lines;
  const auto each_line = [](std::string_view text, auto&& visit) {
    size_t begin = 0;
    while (true) {
      const size_t end = text.find('\n', begin);
      if (visit(text.substr(begin, end - begin))) {
        return true;
      }
      if (end == std::string_view::npos) {
        return false;
      }
      begin = end + 1;
    }
  };
  each_line(before, [&lines](std::string_view line) {
    lines.insert(std::string(line));
    return false;
  });
  return each_line(after, [&lines](std::string_view line) { return lines.contains(line); });
}

/// Elements aligned by their longest common subsequence.
template <typename Together, typename Compute>
Diff DiffSequence(const Change& change, Together&& objects_together, Compute&& compute) {
  const std::span<const Value> before = ElementsOf(change.before);
  const std::span<const Value> after = ElementsOf(change.after);
  IdTable table;
  std::string text;
  const auto ids_of = [&](std::span<const Value> elements) {
    std::vector<uint32_t> ids;
    ids.reserve(elements.size());
    for (const Value& element : elements) {
      text.clear();
      AppendShown(text, &element);
      ids.push_back(table.IdOf(text));
    }
    return ids;
  };
  const std::vector<uint32_t> before_ids = ids_of(before);
  const std::vector<uint32_t> after_ids = ids_of(after);
  Diff diff{.kind = Diff::Kind::kList,
            .action = ActionOf(IsArray(change.before), IsArray(change.after))};
  const auto together = [&](size_t b, size_t a) {
    return objects_together(before[b], after[a]) || ShareALine(before[b], after[a]);
  };
  for (const AlignedPair& pair : Align(before_ids, after_ids, together)) {
    Diff element = compute(ElementOf(change, pair.before, pair.after));
    diff.action = Combine(diff.action, element.action);
    diff.members.push_back(std::move(element));
  }
  return diff;
}

/// Elements of a set: equal ones together, then removed ones, then added ones.
template <typename Compute>
void DiffSetElements(const Change& change, Compute&& compute) {
  const std::span<const Value> before = ElementsOf(change.before);
  const std::span<const Value> after = ElementsOf(change.after);
  const auto key_of = [](const Value& element, bool sensitive) {
    std::string key = sensitive ? "s" : "p";
    AppendShown(key, &element);
    return key;
  };
  FlatMap<std::string, std::vector<size_t>> free;
  for (size_t j = after.size(); j-- > 0;) {
    const Change child = ElementOf(change, before.size(), j);
    if (!IsUnknown(child)) {
      free[key_of(after[j], child.after_sensitive)].push_back(j);
    }
  }
  std::vector<bool> matched(after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    const Change alone = ElementOf(change, i, after.size());
    size_t partner = after.size();
    const auto it = free.find(key_of(before[i], alone.before_sensitive));
    if (it != free.end() && !it->second.empty()) {
      partner = it->second.back();
      it.value().pop_back();
      matched[partner] = true;
    }
    Change child = ElementOf(change, i, partner);
    child.relevant = PathMatcher::All();
    compute(child);
  }
  for (size_t j = 0; j < after.size(); ++j) {
    if (!matched[j]) {
      Change child = ElementOf(change, before.size(), j);
      child.relevant = PathMatcher::All();
      compute(child);
    }
  }
}

/// Elements position by position.
template <typename Compute>
void DiffPositions(const Change& change, Compute&& compute) {
  const size_t count = std::max(ElementsOf(change.before).size(), ElementsOf(change.after).size());
  for (size_t i = 0; i < count; ++i) {
    compute(RelevantElementOf(change, i));
  }
}

template <typename Compute>
Diff DiffEntries(const Change& change, bool unknown_too, Compute&& compute) {
  Diff diff{
      .kind = Diff::Kind::kMap,
      .action = ActionOf(ObjectOf(change.before) != nullptr, ObjectOf(change.after) != nullptr),
      .replace = change.replace.Matches()};
  const std::vector<std::string_view> keys = KeysOf(change, unknown_too);
  diff.members.reserve(keys.size());
  for (const std::string_view key : keys) {
    Diff element = compute(MemberOf(change, key));
    element.name = key;
    diff.action = Combine(diff.action, element.action);
    diff.members.push_back(std::move(element));
  }
  return diff;
}

Diff DiffNested(const Change& change, const schema::NestedAttributes& nested, Nesting nesting);

Diff DiffAttribute(const Change& change, const schema::Attribute& attribute, Action parent) {
  if (attribute.write_only) {
    if (parent == Action::kNoOp && change.replace.Matches()) {
      parent = Action::kUpdate;
    }
    return {.kind = Diff::Kind::kWriteOnly, .action = parent, .replace = change.replace.Matches()};
  }
  if (attribute.nested != nullptr) {
    return DiffNested(change, *attribute.nested, attribute.nested->nesting);
  }
  return DiffType(change, attribute.type);
}

Diff DiffNestedObject(const Change& change, const schema::NestedAttributes& nested) {
  Diff diff{.kind = Diff::Kind::kObject,
            .action = StartAction(change),
            .replace = change.replace.Matches(),
            .nested = true};
  for (const schema::Attribute& attribute : nested.attributes) {
    Change child = MemberOf(change, attribute);
    child.before_explicit = child.after_explicit = false;
    Diff member = DiffAttribute(child, attribute, diff.action);
    if (member.action == Action::kNoOp && NothingAtAll(child)) {
      continue;
    }
    diff.action = Combine(diff.action, member.action);
    member.name = attribute.name;
    diff.members.push_back(std::move(member));
  }
  return diff;
}

Diff DiffNested(const Change& change, const schema::NestedAttributes& nested, Nesting nesting) {
  const auto again = [&](const Change& other) { return DiffNested(other, nested, nesting); };
  const auto single = [&](const Change& element) {
    return DiffNested(element, nested, Nesting::kSingle);
  };
  if (IsHidden(change)) {
    return DiffSensitive(change, Diff::Kind::kSensitive, again);
  }
  if (IsUnknown(change)) {
    return DiffUnknown(change, &nested.attributes, again);
  }
  switch (nesting) {
    case Nesting::kSingle:
    case Nesting::kGroup:
      return DiffNestedObject(change, nested);
    case Nesting::kMap: {
      Diff diff = DiffEntries(change, /*unknown_too=*/false, single);
      diff.nested = true;
      return diff;
    }
    case Nesting::kList:
    case Nesting::kSet: {
      Diff diff{.kind = nesting == Nesting::kList ? Diff::Kind::kList : Diff::Kind::kSet,
                .action = StartAction(change),
                .replace = change.replace.Matches(),
                .nested = true};
      const auto add = [&](const Change& element) {
        Diff member = single(element);
        diff.action = Combine(diff.action, member.action);
        diff.members.push_back(std::move(member));
      };
      if (nesting == Nesting::kList) {
        DiffPositions(change, add);
      } else {
        DiffSetElements(change, add);
      }
      return diff;
    }
  }
  return {};
}

Diff DiffObject(const Change& change, const Type& type) {
  Diff diff{.kind = Diff::Kind::kObject,
            .action = StartAction(change),
            .replace = change.replace.Matches()};
  diff.members.reserve(type.attributes().size());
  for (const ObjectAttribute& attribute : type.attributes()) {
    Change child = MemberOf(change, attribute.name);
    child.before_explicit = child.after_explicit = false;
    Diff member = DiffType(child, attribute.type);
    if (member.action == Action::kNoOp && NothingAtAll(child)) {
      continue;
    }
    diff.action = Combine(diff.action, member.action);
    member.name = attribute.name;
    diff.members.push_back(std::move(member));
  }
  return diff;
}

Diff DiffTuple(const Change& change, const Type& type) {
  Diff diff{.kind = Diff::Kind::kList,
            .action = StartAction(change),
            .replace = change.replace.Matches()};
  const std::span<const Type> types = type.elements();
  for (size_t i = 0; i < types.size(); ++i) {
    Diff member = DiffType(RelevantElementOf(change, i), types[i]);
    diff.action = Combine(diff.action, member.action);
    diff.members.push_back(std::move(member));
  }
  return diff;
}

Diff DiffSet(const Change& change, const Type& element) {
  Diff diff{
      .kind = Diff::Kind::kSet, .action = StartAction(change), .replace = change.replace.Matches()};
  DiffSetElements(change, [&](const Change& child) {
    Diff member = DiffType(child, element);
    diff.action = Combine(diff.action, member.action);
    diff.members.push_back(std::move(member));
  });
  return diff;
}

/// The type of a value that is shown without elements.
TypeKind TypeOfShown(Shown shown) {
  switch (shown) {
    case Shown::kBool:
      return TypeKind::kBool;
    case Shown::kNumber:
      return TypeKind::kNumber;
    case Shown::kString:
      return TypeKind::kString;
    default:
      return TypeKind::kDynamic;
  }
}

Diff DiffShown(const Change& change, Shown shown) {
  switch (shown) {
    case Shown::kNull:
    case Shown::kBool:
    case Shown::kNumber:
    case Shown::kString: {
      const bool no_before = NothingBefore(change) && !change.before_explicit;
      const bool no_after = NothingAfter(change) && !change.after_explicit;
      Action action = Action::kUpdate;
      if (no_before != no_after) {
        action = no_before ? Action::kCreate : Action::kDelete;
      } else if (ShownEqual(change.before, change.after)) {
        action = Action::kNoOp;
      }
      return DiffPrimitive(change, TypeOfShown(shown), action, /*replace=*/false);
    }
    case Shown::kObject: {
      Diff diff = DiffEntries(change, /*unknown_too=*/true, DiffDynamic);
      diff.kind = Diff::Kind::kObject;
      diff.replace = false;
      return diff;
    }
    case Shown::kArray:
      return DiffSequence(
          change,
          [](const Value& a, const Value& b) {
            return ShownAs(&a) == Shown::kObject && ShownAs(&b) == Shown::kObject;
          },
          DiffDynamic);
  }
  return {};
}

/// The blocks of one type. Null when there are none and never were.
std::optional<Diff::Blocks> DiffBlocks(const Change& change, const schema::NestedBlock& nested,
                                       const schema::Block& parent, Action& action) {
  Diff::Blocks blocks{.name = nested.name,
                      .nesting = nested.nesting,
                      .replace = change.replace.Matches(),
                      .before_sensitive = change.before_sensitive,
                      .after_sensitive = change.after_sensitive};
  if (IsUnknown(change)) {
    // OpenTofu 1.12 compares the attributes of the enclosing block here, and so shows those.
    const bool own_block = compatibility::Has(compatibility::Feature::kUnknownBlocks);
    const schema::Block& compared = own_block ? nested.block : parent;
    blocks.nesting = Nesting::kSingle;
    blocks.members.push_back(DiffUnknown(change, &compared.attributes, [&](const Change& before) {
      return DiffBlock(before, compared);
    }));
    return blocks;
  }
  Action own = StartAction(change);
  const auto add = [&](const Change& element) {
    Diff member = DiffBlock(element, nested.block);
    own = Combine(own, member.action);
    blocks.members.push_back(std::move(member));
  };
  switch (nested.nesting) {
    case Nesting::kSingle:
    case Nesting::kGroup:
      blocks.members.push_back(DiffBlock(change, nested.block));
      own = blocks.members.back().action;
      break;
    case Nesting::kList:
      DiffPositions(change, add);
      break;
    case Nesting::kSet:
      DiffSetElements(change, add);
      break;
    case Nesting::kMap: {
      Diff entries = DiffEntries(change, /*unknown_too=*/false, [&](const Change& element) {
        return DiffBlock(element, nested.block);
      });
      own = entries.action;
      blocks.members = std::move(entries.members);
      break;
    }
  }
  if (own == Action::kNoOp && NothingAtAll(change)) {
    return std::nullopt;
  }
  action = Combine(action, own);
  return blocks;
}

bool IsEmptyString(const Value* value) {
  return ShownAs(value) == Shown::kString && value->AsString().empty();
}

/// Adds an attribute of a block to its members, unless it is null on both sides.
void AddBlockAttribute(const Change& parent, const schema::Attribute& attribute, Diff& block) {
  Change child = MemberOf(parent, attribute);
  // Older providers cannot express null, so in blocks an empty string means null.
  if (IsEmptyString(child.before)) {
    child.before = nullptr;
  }
  if (IsEmptyString(child.after)) {
    child.after = nullptr;
  }
  child.before_explicit = child.after_explicit = false;
  Diff& member = block.members.emplace_back(DiffAttribute(child, attribute, block.action));
  if (member.action == Action::kNoOp && NothingAtAll(child) && !attribute.write_only) {
    block.members.pop_back();
    return;
  }
  member.name = attribute.name;
  block.action = Combine(block.action, member.action);
}

}  // namespace

Diff DiffBlock(const Change& change, const schema::Block& block) {
  const auto again = [&](const Change& other) { return DiffBlock(other, block); };
  if (IsHidden(change)) {
    return DiffSensitive(change, Diff::Kind::kSensitiveBlock, again);
  }
  if (IsUnknown(change)) {
    return DiffUnknown(change, &block.attributes, again);
  }
  Diff diff{.kind = Diff::Kind::kBlock,
            .action = StartAction(change),
            .replace = change.replace.Matches()};
  diff.members.reserve(block.attributes.size());
  // Write-only attributes have no values: their action is that of the other attributes.
  for (const bool write_only : {false, true}) {
    for (const schema::Attribute& attribute : block.attributes) {
      if (attribute.write_only == write_only) {
        AddBlockAttribute(change, attribute, diff);
      }
    }
  }
  if (block.has_write_only()) {
    std::ranges::sort(diff.members, {}, &Diff::name);
  }
  for (const schema::NestedBlock& nested : block.blocks) {
    const Change child = MemberOf(change, nested.name);
    if (auto blocks = DiffBlocks(child, nested, block, diff.action)) {
      diff.blocks.push_back(*std::move(blocks));
    }
  }
  return diff;
}

Diff DiffType(const Change& change, const Type& type) {
  const auto again = [&](const Change& other) { return DiffType(other, type); };
  if (IsHidden(change)) {
    return DiffSensitive(change, Diff::Kind::kSensitive, again);
  }
  if (IsUnknown(change)) {
    return DiffUnknown(change, nullptr, again);
  }
  switch (type.kind()) {
    case TypeKind::kDynamic:
    case TypeKind::kCapsule:
      return DiffDynamic(change);
    case TypeKind::kBool:
    case TypeKind::kNumber:
    case TypeKind::kString:
      return DiffPrimitive(change, type.kind(), SimpleAction(change), change.replace.Matches());
    case TypeKind::kObject:
      return DiffObject(change, type);
    case TypeKind::kMap:
      return DiffEntries(change, /*unknown_too=*/true,
                         [&](const Change& element) { return DiffType(element, type.element()); });
    case TypeKind::kList: {
      const bool objects = type.element().is_object();
      Diff diff = DiffSequence(
          change, [objects](const Value&, const Value&) { return objects; },
          [&](Change element) {
            element.relevant = PathMatcher::All();
            return DiffType(element, type.element());
          });
      diff.replace = change.replace.Matches();
      return diff;
    }
    case TypeKind::kTuple:
      return DiffTuple(change, type);
    case TypeKind::kSet:
      return DiffSet(change, type.element());
  }
  return {};
}

Diff DiffDynamic(const Change& change) {
  if (IsHidden(change) || IsUnknown(change)) {
    Diff diff = IsHidden(change) ? DiffSensitive(change, Diff::Kind::kSensitive, DiffDynamic)
                                 : DiffUnknown(change, nullptr, DiffDynamic);
    diff.replace = false;
    return diff;
  }
  const Shown before = ShownAs(change.before);
  const Shown after = ShownAs(change.after);
  const bool created = before == Shown::kNull && !change.before_explicit;
  const bool deleted = after == Shown::kNull && !change.after_explicit;
  if (before == after || created || deleted) {
    return DiffShown(change, before == Shown::kNull ? after : before);
  }
  Diff diff{.kind = Diff::Kind::kTypeChange, .action = Action::kUpdate};
  diff.members.push_back(DiffShown(AsDelete(change), before));
  diff.members.push_back(DiffShown(AsCreate(change), after));
  return diff;
}

}  // namespace kinu::view
