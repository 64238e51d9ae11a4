// Expressions in configuration documents: the value of a constant, and the references of other
// expressions. Ref: opentofu internal/command/jsonconfig/expression.go.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "hcl/ast.h"
#include "hcl/body.h"
#include "json/writer.h"
#include "schema/schema.h"

namespace kinu::view {

/// `{constant_value?, references?, position?}`.
void WriteExpression(JsonWriter& out, const hcl::Expr& expr, bool position);

/// The names that bodies are read with, computed once per schema. Schemas must outlive this object.
class BodyShapes {
 public:
  struct Shape;
  /// `positions`: expressions are written with their positions.
  explicit BodyShapes(bool positions);
  ~BodyShapes();
  const Shape& Of(const schema::Block& block);
  bool positions() const { return positions_; }

 private:
  bool positions_;
  FlatMap<uintptr_t, std::unique_ptr<Shape>> shapes_;  // by address of the schema
};

/// Writes the expressions of a body that the schema declares. Others are omitted.
void WriteBodyExpressions(JsonWriter& out, const hcl::Body& body, const schema::Block& block,
                          BodyShapes& shapes);

/// The subject of a traversal as in `depends_on`. Empty if it is not a reference.
std::string DependencyText(const hcl::TraversalExpr& traversal);

}  // namespace kinu::view
