// One request of the batch evaluator and its response.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/flat_map.h"
#include "base/result.h"
#include "cty/value.h"
#include "diag/diagnostic.h"
#include "functions/function.h"
#include "hcl/ast.h"
#include "json/reader.h"
#include "json/writer.h"
#include "lang/scope.h"

namespace kinu::eval {

/// The keys that all kinds of requests have: source and scope. `json` has all keys.
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
  /// False if the request has neither variables nor functions: JSON strings are then plain text.
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

/// A response. Parts that are JSON are kept as text.
struct Response {
  std::optional<Value> value;
  std::optional<Type> type;
  std::optional<std::string> text;
  std::string traversal;
  std::string content;
  Diagnostics diags;
  /// Write the parts even if there are error diagnostics.
  bool keep_parts = false;

  void Fail(std::string summary) { diags.Error(std::move(summary), {}); }
};

/// Appends a response as one line without the final newline. `id` is the JSON text of the id.
void WriteResponse(std::string& out, std::string_view id, const Response& response);
/// Appends {"start": …, "end": …}.
void WriteRange(JsonWriter& out, const SourceRange& range);

}  // namespace kinu::eval
