// What the JSON syntax adds to the common nodes. Private to hcl.
//
// A JSON expression is told by its file: SourceFile::is_json(). Its strings are JsonStringExpr
// nodes in the JSON file, and what such a string holds as a template lies in a source of its own.
#pragma once

#include <string_view>

#include "hcl/ast.h"
#include "hcl/body.h"

namespace kinu::hcl {

/// A JSON string: kind kTemplateWrap, `wrapped` is the template that it holds (or kInvalid).
struct JsonStringExpr : WrapExpr {
  std::string_view text;  ///< decoded, without template processing
  const Expr* literal;    ///< the text as a literal; equal to `wrapped` when it holds no template
};

/// The node when it is a JSON string, else null.
const JsonStringExpr* AsJsonString(const Expr& expr);

/// A tuple or object of JSON that holds templates somewhere: it has a twin without them.
struct JsonTupleExpr : TupleExpr {
  const Expr* literal;
};
struct JsonObjectExpr : ObjectExpr {
  const Expr* literal;
};

class JsonBody final : public Body {
 public:
  JsonBody(const Expr* value, SourceRange close) : value_(value), close_(close) {}

  BodyContent Content(const BodySchema&, Strictness, Diagnostics&) const override;
  std::vector<Attribute> JustAttributes(std::span<const std::string_view>,
                                        Diagnostics&) const override;
  SourceRange MissingItemRange() const override;
  bool is_json() const override { return true; }

 private:
  const Expr* value_;
  SourceRange close_;  // where the closing brace of an object stands
};

/// The word of a native expression: a name alone, or true, false or null.
std::string_view NativeKeyword(const Expr& expr);

}  // namespace kinu::hcl
