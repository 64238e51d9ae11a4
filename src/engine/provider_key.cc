#include "engine/provider_key.h"

#include "cty/conversion.h"
#include "engine/reference_check.h"
#include "lang/deprecation.h"
#include "lang/eval.h"

namespace kinu::engine {

InstanceKey ReadProviderKey(const Walk& walk, const std::string& user, const hcl::Expr& expr,
                            const ModuleInstance& instance, const Repetition& repetition,
                            Diagnostics& diags) {
  size_t errors = diags.error_count();
  const ReferenceCheck check(walk, *instance.node, {}, repetition.expansion);
  if (!check.ExprAnyway(expr, diags)) {
    return {};
  }
  const ModuleScope scope(walk, instance, repetition);
  Value value = lang::WarnDeprecated(lang::Evaluate(expr, scope, diags), expr, diags);
  if (diags.error_count() != errors) {
    return {};
  }
  auto invalid = [&](std::string detail, DiagnosticTag tag = DiagnosticTag::kNone) {
    diags.Error("Invalid provider instance key", std::move(detail), expr.range()).tag = tag;
    return InstanceKey();
  };
  if (value.marks().sensitive() || value.marks().ephemeral()) {
    return invalid("A provider instance key must not be derived from " +
                       std::string(value.marks().sensitive() ? "a sensitive" : "an ephemeral") +
                       " value.",
                   DiagnosticTag::kCausedBySensitive);
  }
  if (value.IsNull()) {
    return invalid("A provider instance key must not be null.");
  }
  if (!value.IsKnown()) {
    return invalid("The provider instance key for " + user +
                       " depends on values that cannot be determined until apply, and so OpenTofu "
                       "cannot select a provider instance to create a plan for this resource "
                       "instance.",
                   DiagnosticTag::kCausedByUnknown);
  }
  ValueResult<Value> text = Convert(value.UnmarkDeep(), Type::String());
  if (!text) {
    return invalid("The given instance key is unsuitable: " + text.error().ToText() + ".");
  }
  return InstanceKey::String(walk.program.Intern(text->AsString()));
}

InstanceKey ReadPassedKey(const Walk& walk, const std::string& user, const config::PassedKey& key,
                          const ModuleInstance& called, Diagnostics& diags) {
  return ReadProviderKey(walk, user, *key.expr, *called.parent, called.repetition, diags);
}

}  // namespace kinu::engine
