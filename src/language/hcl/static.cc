#include "hcl/static.h"

#include <algorithm>

#include "hcl/json_syntax.h"
#include "hcl/parse.h"
#include "hcl/walk.h"

namespace kinu::hcl {
namespace {

const Expr& Unwrap(const Expr& expr) {
  const Expr* at = &expr;
  while (at->kind == ExprKind::kObjectKey) {
    at = static_cast<const ObjectKeyExpr*>(at)->wrapped;
  }
  return *at;
}

/// The text of a JSON string as a source of its own, whose start is the opening quote.
/// Ref: hcl json/structure.go expression.AsTraversal, ExprCall.
const SourceFile* InnerSource(const JsonStringExpr& string, SyntaxTree& tree) {
  return tree.KeepSource(SourceFile::Make(string.file()->name(), std::string(string.text),
                                          string.range().start_position(), string.file()));
}

/// The keyword of a literal (null, true, false), or empty.
std::string_view LiteralWord(const Expr& expr) {
  const Value& value = *static_cast<const LiteralExpr&>(expr).value;
  if (value.IsNull()) {
    return "null";
  }
  if (value.IsKnown() && value.type() == Type::Bool()) {
    return value.AsBool() ? "true" : "false";
  }
  return {};
}

/// Finds traversals and calls. Knows the names that the enclosing `for` expressions bind.
class ReferenceCollector {
 public:
  /// `calls`: null if they are not wanted.
  ReferenceCollector(std::vector<const TraversalExpr*>& traversals,
                     std::vector<const CallExpr*>* calls, TypeArgument types)
      : traversals_(traversals), calls_(calls), types_(types) {}

  void Visit(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kTraversal: {
        const auto& traversal = static_cast<const TraversalExpr&>(expr);
        if (std::ranges::find(local_names_, traversal.root.view()) == local_names_.end()) {
          traversals_.push_back(&traversal);
        }
        return;
      }
      case ExprKind::kFor:
        VisitFor(static_cast<const ForExpr&>(expr));
        return;
      case ExprKind::kCall:
        VisitCall(static_cast<const CallExpr&>(expr));
        return;
      default:
        break;
    }
    ForEachChild(expr, [this](const Expr& child) { Visit(child); });
  }

 private:
  void VisitCall(const CallExpr& call) {
    if (calls_ != nullptr) {
      calls_->push_back(&call);
    }
    const bool has_type =
        types_ == TypeArgument::kSkip && (call.name == "convert" || call.name == "core::convert");
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      if (!has_type || i != 1) {
        Visit(*call.arguments[i]);
      }
    }
  }

  void VisitFor(const ForExpr& loop) {
    Visit(*loop.collection);
    const size_t outer = local_names_.size();
    if (!loop.key_name.empty()) {
      local_names_.push_back(loop.key_name);
    }
    local_names_.push_back(loop.value_name);
    for (const Expr* part : {loop.key_result, loop.value_result, loop.condition}) {
      if (part != nullptr) {
        Visit(*part);
      }
    }
    local_names_.resize(outer);
  }

  std::vector<const TraversalExpr*>& traversals_;
  std::vector<const CallExpr*>* calls_;
  TypeArgument types_;
  std::vector<std::string_view> local_names_;
};

/// Appends the steps that a splat applies to each element. False if it does more.
bool AppendStepsOfEach(const Expr& each, std::vector<TraversalStep>& steps) {
  switch (each.kind) {
    case ExprKind::kSplatItem:
      return true;
    case ExprKind::kRelative: {
      const auto& relative = static_cast<const RelativeExpr&>(each);
      if (!AppendStepsOfEach(*relative.source, steps)) {
        return false;
      }
      steps.insert(steps.end(), relative.steps.begin(), relative.steps.end());
      return true;
    }
    case ExprKind::kSplat: {
      const auto& splat = static_cast<const SplatExpr&>(each);
      if (!AppendStepsOfEach(*splat.source, steps)) {
        return false;
      }
      steps.push_back(TraversalStep::Splat(splat.marker_begin, splat.marker_end));
      return AppendStepsOfEach(*splat.each, steps);
    }
    default:
      return false;
  }
}

}  // namespace

const JsonStringExpr* AsJsonString(const Expr& expr) {
  return expr.file()->is_json() && expr.kind == ExprKind::kTemplateWrap
             ? static_cast<const JsonStringExpr*>(&expr)
             : nullptr;
}

bool IsJsonExpr(const Expr& expr) {
  return expr.file()->is_json();
}

std::string_view NativeKeyword(const Expr& expr) {
  const Expr& inner = Unwrap(expr);
  if (inner.kind == ExprKind::kLiteral) {
    return LiteralWord(inner);
  }
  if (inner.kind == ExprKind::kObjectWord) {
    return static_cast<const ObjectWordExpr&>(inner).name();
  }
  if (inner.kind == ExprKind::kTraversal) {
    const auto& traversal = static_cast<const TraversalExpr&>(inner);
    return traversal.steps.empty() ? traversal.root.view() : std::string_view();
  }
  return {};
}

std::optional<StaticTraversal> AsTraversal(const Expr& expr, SyntaxTree& tree, Splats splats) {
  if (IsJsonExpr(expr)) {
    const JsonStringExpr* string = AsJsonString(expr);
    if (string == nullptr) {
      return std::nullopt;
    }
    Diagnostics ignored;
    const TraversalExpr* parsed =
        ParseTraversal(InnerSource(*string, tree), tree, splats == Splats::kSteps, ignored);
    if (parsed == nullptr) {
      return std::nullopt;
    }
    return StaticTraversal{parsed->root, parsed->root_range(), parsed->steps, parsed->range()};
  }
  switch (expr.kind) {
    case ExprKind::kTraversal: {
      const auto& traversal = static_cast<const TraversalExpr&>(expr);
      return StaticTraversal{traversal.root, traversal.root_range(), traversal.steps,
                             traversal.range()};
    }
    case ExprKind::kRelative: {
      const auto& relative = static_cast<const RelativeExpr&>(expr);
      std::optional<StaticTraversal> traversal = AsTraversal(*relative.source, tree, splats);
      if (traversal) {
        std::vector<TraversalStep> steps(traversal->steps.begin(), traversal->steps.end());
        steps.insert(steps.end(), relative.steps.begin(), relative.steps.end());
        traversal->steps = tree.arena.CopySpan(steps);
        traversal->range = expr.range();
      }
      return traversal;
    }
    case ExprKind::kSplat: {
      const auto& splat = static_cast<const SplatExpr&>(expr);
      std::optional<StaticTraversal> traversal =
          splats == Splats::kSteps ? AsTraversal(*splat.source, tree, splats) : std::nullopt;
      if (!traversal) {
        return std::nullopt;
      }
      std::vector<TraversalStep> steps(traversal->steps.begin(), traversal->steps.end());
      steps.push_back(TraversalStep::Splat(splat.marker_begin, splat.marker_end));
      if (!AppendStepsOfEach(*splat.each, steps)) {
        return std::nullopt;
      }
      traversal->steps = tree.arena.CopySpan(steps);
      traversal->range = expr.range();
      return traversal;
    }
    case ExprKind::kLiteral: {
      const std::string_view word = LiteralWord(expr);
      if (word.empty()) {
        return std::nullopt;
      }
      return StaticTraversal{word, expr.range(), {}, expr.range()};
    }
    case ExprKind::kObjectWord:
      return StaticTraversal{
          static_cast<const ObjectWordExpr&>(expr).name(), expr.range(), {}, expr.range()};
    case ExprKind::kObjectKey: {
      const auto& key = static_cast<const ObjectKeyExpr&>(expr);
      return key.force_non_literal ? std::nullopt : AsTraversal(*key.wrapped, tree);
    }
    default:
      return std::nullopt;
  }
}

std::string_view AsKeyword(const Expr& expr, SyntaxTree& tree) {
  const std::optional<StaticTraversal> traversal = AsTraversal(expr, tree);
  return traversal && traversal->steps.empty() ? traversal->root : std::string_view();
}

std::optional<std::span<const Expr* const>> AsList(const Expr& expr) {
  const Expr& inner = Unwrap(expr);
  if (inner.kind != ExprKind::kTuple) {
    return std::nullopt;
  }
  return static_cast<const TupleExpr&>(inner).elements;
}

std::optional<std::span<const ObjectItem>> AsMap(const Expr& expr) {
  const Expr& inner = Unwrap(expr);
  if (inner.kind != ExprKind::kObject && inner.kind != ExprKind::kJsonObject) {
    return std::nullopt;
  }
  return static_cast<const ObjectExpr&>(inner).items;
}

std::optional<StaticCall> AsCall(const Expr& expr, SyntaxTree& tree) {
  const Expr* inner = &Unwrap(expr);
  if (IsJsonExpr(expr)) {
    const JsonStringExpr* string = AsJsonString(expr);
    if (string == nullptr) {
      return std::nullopt;
    }
    Diagnostics problems;
    inner = &Unwrap(*ParseExpression(InnerSource(*string, tree), tree, problems));
    if (problems.has_errors()) {
      return std::nullopt;
    }
  }
  if (inner->kind != ExprKind::kCall) {
    return std::nullopt;
  }
  const auto& call = static_cast<const CallExpr&>(*inner);
  return StaticCall{call.name,
                    {call.file(), call.begin, call.name_end},
                    call.arguments,
                    {call.file(), call.open_paren, call.end}};
}

std::optional<std::string_view> AsLiteralString(const Expr& expr) {
  if (IsJsonExpr(expr)) {
    const JsonStringExpr* string = AsJsonString(expr);
    return string == nullptr ? std::nullopt : std::optional(string->text);
  }
  if (expr.kind == ExprKind::kQuoted) {
    return static_cast<const QuotedExpr&>(expr).part.text();
  }
  if (expr.kind != ExprKind::kTemplate) {
    return std::nullopt;
  }
  const auto parts = static_cast<const TemplateExpr&>(expr).parts;
  return parts.size() == 1 ? TextOfPart(*parts.front()) : std::nullopt;
}

std::optional<std::string_view> TextOfPart(const Expr& part) {
  if (part.kind == ExprKind::kText) {
    return static_cast<const TextExpr&>(part).text();
  }
  if (part.kind != ExprKind::kLiteral) {
    return std::nullopt;
  }
  const Value& value = *static_cast<const LiteralExpr&>(part).value;
  const bool is_text = value.IsKnown() && !value.IsNull() && value.type() == Type::String();
  return is_text ? std::optional(value.AsString()) : std::nullopt;
}

void CollectTraversals(const Expr& expr, std::vector<const TraversalExpr*>& out,
                       TypeArgument types) {
  ReferenceCollector(out, nullptr, types).Visit(expr);
}

void CollectTraversalsAndCalls(const Expr& expr, std::vector<const TraversalExpr*>& traversals,
                               std::vector<const CallExpr*>& calls) {
  ReferenceCollector(traversals, &calls, TypeArgument::kSkip).Visit(expr);
}

}  // namespace kinu::hcl
