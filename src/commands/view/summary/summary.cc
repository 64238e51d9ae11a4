#include "view/summary/summary.h"

#include <algorithm>

#include "view/summary/builder.h"

namespace kinu::view {
namespace {

/// String keys that a summary names; more are counted.
constexpr size_t kNamedKeys = 3;
/// Ranges of indexes that a summary names.
constexpr size_t kNamedRanges = 4;

constexpr std::array<std::string_view, kEffects> kEffectNames = {
    "destroy", "replace", "forget", "update", "import", "move", "create", "read", ""};

}  // namespace

std::string_view EffectName(Effect effect) {
  return kEffectNames[static_cast<size_t>(effect)];
}

std::string GroupedDigits(size_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

void KeySet::Add(const Program& program, const InstanceKey& key) {
  switch (key.kind()) {
    case InstanceKey::Kind::kNone:
      return;
    case InstanceKey::Kind::kInt: {
      const int64_t index = key.index();
      // Objects come in the order of their addresses, so that most continue the last range.
      if (!ranges_.empty() && index >= ranges_.back().first && index <= ranges_.back().second + 1) {
        ranges_.back().second = std::max(ranges_.back().second, index);
      } else {
        ranges_.emplace_back(index, index);
      }
      return;
    }
    case InstanceKey::Kind::kString:
      if (symbols_.insert(key.symbol().id).second && texts_.size() < kNamedKeys) {
        texts_.emplace_back(program.Text(key.symbol()));
      }
      return;
  }
}

std::vector<std::pair<int64_t, int64_t>> KeySet::Ranges() const {
  std::vector<std::pair<int64_t, int64_t>> sorted = ranges_;
  std::ranges::sort(sorted);
  std::vector<std::pair<int64_t, int64_t>> out;
  for (const auto& [first, last] : sorted) {
    if (!out.empty() && first <= out.back().second + 1) {
      out.back().second = std::max(out.back().second, last);
    } else {
      out.emplace_back(first, last);
    }
  }
  return out;
}

void KeySet::Append(std::string& out) const {
  if (empty()) {
    return;
  }
  out += '[';
  const size_t start = out.size();
  const auto item = [&](const std::string& text) {
    out += out.size() == start ? "" : ", ";
    out += text;
  };
  size_t omitted = symbols_.size() - texts_.size();
  const auto ranges = Ranges();
  for (size_t i = 0; i < ranges.size(); ++i) {
    const auto& [first, last] = ranges[i];
    if (i >= kNamedRanges) {
      omitted += static_cast<size_t>(last - first) + 1;
    } else if (first == last) {
      item(std::to_string(first));
    } else {
      item(std::to_string(first) + (last == first + 1 ? ", " : "…") + std::to_string(last));
    }
  }
  for (const std::string& text : texts_) {
    item(QuoteKey(text));
  }
  if (omitted > 0) {
    item("… " + GroupedDigits(omitted) + " more");
  }
  out += ']';
}

std::string SummaryGroup::Address() const {
  std::string out;
  for (const auto& [call, instance_keys] : modules) {
    out += "module." + call;
    instance_keys.Append(out);
    out += '.';
  }
  out += name;
  keys.Append(out);
  return out;
}

size_t Summary::objects() const {
  size_t sum = 0;
  for (const size_t count : counts) {
    sum += count;
  }
  return sum;
}

void SummaryBuilder::AddModuleKeys(SummaryGroup& group, ModuleInstId module) const {
  size_t step = group.modules.size();
  for (ModuleInstId id = module; !id.is_root(); id = program_.Parent(id)) {
    group.modules[--step].second.Add(program_, program_.Key(id));
  }
}

SummaryGroup& SummaryBuilder::Add(const ResourceInstance& address, Effect effect) {
  ++summary_.steps;
  ++summary_.counts[static_cast<size_t>(effect)];
  const ModuleInstId module = address.resource.module;
  const ResourceName& resource = address.resource.resource;
  const ModuleId in = program_.ModuleOf(module);
  const auto [it, added] = index_.try_emplace(Key{effect, in, resource}, summary_.groups.size());
  if (added) {
    SummaryGroup& group = summary_.groups.emplace_back();
    group.effect = effect;
    group.module = program_.ToText(in);
    group.name = program_.ToText(resource);
    group.type = group.name.substr(0, group.name.rfind('.'));
    for (ModuleId id = in; !id.is_root(); id = program_.Parent(id)) {
      group.modules.emplace(group.modules.begin(), program_.Text(program_.CallName(id)), KeySet());
    }
    AddModuleKeys(group, module);
    last_module_.push_back(module);
  }
  const size_t at = it->second;
  SummaryGroup& group = summary_.groups[at];
  if (last_module_[at] != module) {
    AddModuleKeys(group, module);
    last_module_[at] = module;
  }
  ++group.count;
  group.keys.Add(program_, address.key);
  return group;
}

Summary SummaryBuilder::Finish() {
  std::ranges::stable_sort(summary_.groups, {}, &SummaryGroup::effect);
  return std::move(summary_);
}

}  // namespace kinu::view
