// Computes the values that a diagnostic shows below its snippet.
// Ref: opentofu internal/command/jsonentities/diagnostic.go newDiagnosticExpressionValues.
#include <algorithm>
#include <string>
#include <vector>

#include "hcl/static.h"
#include "lang/compared_values.h"
#include "lang/eval.h"
#include "lang/evaluator.h"
#include "text/quote.h"

namespace kinu::lang {

using hcl::TraversalExpr;
using hcl::TraversalStep;

namespace {

// Upper bounds above this are not shown.
constexpr int64_t kMaxShownLength = 1024;

// A short description of a known value. Never shows elements, which may be sensitive.
std::string Compact(const Value& value) {
  const Type type = value.type();
  if (value.IsNull()) {
    return "null";
  }
  switch (type.kind()) {
    case TypeKind::kBool:
      return value.AsBool() ? "true" : "false";
    case TypeKind::kNumber:
      return value.AsNumber().Format('g', 10);
    case TypeKind::kString:
      return text::GoQuote(value.AsString());
    case TypeKind::kList:
    case TypeKind::kSet:
    case TypeKind::kMap:
    case TypeKind::kTuple: {
      const size_t count = value.size();
      if (count == 0) {
        return "empty " + type.FriendlyName();
      }
      return type.FriendlyName() + " with " + std::to_string(count) +
             (count == 1 ? " element" : " elements");
    }
    case TypeKind::kObject: {
      const auto attributes = type.attributes();
      if (attributes.empty()) {
        return "object with no attributes";
      }
      if (attributes.size() == 1) {
        return "object with 1 attribute " + text::GoQuote(attributes.front().name);
      }
      return "object with " + std::to_string(attributes.size()) + " attributes";
    }
    default:
      return type.FriendlyName();
  }
}

std::string DescribeUnknown(const Value& value) {
  const Type type = value.type();
  if (type.is_dynamic()) {
    return "will be known only after apply";
  }
  const std::string name = type.FriendlyName();
  const std::string later = ", known only after apply";
  if (!type.is_collection()) {
    return "is a " + name + later;
  }
  const Refinements refinements = value.Unmark().refinements();
  const int64_t low = refinements.min_length;
  const int64_t high = refinements.max_length;
  if (low == high) {
    return "is a " + name + " of length " + std::to_string(low) + later;
  }
  if (low != 0 && high <= kMaxShownLength) {
    return "is a " + name + " with between " + std::to_string(low) + " and " +
           std::to_string(high) + " elements" + later;
  }
  if (low != 0) {
    return "is a " + name + " with at least " + std::to_string(low) + " elements" + later;
  }
  if (high <= kMaxShownLength) {
    return "is a " + name + " with up to " + std::to_string(high) + " elements" + later;
  }
  return "is a " + name + later;
}

// The statement about a value ("is 1"); empty if the diagnostic must not show the value.
std::string Statement(const Value& value, DiagnosticTag tag) {
  const MarkSet marks = value.marks();
  if (marks.sensitive() || marks.ephemeral()) {
    if (tag != DiagnosticTag::kCausedBySensitive) {
      return {};
    }
    return marks.sensitive() ? "has a sensitive value" : "has an ephemeral value";
  }
  if (!value.IsKnown()) {
    if (tag == DiagnosticTag::kCausedByUnknown) {
      return DescribeUnknown(value);
    }
    return value.type().is_dynamic() ? std::string() : "is a " + value.type().FriendlyName();
  }
  return "is " + Compact(value.Unmark());
}

std::string TraversalText(std::string_view root, std::span<const TraversalStep> steps) {
  std::string out(root);
  for (const TraversalStep& step : steps) {
    switch (step.kind) {
      case TraversalStep::Kind::kAttribute:
        out += '.';
        out += step.name();
        break;
      case TraversalStep::Kind::kIndex:
        out += '[' + (step.key()->type().is_primitive() ? Compact(*step.key()) : "...") + ']';
        break;
      case TraversalStep::Kind::kSplat:
        break;
    }
  }
  return out;
}

/// Attaches the sides of `a == b` to the diagnostic, unless one is ephemeral or the left one is not
/// known.
void AttachSides(const hcl::BinaryExpr& expr, const Evaluator& evaluator, const Binding* bindings,
                 Diagnostic& diagnostic) {
  if (expr.op != hcl::BinaryOperator::kEqual) {
    return;
  }
  Diagnostics ignored;
  Value left = evaluator.Eval(*expr.left, bindings, ignored);
  Value right = evaluator.Eval(*expr.right, bindings, ignored);
  if (left.IsWhollyKnown() && !left.MarksDeep().ephemeral() && !right.MarksDeep().ephemeral()) {
    diagnostic.extra = std::make_shared<ComparedValues>(std::move(left), std::move(right));
  }
}

/// The root and first steps of a traversal.
const TraversalExpr* Shortened(const TraversalExpr& whole, size_t steps, hcl::SyntaxTree& tree) {
  const std::span<const TraversalStep> kept = whole.steps.first(steps);
  const uint32_t end = kept.empty() ? whole.root_end : kept.back().end;
  return tree.New<TraversalExpr>(hcl::ExprKind::kTraversal, {whole.file(), whole.begin, end},
                                 whole.root, kept, whole.root_end);
}

}  // namespace

void DescribeValues(const hcl::Expr& expr, const Scope& scope, const Binding* bindings,
                    Diagnostic& diagnostic) {
  std::vector<const TraversalExpr*> traversals;
  hcl::CollectTraversals(expr, traversals);
  const Evaluator evaluator(scope, false);
  for (const TraversalExpr* traversal : traversals) {
    // If the whole traversal fails, shows the longest prefix that has a value.
    std::optional<hcl::SyntaxTree> temporary;
    for (size_t steps = traversal->steps.size() + 1; steps-- > 0;) {
      const bool is_whole = steps == traversal->steps.size();
      const TraversalExpr* prefix = traversal;
      if (!is_whole) {
        prefix = Shortened(*traversal, steps, temporary ? *temporary : temporary.emplace());
      }
      Diagnostics ignored;
      // A scope may keep what it knows of a whole traversal, but nothing of a temporary one.
      const Value value = evaluator.Eval(*prefix, bindings, ignored);
      if (ignored.has_errors()) {
        continue;
      }
      std::string text = TraversalText(prefix->root, prefix->steps);
      const bool seen =
          std::any_of(diagnostic.values.begin(), diagnostic.values.end(),
                      [&](const ExpressionValue& other) { return other.traversal == text; });
      if (!seen) {
        if (std::string statement = Statement(value, diagnostic.tag); !statement.empty()) {
          diagnostic.values.push_back({std::move(text), std::move(statement)});
        }
      }
      break;
    }
  }
  std::sort(
      diagnostic.values.begin(), diagnostic.values.end(),
      [](const ExpressionValue& a, const ExpressionValue& b) { return a.traversal < b.traversal; });
  if (diagnostic.extra == nullptr && expr.kind == hcl::ExprKind::kBinary) {
    AttachSides(static_cast<const hcl::BinaryExpr&>(expr), evaluator, bindings, diagnostic);
  }
}

}  // namespace kinu::lang
