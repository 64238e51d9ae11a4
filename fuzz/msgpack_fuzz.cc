// Fuzzes msgpack of values. The first bytes choose the type. Accepted values do not change when
// they are written and read again.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/invariant.h"
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
    // Reading with the implied type may fail, because numbers may be encoded as texts.
    const ValueResult<Value> value = ValueFromMsgpack(bytes, *implied);
    KINU_INVARIANT(!value || value->type().ConformsTo(*implied) || value->type().is_dynamic(),
                   "the value has the requested type");
  }
  const ValueResult<Value> value = ValueFromMsgpack(bytes, type);
  if (!value) {
    return;
  }
  if (!value->type().ConformsTo(type)) {
    return;  // like the reference, reads an empty array as an empty tuple for any type
  }
  const ValueResult<std::string> text = ValueToMsgpack(*value, type);
  if (!text) {
    std::fprintf(stderr, "%s as %s: %s\n", GoString(*value).c_str(), GoString(type).c_str(),
                 text.error().ToText().c_str());
    std::abort();
  }
  const ValueResult<Value> again = ValueFromMsgpack(*text, type);
  KINU_INVARIANT(again.has_value(), "written msgpack can be read");
  if (HasMinusZero(*value)) {
    return;  // written as zero, so a set may lose an element
  }
  // Compares the encodings, because a large number changes its precision when it is written as a
  // decimal text.
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
