// For tests of functions: evaluates source text with all functions, and finds calls in it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "cty/conversion.h"
#include "functions/function.h"
#include "hcl/parse.h"
#include "hcl/walk.h"
#include "lang/eval.h"
#include "lang/scope.h"
#include "lang/template.h"

namespace kinu::functions::testing {

inline CallContext FixedContext() {
  CallContext context;
  context.timestamp = "2024-01-02T03:04:05Z";
  return lang::WithTemplates(context, Table::Standard());
}

/// Calls a function with the arguments counted and converted to the types of their parameters, as
/// the evaluator does.
inline CallResult CallConverted(const Callable& function, std::vector<Value> args,
                                const CallContext& context) {
  const size_t asked = function.params().size();
  if (args.size() < asked || (args.size() > asked && function.variadic() == nullptr)) {
    return CallFail("wrong number of arguments");
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const Parameter& parameter =
        i < function.params().size() ? function.params()[i] : *function.variadic();
    const Type wanted = parameter.type();
    if (wanted.is_dynamic() || args[i].type() == wanted) {
      continue;
    }
    ValueResult<Value> converted = Convert(args[i], wanted);
    if (!converted) {
      return CallFail(converted.error().message, static_cast<int>(i));
    }
    args[i] = *std::move(converted);
  }
  return function.Call(args, context);
}

/// An expression and the diagnostics of its evaluation.
class Evaluation {
 public:
  using Variables = FlatMap<std::string, Value>;

  explicit Evaluation(std::string_view text, Variables variables = {})
      : source_(SourceFile::Make("example", std::string(text))),
        variables_(std::move(variables)),
        context_(FixedContext()) {
    expr_ = hcl::ParseExpression(source_.get(), tree_, diags_);
  }

  Value Run() { return diags_.has_errors() ? Value() : Run(*expr_); }
  Value Run(const hcl::Expr& expr) {
    const lang::VariableScope scope(&variables_, &Table::Standard(), context_);
    return lang::Evaluate(expr, scope, diags_);
  }
  const Diagnostics& diags() const { return diags_; }

  /// The first call of that function; null if there is none.
  const hcl::CallExpr* FindCall(std::string_view name) const {
    const hcl::CallExpr* found = nullptr;
    const std::function<void(const hcl::Expr&)> look = [&](const hcl::Expr& expr) {
      if (expr.kind == hcl::ExprKind::kCall && found == nullptr) {
        const auto& call = static_cast<const hcl::CallExpr&>(expr);
        found = call.name == name ? &call : nullptr;
      }
      if (found == nullptr) {
        hcl::ForEachChild(expr, look);
      }
    };
    look(*expr_);
    return found;
  }

 private:
  Ref<const SourceFile> source_;
  hcl::SyntaxTree tree_;
  Variables variables_;
  CallContext context_;
  Diagnostics diags_;
  const hcl::Expr* expr_ = nullptr;
};

}  // namespace kinu::functions::testing
