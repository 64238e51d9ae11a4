#include <vector>

#include "compatibility/features.h"
#include "config/dropped_attributes.h"
#include "cty/ops.h"
#include "engine/nodes/nodes.h"
#include "engine/passes/passes.h"
#include "engine/reference_check.h"
#include "hcl/static.h"
#include "lang/deprecation.h"
#include "lang/eval.h"
#include "meta_arguments/deprecated_parts.h"
#include "text/quote.h"

namespace kinu::engine {

void ExpandModule(NodeContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.walk;
  const config::ConfigNode& node = *walk.config.nodes[walk.graph.node(id).config_node];
  auto call_index = static_cast<size_t>(node.call);
  const config::ModuleCall& call = node.parent->module->calls[call_index];
  bool validating = walk.context.kind == WalkKind::kValidate;
  for (ModuleInstance* parent : walk.slots.instances[node.parent->index]) {
    CallTable& table = *parent->calls[call_index];
    ModuleScope scope(walk, *parent);
    ReferenceCheck check(walk, *node.parent);
    if (validating) {
      check.DependsOn(call.depends_on, diags);
    }
    // Validation does not evaluate `enabled`.
    const hcl::Expr* enabled = validating ? nullptr : call.enabled;
    bool sound = true;
    for (const hcl::Expr* expr : {call.count, call.for_each, enabled}) {
      sound = sound && (expr == nullptr || (expr == enabled ? check.ExprAnyway(*expr, diags)
                                                            : check.Expr(*expr, diags)));
    }
    if (sound) {
      table.expansion = config::Expand({call.count, call.for_each, enabled}, scope, walk.program,
                                       validating, diags);
    }
    if (validating && (call.count != nullptr || call.for_each != nullptr)) {
      table.expansion =
          Expansion{.kind = Expansion::Kind::kUnknown, .by_count = call.count != nullptr};
    } else if (validating) {
      table.expansion = Expansion{};
    } else if (diags.has_errors()) {
      return;  // an instance that cannot be expanded ends the expansion of all
    }
  }
  for (ModuleInstance* parent : walk.slots.instances[node.parent->index]) {
    CallTable& table = *parent->calls[call_index];
    for (size_t row = 0; row < table.expansion.size(); ++row) {
      ModuleInstId path =
          walk.program.ModuleInstance(parent->id, call.name, table.expansion.key(row));
      table.instances.push_back(
          ModuleInstance::Make(path, &node, parent, Repetition{&table.expansion, row}));
      walk.slots.instances[node.index].push_back(table.instances.back().get());
    }
    table.expanded = true;
  }
}

namespace {

/// Runs the validation rules of a variable against the value in its slot, up to the first that is
/// broken. Of the others, only the references that have no form of one are reported. Ref: opentofu
/// internal/tofu/eval_variable.go evalVariableValidations. `place` is the range of the value: the
/// argument of the call, or the declaration.
void RunValidationRules(NodeContext& context, const ModuleInstance& instance, NodeId id,
                        const config::Variable& variable, SourceRange place, Diagnostics& diags) {
  const Walk& walk = context.walk;
  const ModuleScope scope(walk, instance);
  const ResourceInstance address = NamedObject(instance, variable.name);
  const size_t errors = diags.error_count();
  const ReferenceCheck check(walk, *instance.node);
  for (size_t i = 0; i < variable.validations.size(); ++i) {
    const config::Condition& rule = variable.validations[i];
    const hcl::Expr* exprs[] = {rule.condition, rule.error_message};
    check.Forms(exprs, diags);
    if (diags.error_count() != errors || check.Exprs(exprs, diags) != References::kSound) {
      continue;
    }
    ConditionResult result =
        meta_arguments::EvaluateValidationRule(rule,
                                               {walk.program, *instance.node->module, place,
                                                address, walk.context.kind == WalkKind::kValidate},
                                               scope, diags);
    result.rule = i;
    context.checks.Report(id, address, result);
  }
}

/// Says where the cause of a deprecation is declared, for the levels that ask for it.
void Place(lang::DeprecationCause& cause, const Walk& walk, const ModuleInstance& instance,
           std::string_view name, const std::string& message) {
  if (compatibility::Has(compatibility::Feature::kMergedDeprecations)) {
    cause.module = walk.program.ToText(instance.id);
    cause.group = std::string(name) + '\n' + message + '\n' + instance.node->source;
  }
}

void WarnOfDeprecatedVariable(const Walk& walk, const config::Variable& variable,
                              std::string_view name, const ModuleInstance& instance,
                              SourceRange range, Diagnostics& diags) {
  auto cause = std::make_shared<lang::DeprecationCause>();
  cause->by = std::string(name) + "\n" + variable.deprecated;
  cause->remote = meta_arguments::IsRemote(*instance.node);
  Place(*cause, walk, instance, name, variable.deprecated);
  Diagnostic& warning = diags.Warning("Variable marked as deprecated by the module author",
                                      "Variable \"" + std::string(name) +
                                          "\" is marked as deprecated with the following "
                                          "message:\n" +
                                          variable.deprecated,
                                      range);
  warning.tag = DiagnosticTag::kDeprecation;
  warning.extra = std::move(cause);
}

void WarnAboutDroppedInputs(const config::Variable& variable, std::string_view name,
                            const hcl::Expr& expr, Diagnostics& diags) {
  config::WarnAboutDroppedAttributes(
      expr, variable.constraint.type,
      [name](const Path& place) {
        return "input variable " + text::GoQuote(name) +
               (place.empty() ? "" : " nested value " + place.ToText());
      },
      diags);
}

/// The mark of a deprecated output, with its name in the calling module, "module.m["k"].old", or
/// from level 1.13 on in the root module.
MarkSet DeprecatedOutputMark(const Walk& walk, const ModuleInstance& instance,
                             const config::Output& output) {
  lang::DeprecationCause cause;
  cause.by = walk.program.ToText(instance.id);
  if (std::string parent = walk.program.ToText(instance.parent->id); !parent.empty()) {
    cause.by.erase(0, parent.size() + 1);
  }
  cause.by += "." + std::string(walk.program.Text(output.name));
  cause.message = output.deprecated;
  cause.remote = meta_arguments::IsRemote(*instance.node);
  Place(cause, walk, instance, walk.program.Text(output.name), output.deprecated);
  if (!cause.module.empty()) {
    cause.by = cause.module + "." + std::string(walk.program.Text(output.name));
  }
  return lang::DeprecatedMark(cause);
}

}  // namespace

void EvaluateVariable(NodeContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.walk;
  const Node& graph_node = walk.graph.node(id);
  const config::ConfigNode& node = *walk.config.nodes[graph_node.config_node];
  const config::Variable& variable = node.module->variables[graph_node.index];
  context.checks.DeclareExpanded(id);
  for (ModuleInstance* instance : walk.slots.instances[node.index]) {
    Value& slot = instance->variables[graph_node.index];
    SourceRange place = variable.range;
    size_t errors = diags.error_count();
    const std::string address = ToText(
        walk.program, Checkable{CheckableKind::kVariable, NamedObject(*instance, variable.name)});
    if (node.parent == nullptr) {
      auto it = walk.context.request.variables->find(std::string(walk.program.Text(variable.name)));
      const config::InputValue* given =
          it == walk.context.request.variables->end() ? nullptr : &it->second;
      if (walk.context.kind == WalkKind::kValidate) {
        slot = Value::Unknown(variable.constraint.type.WithoutOptionalAttributes());
      } else {
        slot = config::PrepareVariable(walk.program, variable, given, address, diags);
      }
    } else {
      const config::ModuleCall& call = node.parent->module->calls[static_cast<size_t>(node.call)];
      std::string_view name = walk.program.Text(variable.name);
      config::InputValue given;
      const config::InputValue* input = nullptr;
      const hcl::Expr* written = nullptr;
      if (const hcl::Attribute* attribute = call.FindInput(name)) {
        written = attribute->expr;
        // Validation accepts any use of count and each here.
        static const Expansion kAny{.kind = Expansion::Kind::kUnknown, .by_either = true};
        const bool validating = walk.context.kind == WalkKind::kValidate;
        const Repetition repetition = validating ? Repetition{&kAny, 0} : instance->repetition;
        ModuleScope scope(walk, *instance->parent, repetition);
        const ReferenceCheck check(walk, *node.parent, {}, repetition.expansion);
        if (check.HasRepetitions(*attribute->expr, diags)) {
          given.value = check.Evaluate(*attribute->expr, scope, diags);
        }
        given.source = config::InputSource::kCaller;
        given.range = attribute->expr->range();
        place = given.range;
        input = &given;
      }
      // What an incomplete configuration lacks was reported before, or is left out.
      const bool is_missing =
          input == nullptr && !variable.default_value && walk.config.is_incomplete;
      if (diags.error_count() != errors || is_missing) {
        slot = Value::Unknown(variable.constraint.type.WithoutOptionalAttributes());
        continue;
      }
      slot = config::PrepareVariable(walk.program, variable, input, address, diags);
      if (written != nullptr && walk.context.kind == WalkKind::kValidate &&
          diags.error_count() == errors) {
        WarnAboutDroppedInputs(variable, name, *written, diags);
      }
      if (written != nullptr && !variable.deprecated.empty() && diags.error_count() == errors) {
        WarnOfDeprecatedVariable(walk, variable, name, *instance, given.range, diags);
      }
    }
    MarkSet declared;
    if (variable.sensitive) {
      declared = declared.Union(MarkSet::Sensitive());
    }
    if (variable.ephemeral) {
      declared = declared.Union(MarkSet::Ephemeral());
    }
    slot = slot.WithMarks(declared);
    if (diags.error_count() == errors && !variable.validations.empty()) {
      RunValidationRules(context, *instance, id, variable, place, diags);
    }
    // A module is validated for all possible values: only the rules of the variable itself see the
    // given one.
    if (walk.context.kind == WalkKind::kValidate) {
      slot =
          Value::Unknown(variable.constraint.type.WithoutOptionalAttributes()).WithMarks(declared);
    }
  }
}

/// Ref: opentofu internal/tofu/node_local.go.
void ReportSelfReferences(const Program& program, const config::Module& module,
                          const config::Local& local, Diagnostics& diags) {
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(*local.expr, traversals);
  for (const hcl::TraversalExpr* traversal : traversals) {
    const config::Reference* ref = module.references.Find(*traversal);
    if (ref == nullptr || traversal->steps.empty()) {
      continue;
    }
    if (ref->kind == config::ReferenceKind::kLocal && ref->index >= 0 &&
        &module.locals[static_cast<size_t>(ref->index)] == &local) {
      diags.Error("Self-referencing local value",
                  "Local value local." + std::string(program.Text(local.name)) +
                      " cannot use its own result as part of its expression.",
                  {traversal->file(), traversal->begin, traversal->steps[0].end},
                  local.expr->range());
    }
  }
}

void EvaluateLocal(NodeContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.walk;
  const Node& graph_node = walk.graph.node(id);
  const config::ConfigNode& node = *walk.config.nodes[graph_node.config_node];
  const config::Local& local = node.module->locals[graph_node.index];
  const bool names_itself = walk.graph.self_referencing_locals.contains(id);
  for (ModuleInstance* instance : walk.slots.instances[node.index]) {
    if (names_itself) {
      ReportSelfReferences(walk.program, *node.module, local, diags);
      continue;
    }
    ModuleScope scope(walk, *instance);
    instance->locals[graph_node.index] =
        ReferenceCheck(walk, node).Evaluate(*local.expr, scope, diags);
  }
}

void EvaluateOutput(NodeContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.walk;
  const Node& graph_node = walk.graph.node(id);
  const config::ConfigNode& node = *walk.config.nodes[graph_node.config_node];
  const config::Output& output = node.module->outputs[graph_node.index];
  bool is_root = node.parent == nullptr;
  context.checks.DeclareExpanded(id);
  // Of the conditions in an import, only those of resources are warnings.
  const Severity severity =
      walk.context.command_imports.empty() ? context.condition_severity : Severity::kError;
  for (ModuleInstance* instance : walk.slots.instances[node.index]) {
    size_t errors = diags.error_count();
    ModuleScope scope(walk, *instance);
    const ResourceInstance address = NamedObject(*instance, output.name);
    ReferenceCheck check(walk, node);
    if (context.destroying) {
      context.checks.DeclareObject(id, address);  // its conditions are not evaluated
    }
    for (size_t i = 0; i < output.preconditions.size() && !context.destroying; ++i) {
      const config::Condition& rule = output.preconditions[i];
      ConditionResult result = check.Condition(rule, meta_arguments::ConditionKind::kOutput,
                                               address, scope, severity, diags);
      result.rule = i;
      context.checks.Report(id, address, result);
    }
    if (diags.error_count() != errors || output.expr == nullptr) {
      continue;
    }
    if (auto known = context.known_outputs.find(address); known != context.known_outputs.end()) {
      instance->outputs[graph_node.index].Set(*known->second);
      continue;
    }
    check.DependsOn(output.depends_on, diags);
    if (lang::Coverage* coverage = scope.coverage()) {
      coverage->Reach(output.expr->range());
    }
    Value value = check.Evaluate(*output.expr, scope, diags);
    MarkSet marks = value.MarksDeep();
    if (is_root && output.ephemeral) {
      diags.Error("Invalid output configuration",
                  "Root modules are not allowed to have outputs defined as ephemeral",
                  output.range);
    } else if (!output.ephemeral && marks.ephemeral()) {
      diags.Error(
          "Output does not allow ephemeral value",
          "The value that was generated for the output is ephemeral, but it is not configured to "
          "allow one.",
          output.expr->range());
    } else if (is_root && !output.sensitive && marks.sensitive()) {
      diags.Error("Output refers to sensitive values",
                  "The value contains sensitive values, and a root output shows its value. If "
                  "that is intended, declare the output with sensitive = true.",
                  output.range);
    }
    if (diags.error_count() != errors) {
      continue;
    }
    if (output.sensitive) {
      value = value.WithMarks(MarkSet::Sensitive());
    }
    if (output.ephemeral) {
      value = value.WithMarks(MarkSet::Ephemeral());
    }
    if (!is_root && !output.deprecated.empty() && walk.context.kind != WalkKind::kValidate) {
      value = value.WithMarks(DeprecatedOutputMark(walk, *instance, output));
    }
    // References read an output of a module from its change, which keeps no sign of a zero. The
    // state that a plan begins with has the value of a root output as it is.
    const bool keeps_signs = is_root || walk.context.kind == WalkKind::kApply;
    instance->outputs[graph_node.index].Set(keeps_signs ? std::move(value)
                                                        : WithUnsignedZeros(value));
  }
}

void EvaluateCheck(NodeContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.walk;
  const Node& graph_node = walk.graph.node(id);
  const config::ConfigNode& node = *walk.config.nodes[graph_node.config_node];
  const config::Check& check = node.module->checks[graph_node.index];
  if (context.destroying) {
    return;
  }
  context.checks.DeclareExpanded(id);
  for (ModuleInstance* instance : walk.slots.instances[node.index]) {
    ModuleScope scope(walk, *instance);
    const ResourceInstance address = NamedObject(*instance, check.name);
    config::ReferenceContext inside;
    inside.check = static_cast<int>(graph_node.index);
    if (walk.context.kind != WalkKind::kValidate && context.checks.Failing(id, address)) {
      continue;  // its data source could not be read
    }
    ReferenceCheck references(walk, node, inside);
    for (size_t i = 0; i < check.asserts.size(); ++i) {
      const config::Condition& condition = check.asserts[i];
      if (walk.context.kind == WalkKind::kValidate) {
        const hcl::Expr* exprs[] = {condition.condition, condition.error_message};
        const ConditionScope around(walk, scope, references.Exprs(exprs, diags));
        meta_arguments::ValidateErrorMessage(condition, around, diags);
        continue;
      }
      // A failed assertion is a warning; one that cannot be evaluated is an error.
      ConditionResult result =
          references.Condition(condition, meta_arguments::ConditionKind::kAssertion, address, scope,
                               Severity::kWarning, diags);
      result.rule = i;
      context.checks.Report(id, address, result);
    }
  }
}

}  // namespace kinu::engine
