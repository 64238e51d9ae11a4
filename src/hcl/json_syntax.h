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
  const Expr* literal;    ///< its twin without template, or null when it holds none itself
};
/// A JSON array: kind kTuple.
struct JsonTupleExpr : TupleExpr {
  const Expr* literal;  ///< its twin without templates, or null when there are none inside
};
/// A JSON object: kind kJsonObject.
struct JsonObjectExpr : ObjectExpr {
  const Expr* literal;  ///< as above
};

/// The node when it is a JSON string, else null.
const JsonStringExpr* AsJsonString(const Expr& expr);

/// A body over any JSON value; whether the value fits shows when content is asked for.
class JsonBody final : public Body {
 public:
  JsonBody(const Expr* value, const SyntaxTree* tree) : value_(value), tree_(tree) {}

  BodyContent Content(const BodySchema& schema, Strictness strictness,
                      Diagnostics& diags) const override;
  std::vector<Attribute> JustAttributes(std::span<const std::string_view> hidden,
                                        Diagnostics& diags) const override;
  SourceRange MissingItemRange() const override;
  bool is_json() const override { return true; }

 private:
  const Expr* value_;
  const SyntaxTree* tree_;
};

/// The word of a native expression: a name alone, or true, false or null.
std::string_view NativeKeyword(const Expr& expr);

}  // namespace kinu::hcl
