// Answers that look things up.
#include <algorithm>

#include "base/files.h"
#include "base/result.h"
#include "ide/answers.h"
#include "lsp/answer.h"
#include "lsp/params.h"
#include "lsp/uri.h"

namespace kinu::lsp {

Outcome<Question::At> Question::Cursor() {
  KINU_TRY(std::string document, DocumentOf(params));
  KINU_TRY(const LinePosition position, PositionOf(params.Find("position")));
  const Text* text = write.TextOf(document);
  At at{.cursor = {.path = std::move(document), .offset = 0}, .has_text = text != nullptr};
  if (text != nullptr) {
    at.cursor.offset = text->OffsetAt(position, write.encoding());
  }
  return at;
}

namespace {

/// SymbolKind of the protocol.
int KindOf(ide::SymbolKind kind) {
  constexpr int kModule = 2;
  constexpr int kNamespace = 3;
  constexpr int kClass = 5;
  constexpr int kMethod = 6;
  constexpr int kProperty = 7;
  constexpr int kEvent = 24;
  constexpr int kInterface = 11;
  constexpr int kFunction = 12;
  constexpr int kVariable = 13;
  constexpr int kConstant = 14;
  constexpr int kObject = 19;
  constexpr int kStruct = 23;
  switch (kind) {
    case ide::SymbolKind::kTerraform:
      return kNamespace;
    case ide::SymbolKind::kProvider:
      return kInterface;
    case ide::SymbolKind::kVariable:
      return kVariable;
    case ide::SymbolKind::kLocal:
      return kConstant;
    case ide::SymbolKind::kOutput:
      return kMethod;
    case ide::SymbolKind::kResource:
      return kClass;
    case ide::SymbolKind::kData:
    case ide::SymbolKind::kEphemeral:
      return kStruct;
    case ide::SymbolKind::kModule:
      return kModule;
    case ide::SymbolKind::kCheck:
    case ide::SymbolKind::kRun:
      return kFunction;
    case ide::SymbolKind::kMoved:
      return kEvent;
    case ide::SymbolKind::kOtherBlock:
      return kObject;
    case ide::SymbolKind::kArgument:
      return kProperty;
  }
  return kObject;
}

void WriteTree(StructureWriter& write, const std::string& document,
               const std::vector<ide::Symbol>& symbols) {
  JsonWriter& json = write.json();
  json.BeginArray();
  for (const ide::Symbol& symbol : symbols) {
    json.BeginObject();
    json.Member("name", symbol.name);
    if (!symbol.detail.empty()) {
      json.Member("detail", symbol.detail);
    }
    json.Member("kind", KindOf(symbol.kind));
    write.Range("range", document, symbol.whole);
    write.Range("selectionRange", document, symbol.name_span);
    if (!symbol.children.empty()) {
      json.Key("children");
      WriteTree(write, document, symbol.children);
    }
    json.EndObject();
  }
  json.EndArray();
}

/// SymbolInformation.
void WriteSymbol(StructureWriter& write, const std::string& name, ide::SymbolKind kind,
                 const std::string& container, const ide::Place& place) {
  JsonWriter& json = write.json();
  json.BeginObject();
  json.Member("name", name);
  json.Member("kind", KindOf(kind));
  json.Key("location");
  write.Location(place);
  if (!container.empty()) {
    json.Member("containerName", container);
  }
  json.EndObject();
}

void WriteFlat(StructureWriter& write, const std::string& document,
               const std::vector<ide::Symbol>& symbols, const std::string& container) {
  for (const ide::Symbol& symbol : symbols) {
    WriteSymbol(write, symbol.name, symbol.kind, container,
                {.path = document, .span = symbol.whole});
    WriteFlat(write, document, symbol.children, symbol.name);
  }
}

/// LocationLink.
void WriteLink(StructureWriter& write, const std::string& document, const ide::Target& target) {
  JsonWriter& json = write.json();
  json.BeginObject();
  write.Range("originSelectionRange", document, target.origin);
  json.Member("targetUri", write.UriOf(target.whole.path));
  write.Range("targetRange", target.whole.path, target.whole.span);
  write.Range("targetSelectionRange", target.name.path, target.name.span);
  json.EndObject();
}

}  // namespace

Outcome<void> AnswerHover(Question& question) {
  KINU_TRY(const Question::At at, question.Cursor());
  const auto hover = at.has_text ? ide::HoverAt(question.snapshot(), at.cursor) : std::nullopt;
  if (!hover) {
    question.json.Null();
    return {};
  }
  question.json.BeginObject();
  question.write.Markup("contents", hover->markdown, question.view.client->markdown_in_hover);
  question.write.Range("range", at.cursor.path, hover->span);
  question.json.EndObject();
  return {};
}

Outcome<void> AnswerDefinition(Question& question) {
  KINU_TRY(const Question::At at, question.Cursor());
  question.json.BeginArray();
  if (at.has_text) {
    for (const ide::Target& target : ide::DefinitionsAt(question.snapshot(), at.cursor)) {
      if (question.view.client->definition_links) {
        WriteLink(question.write, at.cursor.path, target);
      } else {
        question.write.Location(target.name);
      }
    }
  }
  question.json.EndArray();
  return {};
}

Outcome<void> AnswerReferences(Question& question) {
  KINU_TRY(const Question::At at, question.Cursor());
  const bool with_declaration = IsTrue(&question.params, "context.includeDeclaration");
  question.write.Locations(at.has_text
                               ? ide::ReferencesAt(question.snapshot(), at.cursor, with_declaration)
                               : std::vector<ide::Place>());
  return {};
}

Outcome<void> AnswerHighlights(Question& question) {
  constexpr int kRead = 2;
  constexpr int kWrite = 3;
  KINU_TRY(const Question::At at, question.Cursor());
  question.json.BeginArray();
  if (at.has_text) {
    for (const ide::Highlight& highlight : ide::HighlightsAt(question.snapshot(), at.cursor)) {
      question.json.BeginObject();
      question.write.Range("range", at.cursor.path, highlight.span);
      question.json.Member("kind", highlight.kind == ide::Highlight::Kind::kWrite ? kWrite : kRead);
      question.json.EndObject();
    }
  }
  question.json.EndArray();
  return {};
}

Outcome<void> AnswerDocumentSymbols(Question& question) {
  KINU_TRY(const std::string document, DocumentOf(question.params));
  const auto symbols = ide::DocumentSymbols(question.snapshot(), document);
  if (question.view.client->symbol_tree) {
    WriteTree(question.write, document, symbols);
    return {};
  }
  question.json.BeginArray();
  WriteFlat(question.write, document, symbols, "");
  question.json.EndArray();
  return {};
}

Outcome<void> AnswerWorkspaceSymbols(Question& question) {
  KINU_TRY(const std::string query, StringOf(question.params, "query"));
  question.json.BeginArray();
  for (const ide::FoundSymbol& symbol : ide::WorkspaceSymbols(question.snapshot(), query)) {
    WriteSymbol(question.write, symbol.name, symbol.kind, symbol.container, symbol.place);
  }
  question.json.EndArray();
  return {};
}

Outcome<void> AnswerLinks(Question& question) {
  KINU_TRY(const std::string document, DocumentOf(question.params));
  JsonWriter& json = question.json;
  json.BeginArray();
  for (const ide::Link& link : ide::DocumentLinks(question.snapshot(), document)) {
    json.BeginObject();
    question.write.Range("range", document, link.span);
    json.Member("target",
                link.target.starts_with('/') ? question.write.UriOf(link.target) : link.target);
    if (!link.tooltip.empty()) {
      json.Member("tooltip", link.tooltip);
    }
    json.EndObject();
  }
  json.EndArray();
  return {};
}

namespace {

/// CallHierarchyItem. Its `data` is the directory of the module.
void WriteCallItem(StructureWriter& write, const ide::CallItem& item, const ide::Place& place) {
  constexpr int kModule = 2;
  JsonWriter& json = write.json();
  json.BeginObject();
  json.Member("name", item.name);
  json.Member("kind", kModule);
  json.Member("detail", item.directory);
  json.Member("uri", write.UriOf(place.path));
  write.Range("range", place.path, place.span);
  write.Range("selectionRange", place.path, place.span);
  json.Member("data", item.directory);
  json.EndObject();
}

void WriteFromRanges(StructureWriter& write, const ide::Call& call, const std::string& path) {
  write.json().Key("fromRanges");
  write.json().BeginArray();
  for (const ide::Place& place : call.from) {
    if (place.path == path) {
      write.Range(write.RangeOf(path, place.span));
    }
  }
  write.json().EndArray();
}

/// The item of a request: the directory of its module, and the document that it is in.
struct AskedItem {
  std::string directory;
  std::string document;
};
Outcome<AskedItem> ItemOf(const JsonNode& params) {
  const JsonNode* item = params.Find("item");
  if (item == nullptr) {
    return Refuse(ErrorCode::kInvalidParams, "The item is missing.");
  }
  KINU_TRY(const std::string uri, StringOf(*item, "uri"));
  AskedItem asked{.directory = item->TextOf("data"), .document = KeyOfUri(uri)};
  if (asked.directory.empty()) {
    asked.directory = DirName(asked.document);
  }
  return asked;
}

}  // namespace

Outcome<void> AnswerCallItem(Question& question) {
  KINU_TRY(const Question::At at, question.Cursor());
  const auto item = at.has_text ? ide::CallItemAt(question.snapshot(), at.cursor) : std::nullopt;
  if (!item) {
    question.json.Null();
    return {};
  }
  question.json.BeginArray();
  WriteCallItem(question.write, *item, item->place);
  question.json.EndArray();
  return {};
}

Outcome<void> AnswerIncomingCalls(Question& question) {
  KINU_TRY(const AskedItem asked, ItemOf(question.params));
  question.json.BeginArray();
  for (const ide::Call& call : ide::CallersOf(question.snapshot(), asked.directory)) {
    // The ranges are those of one document: a caller appears once for each of its files.
    std::vector<std::string> paths;
    for (const ide::Place& place : call.from) {
      if (std::ranges::count(paths, place.path) == 0) {
        paths.push_back(place.path);
      }
    }
    for (const std::string& path : paths) {
      const bool is_own = path == call.item.place.path;
      question.json.BeginObject();
      question.json.Key("from");
      WriteCallItem(question.write, call.item,
                    is_own ? call.item.place : ide::Place{.path = path, .span = {}});
      WriteFromRanges(question.write, call, path);
      question.json.EndObject();
    }
  }
  question.json.EndArray();
  return {};
}

Outcome<void> AnswerOutgoingCalls(Question& question) {
  KINU_TRY(const AskedItem asked, ItemOf(question.params));
  question.json.BeginArray();
  for (const ide::Call& call : ide::CalleesOf(question.snapshot(), asked.directory)) {
    question.json.BeginObject();
    question.json.Key("to");
    WriteCallItem(question.write, call.item, call.item.place);
    WriteFromRanges(question.write, call, asked.document);
    question.json.EndObject();
  }
  question.json.EndArray();
  return {};
}

}  // namespace kinu::lsp
