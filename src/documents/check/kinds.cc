// Kinds by name, and what all assertions have in common.
#include <algorithm>

#include "base/invariant.h"
#include "check/assertion.h"
#include "check/condition.h"

namespace kinu::check {

namespace {

constexpr ArgumentSpec kBlockConditionArguments[] = {{"condition", ArgumentType::kExpression},
                                                     {"message", ArgumentType::kExpression, true},
                                                     {"types", ArgumentType::kTexts, true},
                                                     {"allow_unknown", ArgumentType::kBool, true}};
static_assert(kBlockConditionArguments[3].name == kConditionArguments[3].name,
              "positions are those of all conditions");

constexpr KindSpec kConfigurationKinds[] = {
    {"expect_condition", Side::kConfiguration, kBlockConditionArguments, &RunCondition,
     kOnlySelector},
    {"expect_none", Side::kConfiguration, kNoneArguments, &RunNone, kOnlySelector, false, true},
    {"expect_count", Side::kConfiguration, kCountArguments, &RunCount, kOnlySelector, false, true},
};

std::span<const KindSpec> KindsOf(Side side) {
  switch (side) {
    case Side::kPlan:
      return PlanKinds();
    case Side::kState:
      return StateKinds();
    case Side::kConfiguration:
      return ConfigurationKinds();
  }
  return {};
}

}  // namespace

std::span<const KindSpec> ConfigurationKinds() {
  return kConfigurationKinds;
}

std::string_view SideName(Side side) {
  static constexpr std::string_view kNames[] = {"plan", "state", "configuration"};
  return kNames[static_cast<size_t>(side)];
}

const KindSpec* FindKind(Side side, std::string_view name) {
  for (const KindSpec& kind : KindsOf(side)) {
    if (kind.name == name) {
      return &kind;
    }
  }
  return nullptr;
}

std::string_view Assertion::TextNamed(std::string_view name) const {
  for (size_t i = 0; kind != nullptr && i < arguments.size(); ++i) {
    if (kind->arguments[i].name == name) {
      const auto* text = std::get_if<std::string>(&arguments[i]);
      return text != nullptr ? std::string_view(*text) : std::string_view();
    }
  }
  return {};
}

bool Assertion::HasSelector() const {
  const auto given = [](const Selector& selector) { return selector != nullptr; };
  return std::any_of(selectors.begin(), selectors.end(), given) ||
         std::any_of(state_values.begin(), state_values.end(),
                     [](const StateValue& value) { return value.selector != nullptr; });
}

bool Assertion::NeedsWholeDocument() const {
  return HasSelector() ||
         std::any_of(arguments.begin(), arguments.end(), [](const ArgumentValue& argument) {
           return std::holds_alternative<std::shared_ptr<const Expression>>(argument);
         });
}

const tfjson::Path* Assertion::FirstPath() const {
  for (const ArgumentValue& argument : arguments) {
    if (const auto* path = std::get_if<tfjson::Path>(&argument)) {
      return path;
    }
  }
  return nullptr;
}

size_t Documents::Count(Side side) const {
  switch (side) {
    case Side::kPlan:
      return plans.size();
    case Side::kState:
      return states.size();
    case Side::kConfiguration:
      return configurations.size();
  }
  return 0;
}

json::Node Documents::Root(Side side, uint64_t document) const {
  switch (side) {
    case Side::kPlan:
      return plans[document]->root();
    case Side::kState:
      return states[document]->root();
    case Side::kConfiguration:
      return configurations[document]->root();
  }
  return {};
}

const ObjectList& Documents::Objects(Side side, uint64_t document) const {
  const auto [at, added] = objects_.emplace(std::pair(side, document), nullptr);
  if (added) {
    at->second = std::make_unique<ObjectList>(Root(side, document));
  }
  return *at->second;
}

void Documents::ForgetReadValues() const {
  for (const auto& [document, objects] : objects_) {
    objects->ForgetReadValues();
  }
}

Outcome Run(const Assertion& assertion, const Documents& documents) {
  KINU_INVARIANT(assertion.kind != nullptr && assertion.error.empty(),
                 "the assertion is well-formed");
  return assertion.kind->run(assertion, documents);
}

}  // namespace kinu::check
