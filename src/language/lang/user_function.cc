#include "lang/user_function.h"

#include <algorithm>

#include "hcl/static.h"
#include "hcl/walk.h"
#include "lang/eval.h"

namespace kinu::lang {

using functions::Arguments;
using functions::Callable;
using functions::CallContext;
using functions::CallFail;
using functions::CallResult;
using functions::Parameter;

namespace {

class UserFunction final : public Callable {
 public:
  UserFunction(std::string_view name, const std::vector<std::string_view>& params,
               std::string_view variadic, const hcl::Expr& result, const Scope& scope)
      : name_(name), result_(result), scope_(scope) {
    for (const std::string_view param : params) {
      params_.push_back({.name = param});
    }
    variadic_ = {.name = variadic};
  }

  std::string_view name() const override { return name_; }
  std::span<const Parameter> params() const override { return params_; }
  const Parameter* variadic() const override {
    return variadic_.name.empty() ? nullptr : &variadic_;
  }

  // Refuses null arguments. If an argument is unknown, so is the result. The result gets the marks
  // of all arguments.
  CallResult Call(Arguments args, const CallContext&) const override {
    MarkSet marks;
    bool has_dynamic = false;
    bool unknown = false;
    std::vector<Value> values;
    values.reserve(args.size());
    for (size_t i = 0; i < args.size(); ++i) {
      MarkSet inside;
      values.push_back(args[i].UnmarkDeep(&inside));
      marks = marks.Union(inside);
      if (values.back().IsNull()) {
        return CallFail("argument must not be null", static_cast<int>(i));
      }
      has_dynamic = has_dynamic || values.back().type().is_dynamic();
      unknown = unknown || !values.back().IsKnown();
    }
    if (has_dynamic) {
      return Value::DynamicUnknown().WithMarks(marks);
    }
    CallResult result = Evaluate(std::move(values));
    if (!result) {
      return result;
    }
    return (unknown ? Value::Unknown(result->type()) : *std::move(result)).WithMarks(marks);
  }

 private:
  CallResult Evaluate(std::vector<Value> values) const {
    Value rest;
    if (variadic() != nullptr) {
      const auto begin = values.begin() + static_cast<ptrdiff_t>(params_.size());
      rest = Value::Tuple(std::vector<Value>(begin, values.end()));
    }
    std::vector<Binding> bindings(params_.size() + 1);
    const Binding* last = nullptr;
    for (size_t i = 0; i < params_.size(); ++i) {
      bindings[i] = {params_[i].name, &values[i], last};
      last = &bindings[i];
    }
    if (variadic() != nullptr) {
      bindings.back() = {variadic_.name, &rest, last};
      last = &bindings.back();
    }
    Diagnostics diags;
    Value result = lang::Evaluate(result_, scope_, diags, last);
    if (!diags.has_errors()) {
      return result;
    }
    const auto first = std::find_if(diags.begin(), diags.end(),
                                    [](const Diagnostic& problem) { return problem.is_error(); });
    std::string message = first->summary;
    if (first->subject.valid()) {
      const Position at = first->subject.start_position();
      message = first->subject.file->name() + ":" + std::to_string(at.line) + "," +
                std::to_string(at.column) + ": " + message;
    }
    if (!first->detail.empty()) {
      message += "; " + first->detail;
    }
    while (message.ends_with('.')) {
      message.pop_back();
    }
    return CallFail(std::move(message));
  }

  std::string_view name_;
  std::vector<Parameter> params_;
  Parameter variadic_;
  const hcl::Expr& result_;
  const Scope& scope_;
};

class Conversion final : public Callable {
 public:
  std::string_view name() const override { return "convert"; }
  std::span<const Parameter> params() const override {
    static constexpr Parameter kParams[] = {{.name = "value", .allow_null = true},
                                            {.name = "type"}};
    return kParams;
  }
  const Parameter* variadic() const override { return nullptr; }
  bool lazy() const override { return true; }
  CallResult Call(Arguments, const CallContext&) const override {
    return CallFail("the type is not a value");
  }
};

bool ReadParameters(const hcl::BodyContent& content, hcl::SyntaxTree& tree,
                    std::vector<std::string_view>& params, std::string_view& variadic,
                    Diagnostics& diags) {
  const hcl::Expr& list = *content.Find("params")->expr;
  const auto elements = hcl::AsList(list);
  if (!elements) {
    diags.Error("Invalid expression", "A static list expression is required.", StartRange(list));
    return false;
  }
  for (const hcl::Expr* element : *elements) {
    params.push_back(hcl::AsKeyword(*element, tree));
    if (params.back().empty()) {
      diags.Error("Invalid param element", "Each parameter name must be an identifier.",
                  element->range());
      return false;
    }
  }
  if (const hcl::Attribute* rest = content.Find("variadic_param")) {
    variadic = hcl::AsKeyword(*rest->expr, tree);
    if (variadic.empty()) {
      diags.Error("Invalid variadic_param", "The variadic parameter name must be an identifier.",
                  rest->expr->range());
      return false;
    }
  }
  return true;
}

}  // namespace

Value ToolScope::Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const {
  return VariableScope(variables_.empty() ? nullptr : &variables_, nullptr, context_)
      .Resolve(traversal, diags);
}

const Callable* ToolScope::FindFunction(std::string_view name) const {
  const auto found = functions_->find(name);
  return found == functions_->end() ? nullptr : found->second;
}

std::vector<std::string_view> ToolScope::FunctionNames() const {
  std::vector<std::string_view> names;
  for (const auto& [name, function] : *functions_) {
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::unique_ptr<Callable>> ReadUserFunctions(const hcl::Body& body,
                                                         std::string_view block_type,
                                                         const Scope& scope, hcl::SyntaxTree& tree,
                                                         Diagnostics& diags) {
  static constexpr std::string_view kLabels[] = {"name"};
  static constexpr hcl::AttributeSchema kArguments[] = {
      {"params", true}, {"variadic_param", false}, {"result", true}};
  const hcl::BlockSchema blocks[] = {{block_type, kLabels}};
  std::vector<std::unique_ptr<Callable>> out;
  const size_t errors = diags.error_count();
  const hcl::BodyContent content =
      body.Content({.blocks = blocks}, hcl::Strictness::kPartial, diags);
  if (diags.error_count() != errors) {
    return out;
  }
  for (const hcl::Block& block : content.blocks) {
    const size_t before = diags.error_count();
    const hcl::BodyContent arguments =
        block.body->Content({.attributes = kArguments}, hcl::Strictness::kExact, diags);
    std::vector<std::string_view> params;
    std::string_view variadic;
    if (diags.error_count() != before ||
        !ReadParameters(arguments, tree, params, variadic, diags)) {
      continue;
    }
    out.push_back(std::make_unique<UserFunction>(block.labels[0], std::move(params), variadic,
                                                 *arguments.Find("result")->expr, scope));
  }
  return out;
}

const Callable& ConvertFunction() {
  static const Conversion kConversion;
  return kConversion;
}

}  // namespace kinu::lang
