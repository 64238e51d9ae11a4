// Fuzzes csvdecode: every row has every column.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/invariant.h"
#include "functions/function.h"
#include "text/unicode.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  static const functions::Callable* const kDecode = functions::Table::Standard().Find("csvdecode");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!text::IsUtf8(text)) {
    return 0;
  }
  const Value source[] = {Value::String(text)};
  const functions::CallResult rows = kDecode->Call(source, functions::CallContext());
  if (!rows) {
    KINU_INVARIANT(!rows.error().message.empty(), "an error has a message");
    return 0;
  }
  KINU_INVARIANT(rows->type().is_list() && rows->IsWhollyKnown(), "rows are a list");
  for (const Value& row : rows->elements()) {
    KINU_INVARIANT(row.type() == rows->type().element(), "rows have one type");
  }
  return 0;
}
