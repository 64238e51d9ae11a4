// Summaries of plans and states in memory.
#include "view/human/shown.h"
#include "view/summary/builder.h"

namespace kinu::view {
namespace {

using plan::Action;
using plan::ResourceChange;

/// The effect of a change. Nothing if there is none.
std::optional<Effect> EffectOf(const ResourceChange& change) {
  switch (change.action) {
    case Action::kCreate:
      return Effect::kCreate;
    case Action::kRead:
      return Effect::kRead;
    case Action::kUpdate:
      return Effect::kUpdate;
    case Action::kDelete:
      return Effect::kDestroy;
    case Action::kDeleteThenCreate:
    case Action::kCreateThenDelete:
    case Action::kForgetThenCreate:
      return Effect::kReplace;
    case Action::kForget:
      return Effect::kForget;
    case Action::kNoOp:
      break;
  }
  if (change.importing) {
    return Effect::kImport;
  }
  if (change.previous_address != change.address) {
    return Effect::kMove;
  }
  return std::nullopt;
}

/// Counts the attributes whose values differ or are unknown.
void AddChangedAttributes(const ResourceChange& change, SummaryGroup& group, size_t& steps) {
  const Value before = change.before.Unmark();
  const Value after = change.after.Unmark();
  if (before.IsNull() || after.IsNull() || !before.IsKnown() || !after.IsKnown() ||
      !before.type().is_object() || !after.type().is_object()) {
    return;
  }
  for (size_t i = 0; i < after.size(); ++i) {
    ++steps;
    const std::string_view name = after.key(i);
    const Value& now = after.elements()[i];
    // Both sides have the type of the schema, except where a part of it is dynamic.
    const int at = before.type().FindAttribute(name);
    const Value* was = at < 0 ? nullptr : &before.elements()[static_cast<size_t>(at)];
    if (!now.IsWhollyKnown() || !ShownEqual(was, &now)) {
      auto it = group.attributes.find(name);
      if (it == group.attributes.end()) {
        it = group.attributes.emplace(std::string(name), 0).first;
      }
      ++it->second;
    }
  }
}

}  // namespace

Summary MakeSummary(const plan::Plan& plan, const CausesOf& causes_of) {
  SummaryBuilder builder(*plan.program);
  Summary& summary = builder.summary();
  for (const ResourceChange& change : plan.changes) {
    const auto effect = EffectOf(change);
    if (!effect || change.address.resource.resource.mode == ResourceMode::kEphemeral) {
      continue;
    }
    SummaryGroup& group = builder.Add(change.address, *effect);
    group.deposed += change.deposed.empty() ? 0 : 1;
    group.imported += change.importing && *effect != Effect::kImport ? 1 : 0;
    if (change.previous_address != change.address) {
      group.previous = plan.program->ToText(change.previous_address);
    }
    if (change.reason != plan::Reason::kNone) {
      ++group.reasons[std::string(plan::ReasonName(change.reason))];
    }
    if (causes_of && change.deposed.empty()) {
      for (std::string& cause : causes_of(plan.program->ToText(change.address))) {
        ++group.causes[std::move(cause)];
      }
    }
    if (*effect == Effect::kUpdate || *effect == Effect::kReplace) {
      AddChangedAttributes(change, group, summary.steps);
    }
  }
  for (const plan::OutputChange& output : plan.outputs) {
    if (output.action != Action::kNoOp) {
      summary.outputs.push_back(output.name);
      if (causes_of) {
        summary.output_causes[output.name] = causes_of("output." + output.name);
      }
    }
  }
  summary.drifted = plan.drift.size();
  summary.errored = plan.errored;
  return builder.Finish();
}

Summary MakeSummary(const state::State& state) {
  SummaryBuilder builder(*state.program);
  builder.summary().of_state = true;
  for (const state::Resource* resource : state.Sorted()) {
    for (const state::Instance& instance : resource->instances) {
      const ResourceInstance address{resource->address, instance.key};
      if (instance.current != nullptr) {
        SummaryGroup& group = builder.Add(address, Effect::kExists);
        group.tainted += instance.current->status == state::ObjectStatus::kTainted ? 1 : 0;
      }
      for (size_t i = 0; i < instance.deposed.size(); ++i) {
        ++builder.Add(address, Effect::kExists).deposed;
      }
    }
  }
  for (const state::OutputValue& output : state.outputs) {
    builder.summary().outputs.push_back(output.name);
  }
  return builder.Finish();
}

}  // namespace kinu::view
