// Fuzzes the reader of XML: accepted documents have names, and text no longer than the input.

#include <cstddef>
#include <cstdint>

#include "base/invariant.h"
#include "codec/xml.h"

namespace {

size_t CheckElement(const kinu::XmlElement& element) {
  KINU_INVARIANT(!element.name.empty(), "elements have names");
  size_t size = element.text.size() + element.name.size();
  for (const kinu::XmlElement& child : element.children) {
    size += CheckElement(child);
  }
  return size;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto root = kinu::ReadXml({reinterpret_cast<const char*>(data), size});
  if (root) {
    KINU_INVARIANT(CheckElement(*root) <= size, "nothing expands");
  } else {
    KINU_INVARIANT(!root.error().message.empty(), "an error has a message");
  }
  return 0;
}
