// Conversion and unification, over values and types that the bytes describe.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "base/check.h"
#include "cty/convert.h"
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
    KINU_CHECK(!converted.error().ToText().empty(), "an error says something");
    return;
  }
  if (!value.IsWhollyKnown()) {
    return;  // a set with unknown elements becomes an unknown list of its own element type
  }
  const Type bare = type.WithoutOptionalAttributes();
  Require(converted->type().ConformsTo(bare) || converted->type().is_dynamic(),
          "the result is of the type asked for", value, type);
  Require(converted->marks().Contains(value.marks()), "marks travel", value, type);
  if (type.has_dynamic()) {
    return;  // inner lists may have settled on types that have no type in common any more
  }
  const ValueResult<Value> again = Convert(*converted, type);
  Require(again.has_value(), "what was converted converts", value, type);
  Require(Value::RawEquals(again->UnmarkDeep(), converted->UnmarkDeep()),
          "and does not change any more", value, type);
  GoString(*converted);
}

void CheckUnification(const std::vector<Type>& types) {
  for (const std::optional<Type>& common : {Unify(types), UnifyUnsafe(types)}) {
    KINU_CHECK(!common || !GoString(*common).empty(), "a common type has a text");
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
  KINU_CHECK(Value::RawEquals(equal, reversed), "equality has no direction");
  KINU_CHECK(Value::RawEquals(value, value), "a value equals itself");
  KINU_CHECK(value.Hash() == Value(value).Hash(), "a hash does not change");
}

}  // namespace
}  // namespace kinu

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kinu::FuzzOne(kinu::ValueMaker(data, size));
  return 0;
}
