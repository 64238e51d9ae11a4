// The documents that the editor has open.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "json/reader.h"
#include "lsp/message.h"
#include "lsp/positions.h"

namespace kinu::lsp {

/// An open document. Immutable: an edit makes another one.
struct Document {
  std::string uri;  ///< as the client writes it
  std::string language;
  int32_t version = 0;
  std::shared_ptr<const Text> text;
  bool is_file = false;

  /// Whether it has JSON syntax.
  bool is_json() const { return uri.ends_with(".json") || language.contains("json"); }
};

/// Open documents by key: the path of a file, or the URI of another document.
using OpenDocuments = std::map<std::string, std::shared_ptr<const Document>, std::less<>>;

/// The document that `textDocument/didOpen` opens.
Outcome<Document> OpenedDocument(const JsonNode& params);
/// The document after the changes of `textDocument/didChange`, in their order.
Outcome<Document> ChangedDocument(const Document& document, const JsonNode& params,
                                  Encoding encoding);

}  // namespace kinu::lsp
