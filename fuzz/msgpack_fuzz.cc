// Msgpack of values. The first bytes choose the type; whatever is accepted is written and read
// again without change.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cty/msgpack.h"
#include "cty/ops.h"
#include "value_maker.h"

namespace kinu {
namespace {

constexpr size_t kTypeBytes = 6;

void FuzzOne(const uint8_t* data, size_t size) {
  if (size < kTypeBytes) {
    return;
  }
  const Type type = ValueMaker(data, kTypeBytes).MakeType(2).WithoutOptionalAttributes();
  const std::string_view bytes(reinterpret_cast<const char*>(data) + kTypeBytes, size - kTypeBytes);
  if (const ValueResult<Type> implied = ImpliedTypeOfMsgpack(bytes)) {
    // What implies a type need not be of it: numbers may be texts. It must not crash.
    const ValueResult<Value> value = ValueFromMsgpack(bytes, *implied);
    KINU_CHECK(!value || value->type().ConformsTo(*implied) || value->type().is_dynamic(),
               "a value is of its type");
  }
  const ValueResult<Value> value = ValueFromMsgpack(bytes, type);
  if (!value) {
    return;
  }
  if (!value->type().ConformsTo(type)) {
    return;  // an empty array is an empty tuple whatever the type, as for the reference
  }
  const ValueResult<std::string> text = ValueToMsgpack(*value, type);
  if (!text) {
    std::fprintf(stderr, "%s as %s: %s\n", GoString(*value).c_str(), GoString(type).c_str(),
                 text.error().ToText().c_str());
    std::abort();
  }
  const ValueResult<Value> again = ValueFromMsgpack(*text, type);
  KINU_CHECK(again.has_value(), "what was written is read");
  if (HasMinusZero(*value)) {
    return;  // it is written as zero, and a set may have had both
  }
  // Large numbers are written as decimal texts, which are exact in another precision: what is
  // compared is what is written.
  const ValueResult<std::string> second = ValueToMsgpack(*again, type);
  if (!second || *second != *text) {
    std::fprintf(stderr, "%s became %s\n", GoString(*value).c_str(), GoString(*again).c_str());
    std::abort();
  }
}

}  // namespace
}  // namespace kinu

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kinu::FuzzOne(data, size);
  return 0;
}
