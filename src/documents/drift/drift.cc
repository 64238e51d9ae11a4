#include "drift/drift.h"

#include <algorithm>

#include "base/flat_map.h"
#include "query/evaluate.h"
#include "text/unicode.h"
#include "tfjson/actions.h"
#include "tfjson/format.h"
#include "tfjson/masks.h"
#include "tfjson/secrets.h"

namespace kinu::drift {
namespace {

using json::Node;
using tfjson::MaskCursor;

/// A value on one side, with the mask of its sensitive parts. Absent without a node.
struct Side {
  Node value;
  MaskCursor mask{MaskCursor::Sort::kSensitive};

  Side Member(const Node& name, const Node& member) const {
    return {member, mask.Into({.container = value, .name = name})};
  }
  Side Element(const Node& element, uint64_t index) const {
    return {element, mask.Into({.container = value, .name = {}, .index = index})};
  }
  /// Whether there is an object whose members can be shown one by one.
  bool IsOpenObject() const { return value && value.is_object() && !mask.whole(); }
};

/// Collects the differences of two values.
class Comparison {
 public:
  Comparison(const tfjson::Secrets& secrets, std::vector<Difference>& out)
      : secrets_(secrets), out_(out) {}

  void Compare(const Side& before, const Side& after) {
    if (before.IsOpenObject() && after.IsOpenObject()) {
      CompareMembers(before, after);
    } else if (HaveSameBlocks(before, after)) {
      CompareElements(before, after);
    } else if (!before.value || !after.value || !query::SameValue(before.value, after.value)) {
      out_.push_back({.path = path_, .before = TextOf(before), .after = TextOf(after)});
    }
  }

 private:
  /// Whether both are lists of as many objects: blocks, which are compared one by one.
  static bool HaveSameBlocks(const Side& before, const Side& after) {
    return HasBlocks(before) && HasBlocks(after) && before.value.size() == after.value.size();
  }
  static bool HasBlocks(const Side& side) {
    if (!side.value || !side.value.is_array() || side.mask.whole()) {
      return false;
    }
    for (const Node& element : side.value.elements()) {
      if (!element.is_object()) {
        return false;
      }
    }
    return true;
  }

  void CompareMembers(const Side& before, const Side& after) {
    FlatMap<std::string, json::Member> left;  // of `after`
    for (const json::Member& member : after.value.members()) {
      left.insert_or_assign(member.name.String(), member);
    }
    for (const json::Member& member : before.value.members()) {
      const std::string name = member.name.String();
      Side now;
      if (const auto found = left.find(name); found != left.end()) {
        now = after.Member(found->second.name, found->second.value);
        left.erase(found);
      }
      Inside(name, before.Member(member.name, member.value), now);
    }
    for (const json::Member& member : after.value.members()) {
      const std::string name = member.name.String();
      if (left.erase(name) > 0) {
        Inside(name, Side(), after.Member(member.name, member.value));
      }
    }
  }

  void CompareElements(const Side& before, const Side& after) {
    uint64_t index = 0;
    auto now = after.value.elements().begin();
    for (const Node& element : before.value.elements()) {
      Inside(index, before.Element(element, index), after.Element(*now, index));
      ++index;
      ++now;
    }
  }

  void Inside(tfjson::PathStep step, const Side& before, const Side& after) {
    tfjson::Path inside = path_;
    inside.Append(std::move(step));
    std::swap(path_, inside);
    Compare(before, after);
    std::swap(path_, inside);
  }

  std::string TextOf(const Side& side) const {
    std::string text;
    if (side.value) {
      tfjson::AppendRedacted(text, side.value, side.mask, secrets_);
    }
    return text;
  }

  const tfjson::Secrets& secrets_;
  std::vector<Difference>& out_;
  tfjson::Path path_;
};

std::string TextOf(const Node& node) {
  return node && node.is_string() ? node.String() : std::string();
}

/// The address of an entry with the key of its deposed object: no two entries have the same.
std::string KeyOf(const Node& entry) {
  return TextOf(entry.Find("address")) + "\n" + TextOf(entry.Find("deposed"));
}

Side SideOf(const Node& change, std::string_view value, std::string_view mask) {
  const Node found = change.Find(value);
  Side side;
  if (found && !found.is_null()) {
    side.value = found;
    if (const Node sensitive = change.Find(mask)) {
      side.mask = MaskCursor::Over(sensitive);
    }
  }
  return side;
}

Result<Object> ReadObject(const Node& entry, const tfjson::Secrets& secrets) {
  const Node change = entry.is_object() ? entry.Find("change") : Node();
  if (!change || !change.is_object() || TextOf(entry.Find("address")).empty()) {
    return Fail(ErrorCode::kInvalid, "an entry of resource_drift has no address or no change");
  }
  Object object{.address = TextOf(entry.Find("address")),
                .deposed = TextOf(entry.Find("deposed")),
                .entry = entry};
  const Side before = SideOf(change, "before", "before_sensitive");
  const Side after = SideOf(change, "after", "after_sensitive");
  if (!after.value) {
    object.happened = Happened::kGone;
  } else {
    Comparison(secrets, object.differences).Compare(before, after);
  }
  if (const Node position = entry.Find("position")) {
    object.place = check::ReadPlace(position);
  }
  return object;
}

}  // namespace

std::string Difference::PathText() const {
  std::string out;
  for (const tfjson::PathStep& step : path.steps()) {
    if (const auto* index = std::get_if<uint64_t>(&step)) {
      out += "[" + std::to_string(*index) + "]";
    } else if (const auto& name = std::get<std::string>(step); text::IsIdentifier(name)) {
      out += (out.empty() ? "" : ".") + name;
    } else {
      tfjson::AppendNormalizedName(out, name);
    }
  }
  return out;
}

std::string_view HappenedName(Happened happened) {
  return happened == Happened::kGone ? "gone" : "changed";
}

size_t Report::Count(Happened happened) const {
  return static_cast<size_t>(std::ranges::count_if(objects, [&](const Object& object) {
    return object.happened == happened && object.ignored.empty();
  }));
}

size_t Report::Ignored() const {
  return static_cast<size_t>(
      std::ranges::count_if(objects, [](const Object& object) { return !object.ignored.empty(); }));
}

Result<Report> ReadDrift(const Node& plan) {
  KINU_TRY([[maybe_unused]] const auto version, tfjson::FormatVersionOf(plan));
  if (plan.Find("values") || plan.Find("root_module")) {
    return Fail(ErrorCode::kInvalid, "the document is a state or a configuration, not a plan");
  }
  Report report;
  const Node errored = plan.Find("errored");
  report.errored = errored && errored.is_true();
  const Node drift = plan.Find("resource_drift");
  if (!drift) {
    return report;
  }
  const tfjson::Secrets secrets(plan);
  FlatMap<std::string, size_t> by_key;
  for (const Node& entry : drift.elements()) {
    KINU_TRY(Object object, ReadObject(entry, secrets));
    by_key.emplace(KeyOf(entry), report.objects.size());
    report.objects.push_back(std::move(object));
  }
  const Node changes = plan.Find("resource_changes");
  if (!changes) {
    return report;
  }
  for (const Node& entry : changes.elements()) {
    const Node change = entry.is_object() ? entry.Find("change") : Node();
    const auto found = change && change.is_object() ? by_key.find(KeyOf(entry)) : by_key.end();
    if (found == by_key.end()) {
      continue;
    }
    Object& object = report.objects[found->second];
    object.action = tfjson::ActionOf(change.Find("actions"));
    if (const Node position = entry.Find("position"); position && !object.place.valid()) {
      object.place = check::ReadPlace(position);
    }
  }
  return report;
}

}  // namespace kinu::drift
