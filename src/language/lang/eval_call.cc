// Function calls. Ref: hclsyntax expression.go FunctionCallExpr; hcl ext/tryfunc.
#include <array>
#include <string>
#include <vector>

#include "cty/conversion.h"
#include "hcl/walk.h"
#include "json/writer.h"
#include "lang/evaluator.h"
#include "lang/type_expr.h"
#include "text/quote.h"
#include "text/suggest.h"

namespace kinu::lang {

using functions::Callable;
using functions::CallError;
using functions::Parameter;
using hcl::Expr;

namespace {

using text::Quoted;

// Argument values of a call. Allocates no memory for up to three.
class ValueBuffer {
 public:
  explicit ValueBuffer(size_t size) {
    if (size > inline_.size()) {
      heap_.resize(size);
      values_ = heap_;
    } else {
      values_ = std::span<Value>(inline_).first(size);
    }
  }
  Value& operator[](size_t i) { return values_[i]; }
  std::span<const Value> values() const { return values_; }

 private:
  std::array<Value, 3> inline_;
  std::vector<Value> heap_;
  std::span<Value> values_;
};

void WriteParameter(JsonWriter& json, const Parameter& param) {
  json.BeginObject();
  json.Member("name", param.name);
  json.Key("type");
  json.Raw(TypeToJson(param.type()));
  json.EndObject();
}

// The signature of a function as JSON.
// Ref: opentofu internal/command/jsonentities/function.go DescribeFunction.
std::string Signature(const Callable& callable, const functions::CallContext& context) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  const std::string_view name = callable.name();
  const size_t separator = name.rfind("::");
  json.Member("name", separator == std::string_view::npos ? name : name.substr(separator + 2));
  json.Key("params");
  json.BeginArray();
  // The return type is the type of the result for unknown arguments.
  std::vector<Value> unknown;
  for (const Parameter& param : callable.params()) {
    WriteParameter(json, param);
    unknown.push_back(Value::Unknown(param.type()));
  }
  json.EndArray();
  if (const Parameter* variadic = callable.variadic()) {
    json.Key("variadic_param");
    WriteParameter(json, *variadic);
    unknown.push_back(Value::Unknown(variadic->type()));
  }
  Type result;
  if (!callable.lazy()) {
    const functions::CallResult called = callable.Call(unknown, context);
    if (called) {
      result = called->type();
    }
  } else if (callable.name() == "can") {
    result = Type::Bool();
  }
  json.Key("return_type");
  json.Raw(TypeToJson(result));
  json.EndObject();
  return out;
}

}  // namespace

void Evaluator::SetFunctionCall(const hcl::CallExpr& expr, const Callable& callable,
                                const Binding* bindings, Diagnostic& problem) const {
  if (describe_) {
    // The reference finds signatures in the outermost scope only, so not inside of `for`.
    problem.function_call = FunctionCallNote{
        std::string(expr.name),
        bindings == nullptr ? Signature(callable, scope_.call_context()) : std::string()};
  }
}

// The arguments of a call: expressions, followed by the elements of the one before "...".
struct Evaluator::Arguments {
  std::span<const Expr* const> written;  ///< without the expanded one
  const Expr* expanded = nullptr;
  std::vector<Value> elements;

  size_t size() const { return written.size() + elements.size(); }
  const Expr& expr(size_t i) const { return i < written.size() ? *written[i] : *expanded; }
  SourceRange start_range(size_t i) const {
    return i < written.size() ? StartRange(*written[i]) : expanded->range();
  }
};

Value Evaluator::EvalCall(const hcl::CallExpr& expr, const Binding* bindings,
                          Diagnostics& diags) const {
  const Callable* callable = scope_.functions_allowed() ? scope_.FunctionOf(expr) : nullptr;
  if (callable == nullptr) {
    return ReportUnknownFunction(expr, bindings, diags);
  }
  const auto describe_call = [&](Diagnostic& problem) {
    SetFunctionCall(expr, *callable, bindings, problem);
  };
  const size_t errors = diags.error_count();

  Arguments arguments{expr.arguments, nullptr, {}};
  if (expr.expand_final && !ExpandFinal(expr, *callable, bindings, arguments, diags)) {
    return Value::DynamicUnknown();
  }

  const std::span<const Parameter> params = callable->params();
  const Parameter* variadic = callable->variadic();
  if (arguments.size() < params.size()) {
    const Parameter& missing = params[arguments.size()];
    describe_call(Fail("Not enough function arguments",
                       "Function " + Quoted(expr.name) + " expects " +
                           (variadic != nullptr ? "at least " : "") +
                           std::to_string(params.size()) + " argument(s). Missing value for " +
                           Quoted(missing.name) + ".",
                       {expr.file(), expr.close_paren, expr.close_paren + 1}, expr.range(), expr,
                       bindings, diags));
    return Value::DynamicUnknown();
  }
  if (variadic == nullptr && arguments.size() > params.size()) {
    describe_call(Fail("Too many function arguments",
                       "Function " + Quoted(expr.name) + " expects only " +
                           std::to_string(params.size()) + " argument(s).",
                       arguments.start_range(params.size()), expr.range(), expr, bindings, diags));
    return Value::DynamicUnknown();
  }
  if (callable->lazy()) {
    return CallLazy(expr, arguments, *callable, bindings, diags);
  }

  ValueBuffer values(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& param = i < params.size() ? params[i] : *variadic;
    Value value = i < arguments.written.size()
                      ? Eval(*arguments.written[i], bindings, diags)
                      : std::move(arguments.elements[i - arguments.written.size()]);
    ValueResult<Value> converted = ConvertTo(std::move(value), param.type());
    if (!converted) {
      describe_call(Fail("Invalid function argument",
                         "Invalid value for " + Quoted(param.name) +
                             " parameter: " + converted.error().message + ".",
                         arguments.start_range(i), expr.range(), arguments.expr(i), bindings,
                         diags));
      continue;
    }
    values[i] = *std::move(converted);
  }
  if (diags.error_count() != errors) {
    return Value::DynamicUnknown();
  }
  functions::CallResult result = callable->Call(values.values(), scope_.call_context());
  if (!result) {
    FailCall(expr, arguments, *callable, result.error(), bindings, diags);
    return Value::DynamicUnknown();
  }
  return *std::move(result);
}

bool Evaluator::ExpandFinal(const hcl::CallExpr& expr, const Callable& callable,
                            const Binding* bindings, Arguments& arguments,
                            Diagnostics& diags) const {
  const Expr& last = *expr.arguments.back();
  const size_t errors = diags.error_count();
  const Value sequence = Eval(last, bindings, diags);
  if (diags.error_count() != errors) {
    return false;
  }
  const Type type = sequence.type();
  const auto reject = [&](std::string detail) {
    SetFunctionCall(expr, callable, bindings,
                    Fail("Invalid expanding argument value", std::move(detail), last.range(),
                         expr.range(), last, bindings, diags));
    return false;
  };
  if (!type.is_dynamic() && !type.is_tuple() && !type.is_list() && !type.is_set()) {
    return reject(
        "The expanding argument (indicated by ...) must be of a tuple, list, or set type.");
  }
  if (sequence.IsNull()) {
    return reject("The expanding argument (indicated by ...) must not be null.");
  }
  if (type.is_dynamic() || !sequence.IsKnown()) {
    return false;
  }
  const MarkSet marks = sequence.marks();
  arguments.written = expr.arguments.first(expr.arguments.size() - 1);
  arguments.expanded = &last;
  arguments.elements.reserve(sequence.size());
  for (const Value& element : sequence.elements()) {
    arguments.elements.push_back(marks.empty() ? element : element.WithMarks(marks));
  }
  return true;
}

Value Evaluator::ReportUnknownFunction(const hcl::CallExpr& expr, const Binding* bindings,
                                       Diagnostics& diags) const {
  if (!scope_.functions_allowed()) {
    Fail("Function calls not allowed", "Functions may not be called here.", expr.range(), {}, expr,
         bindings, diags);
    return Value::DynamicUnknown();
  }
  const std::vector<std::string_view> names = scope_.FunctionNames();
  std::string detail;
  const size_t separator = expr.name.rfind("::");
  if (separator == std::string_view::npos) {
    detail = "There is no function named " + Quoted(expr.name) + ".";
    if (const std::string_view similar = text::SuggestName(expr.name, names); !similar.empty()) {
      detail += " Did you mean " + Quoted(similar) + "?";
    }
  } else {
    const std::string_view space = expr.name.substr(0, separator + 2);
    std::vector<std::string_view> siblings;
    for (const std::string_view name : names) {
      if (name.starts_with(space)) {
        siblings.push_back(name);
      }
    }
    if (siblings.empty()) {
      detail = "There are no functions in namespace " + Quoted(space) + ".";
    } else {
      detail = "There is no function named " + Quoted(expr.name.substr(separator + 2)) +
               " in namespace " + std::string(space) + ".";
      if (const std::string_view similar = text::SuggestName(expr.name, siblings);
          !similar.empty()) {
        detail += " Did you mean " + std::string(similar) + "?";
      }
    }
  }
  Diagnostic& problem =
      Fail("Call to unknown function", std::move(detail), {expr.file(), expr.begin, expr.name_end},
           expr.range(), expr, bindings, diags);
  scope_.ExplainUnknownFunction(expr, problem);
  return Value::DynamicUnknown();
}

// Calls `try` (the first argument that evaluates without error) or `can` (whether there is one). If
// a value is not wholly known, so is the result, because the evaluation may fail during apply.
Value Evaluator::CallLazy(const hcl::CallExpr& expr, const Arguments& arguments,
                          const Callable& callable, const Binding* bindings,
                          Diagnostics& diags) const {
  if (callable.name() == "convert") {
    return CallConvert(expr, arguments, callable, bindings, diags);
  }
  const Evaluator quiet(scope_, false);
  const bool is_can = callable.name() == "can";
  Diagnostics attempts = is_can ? Diagnostics::Counting() : diags.Another();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t errors = attempts.error_count();
    Value value = i < arguments.written.size()
                      ? quiet.Eval(*arguments.written[i], bindings, attempts)
                      : arguments.elements[i - arguments.written.size()];
    if (attempts.error_count() != errors) {
      if (is_can) {
        return Value::False();
      }
      continue;
    }
    if (!value.IsWhollyKnown()) {
      return is_can ? Value::Unknown(Type::Bool()) : Value::DynamicUnknown();
    }
    return is_can ? Value::True() : value;
  }
  if (diags.only_counts()) {
    diags.CountError();
    return Value::DynamicUnknown();
  }
  std::string detail;
  if (arguments.size() == 0) {
    detail =
        "Call to function " + Quoted(expr.name) + " failed: at least one argument is required.";
  } else {
    detail = "Call to function " + Quoted(expr.name) + " failed: no expression succeeded:\n";
    for (const Diagnostic& attempt : attempts) {
      detail += "- " + attempt.summary;
      if (attempt.subject.valid()) {
        const Position at = attempt.subject.start_position();
        detail += " (at " + attempt.subject.file->name() + ":" + std::to_string(at.line) + "," +
                  std::to_string(at.column) + ")";
      }
      detail += "\n  " + attempt.detail + "\n";
    }
    detail += "\nAt least one expression must produce a successful result.";
  }
  SetFunctionCall(expr, callable, bindings,
                  Fail("Error in function call", std::move(detail), StartRange(expr), expr.range(),
                       expr, bindings, diags));
  return Value::DynamicUnknown();
}

// Calls `convert`, whose second argument is a type constraint. Ref: hcl ext/typeexpr
// ConvertFunc; opentofu internal/lang/type_conversion.go.
Value Evaluator::CallConvert(const hcl::CallExpr& expr, const Arguments& arguments,
                             const Callable& callable, const Binding* bindings,
                             Diagnostics& diags) const {
  const size_t errors = diags.error_count();
  const Value value = arguments.written.empty() ? arguments.elements[0]
                                                : Eval(*arguments.written[0], bindings, diags);
  if (arguments.written.size() < 2) {
    FailCall(expr, arguments, callable, {"a type constraint is required", 1, {}}, bindings, diags);
    return Value::DynamicUnknown();
  }
  hcl::SyntaxTree tree;
  const TypeConstraint wanted = ParseTypeConstraint(*arguments.written[1], tree, diags);
  if (diags.error_count() != errors) {
    return Value::DynamicUnknown();
  }
  const bool has_defaults = wanted.defaults != nullptr && !value.IsNull();
  ValueResult<Value> converted =
      Convert(has_defaults ? ApplyDefaults(value, *wanted.defaults) : value, wanted.type);
  if (!converted) {
    FailCall(expr, arguments, callable, {converted.error().message, 0, {}}, bindings, diags);
    return Value::DynamicUnknown();
  }
  return *std::move(converted);
}

void Evaluator::FailCall(const hcl::CallExpr& expr, const Arguments& arguments,
                         const Callable& callable, const CallError& error, const Binding* bindings,
                         Diagnostics& diags) const {
  if (diags.only_counts()) {
    diags.CountError();
    return;
  }
  const auto describe_call = [&](Diagnostic& problem) {
    SetFunctionCall(expr, callable, bindings, problem);
  };
  const std::string message =
      error.path.empty() ? error.message : error.path.ToText() + ": " + error.message;
  const std::span<const Parameter> params = callable.params();
  const Parameter* param = nullptr;
  if (error.argument >= 0) {
    const size_t index = static_cast<size_t>(error.argument);
    param = index < params.size() ? &params[index] : callable.variadic();
  }
  if (param == nullptr) {
    describe_call(Fail("Error in function call",
                       "Call to function " + Quoted(expr.name) + " failed: " + message + ".",
                       StartRange(expr), expr.range(), expr, bindings, diags));
    return;
  }
  const std::string detail =
      "Invalid value for " + Quoted(param->name) + " parameter: " + message + ".";
  const size_t index = static_cast<size_t>(error.argument);
  if (index >= arguments.size()) {
    describe_call(
        Fail("Invalid function argument", detail, expr.range(), {}, expr, bindings, diags));
    return;
  }
  describe_call(Fail("Invalid function argument", detail, arguments.start_range(index),
                     expr.range(), arguments.expr(index), bindings, diags));
}

}  // namespace kinu::lang
