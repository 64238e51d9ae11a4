// Fuzzes the reader of JSON documents: whole and in pieces, it accepts the same texts as the JSON
// reader of configurations, except texts that are not UTF-8.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/invariant.h"
#include "json/reader.h"
#include "json/tree.h"
#include "text/unicode.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;        // NOLINT(google-build-using-namespace): one function
  using namespace kinu::json;  // NOLINT(google-build-using-namespace)
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto document = Document::Parse(text);
  if (document) {
    KINU_INVARIANT(ParseJson(text).ok(), "the JSON reader accepts the document");
    std::string compact;
    AppendCompact(compact, (*document)->root().text());
    const auto again = Document::Parse(compact);
    KINU_INVARIANT(again.has_value(), "the compact text is valid");
    KINU_INVARIANT((*again)->tree().entry_count() == (*document)->tree().entry_count(),
                   "the compact text has as many values");
  } else if (text::IsUtf8(text)) {
    KINU_INVARIANT(!ParseJson(text).ok(), "the JSON reader refuses the document");
  }
  size_t at = 0;
  TokenStream stream([&](char* buffer, size_t room) {
    const size_t amount = std::min({room, text.size() - at, 1 + at % 71});
    text.copy(buffer, amount, at);
    at += amount;
    return static_cast<int64_t>(amount);
  });
  KINU_INVARIANT((stream.SkipValue() && stream.TakeEnd()) == document.has_value(),
                 "the token stream accepts the same texts");
  return 0;
}
