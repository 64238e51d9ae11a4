#include "lang/template.h"

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "diag/error_line.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "lang/eval.h"

namespace kinu::lang {

using functions::CallContext;
using functions::CallFail;
using functions::CallResult;

namespace {

constexpr int kMaxDepth = 1024;
constexpr int kVariablesArgument = 1;

// The limit of nested templatefile calls; TF_TEMPLATE_RECURSION_DEPTH overrides it.
std::expected<int, std::string> MaxDepth() {
  const char* const name = "TF_TEMPLATE_RECURSION_DEPTH";
  const std::string_view text = Environment(name);
  if (text.empty()) {
    return kMaxDepth;
  }
  int depth = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), depth);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::unexpected("invalid value for " + std::string(name) + ": \"" + std::string(text) +
                           "\" is not a number");
  }
  return depth;
}

struct Renderer {
  const functions::Table* table;
  CallContext base;  // without render
  int depth = 0;

  CallContext Nested(bool is_file) const {
    CallContext context = base;
    context.render = Renderer{table, base, depth + (is_file ? 1 : 0)};
    return context;
  }

  CallResult operator()(std::string_view source, std::string_view name, const Value& variables,
                        std::string_view calling_function) const {
    const bool is_file = calling_function == "templatefile";
    if (is_file) {
      const auto max_depth = MaxDepth();
      if (!max_depth) {
        return CallFail(max_depth.error());
      }
      if (depth > *max_depth) {
        return CallFail("maximum recursion depth " + std::to_string(depth) + " reached in " +
                        std::string(name));
      }
    }
    hcl::SyntaxTree tree;
    Diagnostics diags;
    const SourceFile* file =
        tree.KeepSource(SourceFile::Make(std::string(name), std::string(source)));
    const hcl::Expr* expr = hcl::ParseTemplate(file, tree, diags);
    if (diags.has_errors()) {
      return CallFail(ErrorLine(diags));
    }
    FlatMap<std::string, Value> scope_variables;
    if (CallResult problem = ReadVariables(variables, scope_variables); !problem) {
      return problem;
    }
    std::vector<const hcl::TraversalExpr*> traversals;
    hcl::CollectTraversals(*expr, traversals);
    for (const hcl::TraversalExpr* traversal : traversals) {
      if (!scope_variables.contains(traversal->root)) {
        std::string message =
            "vars map does not contain key \"" + std::string(traversal->root) + "\"";
        if (is_file) {
          message += ", referenced at " + ToText(traversal->root_range());
        }
        return CallFail(std::move(message), kVariablesArgument);
      }
    }
    const CallContext context = Nested(is_file);
    const VariableScope scope(&scope_variables, table, context);
    Value value = Evaluate(*expr, scope, diags);
    if (diags.has_errors()) {
      return CallFail(ErrorLine(diags));
    }
    return value;
  }

  static CallResult ReadVariables(const Value& variables, FlatMap<std::string, Value>& out) {
    const Type type = variables.type();
    if (!type.is_map() && !type.is_object()) {
      return CallFail("invalid vars value: must be a map", kVariablesArgument);
    }
    if (variables.IsNull() || !variables.IsKnown()) {
      return variables;
    }
    const MarkSet marks = variables.marks();
    for (size_t i = 0; i < variables.size(); ++i) {
      const std::string_view name = variables.key(i);
      if (!hcl::IsIdentifier(name)) {
        return CallFail("invalid template variable name \"" + std::string(name) +
                            "\": must start with a letter, followed by zero or more letters, "
                            "digits, and underscores",
                        kVariablesArgument);
      }
      const Value& value = variables.elements()[i];
      out.emplace(std::string(name), marks.empty() ? value : value.WithMarks(marks));
    }
    return variables;
  }
};

}  // namespace

CallContext WithTemplates(CallContext context, const functions::Table& table) {
  context.render = nullptr;
  Renderer renderer{&table, context, 0};
  context.render = std::move(renderer);
  return context;
}

}  // namespace kinu::lang
