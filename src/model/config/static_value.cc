#include "config/static_value.h"

#include "base/files.h"
#include "config/decode.h"
#include "config/reference_syntax.h"
#include "lang/eval.h"
#include "schema/decode.h"

namespace kinu::config {
namespace {

/// Limit of local values that refer to each other in a chain: each adds a level of recursion.
constexpr size_t kMostFrames = 200;

void ReportDynamic(const ParsedReference& ref, const std::string& what, Diagnostics& diags) {
  diags
      .Error("Dynamic value in static context",
             "Unable to use " + std::string(ref.range.text()) +
                 " in static context, which is required by " + what,
             ref.range)
      .kind = DiagnosticKind::kDynamicValue;
}

}  // namespace

/// Resolves names in an expression of one module.
class StaticScope final : public lang::Scope {
 public:
  StaticScope(StaticEvaluator& evaluator, const ConfigNode& node)
      : evaluator_(evaluator), node_(node) {}

  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const override {
    if (std::optional<Value> other = evaluator_.OtherName(traversal, diags)) {
      return *std::move(other);
    }
    const size_t errors = diags.error_count();
    Value value = evaluator_.Lookup(node_, traversal, diags);
    if (diags.error_count() != errors) {
      return Value::DynamicUnknown();
    }
    const ParsedReference ref = ParseReference(traversal, nullptr);
    return lang::ApplySteps(std::move(value), traversal.steps.subspan(ref.consumed), traversal,
                            diags);
  }
  const functions::Callable* FindFunction(std::string_view name) const override {
    return functions::Table::Standard().Find(name);
  }
  const functions::CallContext& call_context() const override { return evaluator_.call_context_; }

 private:
  StaticEvaluator& evaluator_;
  const ConfigNode& node_;
};

std::string StaticEvaluator::SubjectText(const ConfigNode& node, const std::string& name) const {
  const std::string module = program_.ToText(node.path);
  return module.empty() ? name : module + ":" + name;
}

void StaticEvaluator::AddUnavailable(const std::string& what, Diagnostics& diags) {
  const Frame& top = frames_.back();
  diags
      .Error("Unable to compute static value",
             SubjectText(*top.node, top.subject.name) + " depends on " + what +
                 " which is not available",
             top.subject.range)
      .kind = DiagnosticKind::kUnavailableValue;
}

std::optional<Value> StaticEvaluator::OtherName(const hcl::TraversalExpr& traversal,
                                                Diagnostics& diags) const {
  return other_names_ ? other_names_(traversal, diags) : std::nullopt;
}

bool StaticEvaluator::CheckReferences(const ConfigNode& node, const Traversals& traversals,
                                      const Calls& calls, Diagnostics& diags) {
  const size_t at_first = diags.error_count();
  lang::CheckFunctionNames(calls, diags);
  const size_t errors = diags.error_count();
  const Frame& top = frames_.back();
  const std::string what = SubjectText(*top.node, top.subject.name);
  for (const hcl::TraversalExpr* traversal : traversals) {
    if (OtherName(*traversal, diags)) {
      continue;
    }
    const ParsedReference ref = ParseReference(*traversal, &diags);
    switch (ref.kind) {
      case ReferenceKind::kInvalid:
      case ReferenceKind::kVariable:
      case ReferenceKind::kLocal:
      case ReferenceKind::kPathModule:
      case ReferenceKind::kPathRoot:
      case ReferenceKind::kPathCwd:
      case ReferenceKind::kWorkspace:
      case ReferenceKind::kApplying:
        break;
      case ReferenceKind::kCountIndex:
      case ReferenceKind::kEachKey:
      case ReferenceKind::kEachValue:
        if (top.subject.repetition.expansion != nullptr) {
          break;
        }
        ReportDynamic(ref, what, diags);
        break;
      case ReferenceKind::kModule:
        if (reads_outputs_) {
          break;
        }
        if (!ref.output.empty()) {
          diags.Error("Module output not supported in static context",
                      "Unable to use " + std::string(ref.range.text()) +
                          " in static context, which is required by " + what,
                      ref.range);
          break;
        }
        ReportDynamic(ref, what, diags);
        break;
      default:
        ReportDynamic(ref, what, diags);
    }
  }
  for (const hcl::CallExpr* call : calls) {
    if (lang::NamesProviderFunction(call->name)) {
      diags.Error("Provider function in static context",
                  "Unable to use " + std::string(call->name) +
                      " in static context, which is required by " + what,
                  {call->file(), call->begin, call->name_end});
    }
  }
  if (diags.error_count() != errors) {
    return false;
  }
  // Every reference must resolve, even one in a branch that is not evaluated.
  for (const hcl::TraversalExpr* traversal : traversals) {
    if (!OtherName(*traversal, diags)) {
      Lookup(node, *traversal, diags);
    }
  }
  return diags.error_count() == at_first;
}

Value StaticEvaluator::EvaluateInScope(const ConfigNode& node, const StaticSubject& subject,
                                       const std::function<void(Traversals&, Calls&)>& collect,
                                       const std::function<Value(const lang::Scope&)>& use,
                                       Diagnostics& diags) {
  if (frames_.size() >= kMostFrames) {
    diags.Error("Circular reference", "Too many local values refer to each other in a row.",
                subject.range);
    return Value::DynamicUnknown();
  }
  frames_.push_back({&node, subject});
  const size_t errors = diags.error_count();
  Value value = Value::DynamicUnknown();
  Traversals traversals;
  Calls calls;
  collect(traversals, calls);
  if (CheckReferences(node, traversals, calls, diags)) {
    value = use(StaticScope(*this, node));
  }
  frames_.pop_back();
  return diags.error_count() == errors ? value : Value::DynamicUnknown();
}

Value StaticEvaluator::EvaluateArgument(const ConfigNode& node, const hcl::Expr& expr,
                                        const StaticSubject& subject,
                                        const std::function<Value(const lang::Scope&)>& use,
                                        Diagnostics& diags) {
  const size_t first = diags.size();
  Value value = EvaluateInScope(
      node, subject,
      [&](Traversals& traversals, Calls& calls) {
        hcl::CollectTraversalsAndCalls(expr, traversals, calls);
      },
      use, diags);
  for (size_t i = first; i < diags.size(); ++i) {
    diags.list()[i].function_call.reset();  // the reference keeps it only in bodies
  }
  return value;
}

Value StaticEvaluator::Evaluate(const ConfigNode& node, const hcl::Expr& expr,
                                const StaticSubject& subject, Diagnostics& diags) {
  return EvaluateArgument(
      node, expr, subject,
      [&](const lang::Scope& scope) { return lang::Evaluate(expr, scope, diags); }, diags);
}

bool StaticEvaluator::CheckReferences(const ConfigNode& node, const hcl::Expr& expr,
                                      const StaticSubject& subject, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  EvaluateArgument(
      node, expr, subject, [](const lang::Scope&) { return Value::DynamicUnknown(); }, diags);
  return diags.error_count() == errors;
}

Expansion StaticEvaluator::EvaluateForEach(const ConfigNode& node, const hcl::Expr& expr,
                                           const StaticSubject& subject, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  Expansion instances;
  EvaluateArgument(
      node, expr, subject,
      [&](const lang::Scope& scope) {
        instances = ExpandProvider(expr, scope, program_, diags);
        return Value::DynamicUnknown();
      },
      diags);
  return diags.error_count() == errors ? std::move(instances) : Expansion();
}

Value StaticEvaluator::DecodeBody(const ConfigNode& node, const schema::Block& block,
                                  const hcl::Body& body, const StaticSubject& subject,
                                  Diagnostics& diags) {
  return DecodeBody(node, block, body, subject, diags, diags);
}

Value StaticEvaluator::DecodeBody(const ConfigNode& node, const schema::Block& block,
                                  const hcl::Body& body, const StaticSubject& subject,
                                  Diagnostics& of_references, Diagnostics& of_values) {
  return EvaluateInScope(
      node, subject,
      [&](Traversals& traversals, Calls& calls) {
        schema::CollectBodyTraversals(block, body, {}, traversals, calls);
      },
      [&](const lang::Scope& scope) {
        return schema::DecodeBody(block, body, {}, scope, nullptr, of_values);
      },
      of_references);
}

bool StaticEvaluator::EvaluateString(const ConfigNode& node, const hcl::Expr& expr,
                                     const StaticSubject& subject, std::string& out,
                                     Diagnostics& diags) {
  const size_t errors = diags.error_count();
  const Value value = Evaluate(node, expr, subject, diags);
  if (diags.error_count() != errors) {
    return false;
  }
  const MarkSet marks = value.MarksDeep();
  if (marks.sensitive() || marks.ephemeral()) {
    diags.Error(
        marks.sensitive() ? "Sensitive value not allowed" : "Ephemeral value not allowed",
        SubjectText(node, subject.name) + " cannot depend on such values: it is shown and stored.",
        expr.range());
    return false;
  }
  return ValueToString(value, expr, out, diags);
}

Value StaticEvaluator::Lookup(const ConfigNode& node, const hcl::TraversalExpr& traversal,
                              Diagnostics& diags) {
  const ParsedReference ref = ParseReference(traversal, nullptr);
  const Module& module = *node.module;
  const Symbol name = program_.Find(ref.name);
  switch (ref.kind) {
    case ReferenceKind::kPathModule:
      return Value::String(node.source_dir);
    case ReferenceKind::kPathRoot:
      return Value::String(root_dir_);
    case ReferenceKind::kPathCwd:
      return Value::String(AbsolutePath(call_context_.surroundings.base_dir));
    case ReferenceKind::kWorkspace:
      return Value::String(options_.workspace);
    case ReferenceKind::kApplying:
      diags.Error("Invalid attribute in static context",
                  "The applying attribute can not be used during static evaluation and is only "
                  "valid in the plan and apply phases of execution",
                  ref.range);
      return Value::DynamicUnknown();
    case ReferenceKind::kLocal:
    case ReferenceKind::kVariable:
      break;
    case ReferenceKind::kModule:
      return reads_outputs_ ? ModuleValue(node, traversal, diags) : Value::DynamicUnknown();
    case ReferenceKind::kCountIndex:
    case ReferenceKind::kEachKey:
    case ReferenceKind::kEachValue:
      return RepeatedValue(ref.kind, traversal, diags);
    default:
      return Value::DynamicUnknown();
  }
  const bool is_local = ref.kind == ReferenceKind::kLocal;
  int index = -1;
  if (!name.empty()) {
    index = is_local ? module.FindLocal(name) : module.FindVariable(name);
  }
  if (index < 0) {
    diags.Error(is_local ? "Undefined local" : "Undefined variable",
                (is_local ? "Undefined local " : "Undefined variable ") +
                    SubjectText(node, (is_local ? "local." : "var.") + std::string(ref.name)),
                ref.range);
    return Value::DynamicUnknown();
  }
  const CacheKey key{node.index, static_cast<uint32_t>(ref.kind), index, InstanceOf(node)};
  return Cached(key, diags, [&] {
    return is_local ? LocalValue(node, module.locals[static_cast<size_t>(index)], diags)
                    : VariableValue(node, module.variables[static_cast<size_t>(index)], ref.range,
                                    diags);
  });
}

Value StaticEvaluator::RepeatedValue(ReferenceKind kind, const hcl::TraversalExpr& traversal,
                                     Diagnostics& diags) const {
  const Repetition& repetition = frames_.back().subject.repetition;
  if (repetition.expansion == nullptr) {
    return Value::DynamicUnknown();
  }
  if (!HasRepetition(kind, repetition.expansion)) {
    ReportNoRepetition(kind, traversal, diags);
    return Value::DynamicUnknown();
  }
  return RepetitionValue(kind, repetition, program_);
}

Value StaticEvaluator::Cached(const CacheKey& key, Diagnostics& diags,
                              const std::function<Value()>& read) {
  if (auto cached = cache_.find(key); cached != cache_.end()) {
    return cached->second;
  }
  const size_t errors = diags.error_count();
  Value value = read();
  if (diags.error_count() == errors) {
    cache_[key] = value;
  }
  return value;
}

Value StaticEvaluator::LocalValue(const ConfigNode& node, const Local& local, Diagnostics& diags) {
  const std::string name = "local." + std::string(program_.Text(local.name));
  for (const Frame& frame : frames_) {
    if (frame.node == &node && frame.subject.name == name) {
      diags.Error("Circular reference", SubjectText(node, name) + " is self referential",
                  local.range);
      return Value::DynamicUnknown();
    }
  }
  const size_t errors = diags.error_count();
  Value value = Evaluate(node, *local.expr, {name, local.range}, diags);
  if (diags.error_count() != errors) {
    AddUnavailable(SubjectText(node, name), diags);
  }
  return value;
}

bool StaticEvaluator::GivenValue(const ConfigNode& node, const Variable& variable, InputValue& out,
                                 Diagnostics& diags) {
  const std::string name(program_.Text(variable.name));
  if (node.parent == nullptr && caller_) {
    const size_t errors = diags.error_count();
    if (std::optional<InputValue> value = caller_(variable, diags)) {
      out = *std::move(value);
    } else if (!variable.default_value) {
      out.value = Value::DynamicUnknown();
    }
    return diags.error_count() == errors;
  }
  if (node.parent == nullptr) {
    if (options_.planned != nullptr) {
      auto planned = options_.planned->find(name);
      if (planned != options_.planned->end()) {
        out.value = planned->second;
        out.source = InputSource::kPlan;
      } else if (!variable.default_value) {
        diags.Error("Missing plan variable " + name, "");
        return false;
      }
      return true;
    }
    if (options_.inputs != nullptr) {
      const auto known = options_.inputs->values.find(name);
      std::optional<RawInput> raw;
      if (known != options_.inputs->values.end()) {
        raw = known->second;
      } else if (!variable.default_value && options_.ask) {
        raw = options_.ask(variable);
      }
      if (raw) {
        std::optional<InputValue> value =
            ReadInput(name, *raw, variable, *options_.inputs->tree, diags);
        if (!value) {
          return false;
        }
        out = *std::move(value);
        return true;
      }
    }
    if (!variable.default_value) {
      diags.Error("Failed to request input from user for variable var." + name,
                  "A module source needs this variable: give it a value.", variable.range);
      return false;
    }
    return true;
  }
  const ModuleCall& call = node.parent->module->calls[static_cast<size_t>(node.call)];
  if (const hcl::Attribute* input = call.FindInput(name)) {
    const size_t errors = diags.error_count();
    const auto instance = instances_.find(node.index);
    out.value =
        Evaluate(*node.parent, *input->expr,
                 {"var." + name, input->range,
                  instance == instances_.end() ? Repetition() : instance->second.repetition},
                 diags);
    out.source = InputSource::kCaller;
    out.range = input->range;
    return diags.error_count() == errors;
  }
  if (!variable.default_value) {
    diags.Error("Missing required variable in module call",
                "The module needs a value for its variable " + Quoted(name) + ".",
                call.body->MissingItemRange());
    return false;
  }
  return true;
}

Value StaticEvaluator::VariableValue(const ConfigNode& node, const Variable& variable,
                                     const SourceRange& range, Diagnostics& diags) {
  const std::string name = "var." + std::string(program_.Text(variable.name));
  if (variable.has_const && !variable.is_const && !reads_outputs_) {
    diags.Error("Unable to use variable in static context",
                "The variable " + Quoted(program_.Text(variable.name)) +
                    " cannot be used in a static context, because it is declared as \"const = "
                    "false\".",
                range);
    return Value::DynamicUnknown();
  }
  InputValue given;
  if (!GivenValue(node, variable, given, diags)) {
    AddUnavailable(SubjectText(node, name), diags);
    return Value::DynamicUnknown();
  }
  const size_t first = diags.size();
  Value value = PrepareVariable(program_, variable, &given, name, diags);
  for (size_t i = first; i < diags.size(); ++i) {
    if (Diagnostic& problem = diags.list()[i]; problem.kind == DiagnosticKind::kUnsuitableInput) {
      problem.subject = {};  // as in OpenTofu; the detail names the declaration
    }
  }
  if (variable.sensitive) {
    value = value.WithMarks(MarkSet::Sensitive());
  }
  if (variable.ephemeral) {
    value = value.WithMarks(MarkSet::Ephemeral());
  }
  return value;
}

void StaticEvaluator::CheckConstants(const ConfigNode& node, Diagnostics& diags) {
  if (node.parent == nullptr && caller_) {
    return;  // a test gives other values in each run
  }
  // Nothing calls the root module.
  const SourceRange range = node.parent != nullptr
                                ? node.parent->module->calls[static_cast<size_t>(node.call)].range
                                : SourceRange::Nowhere();
  frames_.push_back({&node, {"", range}});
  for (size_t i = 0; i < node.module->variables.size(); ++i) {
    const Variable& variable = node.module->variables[i];
    if (variable.is_const) {
      const CacheKey key{node.index, static_cast<uint32_t>(ReferenceKind::kVariable),
                         static_cast<int32_t>(i)};
      (void)Cached(key, diags, [&] { return VariableValue(node, variable, range, diags); });
    }
  }
  frames_.pop_back();
}

}  // namespace kinu::config
