// Converts files between the native and the JSON syntax. The meaning of a file does not change:
// each result is parsed again and compared with the source.
//
// Comments are kept where the target syntax has a place for them, in JSON the property "//" of a
// body. A warning reports each comment that is lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "convert/shape.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"

namespace kinu::convert {

/// How to read a JSON object in a body whose schema is unknown (that of a provider): as the value
/// of an argument or as a block.
enum class Nested : uint8_t {
  kArrays,     ///< arrays of objects are blocks, single objects are arguments
  kArguments,  ///< objects and arrays are arguments
  kBlocks,     ///< objects and arrays of objects are blocks
};

/// How bodies with the schema of a provider are read.
struct ForeignBodies {
  Nested nested = Nested::kArrays;        ///< without a schema
  const SchemaShapes* schemas = nullptr;  ///< null: no schema is available
};

/// The file in JSON syntax; nothing after errors. The source must outlive `diags`.
std::optional<std::string> NativeToJson(const SourceFile& source, const BodyShape& shape,
                                        Diagnostics& diags);
/// The file in native syntax and canonical layout; nothing after errors. The source must outlive
/// `diags`, and so must `tree`, which keeps the templates that diagnostics point into. A warning
/// reports each body whose schema `foreign.schemas` lacks.
std::optional<std::string> JsonToNative(const SourceFile& source, const BodyShape& shape,
                                        const ForeignBodies& foreign, hcl::SyntaxTree& tree,
                                        Diagnostics& diags);

}  // namespace kinu::convert
