// Nodes and bodies of the JSON syntax. Private to hcl.
//
// SourceFile::is_json() identifies JSON expressions. Strings are JsonStringExpr nodes of the JSON
// file; the template in a string is a source of its own.
#pragma once

#include <string_view>

#include "base/flat_map.h"
#include "hcl/ast.h"
#include "hcl/body.h"
#include "hcl/parse.h"
#include "json/reader.h"

namespace kinu::hcl {

/// A JSON string: its kind is kTemplateWrap, `wrapped` is a literal, a template or kInvalid.
struct JsonStringExpr : WrapExpr {
  std::string_view text;  ///< decoded, without template processing
};

/// `expr` as a JSON string, or null if it is none.
const JsonStringExpr* AsJsonString(const Expr& expr);

/// A parsed JSON file. Builds each expression when a body first returns it: callers often read few
/// of them, and parsing the templates in strings is the most expensive part.
class JsonText {
 public:
  JsonText(const SourceFile* source, JsonDocument document, ParseMode mode, const SyntaxTree* tree)
      : source_(source), mode_(mode), tree_(tree), document_(std::move(document)) {}

  const SourceFile* source() const { return source_; }
  ParseMode mode() const { return mode_; }
  const JsonNode& root() const { return document_.root(); }
  /// The expression of a node of this document. Safe to call from several threads.
  const Expr* Expression(const JsonNode& node) const;
  /// Calls use(arena) under a lock. The arena lives as long as the tree.
  template <typename Use>
  void WithLockedArena(Use&& use) const {
    tree_->WithLockedArena(std::forward<Use>(use));
  }

 private:
  const SourceFile* source_;
  ParseMode mode_;
  const SyntaxTree* tree_;
  JsonDocument document_;
  mutable SyntaxTree built_tree_;                 // guarded by the lock of tree_
  mutable FlatMap<uint64_t, const Expr*> built_;  // by address of the node; guarded likewise
};

/// A body over any JSON value; empty without one. Content() and JustAttributes() report values of
/// the wrong type.
class JsonBody final : public Body {
 public:
  JsonBody(const JsonNode* value, const JsonText* text) : value_(value), text_(text) {}

  BodyContent Content(const BodySchema& schema, Strictness strictness,
                      Diagnostics& diags) const override;
  std::vector<Attribute> JustAttributes(std::span<const std::string_view> hidden,
                                        Diagnostics& diags) const override;
  SourceRange MissingItemRange() const override;
  bool is_json() const override { return true; }

 private:
  const JsonNode* value_;
  const JsonText* text_;
};

/// The word that a native expression consists of: a single name, or true, false or null. Empty for
/// other expressions.
std::string_view NativeKeyword(const Expr& expr);

}  // namespace kinu::hcl
