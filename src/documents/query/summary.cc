#include "query/summary.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/flat_map.h"
#include "query/evaluate.h"

namespace kinu::query {

using json::Member;
using json::Node;

namespace {

/// The effect of a change, the most important first.
enum class Effect : uint8_t {
  kDestroy,
  kReplace,
  kForget,
  kUpdate,
  kImport,
  kCreate,
  kRead,
  kCount
};

struct Words {
  std::string_view verb;     ///< in a line
  std::string_view counted;  ///< after a number in the first line
};
constexpr Words kWords[] = {{"destroy", "to destroy"}, {"replace", "to replace"},
                            {"forget", "to forget"},   {"update", "to change"},
                            {"import", "to import"},   {"create", "to add"},
                            {"read", "to read"}};

struct Change {
  Effect effect;
  std::string line;
};

bool Has(const Node& actions, std::string_view action) {
  for (const Node element : actions.elements()) {
    if (element.Is(action)) {
      return true;
    }
  }
  return false;
}

/// The effect of a change; kCount if it has none.
Effect EffectOf(const Node& change) {
  const Node actions = change ? change.Find("actions") : Node();
  if (!actions || !actions.is_array()) {
    return Effect::kCount;
  }
  if (Has(actions, "delete")) {
    return Has(actions, "create") ? Effect::kReplace : Effect::kDestroy;
  }
  if (Has(actions, "forget")) {
    return Has(actions, "create") ? Effect::kReplace : Effect::kForget;
  }
  if (Has(actions, "update")) {
    return Effect::kUpdate;
  }
  if (Has(actions, "create")) {
    return Effect::kCreate;
  }
  if (Has(actions, "read")) {
    return Effect::kRead;
  }
  return change.Find("importing") ? Effect::kImport : Effect::kCount;
}

/// ": " and the names of the attributes whose values differ or are unknown; may be empty.
std::string ChangedAttributes(const Node& change) {
  const Node before = change.Find("before");
  const Node after = change.Find("after");
  const Node unknown = change.Find("after_unknown");
  if (!before || !before.is_object() || !after || !after.is_object()) {
    return {};
  }
  FlatMap<std::string, Node> old;
  for (const Member member : before.members()) {
    old[member.name.String()] = member.value;
  }
  std::vector<std::string> names;
  for (const Member member : after.members()) {
    const std::string name = member.name.String();
    const auto found = old.find(name);
    if (found == old.end() || !SameValue(found->second, member.value)) {
      names.push_back(name);
    }
  }
  if (unknown && unknown.is_object()) {
    for (const Member member : unknown.members()) {
      if (member.value.is_true()) {
        names.push_back(member.name.String());
      }
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string out;
  for (const std::string& name : names) {
    out += (out.empty() ? ": " : ", ") + name;
  }
  return out;
}

std::string Text(const Node& object, std::string_view name) {
  const Node text = object.Find(name);
  return text && text.is_string() ? text.String() : std::string();
}

void AddResources(const Node& list, std::vector<Change>& changes,
                  std::array<size_t, static_cast<size_t>(Effect::kCount)>& counts) {
  for (const Node entry : list.elements()) {
    const Node change = entry.Find("change");
    const Effect effect = EffectOf(change);
    if (effect == Effect::kCount) {
      continue;
    }
    const auto index = static_cast<size_t>(effect);
    ++counts[index];
    std::string line = "- " + std::string(kWords[index].verb) + " " + Text(entry, "address");
    if (const std::string deposed = Text(entry, "deposed"); !deposed.empty()) {
      line += " (deposed " + deposed + ")";
    }
    if (const std::string before = Text(entry, "previous_address"); !before.empty()) {
      line += " (was " + before + ")";
    }
    if (effect == Effect::kUpdate || effect == Effect::kReplace) {
      line += ChangedAttributes(change);
    }
    if (const std::string reason = Text(entry, "action_reason"); !reason.empty()) {
      line += " [" + reason + "]";
    }
    changes.push_back({effect, std::move(line)});
  }
}

/// The longest prefix of `text` that has at most `size` bytes and ends with a whole character.
std::string_view Truncated(std::string_view text, size_t size) {
  if (text.size() > size) {
    while (size > 0 && (text[size] & 0xC0) == 0x80) {
      --size;
    }
    text = text.substr(0, size);
  }
  return text;
}

}  // namespace

std::string SummarizePlan(const Node& plan, size_t bytes) {
  std::vector<Change> changes;
  std::array<size_t, static_cast<size_t>(Effect::kCount)> counts{};
  if (const Node resources = plan.Find("resource_changes")) {
    AddResources(resources, changes, counts);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.effect < b.effect; });
  size_t outputs = 0;
  if (const Node output_changes = plan.Find("output_changes")) {
    for (const Member member : output_changes.members()) {
      // Format 0.1 has an additional object around the change.
      const Node inner = member.value.Find("change");
      if (EffectOf(inner ? inner : member.value) != Effect::kCount) {
        ++outputs;
        changes.push_back({Effect::kCount, "- output " + member.name.String()});
      }
    }
  }
  std::string head = "Plan";
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) {
      head += (head.size() == 4 ? ": " : ", ") + std::to_string(counts[i]) + " " +
              std::string(kWords[i].counted);
    }
  }
  if (outputs > 0) {
    head += (head.size() == 4 ? ": " : ", ") + std::to_string(outputs) + " outputs";
  }
  if (head.size() == 4) {
    head += ": no changes";
  }
  if (const Node errored = plan.Find("errored"); errored && errored.is_true()) {
    head += "; planning failed, more may be missing";
  }
  if (const Node drift = plan.Find("resource_drift"); drift && drift.size() > 0) {
    head += "; " + std::to_string(drift.size()) + " changed outside";
  }
  std::string out = head + "\n";
  size_t shown = 0;
  for (const Change& change : changes) {
    const size_t left = changes.size() - shown - 1;
    const std::string more = "… " + std::to_string(left) + " more\n";
    // The line about omitted changes must fit after this one.
    if (out.size() + change.line.size() + 1 + (left > 0 ? more.size() : 0) > bytes) {
      break;
    }
    out += change.line + "\n";
    ++shown;
  }
  if (shown < changes.size()) {
    out += "… " + std::to_string(changes.size() - shown) + " more\n";
  }
  return std::string(Truncated(out, bytes));
}

}  // namespace kinu::query
