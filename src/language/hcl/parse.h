// Parsers of both syntaxes. After syntax errors they return a tree of everything that is valid.
// Excessive nesting, size and invalid bytes are reported as errors.
// Ref: hcl v2 hclsyntax/public.go, json/public.go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "hcl/ast.h"
#include "hcl/body.h"

namespace kinu::hcl {

/// What the tree has of a text with syntax errors. The diagnostics are the same, and so is the tree
/// of a text without errors.
enum class ParseMode : uint8_t {
  /// What is valid. After an error in a body, the rest of the body may be missing.
  kStrict,
  /// For editors: all that can be read, in source order.
  ///
  /// Where an expression is missing is a MissingExpr. A name without `=` is an attribute without
  /// expression; `a.` ends with an attribute step without name; a block without braces has an empty
  /// body. A line that looks like an item of a body begins one, and a line that looks like the
  /// header of a top-level block closes all bodies above it. A body keeps every attribute, also
  /// those whose names are not distinct.
  ///
  /// JSON: what ParseIncompleteJson() (json/reader.h) reads. A value that is missing is a
  /// MissingExpr,
  /// or an empty body; and the templates in strings are read in this mode.
  kIncomplete,
};

/// Parses a native-syntax file. The tree must outlive the body; the source must outlive both.
const NativeBody* ParseNative(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags);
const NativeBody* ParseNative(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags,
                              ParseMode mode);
/// Parses the whole source as one expression (newlines are ignored at the top level).
const Expr* ParseExpression(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags);
/// Parses the whole source as a standalone template.
const Expr* ParseTemplate(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags);
const Expr* ParseTemplate(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags,
                          ParseMode mode);

/// Parses an absolute traversal (`a.b[0]`), the syntax of addresses. `partial` allows splats. Null
/// after an error.
const TraversalExpr* ParseTraversal(const SourceFile* source, SyntaxTree& tree, bool partial,
                                    Diagnostics& diags);

/// Parses a JSON-syntax file, whose root must be an object or an array of objects.
const Body* ParseJson(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags);
const Body* ParseJson(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags,
                      ParseMode mode);
/// Parses a JSON text as one expression of the JSON syntax.
const Expr* ParseJsonExpression(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags);

/// Whether `name` is an identifier (UAX 31 with "-"). Ref: hclsyntax.ValidIdentifier.
bool IsIdentifier(std::string_view name);

}  // namespace kinu::hcl
