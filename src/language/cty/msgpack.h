// Msgpack of values: the wire format of providers and plan files. Ref: go-cty cty/msgpack.
#pragma once

#include <string>
#include <string_view>

#include "cty/path.h"
#include "cty/value.h"
#include "cty/whole_numbers.h"

namespace kinu {

/// Appends `value` encoded for `type`; unmarked only. Unknowns and their refinements are kept.
ValueResult<void> AppendMsgpack(std::string& out, const Value& value, const Type& type,
                                WholeNumbers whole = WholeNumbers::kShortest);
ValueResult<std::string> ValueToMsgpack(const Value& value, const Type& type,
                                        WholeNumbers whole = WholeNumbers::kShortest);

/// Decodes a value of `type`. Trailing bytes are ignored, as the reference does.
ValueResult<Value> ValueFromMsgpack(std::string_view bytes, const Type& type);
/// The type that a msgpack text implies (for schema-less values).
ValueResult<Type> ImpliedTypeOfMsgpack(std::string_view bytes);

}  // namespace kinu
