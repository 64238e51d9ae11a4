#include <algorithm>
#include <memory>

#include "ide/completion_parts.h"
#include "ide/function_signature.h"
#include "ide/json_context.h"
#include "ide/names.h"

namespace kinu::ide {
namespace {

/// The names that say what the value at the cursor is for.
std::vector<std::string_view> PurposesOf(const CursorContext& context) {
  std::vector<std::string_view> out;
  for (size_t i = context.brackets.size(); i-- > 0;) {
    if (!context.brackets[i].key.empty()) {
      out.push_back(context.brackets[i].key);
    }
  }
  // `value` and `for_each` say nothing.
  constexpr std::string_view kPlain[] = {"value", "for_each", "count", "content", "default"};
  if (!context.argument.empty() &&
      std::ranges::find(kPlain, context.argument) == std::end(kPlain)) {
    out.push_back(context.argument);
  }
  for (size_t i = context.blocks.size(); i-- > 0;) {
    if (!context.blocks[i].labels.empty()) {
      out.push_back(context.blocks[i].labels.back());
    }
  }
  return out;
}

/// Ranks that a name gains which is like what the value is for.
constexpr double kGainOfAffinity = 3.5;
/// Ranks that a word gains which stands in all places like this one.
constexpr double kGainOfLikelihood = 10;

bool HasPurpose(CompletionKind kind) {
  switch (kind) {
    case CompletionKind::kVariable:
    case CompletionKind::kLocal:
    case CompletionKind::kOutput:
    case CompletionKind::kResource:
    case CompletionKind::kModule:
    case CompletionKind::kAttribute:
      return true;
    default:
      return false;
  }
}

void Complete(CompletionRequest& request, uint32_t offset) {
  request.purposes = PurposesOf(request.context);
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

void CompletionRequest::Add(Completion item, double rank) {
  double gain = kGainOfLikelihood * likely.Of(item.label);
  if (HasPurpose(item.kind)) {
    const std::string_view name =
        std::string_view(item.label).substr(item.label.starts_with("var.") ? 4 : 0);
    double best = 0;
    double weight = kGainOfAffinity;
    for (const std::string_view purpose : purposes) {
      best = std::max(best, weight * Affinity(name, purpose));
      weight *= 0.7;
    }
    gain += best;
  }
  constexpr double kHighestGain = 20;
  const double place = std::clamp(rank - gain + kHighestGain, 0.0, 99.0);
  const std::string digits = std::to_string(static_cast<int>(place * 1000));
  item.sort_key = std::string(5 - std::min<size_t>(digits.size(), 5), '0') + digits + item.label;
  if (item.insert.empty()) {
    item.insert = item.label;
  }
  out.items.push_back(std::move(item));
}

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

namespace {

CompletionRequest RequestOf(ModuleNames& names, KnownTypes& types, const ParsedFile& file,
                            std::string_view text, const LikelyWords& likely, Completions& out) {
  return {.file = file,
          .text = text,
          .context = {},
          .names = names,
          .types = types,
          .likely = likely,
          .out = out};
}

/// In a sequence of a string: what an expression of the native syntax may have there.
void CompleteSequence(CompletionRequest& request, const Embedded& embedded) {
  Complete(request, embedded.offset);
  request.out.replaced.begin += embedded.shift;
  request.out.replaced.end += embedded.shift;
}

/// Writes the items as names of members, with what begins a value.
void WriteAsMembers(CompletionRequest& request, const JsonContext& place, std::string_view text) {
  const bool is_quoted = place.context.in_quotes;
  const bool has_end = is_quoted && text.substr(place.context.word.end).starts_with('"');
  for (Completion& item : request.out.items) {
    item.is_snippet = !place.has_colon;
    const std::string label = item.is_snippet ? SnippetText(item.label) : item.label;
    item.insert = is_quoted ? label : "\"" + label;
    if (!place.has_colon) {
      const bool is_object = item.kind == CompletionKind::kBlock ||
                             place.context.place == CursorContext::Place::kLabel;
      item.insert += is_object ? "\": {$0}" : "\": $0";
    } else if (!has_end) {
      item.insert += '"';
    }
  }
  if (has_end && !place.has_colon) {
    ++request.out.replaced.end;  // the quote that the item has
  }
}

void CompleteJson(CompletionRequest& request, uint32_t offset) {
  const std::string_view text = request.text;
  JsonContext place = JsonContextAt(request.names, request.file.kind, text, offset);
  request.context = place.context;
  request.context.in_quotes = false;  // items are written below
  // What stands behind the cursor says nothing about native syntax.
  request.text = text.substr(0, place.context.word.end);
  request.out.replaced = place.context.word;
  if (place.context.place == CursorContext::Place::kText) {
    request.purposes = PurposesOf(request.context);
    if (const auto argument = ArgumentAtCursor(request)) {
      (void)CompleteSpecialValue(request, *argument);
    }
    CompleteText(request);
    return;
  }
  Complete(request, offset);
  WriteAsMembers(request, place, text);
}

/// The names that a run of a test has from another module.
class OfRun {
 public:
  OfRun(const ModuleNames& names, const ParsedFile& file, const CursorContext& context) {
    if (const auto from = DirectoryOfNames(names.parts(), file, context);
        from != names.directory()) {
      names_ = std::make_unique<ModuleNames>(names.snapshot(), from, &file);
      types_ = std::make_unique<KnownTypes>(*names_);
    }
  }
  /// These, or those of the run.
  ModuleNames& names(ModuleNames& own) const { return names_ != nullptr ? *names_ : own; }
  KnownTypes& types(KnownTypes& own) const { return types_ != nullptr ? *types_ : own; }

 private:
  std::unique_ptr<ModuleNames> names_;
  std::unique_ptr<KnownTypes> types_;
};

}  // namespace

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
    CursorContext context = ContextAt(file->text(), cursor.offset);
    const bool is_name = context.place != CursorContext::Place::kNothing &&
                         context.place != CursorContext::Place::kText;
    const LikelyWords likely = is_name ? LikelyWords(parts, *file, context.word) : LikelyWords();
    const OfRun planned(names, *file, context);
    CompletionRequest request =
        RequestOf(planned.names(names), planned.types(types), *file, file->text(), likely, out);
    request.context = std::move(context);
    Complete(request, cursor.offset);
    return out;
  }
  const LikelyWords unlikely;
  if (auto sequence = SequenceAt(names, file->kind, file->text(), cursor.offset)) {
    const Embedded& embedded = *sequence->embedded;
    const OfRun planned(names, *file, sequence->context);
    CompletionRequest request =
        RequestOf(planned.names(names), planned.types(types), *file, embedded.text, unlikely, out);
    request.context = std::move(sequence->context);
    CompleteSequence(request, embedded);
  } else {
    CompletionRequest request = RequestOf(names, types, *file, file->text(), unlikely, out);
    CompleteJson(request, cursor.offset);
  }
  return out;
}

}  // namespace kinu::ide
