// Conversion and unification of types. Ref: go-cty cty/convert.
#pragma once

#include <optional>
#include <span>

#include "cty/path.h"
#include "cty/value.h"

namespace kinu {

/// Converts to `type`, allowing unsafe conversions (string to number and so on). Optional
/// attributes of `type` become null when absent. Marks and unknowns are kept. The error's message
/// is the reference's ("a number is required").
ValueResult<Value> Convert(const Value& value, const Type& type);

/// Whether any value of `from` might convert to `to` (an unsafe conversion exists).
bool CanConvert(const Type& from, const Type& to);
/// Whether every value of `from` converts to `to`.
bool CanConvertSafely(const Type& from, const Type& to);

/// The message for a value of type `have` where `want` is needed. Ref: convert.MismatchMessage.
std::string MismatchMessage(const Type& have, const Type& want);

/// The type that all can be converted to, preferring safe conversions; nothing when there is none.
/// Ref: convert.UnifyUnsafe / convert.Unify.
std::optional<Type> Unify(std::span<const Type> types);
std::optional<Type> UnifyUnsafe(std::span<const Type> types);

}  // namespace kinu
