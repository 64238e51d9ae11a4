#include "ide/completion_parts.h"
#include "ide/function_signature.h"

namespace kinu::ide {
namespace {

/// The place in the last `${` of a JSON string before the cursor, as if it stood in a native file.
/// Nothing if the cursor is in none.
struct Embedded {
  std::string text;
  uint32_t offset = 0;
  uint32_t shift = 0;  ///< of offsets in the text to those in the file
};
std::optional<Embedded> SequenceAt(std::string_view text, uint32_t offset) {
  constexpr std::string_view kBefore = "x = ";
  const size_t open = text.substr(0, offset).rfind("${");
  if (open == std::string_view::npos) {
    return std::nullopt;
  }
  const size_t begin = open + 2;
  if (text.substr(begin, offset - begin).find_first_of("\n}") != std::string_view::npos) {
    return std::nullopt;
  }
  const size_t end = std::min(text.find_first_of("\n}", offset), text.size());
  return Embedded{std::string(kBefore) + std::string(text.substr(begin, end - begin)),
                  static_cast<uint32_t>(offset - begin + kBefore.size()),
                  static_cast<uint32_t>(begin - kBefore.size())};
}

void Complete(CompletionRequest& request, uint32_t offset) {
  request.out.replaced = request.context.word;
  switch (request.context.place) {
    case CursorContext::Place::kNothing:
      return;
    case CursorContext::Place::kItem:
      return CompleteItem(request);
    case CursorContext::Place::kLabel:
      return CompleteLabel(request, offset);
    case CursorContext::Place::kExpression:
      return CompleteExpression(request);
    case CursorContext::Place::kKey:
      return CompleteKey(request);
    case CursorContext::Place::kText:
      return CompleteText(request);
  }
}

}  // namespace

std::string SnippetText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '$' || c == '}' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

std::optional<Member> ArgumentAtCursor(CompletionRequest& request) {
  if (request.context.argument.empty()) {
    return std::nullopt;
  }
  const BodyPlace place = PlaceOfBody(request.names, request.file.kind, request.context.blocks);
  return FindMember(request.names, place, request.context.argument);
}

Type WantedType(const CursorContext& context, const std::optional<Member>& argument,
                ModuleNames& names) {
  Type type = argument ? argument->type : Type();
  if (argument && type.is_dynamic()) {
    switch (argument->kind) {
      case ValueKind::kBool:
        type = Type::Bool();
        break;
      case ValueKind::kNumber:
        type = Type::Number();
        break;
      case ValueKind::kText:
        type = Type::String();
        break;
      default:
        break;
    }
  }
  for (const OpenBracket& bracket : context.brackets) {
    switch (bracket.kind) {
      case OpenBracket::Kind::kParentheses:
        break;
      case OpenBracket::Kind::kTuple:
        type = type.is_collection() ? ElementOf(type) : Type();
        break;
      case OpenBracket::Kind::kObject:
        type = bracket.key.empty() && &bracket == &context.brackets.back()
                   ? type
                   : StepInto(type, {.name = bracket.key});
        break;
      case OpenBracket::Kind::kCall:
        type = TypeOfParameter(names, bracket.name, bracket.commas);
        break;
      case OpenBracket::Kind::kSequence:
      case OpenBracket::Kind::kText:
        type = Type();
        break;
    }
  }
  return type;
}

Completions CompletionsAt(const Snapshot& snapshot, const Cursor& cursor) {
  Completions out;
  const Snapshot::Parts& parts = snapshot.parts();
  const ParsedFile* file = parts.Find(cursor.path);
  if (file == nullptr || file->kind == FileKind::kOther || cursor.offset > file->text().size()) {
    return out;
  }
  ModuleNames names(snapshot, parts.ModuleOf(cursor.path), file);
  KnownTypes types(names);
  if (!IsJsonName(cursor.path)) {
    CompletionRequest request{.file = *file,
                              .text = file->text(),
                              .context = ContextAt(file->text(), cursor.offset),
                              .names = names,
                              .types = types,
                              .out = out};
    Complete(request, cursor.offset);
    return out;
  }
  if (const auto embedded = SequenceAt(file->text(), cursor.offset)) {
    CompletionRequest request{.file = *file,
                              .text = embedded->text,
                              .context = ContextAt(embedded->text, embedded->offset),
                              .names = names,
                              .types = types,
                              .out = out};
    request.context.argument = {};
    Complete(request, embedded->offset);
    out.replaced.begin += embedded->shift;
    out.replaced.end += embedded->shift;
  }
  return out;
}

}  // namespace kinu::ide
