// Parsing: text to syntax tree. Never fails outright: what cannot be parsed becomes diagnostics and
// the rest is still there. Depth, size and odd bytes are bounded and diagnosed.
// Ref: hcl v2 hclsyntax/public.go, json/public.go.
#pragma once

#include <memory>
#include <optional>

#include "hcl/ast.h"
#include "hcl/body.h"

namespace kinu::hcl {

/// Parses a native-syntax file. The tree must outlive the body; the source must outlive both.
const NativeBody* ParseNative(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags);
/// Parses the whole source as one expression (newlines are ignored at the top level).
const Expr* ParseExpression(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags);
/// Parses the whole source as a standalone template.
const Expr* ParseTemplate(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags);

/// An absolute traversal written out (`a.b[0]`), as in addresses. `partial` allows splats. Null
/// when it did not parse (diagnostics say why).
const TraversalExpr* ParseTraversal(const SourceFile* source, SyntaxTree& tree, bool partial,
                                    Diagnostics& diags);

/// Parses a JSON-syntax file: its root must be an object or an array of objects.
const Body* ParseJson(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags);
/// Parses a JSON text as one expression of the JSON syntax.
const Expr* ParseJsonExpression(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags);

/// True when `name` is an identifier (UAX 31 with "-"). Ref: hclsyntax.ValidIdentifier.
bool IsIdentifier(std::string_view name);

}  // namespace kinu::hcl
