// Kinds by name, and what all assertions have in common.
#include <algorithm>

#include "base/invariant.h"
#include "check/assertion.h"

namespace kinu::check {

const KindSpec* FindKind(Side side, std::string_view name) {
  for (const KindSpec& kind : side == Side::kPlan ? PlanKinds() : StateKinds()) {
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
           return std::holds_alternative<const hcl::Expr*>(argument);
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

const ObjectList& Documents::Objects(Side side, uint64_t document) const {
  auto& known = side == Side::kPlan ? plan_objects_ : state_objects_;
  const auto [at, added] = known.emplace(document, nullptr);
  if (added) {
    at.value() = std::make_unique<ObjectList>(side == Side::kPlan ? plans[document]->root()
                                                                  : states[document]->root());
  }
  return *at->second;
}

void Documents::ForgetReadValues() const {
  for (const auto* known : {&plan_objects_, &state_objects_}) {
    for (const auto& [document, objects] : *known) {
      objects->ForgetReadValues();
    }
  }
}

Outcome Run(const Assertion& assertion, const Documents& documents) {
  KINU_INVARIANT(assertion.kind != nullptr && assertion.error.empty(),
                 "the assertion is well-formed");
  return assertion.kind->run(assertion, documents);
}

}  // namespace kinu::check
