#include "engine/reference_check.h"

#include "config/reference.h"
#include "hcl/static.h"
#include "lang/deprecation.h"
#include "lang/eval.h"
#include "schema/decode.h"
#include "schema/locate.h"
#include "text/quote.h"

namespace kinu::engine {
namespace {

/// What a traversal stands for, whether the graph builder bound it or not.
config::Reference ReferenceOf(Program& program, const config::Module& module,
                              const hcl::TraversalExpr& traversal) {
  const config::Reference* bound = module.references.Find(traversal);
  return bound != nullptr ? *bound : config::ResolveReference(program, module, traversal, nullptr);
}

/// The schemas of resources that a test has left out of their module.
class LeftOutSchemas final : public config::SchemaSource {
 public:
  explicit LeftOutSchemas(const Walk& walk) : walk_(walk) {}
  const schema::Block* ResourceSchema(const config::Resource& resource) const override {
    const schema::ResourceSchema* schema = LeftOutSchema(walk_, resource);
    return schema != nullptr ? &schema->block : nullptr;
  }

 private:
  const Walk& walk_;
};

}  // namespace

void ReferenceCheck::ReportUnknownType(const hcl::TraversalExpr& traversal,
                                       const config::Resource& left_out, Diagnostics& diags) const {
  if (LeftOutSchema(walk_, left_out) == nullptr) {
    diags.Error("Invalid resource type",
                "The provider " + text::GoQuote(walk_.program.Text(left_out.provider)) +
                    " has no type " + text::GoQuote(walk_.program.Text(left_out.name.type)) +
                    " for objects of that mode.",
                config::ReferenceRange(traversal));
  }
}

const schema::Block* ReferenceCheck::ResourceSchema(const config::Resource& resource) const {
  size_t index = static_cast<size_t>(&resource - node_.module->resources.data());
  const BlockInfo& info = walk_.graph.blocks[node_.index][index];
  return info.schema != nullptr ? &info.schema->block : nullptr;
}

References ReferenceCheck::Check(std::span<const hcl::TraversalExpr* const> traversals,
                                 bool whole_objects, Diagnostics& diags,
                                 std::span<const hcl::CallExpr* const> calls) const {
  using config::ReferenceKind;
  const config::Module& module = *node_.module;
  size_t errors = diags.error_count();
  Diagnostics undeclared;
  Diagnostics wrong;
  for (const hcl::TraversalExpr* traversal : traversals) {
    const config::Reference ref = ReferenceOf(walk_.program, module, *traversal);
    if (const auto left_out = config::LeftOutResource(walk_.program, module, *traversal)) {
      const LeftOutSchemas schemas(walk_);
      config::ValidateReference(walk_.program, *module.overridden, *traversal, *left_out, context_,
                                &schemas, wrong);
      ReportUnknownType(*traversal,
                        module.overridden->resources[static_cast<size_t>(left_out->index)], wrong);
      continue;
    }
    if (ref.kind == ReferenceKind::kInvalid && config::NamesMember(*traversal)) {
      (void)config::ResolveReference(walk_.program, module, *traversal, &undeclared, node_.path);
    } else if (ref.kind == ReferenceKind::kInvalid) {
      (void)config::ResolveReference(walk_.program, module, *traversal, &diags, node_.path);
      if (!whole_objects) {
        config::ReportNamelessAttribute(*traversal, diags);
      }
    } else if (ref.index < 0 &&
               (ref.kind == ReferenceKind::kVariable || ref.kind == ReferenceKind::kLocal)) {
      (void)config::ResolveReference(walk_.program, module, *traversal, &undeclared, node_.path);
    } else if (!config::HasRepetition(ref.kind, repetition_)) {
      config::ReportNoRepetition(ref.kind, *traversal, undeclared);
    } else {
      config::ValidateReference(walk_.program, module, *traversal, ref, context_, this, wrong);
    }
  }
  lang::CheckFunctionNames(calls, diags);
  CheckFunctions(calls, diags);
  // Undeclared values are found when values are collected, which wrong references prevent.
  const bool is_wrong = wrong.has_errors();
  diags.Append(is_wrong ? std::move(wrong) : std::move(undeclared));
  if (is_wrong) {
    return References::kWrong;
  }
  return diags.error_count() != errors ? References::kUnsound : References::kSound;
}

bool ReferenceCheck::Expr(const hcl::Expr& expr, Diagnostics& diags) const {
  const hcl::Expr* one[] = {&expr};
  return Exprs(one, diags) == References::kSound;
}

bool ReferenceCheck::ExprAnyway(const hcl::Expr& expr, Diagnostics& diags) const {
  std::vector<const hcl::TraversalExpr*> traversals;
  std::vector<const hcl::CallExpr*> calls;
  hcl::CollectTraversalsAndCalls(expr, traversals, calls);
  return Check(traversals, false, diags, calls) == References::kSound;
}

bool ReferenceCheck::HasRepetitions(const hcl::Expr& expr, Diagnostics& diags) const {
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(expr, traversals);
  const size_t errors = diags.error_count();
  for (const hcl::TraversalExpr* traversal : traversals) {
    const config::ReferenceKind kind = ReferenceOf(walk_.program, *node_.module, *traversal).kind;
    if (!config::HasRepetition(kind, repetition_)) {
      config::ReportNoRepetition(kind, *traversal, diags);
    }
  }
  return diags.error_count() == errors;
}

References ReferenceCheck::CheckAll(std::span<const hcl::TraversalExpr* const> traversals,
                                    std::span<const hcl::CallExpr* const> calls,
                                    Diagnostics& diags) const {
  if (checks()) {
    return Check(traversals, false, diags, calls);
  }
  const size_t errors = diags.error_count();
  CheckFunctions(calls, diags);
  return diags.error_count() != errors ? References::kUnsound : References::kSound;
}

bool ReferenceCheck::checks() const {
  return !walk_.context.validated;
}

bool ReferenceCheck::checks_functions() const {
  // Only a configured provider knows all of its functions: none is when a configuration is
  // validated.
  return walk_.context.kind != WalkKind::kValidate && walk_.graph.CallsProviders(node_);
}

void ReferenceCheck::CheckFunctions(std::span<const hcl::CallExpr* const> calls,
                                    Diagnostics& diags) const {
  if (!checks_functions()) {
    return;
  }
  for (const hcl::CallExpr* call : calls) {
    walk_.functions->Check(node_, *call, diags);
  }
}

void ReferenceCheck::Forms(std::span<const hcl::Expr* const> exprs, Diagnostics& diags) const {
  if (!checks()) {
    return;
  }
  std::vector<const hcl::TraversalExpr*> traversals;
  for (const hcl::Expr* expr : exprs) {
    hcl::CollectTraversals(*expr, traversals);
  }
  for (const hcl::TraversalExpr* traversal : traversals) {
    const config::Reference ref = ReferenceOf(walk_.program, *node_.module, *traversal);
    if (ref.kind == config::ReferenceKind::kInvalid && !config::NamesMember(*traversal)) {
      (void)config::ResolveReference(walk_.program, *node_.module, *traversal, &diags, node_.path);
    }
  }
}

References ReferenceCheck::Exprs(std::span<const hcl::Expr* const> exprs,
                                 Diagnostics& diags) const {
  if (!checks() && !checks_functions()) {
    return References::kSound;
  }
  std::vector<const hcl::TraversalExpr*> traversals;
  std::vector<const hcl::CallExpr*> calls;
  for (const hcl::Expr* expr : exprs) {
    hcl::CollectTraversalsAndCalls(*expr, traversals, calls);
  }
  return CheckAll(traversals, calls, diags);
}

meta_arguments::ConditionResult ReferenceCheck::Condition(const config::Condition& condition,
                                                          meta_arguments::ConditionKind kind,
                                                          const ResourceInstance& address,
                                                          const ModuleScope& scope,
                                                          Severity severity,
                                                          Diagnostics& diags) const {
  const hcl::Expr* exprs[] = {condition.condition, condition.error_message};
  const References references = Exprs(exprs, diags);
  if (references == References::kSound) {
    return meta_arguments::EvaluateCondition(condition, kind, address, scope, severity, diags);
  }
  const ConditionScope around(walk_, scope, references);
  return meta_arguments::EvaluateCondition(condition, kind, address, around, severity, diags,
                                           false);
}

void ReferenceCheck::DependsOn(std::span<const hcl::TraversalExpr* const> list,
                               Diagnostics& diags) const {
  if (!checks()) {
    return;
  }
  // The objects must exist too, but that is not checked after the first error.
  const size_t errors = diags.error_count();
  for (const hcl::TraversalExpr* traversal : list) {
    const config::Reference ref =
        config::ResolveReference(walk_.program, *node_.module, *traversal, nullptr);
    if (ref.kind == config::ReferenceKind::kInvalid) {
      (void)config::ResolveReference(walk_.program, *node_.module, *traversal, &diags);
      continue;
    }
    const bool has_key = ref.kind == config::ReferenceKind::kResource && ref.has_key;
    const size_t used = ref.consumed + (has_key ? 1 : 0);
    if (used < traversal->steps.size()) {
      SourceRange rest = traversal->step_range(traversal->steps[used]);
      rest.end = traversal->steps.back().end;
      diags.Error("Invalid depends_on reference",
                  "Elements of depends_on are whole objects, such as a resource or a module call: "
                  "an attribute of one cannot be waited for.",
                  rest);
    }
    if (diags.error_count() == errors) {
      const hcl::TraversalExpr* one[] = {traversal};
      (void)Check(one, true, diags);
    }
  }
}

Value ConditionScope::Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const {
  const config::Module& module = *inner_.instance().node->module;
  const config::Reference ref = ReferenceOf(walk_.program, module, traversal);
  const bool invalid = ref.kind == config::ReferenceKind::kInvalid;
  const bool member = invalid && config::NamesMember(traversal);
  if (invalid && references_ != References::kWrong && config::IsNameless(traversal)) {
    return Value::Object({{"", Value::DynamicUnknown()}});  // ReportNamelessAttribute() reported it
  }
  if (references_ == References::kWrong || (invalid && !member)) {
    static const FlatMap<std::string, Value> kNone;
    return lang::VariableScope(&kNone, nullptr, call_context()).Resolve(traversal, diags);
  }
  const bool missing = member || (ref.index < 0 && config::NamesObject(ref.kind)) ||
                       !config::HasRepetition(ref.kind, inner_.repetition().expansion);
  return missing ? Value::DynamicUnknown() : inner_.Resolve(traversal, diags);
}

Value WarnDeprecatedIn(const hcl::Body& body, Value value, Diagnostics& diags,
                       const std::string& address) {
  if (!value.ContainsMarked()) {
    return value;
  }
  std::vector<lang::DeprecatedPart> parts;
  value = lang::TakeDeprecated(value, parts);
  for (lang::DeprecatedPart& part : parts) {
    part.cause.of_block = true;
    const SourceRange place = schema::Locate(body, lang::ReportedPath(value, part.path), &value);
    Diagnostic warning = lang::DeprecationWarning(part.cause, "This value", place);
    warning.address = address;
    diags.Add(std::move(warning));
  }
  return value;
}

Value ReferenceCheck::Evaluate(const hcl::Expr& expr, const lang::Scope& scope,
                               Diagnostics& diags) const {
  return Expr(expr, diags) ? lang::WarnDeprecated(lang::Evaluate(expr, scope, diags), expr, diags)
                           : Value::DynamicUnknown();
}

Value ReferenceCheck::Decode(const schema::Block& block, const hcl::Body& body,
                             std::span<const std::string_view> hidden, const ModuleScope& scope,
                             const BodyReferences& references, Diagnostics& diags) const {
  Diagnostics found;
  if (CheckAll(references.traversals, references.calls, found) != References::kSound) {
    return WarnDeprecatedIn(body, DecodeUnsound(block, body, hidden, scope, diags), diags);
  }
  diags.Append(std::move(found));
  return WarnDeprecatedIn(body, schema::DecodeBody(block, body, hidden, scope, nullptr, diags),
                          diags);
}

Value ReferenceCheck::Decode(const schema::Block& block, const hcl::Body& body,
                             std::span<const std::string_view> hidden, const ModuleScope& scope,
                             Diagnostics& diags) const {
  return WarnDeprecatedIn(body, DecodeMarked(block, body, hidden, scope, diags), diags);
}

Value ReferenceCheck::DecodeMarked(const schema::Block& block, const hcl::Body& body,
                                   std::span<const std::string_view> hidden,
                                   const ModuleScope& scope, Diagnostics& diags) const {
  if (checks() || checks_functions()) {
    std::vector<const hcl::TraversalExpr*> traversals;
    std::vector<const hcl::CallExpr*> calls;
    schema::CollectBodyTraversals(block, body, hidden, traversals, calls);
    Diagnostics found;
    if (CheckAll(traversals, calls, found) != References::kSound) {
      return DecodeUnsound(block, body, hidden, scope, diags);
    }
    diags.Append(std::move(found));
  }
  return schema::DecodeBody(block, body, hidden, scope, nullptr, diags);
}

/// Decodes a body with an invalid reference. What decides which blocks there are comes first, and
/// is evaluated whatever is wrong with it.
Value ReferenceCheck::DecodeUnsound(const schema::Block& block, const hcl::Body& body,
                                    std::span<const std::string_view> hidden,
                                    const ModuleScope& scope, Diagnostics& diags) const {
  std::vector<const hcl::TraversalExpr*> traversals;
  std::vector<const hcl::CallExpr*> calls;
  schema::CollectBodyTraversals(block, body, hidden, traversals, calls,
                                schema::BodyPart::kExpansion);
  const ConditionScope expansion(walk_, scope, CheckAll(traversals, calls, diags));
  traversals.clear();
  calls.clear();
  schema::CollectExpandedTraversals(block, body, hidden, expansion, traversals, calls);
  return CheckAll(traversals, calls, diags) == References::kSound
             ? schema::DecodeBody(block, body, hidden, scope, expansion, diags)
             : Value::Unknown(block.implied_type());
}

}  // namespace kinu::engine
