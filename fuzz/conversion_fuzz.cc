// Fuzzes conversion and unification of values and types that are generated from the input.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "base/invariant.h"
#include "cty/conversion.h"
#include "cty/ops.h"
#include "value_maker.h"

namespace kinu {
namespace {

void Require(bool holds, const char* what, const Value& value, const Type& type) {
  if (!holds) {
    std::fprintf(stderr, "%s to %s: %s\n", GoString(value).c_str(), GoString(type).c_str(), what);
    std::abort();
  }
}

void CheckConversion(const Value& value, const Type& type) {
  const ValueResult<Value> converted = Convert(value, type);
  if (!converted) {
    KINU_INVARIANT(!converted.error().ToText().empty(), "an error has a message");
    return;
  }
  if (!value.IsWhollyKnown()) {
    return;  // a set with unknown elements becomes an unknown list of its own element type
  }
  const Type bare = type.WithoutOptionalAttributes();
  Require(converted->type().ConformsTo(bare) || converted->type().is_dynamic(),
          "the result has the requested type", value, type);
  Require(converted->marks().Contains(value.marks()), "the result has all marks", value, type);
  if (type.has_dynamic()) {
    return;  // the types of inner lists, chosen by the first conversion, may have no common type
  }
  const ValueResult<Value> again = Convert(*converted, type);
  Require(again.has_value(), "a second conversion succeeds", value, type);
  Require(Value::RawEquals(again->UnmarkDeep(), converted->UnmarkDeep()),
          "a second conversion changes nothing", value, type);
  GoString(*converted);
}

void CheckUnification(const std::vector<Type>& types) {
  for (const std::optional<Type>& common : {Unify(types), UnifyUnsafe(types)}) {
    KINU_INVARIANT(!common || !GoString(*common).empty(), "a common type has a text");
  }
}

void FuzzOne(ValueMaker maker) {
  const Type from = maker.MakeType().WithoutOptionalAttributes();
  const Type to = maker.MakeType();
  const Value value = maker.MakeValue(from);
  CheckConversion(value, to);
  CheckUnification(
      {from, to.WithoutOptionalAttributes(), maker.MakeType(2).WithoutOptionalAttributes()});
  const Value other = maker.MakeValue(from);
  const Value equal = Equals(value, other);
  const Value reversed = Equals(other, value);
  KINU_INVARIANT(Value::RawEquals(equal, reversed), "equality is symmetric");
  KINU_INVARIANT(Value::RawEquals(value, value), "a value equals itself");
  KINU_INVARIANT(value.Hash() == Value(value).Hash(), "a copy has the same hash");
}

}  // namespace
}  // namespace kinu

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kinu::FuzzOne(kinu::ValueMaker(data, size));
  return 0;
}
