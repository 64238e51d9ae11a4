#include "lsp/documents.h"

#include "base/result.h"
#include "lsp/params.h"
#include "lsp/uri.h"

namespace kinu::lsp {
namespace {

/// Longer texts are refused: offsets have 32 bits.
constexpr size_t kMostBytes = size_t{1} << 30;

}  // namespace

Outcome<Document> OpenedDocument(const JsonNode& params) {
  const JsonNode* item = params.Find("textDocument");
  const auto version = IntegerOf(FindIn(item, "version"));
  if (item == nullptr || !version) {
    return Refuse(ErrorCode::kInvalidParams, "textDocument is missing or has no version.");
  }
  KINU_TRY(std::string uri, StringOf(*item, "uri"));
  KINU_TRY(std::string text, StringOf(*item, "text"));
  const bool is_file = PathOfUri(uri).has_value();
  return Document{.uri = std::move(uri),
                  .language = item->TextOf("languageId"),
                  .version = *version,
                  .text = std::make_shared<const Text>(std::move(text)),
                  .is_file = is_file};
}

Outcome<Document> ChangedDocument(const Document& document, const JsonNode& params,
                                  Encoding encoding) {
  const auto version = IntegerOf(FindIn(&params, "textDocument.version"));
  const JsonNode* changes = params.Find("contentChanges");
  if (!version || changes == nullptr || !changes->is_array()) {
    return Refuse(ErrorCode::kInvalidParams, "The version or contentChanges are missing.");
  }
  Text text = *document.text;
  for (const JsonNode& change : changes->elements()) {
    KINU_TRY(std::string replacement, StringOf(change, "text"));
    if (text.text().size() + replacement.size() > kMostBytes) {
      return Refuse(ErrorCode::kInvalidParams, "The document is too long.");
    }
    const JsonNode* range = change.Find("range");
    if (range == nullptr || range->is_null()) {
      text = Text(std::move(replacement));
      continue;
    }
    KINU_TRY(const LineRange lines, RangeOf(range));
    text.Replace(text.SpanOf(lines, encoding), replacement);
  }
  Document changed = document;
  changed.version = *version;
  changed.text = std::make_shared<const Text>(std::move(text));
  return changed;
}

}  // namespace kinu::lsp
