// Fuzzes the comparison of documents: each equals itself, its canonical form is that of itself, and
// documents of which only that is read which differs have the differences of whole ones.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/invariant.h"
#include "compare/canonical.h"
#include "compare/compare.h"

namespace {

using kinu::json::Document;

std::string Compared(const std::unique_ptr<Document>& left,
                     const std::unique_ptr<Document>& right) {
  const auto difference = kinu::compare::Compare(left->root(), right->root());
  return difference ? kinu::compare::RenderJson(*difference) : difference.error().message;
}

/// `other`: the text of a second document.
void CompareBothWays(const Document& document, const std::string& other) {
  using kinu::compare::kComparedShape;
  const std::string text(document.tree().text());
  const auto left = Document::Parse(text);
  const auto right = Document::Parse(other);
  const auto left_part = Document::Parse(text, kComparedShape);
  const auto right_part = Document::Parse(other, kComparedShape);
  KINU_INVARIANT(right.has_value() == right_part.has_value(), "the same texts are documents");
  if (left && right) {
    KINU_INVARIANT(Compared(*left, *right) == Compared(*left_part, *right_part),
                   "the same parts differ");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu::compare;  // NOLINT(google-build-using-namespace): one function
  const std::string input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\0');
  const auto document = Document::Parse(input.substr(0, end));
  if (!document) {
    return 0;
  }
  if (end != std::string::npos) {
    CompareBothWays(**document, input.substr(end + 1));
  }
  const kinu::json::Node root = (*document)->root();
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
