#include "config/expansion.h"

#include <algorithm>
#include <cstdint>

#include "compatibility/features.h"
#include "config/config.h"
#include "cty/conversion.h"
#include "lang/deprecation.h"
#include "lang/eval.h"

namespace kinu::config {
namespace {

/// "Sensitive values, …, cannot be used as for_each arguments. They would become visible as
/// instance keys."
std::string Confidential(std::string_view kind, std::string_view as,
                         std::string_view seen = "as instance keys") {
  std::string lower(kind);
  lower[0] = static_cast<char>(lower[0] + ('a' - 'A'));
  return std::string(kind) + " values, or values derived from " + lower +
         " values, cannot be used " + std::string(as) + ". They would become visible " +
         std::string(seen) + ".";
}

std::string Unsuitable(std::string_view argument, std::string_view why) {
  return "The given \"" + std::string(argument) +
         "\" argument value is unsuitable: " + std::string(why) + ".";
}

void Problem(std::string_view argument, std::string detail, const hcl::Expr& expr,
             const lang::Scope& scope, DiagnosticTag tag, Diagnostics& diags) {
  Diagnostic& diagnostic = diags.Error("Invalid " + std::string(argument) + " argument",
                                       std::move(detail), expr.range());
  diagnostic.tag = tag;
  if (argument != "count") {
    lang::DescribeValues(expr, scope, nullptr, diagnostic);
  }
}

Expansion ExpandCount(const hcl::Expr& expr, const lang::Scope& scope, bool validating,
                      Diagnostics& diags) {
  Expansion out;
  out.kind = Expansion::Kind::kCount;
  auto problem = [&](std::string detail, DiagnosticTag tag = DiagnosticTag::kNone) {
    Problem("count", std::move(detail), expr, scope, tag, diags);
  };
  size_t errors = diags.error_count();
  Value value =
      lang::WarnDeprecated(lang::EvaluateTo(expr, Type::Number(), scope, diags), expr, diags);
  if (diags.error_count() != errors) {
    return out;
  }
  MarkSet marks = value.marks();
  value = value.Unmark();
  if (marks.ephemeral()) {
    problem(Confidential("Ephemeral", "as count arguments"), DiagnosticTag::kCausedBySensitive);
  } else if (value.IsNull()) {
    problem("The given \"count\" argument value is null. An integer is required.");
  } else if (!value.IsKnown()) {
    out.kind = Expansion::Kind::kUnknown;
    out.by_count = true;
    if (!validating) {
      problem(
          "The \"count\" value depends on resource attributes that cannot be determined until "
          "apply, "
          "so OpenTofu cannot predict how many instances will be created.\n\nApply the objects "
          "that it depends on first (-target), or leave this object out for now (-exclude).",
          DiagnosticTag::kCausedByUnknown);
    }
  } else {
    const std::optional<int64_t> count = value.AsInt64();
    if (!count) {
      problem(Unsuitable(
          "count",
          "value must be a whole number, between -9223372036854775808 and 9223372036854775807"));
    } else if (*count < 0) {
      problem(Unsuitable("count", "must be greater than or equal to zero"));
    } else if (*count > INT32_MAX && compatibility::Has(compatibility::Feature::kCountLimit)) {
      problem(Unsuitable("count", "must be less than or equal to 2147483647"));
    } else {
      out.count = *count;
    }
  }
  return out;
}

/// What is unknown of a value of a type; empty for types that cannot name instances.
std::string_view UnknownPart(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kSet:
      return "set includes values";
    case TypeKind::kTuple:
      return "tuple includes values";
    case TypeKind::kMap:
    case TypeKind::kObject:
      return "map includes keys";
    default:
      return "";
  }
}

std::string UnknownKeys(const Type& type) {
  const std::string_view what = UnknownPart(type);
  if (what.empty()) {
    return "The \"for_each\" value includes keys or set values from resource attributes that "
           "cannot "
           "be determined until apply, and so OpenTofu cannot determine what will identify the "
           "instances of this resource.";
  }
  return "The \"for_each\" " + std::string(what) +
         " derived from resource attributes that cannot be determined until apply, and so OpenTofu "
         "cannot determine the full set of keys that will identify the instances of this resource.";
}

bool HasNull(const Value& set) {
  return std::ranges::any_of(set.elements(),
                             [](const Value& element) { return element.Unmark().IsNull(); });
}

/// The instances that a value of `expr` means.
Expansion ForEachOf(Value value, const hcl::Expr& expr, const lang::Scope& scope, Program& program,
                    bool validating, bool tuple_allowed, Diagnostics& diags) {
  Expansion out;
  out.kind = Expansion::Kind::kForEach;
  auto problem = [&](std::string detail, DiagnosticTag tag = DiagnosticTag::kNone) {
    Problem("for_each", std::move(detail), expr, scope, tag, diags);
  };
  const size_t errors = diags.error_count();
  MarkSet marks = value.marks();
  value = value.Unmark();
  Type type = value.type();
  bool map_like = type.is_map() || type.is_object() || type.is_dynamic();
  bool unknown = !value.IsKnown() || (type.is_set() && !value.IsWhollyKnown());
  if (unknown) {
    out.kind = Expansion::Kind::kUnknown;
    if (!validating) {
      problem(
          UnknownKeys(type) +
              "\n\nUse keys that the configuration itself defines, apply the objects that the keys "
              "depend on first (-target), or leave this object out for now (-exclude).",
          DiagnosticTag::kCausedByUnknown);
    }
  }
  if (value.IsNull()) {
    problem(Unsuitable("for_each", "the given \"for_each\" argument value is null"));
  }
  if (marks.sensitive()) {
    problem(Confidential("Sensitive", "as for_each arguments"), DiagnosticTag::kCausedBySensitive);
  }
  if (marks.ephemeral()) {
    problem(Confidential("Ephemeral", "as for_each arguments"), DiagnosticTag::kCausedBySensitive);
  }
  const bool of_strings =
      type.is_set() && (type.element() == Type::String() || type.element().is_dynamic());
  if (of_strings && !unknown && !value.IsNull() && HasNull(value)) {
    problem(Unsuitable("for_each", "\"for_each\" sets must not contain null values"));
  }
  if (type.is_set() && !of_strings) {
    problem(Unsuitable("for_each",
                       "\"for_each\" supports sets of strings, but you have provided a set "
                       "containing type " +
                           type.element().FriendlyName()));
  } else if (!map_like && !type.is_set() && !(tuple_allowed && type.is_tuple())) {
    problem(Unsuitable(
        "for_each",
        "the \"for_each\" argument must be a map, " +
            std::string(tuple_allowed ? "set of strings, or a tuple" : "or set of strings") +
            ", and you have provided a value of type " + type.FriendlyName()));
  }
  if (unknown || diags.error_count() != errors) {
    return out;
  }
  if (type.is_tuple()) {
    out.is_tuple = true;
    out.values.assign(value.elements().begin(), value.elements().end());
    return out;
  }
  size_t size = value.size();
  out.keys.reserve(size);
  out.values.reserve(size);
  for (size_t i = 0; i < size; ++i) {
    const Value& element = value.elements()[i];
    if (!type.is_set()) {
      out.keys.push_back(program.Intern(value.key(i)));
    } else {
      out.keys.push_back(program.Intern(element.Unmark().AsString()));
    }
    out.values.push_back(element);
  }
  return out;
}

/// Whether a value for for_each is one whose instances are not known, and nothing worse.
bool StaysUnknown(const Value& value) {
  const Type type = value.type();
  if (value.marks().sensitive() || value.marks().ephemeral()) {
    return false;
  }
  if (type.is_set()) {
    const bool strings = type.element() == Type::String() || type.element().is_dynamic();
    return !value.IsKnown() || (strings && !value.IsWhollyKnown());
  }
  return !value.IsKnown() && (type.is_map() || type.is_object() || type.is_dynamic());
}

void ValidateForEach(const hcl::Expr& expr, const lang::Scope& scope, Program& program,
                     Diagnostics& diags) {
  Diagnostics found;
  Value value = lang::WarnDeprecated(lang::Evaluate(expr, scope, found), expr, found);
  const bool unknown = StaysUnknown(value);
  (void)ForEachOf(std::move(value), expr, scope, program, true, false, found);
  if (!unknown) {
    diags.Append(std::move(found));
  }
}

Expansion ExpandForEach(const hcl::Expr& expr, const lang::Scope& scope, Program& program,
                        bool validating, bool tuple_allowed, Diagnostics& diags) {
  // The value is checked even if its evaluation has reported errors.
  Value value = lang::WarnDeprecated(lang::Evaluate(expr, scope, diags), expr, diags);
  return ForEachOf(std::move(value), expr, scope, program, validating, tuple_allowed, diags);
}

Expansion ExpandEnabled(const hcl::Expr& expr, const lang::Scope& scope, Diagnostics& diags) {
  Expansion out;
  auto problem = [&](std::string detail, DiagnosticTag tag = DiagnosticTag::kNone) {
    Problem("enabled", std::move(detail), expr, scope, tag, diags);
  };
  // Every check reports, even if the evaluation has reported errors.
  const size_t errors = diags.error_count();
  Value value = lang::Evaluate(expr, scope, diags);
  const MarkSet marks = value.marks();
  value = lang::WarnDeprecated(value, expr, diags).Unmark();
  if (marks.sensitive()) {
    problem(Confidential("Sensitive", "in \"enabled\" arguments", "by whether the object exists"),
            DiagnosticTag::kCausedByUnknown);
  }
  if (marks.ephemeral()) {
    problem(Unsuitable("enabled", "the given value is ephemeral"));
  }
  if (value.IsNull()) {
    problem(Unsuitable("enabled", "the given value is null"));
  } else if (!value.IsKnown()) {
    problem(
        "The given \"enabled\" argument value is derived from a value that won't be known until "
        "the "
        "apply phase, so OpenTofu cannot determine whether an instance of this object is declared "
        "or not.",
        DiagnosticTag::kCausedByUnknown);
  }
  if (diags.error_count() != errors) {
    return out;
  }
  if (ValueResult<Value> flag = Convert(value, Type::Bool()); !flag) {
    problem(Unsuitable("enabled", flag.error().message));
  } else if (!flag->AsBool()) {
    out.kind = Expansion::Kind::kDisabled;
  }
  return out;
}

}  // namespace

size_t Expansion::size() const {
  switch (kind) {
    case Kind::kSingle:
    case Kind::kUnknown:
      return 1;
    case Kind::kCount:
      return static_cast<size_t>(count);
    case Kind::kForEach:
      return values.size();
    case Kind::kDisabled:
      return 0;
  }
  return 0;
}

InstanceKey Expansion::key(size_t row) const {
  switch (kind) {
    case Kind::kCount:
      return InstanceKey::Int(static_cast<int64_t>(row));
    case Kind::kForEach:
      return is_tuple ? InstanceKey::Int(static_cast<int64_t>(row))
                      : InstanceKey::String(keys[row]);
    default:
      return InstanceKey();
  }
}

ExpansionArguments ArgumentsOf(const config::Resource& resource) {
  const hcl::Expr* for_each = resource.enabled == nullptr ? resource.for_each : nullptr;
  return {resource.count, for_each, resource.enabled};
}

ExpansionArguments ArgumentsOf(const config::ModuleCall& call) {
  return {call.count, call.for_each, call.enabled};
}

Expansion::Kind ExpansionKindOf(const config::Resource& resource) {
  if (resource.count != nullptr) {
    return Expansion::Kind::kCount;
  }
  return resource.for_each != nullptr ? Expansion::Kind::kForEach : Expansion::Kind::kSingle;
}

Expansion UncountedExpansion(const config::Resource& resource) {
  const bool repeated = resource.count != nullptr || resource.for_each != nullptr;
  return Expansion{.kind = repeated ? Expansion::Kind::kUnknown : Expansion::Kind::kSingle,
                   .by_count = resource.count != nullptr};
}

Expansion Expand(const ExpansionArguments& arguments, const lang::Scope& scope, Program& program,
                 bool validating, Diagnostics& diags) {
  if (arguments.count != nullptr) {
    return ExpandCount(*arguments.count, scope, validating, diags);
  }
  if (arguments.for_each != nullptr) {
    return ExpandForEach(*arguments.for_each, scope, program, validating, false, diags);
  }
  if (arguments.enabled != nullptr) {
    return ExpandEnabled(*arguments.enabled, scope, diags);
  }
  return {};
}

void ValidateExpansion(const ExpansionArguments& arguments, const lang::Scope& scope,
                       Program& program, Diagnostics& diags) {
  if (arguments.count != nullptr) {
    Diagnostics found;
    (void)ExpandCount(*arguments.count, scope, true, found);
    if (found.has_errors()) {
      diags.Append(std::move(found));  // warnings alone are not reported
    }
  } else if (arguments.for_each != nullptr) {
    ValidateForEach(*arguments.for_each, scope, program, diags);
  }
}

Expansion ExpandImport(const hcl::Expr& for_each, const lang::Scope& scope, Program& program,
                       bool validating, Diagnostics& diags) {
  return ExpandForEach(for_each, scope, program, validating, true, diags);
}

Expansion ExpandProvider(const hcl::Expr& for_each, const lang::Scope& scope, Program& program,
                         Diagnostics& diags) {
  return ExpandForEach(for_each, scope, program, /*validating=*/false, /*tuple_allowed=*/false,
                       diags);
}

bool HasRepetition(config::ReferenceKind kind, const Expansion* repetition) {
  using config::ReferenceKind;
  if (kind == ReferenceKind::kCountIndex) {
    return repetition != nullptr && repetition->has_index();
  }
  return (kind != ReferenceKind::kEachKey && kind != ReferenceKind::kEachValue) ||
         (repetition != nullptr && repetition->has_each());
}

void ReportNoRepetition(config::ReferenceKind kind, const hcl::TraversalExpr& traversal,
                        Diagnostics& diags) {
  const SourceRange range = config::ReferenceRange(traversal);
  switch (kind) {
    case config::ReferenceKind::kCountIndex:
      diags.Error("Reference to \"count\" in non-counted context",
                  "The \"count\" object can only be used in \"module\", \"resource\", and \"data\" "
                  "blocks, and only when the \"count\" argument is set.",
                  range);
      return;
    case config::ReferenceKind::kEachKey:
      diags.Error("Reference to \"each\" in context without for_each",
                  "The \"each\" object can be used only in \"module\" or \"resource\" blocks, and "
                  "only when the \"for_each\" argument is set.",
                  range);
      return;
    default:
      diags.Error("each.value cannot be used in this context",
                  "A reference to \"each.value\" has been used in a context in which it is "
                  "unavailable, such as when the configuration no longer contains the value in its "
                  "\"for_each\" expression.",
                  range);
  }
}

Value RepetitionValue(config::ReferenceKind kind, const Repetition& repetition,
                      const Program& program) {
  using config::ReferenceKind;
  const Expansion& expansion = *repetition.expansion;
  const bool unknown = expansion.kind == Expansion::Kind::kUnknown;
  if (kind == ReferenceKind::kCountIndex) {
    return unknown ? Value::Unknown(Type::Number())
                   : Value::Int(static_cast<int64_t>(repetition.row));
  }
  if (kind == ReferenceKind::kEachValue) {
    return unknown ? Value::DynamicUnknown() : expansion.values[repetition.row];
  }
  if (unknown) {
    return Value::Unknown(Type::String());
  }
  const InstanceKey key = expansion.key(repetition.row);
  return key.kind() == InstanceKey::Kind::kInt ? Value::Int(key.index())
                                               : Value::String(program.Text(key.symbol()));
}

}  // namespace kinu::config
