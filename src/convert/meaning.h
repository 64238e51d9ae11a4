// Comparing what two files mean, one in each syntax. Private to convert.
#pragma once

#include <string>

#include "convert/shape.h"
#include "hcl/body.h"

namespace kinu::convert {

/// A text that is equal for two expressions if they mean the same: without layout, and without the
/// ways in which the syntaxes differ. Expressions that merely have the same result differ.
std::string MeaningOf(const hcl::Expr& expr, Reading reading);

/// True when both bodies hold the same arguments and blocks, and blocks of one type are in the same
/// order. `where` is set to the place in the native body where they begin to differ.
bool SameMeaning(const hcl::NativeBody& native, const hcl::Body& json, const BodyShape& shape,
                 SourceRange& where);

/// A value without names, such as "a" or 1 + 1; nothing when it needs names or is wrong.
std::optional<Value> ConstantOf(const hcl::Expr& expr);
/// A JSON number: the text as it is written, or another one of the same value.
std::string JsonNumber(std::string_view text);

}  // namespace kinu::convert
