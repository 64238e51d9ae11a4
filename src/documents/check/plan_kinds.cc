// The kinds of assertions about plans: what they test, then their table.
#include <algorithm>

#include "check/assertion.h"
#include "check/condition.h"
#include "check/kind_arguments.h"
#include "check/outcome.h"

namespace kinu::check {
namespace {

using json::Member;
using json::Node;
using tfjson::MaskCursor;
using tfjson::Path;

const PlanDocument& PlanOf(const Assertion& assertion, const Documents& documents) {
  return *documents.plans[assertion.document];
}

bool IsNoOp(const PlanDocument::Change& change) {
  return change.actions.is_array() && change.actions.size() == 1 &&
         change.actions.At(0).Is("no-op");
}

std::string NoResource(const std::string& address) {
  return "the plan has no change of a resource \"" + address + "\"";
}
Outcome EmptyPlan(const Assertion& assertion, const Documents& documents) {
  const PlanDocument& plan = PlanOf(assertion, documents);
  for (const auto* changes : {&plan.outputs(), &plan.resources()}) {
    for (const PlanDocument::Change& change : *changes) {
      if (!IsNoOp(change)) {
        Outcome outcome = Failed("the plan has changes");
        outcome.found = change.actions;
        return outcome;
      }
    }
  }
  return Pass();
}

Outcome NonEmptyPlan(const Assertion& assertion, const Documents& documents) {
  return EmptyPlan(assertion, documents).passed ? Failed("the plan has no changes") : Pass();
}

bool ActionsAre(const Node& actions, std::string_view first, std::string_view second = {}) {
  if (!actions.is_array() || actions.size() != (second.empty() ? 1U : 2U)) {
    return false;
  }
  return actions.At(0).Is(first) && (second.empty() || actions.At(1).Is(second));
}

bool ActionsMatch(std::string_view word, const Node& actions) {
  static constexpr std::pair<std::string_view, std::string_view> kSingle[] = {
      {"NoOp", "no-op"},
      {"Create", "create"},
      {"Read", "read"},
      {"Update", "update"},
      {"Destroy", "delete"}};
  for (const auto& [name, action] : kSingle) {
    if (word == name) {
      return ActionsAre(actions, action);
    }
  }
  const bool destroy_first = ActionsAre(actions, "delete", "create");
  const bool create_first = ActionsAre(actions, "create", "delete");
  if (word == "DestroyBeforeCreate") {
    return destroy_first;
  }
  if (word == "CreateBeforeDestroy") {
    return create_first;
  }
  return destroy_first || create_first;
}

/// Applies a test to the change that the assertion is about, or to all that its selector finds.
template <typename Test>
Outcome OnChange(const Assertion& assertion, const Documents& documents, const Test& test) {
  const PlanDocument& plan = PlanOf(assertion, documents);
  if (assertion.selector() != nullptr) {
    return EachSelected(*assertion.selector(), plan.root(), [&](const Node& node, Trail) {
      const auto change = PlanDocument::ChangeOf(node);
      return change ? test(*change) : Failed(change.error().message);
    });
  }
  const std::string& subject = assertion.Text(0);
  const bool output = assertion.kind->arguments[0].name == "name";
  const PlanDocument::Change* change = output ? plan.Output(subject) : plan.Resource(subject);
  if (change == nullptr) {
    return Failed(output ? NoOutput(subject) : NoResource(subject));
  }
  return test(*change);
}

Outcome ResourceAction(const Assertion& assertion, const Documents& documents) {
  return OnChange(assertion, documents, [&](const PlanDocument::Change& change) {
    Outcome outcome{.passed = ActionsMatch(assertion.Text(1), change.actions),
                    .found = change.actions};
    if (!outcome.passed) {
      outcome.message = "the actions of the resource are not " + assertion.Text(1);
    }
    return outcome;
  });
}

Outcome PlannedValue(const Assertion& assertion, const Documents& documents) {
  if (SelectsValues(assertion)) {
    return AcceptSelected(assertion, PlanOf(assertion, documents).root());
  }
  return OnChange(assertion, documents, [&](const PlanDocument::Change& change) {
    return AcceptFetched(LastKnown(assertion),
                         Fetch(OrNull(change.change.Find("after")),
                               change.change.Find("after_sensitive"), PathOf(assertion)));
  });
}

Outcome UnknownValue(const Assertion& assertion, const Documents& documents) {
  if (SelectsValues(assertion)) {
    return SelectedAreMasked(assertion, PlanOf(assertion, documents).root(),
                             MaskCursor::Sort::kUnknown);
  }
  return OnChange(assertion, documents, [&](const PlanDocument::Change& change) {
    return MaskIsTrue(OrNull(change.unknown), PathOf(assertion), "unknown");
  });
}

Outcome PlannedSensitive(const Assertion& assertion, const Documents& documents) {
  if (SelectsValues(assertion)) {
    return SelectedAreMasked(assertion, PlanOf(assertion, documents).root(),
                             MaskCursor::Sort::kSensitive);
  }
  return OnChange(assertion, documents, [&](const PlanDocument::Change& change) {
    return MaskIsTrue(OrNull(change.change.Find("after_sensitive")), PathOf(assertion),
                      "sensitive");
  });
}

Outcome NullOutput(const Assertion& assertion, const Documents& documents) {
  if (SelectsValues(assertion)) {
    return EachSelected(*assertion.selector(), PlanOf(assertion, documents).root(),
                        [](const Node& node, Trail trail) {
                          return AcceptFetched(KnownValue{}, FetchSelected(node, trail));
                        });
  }
  return OnChange(assertion, documents, [&](const PlanDocument::Change& change) {
    // The library tests the prior value, unless the output is new.
    const bool created = ActionsAre(change.actions, "create");
    return AcceptFetched(KnownValue{},
                         Fetch(OrNull(change.change.Find(created ? "after" : "before")),
                               change.change.Find(created ? "after_sensitive" : "before_sensitive"),
                               PathOf(assertion)));
  });
}

Outcome NoDeferredChanges(const Assertion& assertion, const Documents& documents) {
  const size_t count = PlanOf(assertion, documents).deferred_count();
  return count == 0 ? Pass() : Failed(std::to_string(count) + " changes are deferred");
}

Outcome HasReason(const Assertion& assertion, const Node& reason) {
  Outcome outcome{.found = reason};
  outcome.passed = reason.is_null() ? assertion.Text(1).empty() : reason.Is(assertion.Text(1));
  if (!outcome.passed) {
    outcome.message = "the change is deferred for another reason";
  }
  return outcome;
}

Outcome DeferredChange(const Assertion& assertion, const Documents& documents) {
  const PlanDocument& plan = PlanOf(assertion, documents);
  if (assertion.selector() != nullptr) {
    return EachSelected(*assertion.selector(), plan.root(), [&](const Node& node, Trail) {
      const Node reason = node.is_object() ? node.Find("reason") : Node();
      return reason ? HasReason(assertion, reason) : Failed("there is no deferred change");
    });
  }
  const Node reason = plan.DeferredReason(assertion.Text(0));
  return reason ? HasReason(assertion, reason)
                : Failed("no change of \"" + assertion.Text(0) + "\" is deferred");
}

// --- The table ---

using T = ArgumentType;

constexpr ArgumentSpec kAddressAction[] = {{"address"}, {"action", T::kAction}};
constexpr ArgumentSpec kAddressReason[] = {{"address"}, {"reason"}};
constexpr ArgumentSpec kName[] = {{"name"}};
constexpr ArgumentSpec kNamePath[] = {{"name"}, {"path", T::kPath}};

constexpr KindSpec kPlanKinds[] = {
    {"expect_empty_plan", Side::kPlan, {}, &EmptyPlan},
    {"expect_non_empty_plan", Side::kPlan, {}, &NonEmptyPlan},
    {"expect_resource_action", Side::kPlan, kAddressAction, &ResourceAction, kByAddress},
    {"expect_known_value", Side::kPlan, kAddressPathValue, &PlannedValue, kByAddressPath},
    {"expect_unknown_value", Side::kPlan, kAddressPath, &UnknownValue, kByAddressPath},
    {"expect_sensitive_value", Side::kPlan, kAddressPath, &PlannedSensitive, kByAddressPath},
    {"expect_known_output_value", Side::kPlan, kNameValue, &PlannedValue, kByName},
    {"expect_known_output_value_at_path", Side::kPlan, kNamePathValue, &PlannedValue, kByNamePath},
    {"expect_unknown_output_value", Side::kPlan, kName, &UnknownValue, kByName},
    {"expect_unknown_output_value_at_path", Side::kPlan, kNamePath, &UnknownValue, kByNamePath},
    {"expect_null_output_value", Side::kPlan, kName, &NullOutput, kByName},
    {"expect_null_output_value_at_path", Side::kPlan, kNamePath, &NullOutput, kByNamePath},
    {"expect_no_deferred_changes", Side::kPlan, {}, &NoDeferredChanges},
    {"expect_deferred_change", Side::kPlan, kAddressReason, &DeferredChange, kByAddress},
    {"expect_condition", Side::kPlan, kConditionArguments, &RunCondition, kOnlySelector},
    {"expect_none", Side::kPlan, kNoneArguments, &RunNone, kOnlySelector, false, true},
    {"expect_count", Side::kPlan, kCountArguments, &RunCount, kOnlySelector, false, true},
};

}  // namespace

std::span<const KindSpec> PlanKinds() {
  return kPlanKinds;
}

}  // namespace kinu::check
