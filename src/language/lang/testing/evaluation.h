// For tests: evaluates source text with variables given as tagged JSON. The result is tagged JSON,
// or the diagnostics in the form `summary at begin-end`.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/invariant.h"
#include "cty/tagged.h"
#include "hcl/parse.h"
#include "json/reader.h"
#include "json/writer.h"
#include "lang/eval.h"
#include "lang/template.h"

namespace kinu::lang::testing {

/// Variables, functions and the syntax of one test.
class Bench {
 public:
  /// `variables` is a JSON object of tagged values. If it is empty, variables are not allowed.
  explicit Bench(std::string variables = "{}") : json_(std::move(variables)) {
    if (!json_.empty()) {
      document_ = ParseJson(json_);
      KINU_INVARIANT(document_.ok(), "test variables");
      for (const JsonMember& member : document_.root().members()) {
        auto value = ValueFromTagged(member.value);
        KINU_INVARIANT(value.has_value(), "test variables");
        variables_.insert_or_assign(std::string(member.name), *value);
      }
    }
    scope_ = std::make_unique<VariableScope>(json_.empty() ? nullptr : &variables_,
                                             &functions::Table::Standard(), context_);
  }

  const Scope& scope() const { return *scope_; }
  hcl::SyntaxTree& tree() { return tree_; }
  const SourceFile* Source(std::string_view text, std::string_view name = "test.tf") {
    return tree_.KeepSource(SourceFile::Make(std::string(name), std::string(text)));
  }
  const hcl::Expr* Parse(std::string_view text, Diagnostics& diags) {
    return hcl::ParseExpression(Source(text), tree_, diags);
  }
  const hcl::NativeBody* ParseBody(std::string_view text, Diagnostics& diags) {
    return hcl::ParseNative(Source(text), tree_, diags);
  }

  /// Tagged JSON of the value, or the diagnostics.
  std::string Evaluate(std::string_view text) {
    Diagnostics diags;
    const hcl::Expr* expr = Parse(text, diags);
    Value value;
    if (!diags.has_errors()) {
      value = lang::Evaluate(*expr, *scope_, diags);
    }
    return diags.empty() ? Show(value) : Show(diags);
  }

  static std::string Show(const Value& value) {
    std::string out;
    JsonWriter json(out, {.escape = JsonEscape::kPlain});
    WriteTagged(json, value);
    return out;
  }
  static std::string Show(const Diagnostics& diags) {
    std::string out;
    for (const Diagnostic& problem : diags) {
      out += out.empty() ? "" : "; ";
      out += problem.summary;
      if (problem.subject.valid()) {
        out += " at " + std::to_string(problem.subject.begin) + "-" +
               std::to_string(problem.subject.end);
      }
    }
    return out;
  }

 private:
  std::string json_;
  JsonDocument document_;
  FlatMap<std::string, Value> variables_;
  functions::CallContext context_ = WithTemplates({}, functions::Table::Standard());
  hcl::SyntaxTree tree_;
  std::unique_ptr<VariableScope> scope_;
};

}  // namespace kinu::lang::testing
