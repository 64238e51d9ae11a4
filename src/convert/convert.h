// Conversion of files between the native and the JSON syntax, without changing what they mean: each
// result is parsed again and compared with its source.
//
// Comments travel where the target has a place for them: in JSON that is the property "//" of a
// body. What gets lost is a warning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "convert/shape.h"
#include "diag/diagnostic.h"

namespace kinu::convert {

/// What an object in JSON means in a body with somebody else's schema, where both an argument and a
/// block may stand.
enum class Nested : uint8_t {
  kArrays,     ///< arrays of objects are blocks, objects are arguments
  kArguments,  ///< all are arguments
  kBlocks,     ///< both are blocks
};

/// The file in JSON syntax, or nothing when there are errors. The source must outlive `diags`.
std::optional<std::string> NativeToJson(const SourceFile& source, const BodyShape& shape,
                                        Diagnostics& diags);
/// The file in native syntax, in canonical layout, or nothing when there are errors.
std::optional<std::string> JsonToNative(const SourceFile& source, const BodyShape& shape,
                                        Nested nested, Diagnostics& diags);

}  // namespace kinu::convert
