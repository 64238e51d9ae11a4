// Summaries of documents. Values are compared as text: both sides of a change have one writer.
#include <algorithm>
#include <charconv>

#include "tfjson/format.h"
#include "view/recorded/recorded.h"
#include "view/recorded/shape.h"
#include "view/summary/builder.h"

namespace kinu::view {
namespace {

using json::Member;
using json::Node;

/// Reads addresses. Those that differ from the last one by an index are not parsed again.
class AddressReader {
 public:
  explicit AddressReader(Program& program) : program_(program) {}

  bool Read(std::string_view text, ResourceInstance* out) {
    const size_t bracket = text.rfind('[');
    const bool indexed = bracket != std::string_view::npos && text.ends_with(']');
    int64_t index = 0;
    if (indexed && text.substr(0, bracket) == prefix_) {
      const char* end = text.data() + text.size() - 1;
      const auto [stop, problem] = std::from_chars(text.data() + bracket + 1, end, index);
      if (problem == std::errc() && stop == end && index >= 0) {
        *out = last_;
        out->key = InstanceKey::Int(index);
        return true;
      }
    }
    if (!program_.ParseResourceInstance(text, out)) {
      return false;
    }
    if (indexed && out->key.kind() == InstanceKey::Kind::kInt) {
      prefix_ = text.substr(0, bracket);
      last_ = *out;
    }
    return true;
  }

 private:
  Program& program_;
  std::string prefix_ = "]";  // begins no address
  ResourceInstance last_;
};

struct Actions {
  bool create = false;
  bool remove = false;
  bool forget = false;
  bool update = false;
  bool read = false;

  explicit Actions(const Node& change) {
    const Node list = change && change.is_object() ? change.Find("actions") : Node();
    if (!list || !list.is_array()) {
      return;
    }
    for (const Node action : list.elements()) {
      create = create || action.Is("create");
      remove = remove || action.Is("delete");
      forget = forget || action.Is("forget");
      update = update || action.Is("update");
      read = read || action.Is("read");
    }
  }
  bool any() const { return create || remove || forget || update || read; }
};

std::optional<Effect> EffectOf(const Node& entry, const Node& change) {
  const Actions actions(change);
  if (actions.create && (actions.remove || actions.forget)) {
    return Effect::kReplace;
  }
  if (actions.remove) {
    return Effect::kDestroy;
  }
  if (actions.forget) {
    return Effect::kForget;
  }
  if (actions.update) {
    return Effect::kUpdate;
  }
  if (actions.create) {
    return Effect::kCreate;
  }
  if (actions.read) {
    return Effect::kRead;
  }
  if (change && change.Find("importing")) {
    return Effect::kImport;
  }
  return entry.Find("previous_address") ? std::optional(Effect::kMove) : std::nullopt;
}

void Count(std::map<std::string, size_t, std::less<>>& counts, std::string name) {
  ++counts[std::move(name)];
}

/// Counts the attributes whose values differ or are unknown.
void AddChangedAttributes(const Node& change, SummaryGroup& group, size_t& steps) {
  const Node before = change.Find("before");
  const Node after = change.Find("after");
  if (!before || !before.is_object() || !after || !after.is_object()) {
    return;
  }
  std::vector<std::pair<std::string, std::string_view>> old;
  for (const Member member : before.members()) {
    old.emplace_back(member.name.String(), member.value.text());
  }
  std::ranges::sort(old);
  std::vector<std::string> names;
  for (const Member member : after.members()) {
    ++steps;
    std::string name = member.name.String();
    const auto it = std::ranges::lower_bound(
        old, name, {}, [](const auto& pair) -> const auto& { return pair.first; });
    const bool known_before = it != old.end() && it->first == name;
    if (known_before ? it->second != member.value.text() : !member.value.is_null()) {
      names.push_back(std::move(name));
    }
  }
  const Node unknown = change.Find("after_unknown");
  if (unknown && unknown.is_object()) {
    for (const Member member : unknown.members()) {
      if (member.value.is_true()) {
        names.push_back(member.name.String());
      }
    }
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::unique(names);
  names.erase(twice.begin(), twice.end());
  for (std::string& name : names) {
    Count(group.attributes, std::move(name));
  }
}

Error BadAddress(const Node& entry) {
  return Error{ErrorCode::kInvalid,
               "the address \"" + TextOf(entry, "address") + "\" cannot be read"};
}

Result<void> AddPlan(const Node& plan, Program& program, SummaryBuilder& builder) {
  AddressReader addresses(program);
  std::string scratch;
  const Node changes = plan.Find("resource_changes");
  if (changes && changes.is_array()) {
    for (const Node entry : changes.elements()) {
      if (!entry.is_object()) {
        return std::unexpected(Error{ErrorCode::kInvalid, "a change is no object"});
      }
      const Node found = entry.Find("change");
      const Node change = found && found.is_object() ? found : Node();
      const auto effect = EffectOf(entry, change);
      if (!effect) {
        continue;
      }
      ResourceInstance address;
      const Node text = entry.Find("address");
      if (!text || !text.is_string() || !addresses.Read(text.String(scratch), &address)) {
        return std::unexpected(BadAddress(entry));
      }
      SummaryGroup& group = builder.Add(address, *effect);
      group.deposed += TextOf(entry, "deposed").empty() ? 0 : 1;
      group.imported += change && *effect != Effect::kImport && change.Find("importing") ? 1 : 0;
      if (std::string previous = TextOf(entry, "previous_address"); !previous.empty()) {
        group.previous = std::move(previous);
      }
      if (std::string reason = TextOf(entry, "action_reason"); !reason.empty()) {
        Count(group.reasons, std::move(reason));
      }
      if (*effect == Effect::kUpdate || *effect == Effect::kReplace) {
        AddChangedAttributes(change, group, builder.summary().steps);
      }
    }
  }
  if (const Node outputs = plan.Find("output_changes"); outputs && outputs.is_object()) {
    for (const Member member : outputs.members()) {
      // Format 0.1 of kinu has an additional object around the change.
      const Node inner = member.value.is_object() ? member.value.Find("change") : Node();
      if (Actions(inner ? inner : member.value).any()) {
        builder.summary().outputs.push_back(member.name.String());
      }
    }
  }
  const Node drift = plan.Find("resource_drift");
  builder.summary().drifted = drift && drift.is_array() ? drift.size() : 0;
  const Node errored = plan.Find("errored");
  builder.summary().errored = errored && errored.is_true();
  return {};
}

Result<void> AddModule(const Node& module, AddressReader& addresses, SummaryBuilder& builder) {
  std::string scratch;
  if (const Node resources = module.Find("resources"); resources && resources.is_array()) {
    for (const Node entry : resources.elements()) {
      ResourceInstance address;
      const Node text = entry.is_object() ? entry.Find("address") : Node();
      if (!text || !text.is_string() || !addresses.Read(text.String(scratch), &address)) {
        return std::unexpected(entry.is_object()
                                   ? BadAddress(entry)
                                   : Error{ErrorCode::kInvalid, "a resource is no object"});
      }
      SummaryGroup& group = builder.Add(address, Effect::kExists);
      group.deposed += TextOf(entry, "deposed_key").empty() ? 0 : 1;
      const Node tainted = entry.Find("tainted");
      group.tainted += tainted && tainted.is_true() ? 1 : 0;
    }
  }
  if (const Node children = module.Find("child_modules"); children && children.is_array()) {
    for (const Node child : children.elements()) {
      if (child.is_object()) {
        if (auto done = AddModule(child, addresses, builder); !done) {
          return done;
        }
      }
    }
  }
  return {};
}

Result<void> AddState(const Node& state, Program& program, SummaryBuilder& builder) {
  builder.summary().of_state = true;
  const Node values = state.Find("values");
  if (!values || !values.is_object()) {
    return {};
  }
  AddressReader addresses(program);
  if (const Node root = values.Find("root_module"); root && root.is_object()) {
    if (auto done = AddModule(root, addresses, builder); !done) {
      return done;
    }
  }
  if (const Node outputs = values.Find("outputs"); outputs && outputs.is_object()) {
    for (const Member member : outputs.members()) {
      builder.summary().outputs.push_back(member.name.String());
    }
  }
  return {};
}

}  // namespace

Result<Summary> MakeSummary(const Node& document) {
  KINU_TRY([[maybe_unused]] const tfjson::FormatVersion version, tfjson::FormatVersionOf(document));
  Program program;
  SummaryBuilder builder(program);
  const bool plan = IsPlanDocument(document);
  if (!plan && !IsStateDocument(document)) {
    return Fail(ErrorCode::kInvalid, "it is neither a plan nor a state");
  }
  const Result<void> added =
      plan ? AddPlan(document, program, builder) : AddState(document, program, builder);
  if (!added) {
    return std::unexpected(added.error());
  }
  return builder.Finish();
}

}  // namespace kinu::view
