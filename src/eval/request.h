// One request of the batch evaluator and its response.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/flat_map.h"
#include "base/result.h"
#include "codec/json_reader.h"
#include "codec/json_writer.h"
#include "cty/value.h"
#include "diag/diagnostic.h"
#include "functions/function.h"
#include "hcl/ast.h"
#include "lang/scope.h"

namespace kinu::eval {

/// What a request says about source and scope. `json` is the whole of it, for keys of single kinds.
class Request {
 public:
  /// Reads the common keys; fails when a key has the wrong form.
  static Result<std::unique_ptr<Request>> Read(const JsonNode& json);

  const JsonNode& json() const { return *json_; }
  const JsonNode* Find(std::string_view key) const { return json_->Find(key); }
  std::string_view Text(std::string_view key) const;
  bool Flag(std::string_view key) const;
  Result<Value> ReadValue(std::string_view key) const;
  Result<Type> ReadType(std::string_view key) const;

  const SourceFile* source() const { return source_; }
  /// Owns the source and all that is parsed from it.
  hcl::SyntaxTree& tree() { return tree_; }
  const lang::Scope& scope() const { return *scope_; }
  /// False when the request gives neither variables nor functions: strings of JSON are then text.
  bool has_scope() const { return has_scope_; }

 private:
  const JsonNode* json_ = nullptr;
  const SourceFile* source_ = nullptr;
  hcl::SyntaxTree tree_;
  FlatMap<std::string, Value> variables_;
  functions::CallContext context_;
  std::unique_ptr<lang::VariableScope> scope_;
  bool has_scope_ = false;
};

/// What is answered. Of parts that are JSON already the text is kept.
struct Response {
  std::optional<Value> value;
  std::optional<Type> type;
  std::optional<std::string> text;
  std::string traversal;
  std::string content;
  Diagnostics diags;
  /// The parts stand beside error diagnostics, too.
  bool keep_parts = false;

  void Fail(std::string summary) { diags.Error(std::move(summary), {}); }
};

/// Appends a response as one line without the final newline. `id` is the JSON text of the id.
void WriteResponse(std::string& out, std::string_view id, const Response& response);
/// Appends {"start": …, "end": …}.
void WriteRange(JsonWriter& out, const SourceRange& range);

}  // namespace kinu::eval
