// Fuzzes JSON of values and types. The first bytes choose the type to read. Accepted values do not
// change when they are written and read again.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/invariant.h"
#include "cty/json.h"
#include "value_maker.h"

namespace kinu {
namespace {

constexpr size_t kTypeBytes = 6;

void CheckRoundTrip(const Value& value, const Type& type) {
  if (!value.IsWhollyKnown()) {
    return;
  }
  const ValueResult<std::string> text = ValueToJson(value, type);
  if (!text) {
    return;  // infinite numbers have no JSON
  }
  const ValueResult<Value> again = ValueFromJson(*text, type);
  KINU_INVARIANT(again.has_value(), "written JSON can be read");
  const ValueResult<std::string> second = ValueToJson(*again, type);
  KINU_INVARIANT(second && *second == *text, "writing again gives the same JSON");
}

void FuzzOne(const uint8_t* data, size_t size) {
  if (size < kTypeBytes) {
    return;
  }
  const Type type = ValueMaker(data, kTypeBytes).MakeType(2).WithoutOptionalAttributes();
  const std::string_view text(reinterpret_cast<const char*>(data) + kTypeBytes, size - kTypeBytes);
  (void)TypeFromJson(text);
  const ValueResult<Type> implied = ImpliedTypeOfJson(text);
  const ValueResult<Value> value = ImpliedValueOfJson(text);
  KINU_INVARIANT(!value || implied, "JSON that implies a value implies a type");
  if (implied && value) {
    KINU_INVARIANT(value->type() == *implied, "the implied value has the implied type");
    const ValueResult<Value> typed = ValueFromJson(text, *implied);
    KINU_INVARIANT(typed && Value::RawEquals(*typed, *value), "reading in two passes is equal");
    CheckRoundTrip(*value, *implied);
  }
  if (const ValueResult<Value> asked = ValueFromJson(text, type)) {
    CheckRoundTrip(*asked, type);
  }
}

}  // namespace
}  // namespace kinu

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kinu::FuzzOne(data, size);
  return 0;
}
