// Fuzzes the comparison of documents: each equals itself, and its canonical form is that of itself.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/invariant.h"
#include "compare/canonical.h"
#include "compare/compare.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu::compare;  // NOLINT(google-build-using-namespace): one function
  using kinu::tfjson::Document;
  const auto document = Document::Parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!document) {
    return 0;
  }
  const kinu::tfjson::Node root = (*document)->root();
  if (const auto difference = Compare(root, root)) {
    KINU_INVARIANT(difference->empty(), "a document equals itself");
    (void)RenderJson(*difference);
  }
  std::string canonical;
  if (AppendCanonical(canonical, root)) {
    const auto reread = Document::Parse(canonical);
    KINU_INVARIANT(reread.has_value(), "the canonical form is JSON");
    std::string again;
    KINU_INVARIANT(AppendCanonical(again, (*reread)->root()) && again == canonical,
                   "the canonical form is that of itself");
  }
  std::string fingerprint;
  (void)AppendFingerprint(fingerprint, root);
  return 0;
}
