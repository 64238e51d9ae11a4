// Fuzzes yamldecode and yamlencode: a decoded value can be encoded and decoded again.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/invariant.h"
#include "functions/function.h"
#include "text/unicode.h"
#include "value_maker.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  static const functions::Callable* const kDecode = functions::Table::Standard().Find("yamldecode");
  static const functions::Callable* const kEncode = functions::Table::Standard().Find("yamlencode");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!text::IsUtf8(text)) {
    return 0;
  }
  const functions::CallContext context;
  const Value source[] = {Value::String(text)};
  const functions::CallResult value = kDecode->Call(source, context);
  if (!value) {
    KINU_INVARIANT(!value.error().message.empty(), "an error has a message");
    return 0;
  }
  const Value decoded[] = {*value};
  const functions::CallResult written = kEncode->Call(decoded, context);
  if (written) {
    const Value again[] = {*written};
    const functions::CallResult second = kDecode->Call(again, context);
    KINU_INVARIANT(second.has_value(), "encoded YAML can be decoded");
  }
  return 0;
}
