// Comparison of the meaning of two files, one in each syntax. Private to convert.
#pragma once

#include <string>

#include "convert/shape.h"
#include "hcl/body.h"

namespace kinu::convert {

/// A canonical text of an expression, which does not depend on layout and syntax: expressions with
/// equal texts have the same meaning. `1 + 1` and `2` have different texts.
std::string MeaningOf(const hcl::Expr& expr, Reading reading);

/// Whether both bodies have the same arguments and blocks, with the blocks of each type in the same
/// order. Sets `where` to the first difference in the native body.
bool SameMeaning(const hcl::NativeBody& native, const hcl::Body& json, const BodyShape& shape,
                 SourceRange& where);

/// The value of an expression without references and calls, such as 1 + 1; nothing for others, and
/// after errors.
std::optional<Value> ConstantOf(const hcl::Expr& expr);
/// A number of the native syntax as a JSON number: without leading zeros.
std::string JsonNumber(std::string_view text);

}  // namespace kinu::convert
