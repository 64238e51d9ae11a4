// Answers that show more of a document: tokens, folds, selections, lenses, hints.
#include <algorithm>
#include <array>

#include "base/result.h"
#include "ide/answers.h"
#include "lsp/answer.h"
#include "lsp/params.h"

namespace kinu::lsp {
namespace {

/// The tokens that touch a span, as the protocol encodes them: five numbers for each, positions
/// relative to the token before.
TokenNumbers NumbersOf(Question& question, const std::string& document, const Text& text,
                       ide::Span span) {
  TokenNumbers numbers;
  LinePosition last;
  for (const auto& token : ide::SemanticTokens(question.snapshot(), document, span)) {
    const Encoding encoding = question.write.encoding();
    const LinePosition at = text.PositionAt(token.span.begin, encoding, last.line);
    const LinePosition end = text.PositionAt(token.span.end, encoding, at.line);
    if (end.line != at.line || end <= at || at < last) {
      continue;
    }
    const uint32_t lines = at.line - last.line;
    const std::array<uint32_t, 5> encoded = {
        lines, lines == 0 ? at.character - last.character : at.character,
        end.character - at.character, static_cast<uint32_t>(token.type), token.modifiers};
    numbers.insert(numbers.end(), encoded.begin(), encoded.end());
    last = at;
  }
  return numbers;
}

void WriteNumbers(JsonWriter& json, JsonKey key, std::span<const uint32_t> numbers) {
  json.Key(key);
  json.BeginArray();
  for (const uint32_t number : numbers) {
    json.Uint(number);
  }
  json.EndArray();
}

void WriteDelta(JsonWriter& json, const TokenNumbers& before, const TokenNumbers& after) {
  const TokenChange change = ChangeBetween(before, after);
  json.Key("edits");
  json.BeginArray();
  if (change.removed > 0 || !change.inserted.empty()) {
    json.BeginObject();
    json.Member("start", static_cast<int64_t>(change.start));
    json.Member("deleteCount", static_cast<int64_t>(change.removed));
    WriteNumbers(json, "data", change.inserted);
    json.EndObject();
  }
  json.EndArray();
}

/// Answers with all tokens, or with what has changed since the answer `before`.
Outcome<void> WriteTokens(Question& question, std::string_view before) {
  KINU_TRY(const std::string document, DocumentOf(question.params));
  const Text* text = question.write.TextOf(document);
  if (text == nullptr) {
    question.json.Null();
    return {};
  }
  TokenNumbers numbers = NumbersOf(question, document, *text, {.begin = 0, .end = text->size()});
  TokenNumbers former;
  const bool has_former = !before.empty() && question.tokens.Find(document, before, former);
  question.json.BeginObject();
  question.json.Member("resultId", question.tokens.Keep(document, numbers));
  if (has_former) {
    WriteDelta(question.json, former, numbers);
  } else {
    WriteNumbers(question.json, "data", numbers);
  }
  question.json.EndObject();
  return {};
}

}  // namespace

Outcome<void> AnswerTokens(Question& question) {
  return WriteTokens(question, "");
}

Outcome<void> AnswerTokensDelta(Question& question) {
  KINU_TRY(const std::string before, StringOf(question.params, "previousResultId"));
  return WriteTokens(question, before);
}

Outcome<void> AnswerTokensOfRange(Question& question) {
  KINU_TRY(const std::string document, DocumentOf(question.params));
  KINU_TRY(const LineRange range, RangeOf(question.params.Find("range")));
  const Text* text = question.write.TextOf(document);
  if (text == nullptr) {
    question.json.Null();
    return {};
  }
  const ide::Span span = text->SpanOf(range, question.write.encoding());
  question.json.BeginObject();
  WriteNumbers(question.json, "data", NumbersOf(question, document, *text, span));
  question.json.EndObject();
  return {};
}

namespace {

/// Whether a line has more than blanks behind an offset.
bool HasTextBehind(const Text& text, uint32_t offset) {
  const ide::Span line = text.Line(text.LineOf(offset));
  const auto rest =
      std::string_view(text.text()).substr(offset, line.end - std::min(line.end, offset));
  return rest.find_first_not_of(" \t") != std::string_view::npos;
}

void WriteFold(Question& question, const Text& text, const ide::Fold& fold) {
  JsonWriter& json = question.json;
  const Encoding encoding = question.write.encoding();
  const bool whole_lines = question.view.client->line_folding_only;
  const LinePosition start = text.PositionAt(fold.span.begin, encoding);
  LinePosition end = text.PositionAt(fold.span.end, encoding);
  if (whole_lines && end.line > 0 && HasTextBehind(text, fold.span.end)) {
    --end.line;  // the closing bracket stays
  }
  if (end.line <= start.line) {
    return;
  }
  json.BeginObject();
  json.Member("startLine", static_cast<int64_t>(start.line));
  if (!whole_lines) {
    json.Member("startCharacter", static_cast<int64_t>(start.character));
  }
  json.Member("endLine", static_cast<int64_t>(end.line));
  if (!whole_lines) {
    json.Member("endCharacter", static_cast<int64_t>(end.character));
  }
  if (fold.kind == ide::Fold::Kind::kComment) {
    json.Member("kind", "comment");
  }
  json.EndObject();
}

}  // namespace

Outcome<void> AnswerFolds(Question& question) {
  KINU_TRY(const std::string document, DocumentOf(question.params));
  const Text* text = question.write.TextOf(document);
  question.json.BeginArray();
  if (text != nullptr) {
    for (const ide::Fold& fold : ide::Folds(question.snapshot(), document)) {
      WriteFold(question, *text, fold);
    }
  }
  question.json.EndArray();
  return {};
}

namespace {

/// SelectionRange: the innermost range with its parents inside it.
void WriteSelections(Question& question, const std::string& document,
                     const std::vector<ide::Span>& spans) {
  for (const ide::Span& span : spans) {
    if (&span != spans.data()) {
      question.json.Key("parent");
    }
    question.json.BeginObject();
    question.write.Range("range", document, span);
  }
  for (size_t i = 0; i < spans.size(); ++i) {
    question.json.EndObject();
  }
}

}  // namespace

Outcome<void> AnswerSelections(Question& question) {
  KINU_TRY(const std::string document, DocumentOf(question.params));
  const JsonNode* positions = question.params.Find("positions");
  if (positions == nullptr || !positions->is_array()) {
    return Refuse(ErrorCode::kInvalidParams, "The positions are missing.");
  }
  const Text* text = question.write.TextOf(document);
  if (text == nullptr) {
    question.json.Null();
    return {};
  }
  question.json.BeginArray();
  for (const JsonNode& node : positions->elements()) {
    KINU_TRY(const LinePosition position, PositionOf(&node));
    const uint32_t offset = text->OffsetAt(position, question.write.encoding());
    auto spans = ide::SelectionsAt(question.snapshot(), {.path = document, .offset = offset});
    if (spans.empty()) {
      spans.push_back({.begin = offset, .end = offset});
    }
    WriteSelections(question, document, spans);
  }
  question.json.EndArray();
  return {};
}

namespace {

/// The command of a lens: that of the client which shows places, or none that does anything.
void WriteLensCommand(Question& question, const std::string& document, const ide::Lens& lens) {
  JsonWriter& json = question.json;
  const std::string& command = question.view.client->show_references;
  const bool can_click = !command.empty() && !lens.places.empty();
  json.Key("command");
  json.BeginObject();
  json.Member("title", lens.title);
  json.Member("command", can_click ? command : "");
  if (can_click) {
    json.Key("arguments");
    json.BeginArray();
    json.String(question.write.UriOf(document));
    question.write.Position(question.write.PositionOf(document, lens.span.begin));
    question.write.Locations(lens.places);
    json.EndArray();
  }
  json.EndObject();
}

}  // namespace

Outcome<void> AnswerLenses(Question& question) {
  KINU_TRY(const std::string document, DocumentOf(question.params));
  question.json.BeginArray();
  for (const ide::Lens& lens : ide::Lenses(question.snapshot(), document)) {
    question.json.BeginObject();
    question.write.Range("range", document, lens.span);
    WriteLensCommand(question, document, lens);
    question.json.EndObject();
  }
  question.json.EndArray();
  return {};
}

Outcome<void> AnswerHints(Question& question) {
  KINU_TRY(const std::string document, DocumentOf(question.params));
  KINU_TRY(const LineRange range, RangeOf(question.params.Find("range")));
  const Text* text = question.write.TextOf(document);
  question.json.BeginArray();
  if (text != nullptr) {
    const ide::Span span = text->SpanOf(range, question.write.encoding());
    for (const ide::InlayHint& hint : ide::InlayHints(question.snapshot(), document, span)) {
      question.json.BeginObject();
      question.json.Key("position");
      question.write.Position(question.write.PositionOf(document, hint.offset));
      question.json.Member("label", hint.label);
      question.json.EndObject();
    }
  }
  question.json.EndArray();
  return {};
}

}  // namespace kinu::lsp
