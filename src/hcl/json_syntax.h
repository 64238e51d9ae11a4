// What the JSON syntax adds to the common nodes. Private to hcl.
//
// A JSON expression is told by its file: SourceFile::is_json(). Its strings are JsonStringExpr
// nodes in the JSON file, and what such a string holds as a template lies in a source of its own.
#pragma once

#include <string_view>

#include "base/flat_map.h"
#include "codec/json_reader.h"
#include "hcl/ast.h"
#include "hcl/body.h"

namespace kinu::hcl {

/// A JSON string: kind kTemplateWrap, `wrapped` is the template that it holds (or kInvalid).
struct JsonStringExpr : WrapExpr {
  std::string_view text;  ///< decoded, without template processing
};

/// The node when it is a JSON string, else null.
const JsonStringExpr* AsJsonString(const Expr& expr);

/// A JSON file that was read. Expressions are built when a body hands them out, each once: most of
/// reading a large file is finding blocks, and templates in strings cost more than all else.
class JsonText {
 public:
  JsonText(const SourceFile* source, JsonDocument document, const SyntaxTree* tree)
      : source_(source), tree_(tree), document_(std::move(document)) {}

  const SourceFile* source() const { return source_; }
  const JsonNode& root() const { return document_.root(); }
  /// The expression of one of its nodes. Safe to call from several threads.
  const Expr* Expression(const JsonNode& node) const;
  /// Calls use(arena) with memory that lives as long as the tree, one caller at a time.
  template <typename Use>
  void Later(Use&& use) const {
    tree_->Later(std::forward<Use>(use));
  }

 private:
  const SourceFile* source_;
  const SyntaxTree* tree_;  // whose lock guards what follows
  JsonDocument document_;
  mutable SyntaxTree later_;
  mutable FlatMap<uint64_t, const Expr*> built_;  // by address of the node
};

/// A body over any JSON value; whether the value fits shows when content is asked for. Without a
/// value it is empty.
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

/// The word of a native expression: a name alone, or true, false or null.
std::string_view NativeKeyword(const Expr& expr);

}  // namespace kinu::hcl
