// Answers that help to write: completions, signatures, renaming, formatting, code actions.
#include <algorithm>

#include "base/result.h"
#include "ide/answers.h"
#include "lsp/answer.h"
#include "lsp/params.h"

namespace kinu::lsp {
namespace {

/// CompletionItemKind of the protocol.
int KindOf(ide::CompletionKind kind) {
  constexpr int kFunction = 3;
  constexpr int kField = 5;
  constexpr int kVariable = 6;
  constexpr int kClass = 7;
  constexpr int kInterface = 8;
  constexpr int kModule = 9;
  constexpr int kProperty = 10;
  constexpr int kValue = 12;
  constexpr int kKeyword = 14;
  constexpr int kFile = 17;
  constexpr int kConstant = 21;
  constexpr int kStruct = 22;
  constexpr int kTypeParameter = 25;
  switch (kind) {
    case ide::CompletionKind::kKeyword:
      return kKeyword;
    case ide::CompletionKind::kBlock:
      return kStruct;
    case ide::CompletionKind::kArgument:
      return kProperty;
    case ide::CompletionKind::kVariable:
      return kVariable;
    case ide::CompletionKind::kLocal:
      return kConstant;
    case ide::CompletionKind::kOutput:
    case ide::CompletionKind::kAttribute:
      return kField;
    case ide::CompletionKind::kResource:
      return kClass;
    case ide::CompletionKind::kModule:
      return kModule;
    case ide::CompletionKind::kFunction:
      return kFunction;
    case ide::CompletionKind::kValue:
      return kValue;
    case ide::CompletionKind::kType:
      return kTypeParameter;
    case ide::CompletionKind::kProvider:
      return kInterface;
    case ide::CompletionKind::kPath:
      return kFile;
  }
  return kKeyword;
}

/// What an editor without snippets inserts. The parameters of a function would be unknown names.
std::string PlainInsert(const ide::Completion& item) {
  if (!item.is_snippet) {
    return item.insert;
  }
  return item.kind == ide::CompletionKind::kFunction ? item.label : PlainSnippet(item.insert);
}

void WriteItem(StructureWriter& write, const LineRange& replaced, const ide::Completion& item) {
  constexpr int kSnippetFormat = 2;
  constexpr int kDeprecatedTag = 1;
  const Client& client = *write.view().client;
  const bool as_snippet = item.is_snippet && client.snippets;
  JsonWriter& json = write.json();
  json.BeginObject();
  json.Member("label", item.label);
  json.Member("kind", KindOf(item.kind));
  if (!item.detail.empty()) {
    json.Member("detail", item.detail);
  }
  if (!item.markdown.empty()) {
    write.Documentation("documentation", item.markdown, client.markdown_in_completion);
  }
  if (item.is_deprecated && client.deprecated_tag) {
    json.Key("tags");
    json.BeginArray();
    json.Int(kDeprecatedTag);
    json.EndArray();
  } else if (item.is_deprecated) {
    json.Member("deprecated", true);
  }
  if (!item.sort_key.empty()) {
    json.Member("sortText", item.sort_key);
  }
  // Neovim 0.11 offers all items that have an edit and no such text, whatever was typed.
  json.Member("filterText", item.label);
  if (as_snippet) {
    json.Member("insertTextFormat", kSnippetFormat);
  }
  json.Key("textEdit");
  json.BeginObject();
  json.Key("range");
  write.Range(replaced);
  json.Member("newText", as_snippet ? item.insert : PlainInsert(item));
  json.EndObject();
  json.EndObject();
}

}  // namespace

Outcome<void> AnswerCompletion(Question& question) {
  KINU_TRY(const Question::At at, question.Cursor());
  const auto found =
      at.has_text ? ide::CompletionsAt(question.snapshot(), at.cursor) : ide::Completions();
  const LineRange replaced = question.write.RangeOf(at.cursor.path, found.replaced);
  question.json.BeginObject();
  question.json.Member("isIncomplete", !found.is_complete);
  question.json.Key("items");
  question.json.BeginArray();
  for (const ide::Completion& item : found.items) {
    WriteItem(question.write, replaced, item);
  }
  question.json.EndArray();
  question.json.EndObject();
  return {};
}

namespace {

void WriteParameter(StructureWriter& write, const ide::SignatureHelp& help, size_t index) {
  const Client& client = *write.view().client;
  JsonWriter& json = write.json();
  const ide::Span span = help.parameters[index];
  const auto label = std::string_view(help.label);
  json.BeginObject();
  json.Key("label");
  if (client.label_offsets) {
    json.BeginArray();  // always in UTF-16
    json.Int(UnitsOf(label.substr(0, span.begin), Encoding::kUtf16));
    json.Int(UnitsOf(label.substr(0, span.end), Encoding::kUtf16));
    json.EndArray();
  } else {
    json.String(label.substr(span.begin, span.end - span.begin));
  }
  if (index < help.parameter_docs.size() && !help.parameter_docs[index].empty()) {
    write.Documentation("documentation", help.parameter_docs[index], client.markdown_in_signature);
  }
  json.EndObject();
}

}  // namespace

Outcome<void> AnswerSignature(Question& question) {
  KINU_TRY(const Question::At at, question.Cursor());
  const auto help = at.has_text ? ide::SignatureAt(question.snapshot(), at.cursor) : std::nullopt;
  JsonWriter& json = question.json;
  if (!help) {
    json.Null();
    return {};
  }
  json.BeginObject();
  json.Key("signatures");
  json.BeginArray();
  json.BeginObject();
  json.Member("label", help->label);
  if (!help->markdown.empty()) {
    question.write.Documentation("documentation", help->markdown,
                                 question.view.client->markdown_in_signature);
  }
  json.Key("parameters");
  json.BeginArray();
  for (size_t i = 0; i < help->parameters.size(); ++i) {
    WriteParameter(question.write, *help, i);
  }
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.Member("activeSignature", 0);
  json.Member("activeParameter", static_cast<int64_t>(help->active));
  json.EndObject();
  return {};
}

Outcome<void> AnswerPrepareRename(Question& question) {
  KINU_TRY(const Question::At at, question.Cursor());
  if (!at.has_text) {
    question.json.Null();
    return {};
  }
  const auto target = ide::PrepareRename(question.snapshot(), at.cursor);
  if (!target && target.error().message.empty()) {
    question.json.Null();
    return {};
  }
  if (!target) {
    return Refuse(ErrorCode::kRequestFailed, target.error().message + ".");
  }
  question.json.BeginObject();
  question.write.Range("range", at.cursor.path, target->span);
  question.json.Member("placeholder", target->name);
  question.json.EndObject();
  return {};
}

Outcome<void> AnswerRename(Question& question) {
  KINU_TRY(const Question::At at, question.Cursor());
  KINU_TRY(const std::string name, StringOf(question.params, "newName"));
  if (!at.has_text) {
    question.json.Null();
    return {};
  }
  const auto edit = ide::Rename(question.snapshot(), at.cursor, name);
  if (!edit) {
    return Refuse(ErrorCode::kRequestFailed, edit.error().message.empty()
                                                 ? "Nothing can be renamed here."
                                                 : edit.error().message + ".");
  }
  question.write.WorkspaceEdit(*edit);
  return {};
}

namespace {

void WriteEdits(Question& question, const std::string& document,
                const std::optional<std::vector<ide::TextEdit>>& edits) {
  if (edits) {
    question.write.TextEdits(document, *edits);
  } else {
    question.json.Null();  // the text does not parse: it stays as it is
  }
}

/// The offset of the bracket that the one at `offset` closes; the line's begin if none is found.
uint32_t OpeningOf(const Text& text, uint32_t offset) {
  uint32_t depth = 0;
  for (uint32_t at = offset; at-- > 0;) {
    const char c = text.text()[at];
    if (c == '}') {
      ++depth;
    } else if (c == '{' && depth-- == 0) {
      return at;
    }
  }
  return text.Line(text.LineOf(offset)).begin;
}

}  // namespace

Outcome<void> AnswerFormat(Question& question) {
  KINU_TRY(const std::string key, DocumentOf(question.params));
  const Document* document = question.view.Open(key);
  if (document == nullptr) {
    question.json.Null();
    return {};
  }
  WriteEdits(question, key, ide::FormatText(document->text->text(), document->is_json()));
  return {};
}

Outcome<void> AnswerFormatRange(Question& question) {
  KINU_TRY(const std::string key, DocumentOf(question.params));
  KINU_TRY(const LineRange range, RangeOf(question.params.Find("range")));
  const Document* document = question.view.Open(key);
  if (document == nullptr) {
    question.json.Null();
    return {};
  }
  const ide::Span span = document->text->SpanOf(range, question.write.encoding());
  WriteEdits(question, key, ide::FormatRange(document->text->text(), document->is_json(), span));
  return {};
}

Outcome<void> AnswerFormatOnType(Question& question) {
  KINU_TRY(const Question::At at, question.Cursor());
  KINU_TRY(const std::string typed, StringOf(question.params, "ch"));
  const Document* document = question.view.Open(at.cursor.path);
  const uint32_t offset = at.cursor.offset;
  if (document == nullptr || offset == 0) {
    question.json.Null();
    return {};
  }
  const Text& text = *document->text;
  ide::Span span;
  if (typed == "}" && text.text()[offset - 1] == '}') {
    span = {.begin = OpeningOf(text, offset - 1), .end = offset};
  } else if (const uint32_t line = text.LineOf(offset); typed == "\n" && line > 0) {
    span = text.Line(line - 1);  // the one that was finished; that of the cursor stays
  } else {
    question.json.Null();
    return {};
  }
  WriteEdits(question, at.cursor.path, ide::FormatRange(text.text(), document->is_json(), span));
  return {};
}

namespace {

std::string_view KindOf(ide::CodeAction::Kind kind) {
  switch (kind) {
    case ide::CodeAction::Kind::kQuickFix:
      return "quickfix";
    case ide::CodeAction::Kind::kExtract:
      return "refactor.extract";
    case ide::CodeAction::Kind::kInline:
      return "refactor.inline";
    case ide::CodeAction::Kind::kRewrite:
      return "refactor.rewrite";
    case ide::CodeAction::Kind::kOrganize:
      return "source.organizeImports";
  }
  return "";
}

/// Whether a client that asks for some kinds asks for this one. "refactor" includes
/// "refactor.inline".
bool IsWanted(const std::vector<std::string>& kinds, std::string_view kind) {
  return kinds.empty() || std::ranges::any_of(kinds, [&](std::string_view wanted) {
           return wanted.empty() || kind == wanted ||
                  (kind.starts_with(wanted) && kind.substr(wanted.size()).starts_with('.'));
         });
}

/// The diagnostics of the request that an action mends, as the client wrote them.
void WriteFixed(Question& question, const std::string& summary) {
  const JsonNode* diagnostics = FindIn(&question.params, "context.diagnostics");
  if (diagnostics == nullptr || summary.empty()) {
    return;
  }
  question.json.Key("diagnostics");
  question.json.BeginArray();
  for (const JsonNode& diagnostic : diagnostics->elements()) {
    if (diagnostic.TextOf("message").starts_with(summary)) {
      question.json.Raw(std::string_view(question.message.text)
                            .substr(diagnostic.begin(), diagnostic.end() - diagnostic.begin()));
    }
  }
  question.json.EndArray();
}

void WriteAction(Question& question, const ide::CodeAction& action) {
  JsonWriter& json = question.json;
  json.BeginObject();
  json.Member("title", action.title);
  json.Member("kind", KindOf(action.kind));
  WriteFixed(question, action.fixes);
  if (action.is_preferred) {
    json.Member("isPreferred", true);
  }
  json.Key("edit");
  question.write.WorkspaceEdit(action.edit);
  json.EndObject();
}

}  // namespace

Outcome<void> AnswerCodeActions(Question& question) {
  KINU_TRY(const std::string document, DocumentOf(question.params));
  KINU_TRY(const LineRange range, RangeOf(question.params.Find("range")));
  const auto wanted = StringsIn(&question.params, "context.only");
  const Text* text = question.write.TextOf(document);
  question.json.BeginArray();
  if (text != nullptr && question.view.client->code_action_literals) {
    const ide::Span span = text->SpanOf(range, question.write.encoding());
    for (const auto& action : ide::CodeActionsAt(question.snapshot(), document, span)) {
      const bool makes_files =
          std::ranges::any_of(action.edit, [](const auto& file) { return file.creates; });
      const bool is_possible = !makes_files || question.view.client->creates_files;
      if (is_possible && IsWanted(wanted, KindOf(action.kind))) {
        WriteAction(question, action);
      }
    }
  }
  question.json.EndArray();
  return {};
}

}  // namespace kinu::lsp
