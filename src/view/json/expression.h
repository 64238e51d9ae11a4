// How documents describe expressions of the configuration: the value where it is a constant, and
// what it refers to. Ref: opentofu internal/command/jsonconfig/expression.go.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "codec/json_writer.h"
#include "hcl/ast.h"
#include "hcl/body.h"
#include "schema/schema.h"

namespace kinu::view {

/// What an expression refers to: each reference, then its shorter and shorter beginnings. In the
/// order of the source, with repetitions.
std::vector<std::string> ExpressionReferences(const hcl::Expr& expr);

/// `{constant_value?, references?}`.
void WriteExpression(JsonWriter& out, const hcl::Expr& expr);

/// What bodies are asked for, made once for each schema. Schemas must stay where they are.
class BodyShapes {
 public:
  struct Shape;
  BodyShapes();
  ~BodyShapes();
  const Shape& Of(const schema::Block& block);

 private:
  FlatMap<uintptr_t, std::unique_ptr<Shape>> shapes_;  // by the schema
};

/// Everything that a body sets, by its schema. Whatever the schema does not know is left out.
void WriteBodyExpressions(JsonWriter& out, const hcl::Body& body, const schema::Block& block,
                          BodyShapes& shapes);

/// The text of a traversal's subject as `depends_on` shows it; empty when it is not a reference.
std::string DependencyText(const hcl::TraversalExpr& traversal);

}  // namespace kinu::view
