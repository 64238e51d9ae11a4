#include "plan/plan_difference.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "base/flat_map.h"

namespace kinu::plan {
namespace {

/// An object: its address, and the key of a deposed one.
struct ObjectKey {
  ResourceInstance address;
  std::string_view deposed;
  uint64_t Hash() const { return HashCombine(address.Hash(), HashBytes(deposed)); }
  friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
};

using ChangesByObject = FlatMap<ObjectKey, const ResourceChange*>;

ObjectKey KeyOf(const ResourceChange& change) {
  return {change.address, change.deposed.empty() ? std::string_view() : change.deposed.text()};
}

ChangesByObject ByObject(const Plan& plan) {
  ChangesByObject out;
  out.reserve(plan.changes.size());
  for (const ResourceChange& change : plan.changes) {
    if (IsSpokenOf(change)) {
      out.emplace(KeyOf(change), &change);
    }
  }
  return out;
}

bool SameValue(const Value& a, const Value& b) {
  return a.SameRepresentation(b) || Value::RawEquals(a, b);
}

bool SameImport(const ResourceChange& a, const ResourceChange& b) {
  if (!a.importing || !b.importing) {
    return a.importing.has_value() == b.importing.has_value();
  }
  return a.importing->id == b.importing->id && a.importing->unknown_id == b.importing->unknown_id &&
         SameValue(a.importing->identity, b.importing->identity);
}

bool SamePaths(const ResourceChange& a, const ResourceChange& b) {
  return std::ranges::equal(a.required_replace, b.required_replace);
}

bool SameChange(const ResourceChange& a, const ResourceChange& b) {
  return a.action == b.action && a.reason == b.reason && a.previous_address == b.previous_address &&
         a.provider == b.provider && a.provider_key == b.provider_key && SameImport(a, b) &&
         SamePaths(a, b) && SameValue(a.before, b.before) && SameValue(a.after, b.after);
}

bool SameOutput(const OutputChange& a, const OutputChange& b) {
  return a.action == b.action && a.sensitive == b.sensitive && SameValue(a.before, b.before) &&
         SameValue(a.after, b.after);
}

using OutputsByName = std::map<std::string_view, PlanDifference::OutputPair>;

void CompareOutputs(const Plan& before, const Plan& after, PlanDifference& out) {
  OutputsByName outputs;
  for (const OutputChange& output : before.outputs) {
    if (output.action != Action::kNoOp) {
      outputs[output.name].before = &output;
    }
  }
  for (const OutputChange& output : after.outputs) {
    if (output.action != Action::kNoOp) {
      outputs[output.name].after = &output;
    }
  }
  for (const auto& [name, pair] : outputs) {
    if (pair.before == nullptr || pair.after == nullptr || !SameOutput(*pair.before, *pair.after)) {
      out.outputs.push_back(pair);
    }
  }
}

}  // namespace

bool IsSpokenOf(const ResourceChange& change) {
  const bool managed = change.address.resource.resource.mode == ResourceMode::kManaged;
  if (change.action == Action::kNoOp) {
    return change.previous_address != change.address || change.importing.has_value();
  }
  return change.address.resource.resource.mode != ResourceMode::kEphemeral &&
         (managed || change.action != Action::kDelete);
}

PlanDifference Compare(const Plan& before, const Plan& after) {
  PlanDifference out;
  const ChangesByObject old = ByObject(before);
  size_t met = 0;
  for (const ResourceChange& change : after.changes) {
    if (!IsSpokenOf(change)) {
      continue;
    }
    const auto found = old.find(KeyOf(change));
    if (found == old.end()) {
      out.added.push_back(&change);
      continue;
    }
    ++met;
    if (!SameChange(*found->second, change)) {
      out.changed.push_back({found->second, &change});
    }
  }
  if (met != old.size()) {
    const ChangesByObject now = ByObject(after);
    for (const ResourceChange& change : before.changes) {
      if (IsSpokenOf(change) && !now.contains(KeyOf(change))) {
        out.gone.push_back(&change);
      }
    }
  }
  CompareOutputs(before, after, out);
  return out;
}

}  // namespace kinu::plan
