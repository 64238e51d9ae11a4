// Fuzzes selectors and queries. The first line is the selector, the rest the document.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/invariant.h"
#include "query/output.h"
#include "query/selector.h"
#include "query/stream.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  const auto selector = query::ParseSelector(text.substr(0, line));
  if (!selector) {
    KINU_INVARIANT(selector.error().offset <= text.substr(0, line).size(),
                   "the offset of an error is in the selector");
    return 0;
  }
  const std::string document = line == std::string::npos ? "null" : text.substr(line + 1);
  for (const bool masks : {false, true}) {
    json::TokenStream stream(document);
    query::ResultWriter writer({.format = query::Format::kJson, .paths = true},
                               [](std::string_view) {});
    size_t results = 0;
    query::RunQuery(stream, *selector, {.keep_masks = masks}, [&](const query::Found& found) {
      writer.Add(found);
      return ++results < 1000;
    });
  }
  return 0;
}
