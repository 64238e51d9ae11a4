// Writes the structures of the protocol that several answers contain.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ide/place.h"
#include "ide/snapshot.h"
#include "json/writer.h"
#include "lsp/positions.h"
#include "lsp/view.h"

namespace kinu::lsp {

/// Writes into one JSON text what a view has. Texts of files get their table of lines once.
class StructureWriter {
 public:
  StructureWriter(const View& view, JsonWriter& json) : view_(view), json_(json) {}

  JsonWriter& json() { return json_; }
  const View& view() const { return view_; }
  Encoding encoding() const { return view_.client->encoding; }

  /// The text of an open document or of a file of the workspace, or null.
  const Text* TextOf(const std::string& key);
  /// The URI of an open document as the client writes it, else that of the path.
  std::string UriOf(const std::string& key) const;
  /// Positions of bytes of a document; the document's begin if its text is not known.
  LinePosition PositionOf(const std::string& key, uint32_t offset);
  LineRange RangeOf(const std::string& key, ide::Span span);

  void Position(LinePosition position);
  void Range(const LineRange& range);
  void Range(JsonKey key, const std::string& document, ide::Span span);
  void Location(const ide::Place& place);
  void Locations(std::span<const ide::Place> places);
  void TextEdit(const std::string& document, const ide::TextEdit& edit);
  void TextEdits(const std::string& document, std::span<const ide::TextEdit> edits);
  void WorkspaceEdit(const ide::WorkspaceEdit& edit);
  /// MarkupContent of a Markdown text, without the marks if the client does not know them.
  void Markup(JsonKey key, std::string_view markdown, bool as_markdown);
  /// The same; a string if the client does not know Markdown, as it may know no MarkupContent here.
  void Documentation(JsonKey key, std::string_view markdown, bool as_markdown);
  void Problem(const std::string& document, const ide::Problem& problem);
  void Problems(const std::string& document, std::span<const ide::Problem> problems);

 private:
  void DocumentChanges(const ide::WorkspaceEdit& edit);
  void Changes(const ide::WorkspaceEdit& edit);

  const View& view_;
  JsonWriter& json_;
  std::map<std::string, std::shared_ptr<const Text>> texts_;
};

/// A Markdown text without its marks.
std::string PlainText(std::string_view markdown);
/// The text that a snippet inserts, without its stops.
std::string PlainSnippet(std::string_view snippet);

}  // namespace kinu::lsp
