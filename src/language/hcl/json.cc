// Builds the common syntax tree from JSON. Ref: hcl json/public.go, structure.go expression.Value.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hcl/json_syntax.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "json/reader.h"
#include "text/quote.h"
#include "text/suggest.h"
#include "text/unicode.h"

namespace kinu::hcl {
namespace {

std::string_view Summary(JsonProblemKind kind) {
  switch (kind) {
    case JsonProblemKind::kMissingValue:
      return "Missing JSON value";
    case JsonProblemKind::kMissingElement:
      return "Missing array element value";
    case JsonProblemKind::kUnexpectedEnd:
      return "Missing value";
    case JsonProblemKind::kInvalidStart:
      return "Invalid start of value";
    case JsonProblemKind::kInvalidName:
      return "Invalid object property name";
    case JsonProblemKind::kMissingObjectValue:
      return "Missing object value";
    case JsonProblemKind::kEqualsSign:
    case JsonProblemKind::kMissingColon:
      return "Missing property value colon";
    case JsonProblemKind::kTrailingCommaInObject:
      return "Trailing comma in object";
    case JsonProblemKind::kUnclosedObject:
    case JsonProblemKind::kUnclosedArray:
      return "Unclosed object";
    case JsonProblemKind::kObjectClosedByBracket:
      return "Mismatched braces";
    case JsonProblemKind::kMissingCommaInObject:
    case JsonProblemKind::kMissingCommaInArray:
      return "Missing attribute seperator comma";
    case JsonProblemKind::kTrailingCommaInArray:
      return "Trailing comma in array";
    case JsonProblemKind::kColonInArray:
      return "Invalid array value";
    case JsonProblemKind::kArrayClosedByBrace:
      return "Mismatched brackets";
    case JsonProblemKind::kInvalidNumber:
      return "Invalid JSON number";
    case JsonProblemKind::kInvalidString:
      return "Invalid JSON string";
    case JsonProblemKind::kInvalidKeyword:
      return "Invalid JSON keyword";
    case JsonProblemKind::kExtraneousData:
      return "Extraneous data after value";
    case JsonProblemKind::kTooDeep:
      return "Nesting too deep";
    case JsonProblemKind::kTooLarge:
      return "File too large";
  }
  return "Invalid JSON";
}

/// The detail of an error, equal to the reference's because programs match it. Empty for the kinds
/// whose detail is built from the text.
std::string_view Detail(JsonProblemKind kind) {
  switch (kind) {
    case JsonProblemKind::kMissingValue:
    case JsonProblemKind::kMissingElement:
    case JsonProblemKind::kInvalidStart:
      return "A JSON value must start with a brace, a bracket, a number, a string, or a keyword.";
    case JsonProblemKind::kUnexpectedEnd:
      return "The JSON data ends prematurely.";
    case JsonProblemKind::kInvalidName:
      return "A JSON object property name must be a string";
    case JsonProblemKind::kMissingObjectValue:
      return "A JSON object attribute must have a value, introduced by a colon.";
    case JsonProblemKind::kEqualsSign:
      return "JSON uses a colon as its name/value delimiter, not an equals sign.";
    case JsonProblemKind::kMissingColon:
      return "A colon must appear between an object property's name and its value.";
    case JsonProblemKind::kTrailingCommaInObject:
      return "JSON does not permit a trailing comma after the final property in an object.";
    case JsonProblemKind::kUnclosedObject:
      return "No closing brace was found for this JSON object.";
    case JsonProblemKind::kObjectClosedByBracket:
      return "A JSON object must be closed with a brace, not a bracket.";
    case JsonProblemKind::kMissingCommaInObject:
      return "A comma must appear between each property definition in an object.";
    case JsonProblemKind::kTrailingCommaInArray:
      return "JSON does not permit a trailing comma after the final value in an array.";
    case JsonProblemKind::kColonInArray:
      return "A colon is not used to introduce values in a JSON array.";
    case JsonProblemKind::kUnclosedArray:
      return "No closing bracket was found for this JSON array.";
    case JsonProblemKind::kArrayClosedByBrace:
      return "A JSON array must be closed with a bracket, not a brace.";
    case JsonProblemKind::kMissingCommaInArray:
      return "A comma must appear between each value in an array.";
    case JsonProblemKind::kInvalidNumber:
      return "There is a syntax error in the given JSON number.";
    case JsonProblemKind::kInvalidString:
      return "There is a syntax error in the given JSON string.";
    case JsonProblemKind::kExtraneousData:
      return "Extra characters appear after the JSON value.";
    default:
      return {};
  }
}

std::string KeywordDetail(std::string_view word) {
  if (word == "undefined" || word == "NaN" || word == "Infinity") {
    return "The JavaScript identifier " + text::GoQuote(word) + " cannot be used in JSON.";
  }
  constexpr std::string_view kKeywords[] = {"false", "true", "null"};
  std::string detail = text::GoQuote(word) + " is not a valid JSON keyword.";
  if (const std::string_view near = text::SuggestName(word, kKeywords); !near.empty()) {
    detail += " Did you mean " + text::GoQuote(near) + "?";
  }
  return detail;
}

std::string Detail(const JsonProblem& problem, std::string_view text) {
  if (problem.kind == JsonProblemKind::kInvalidKeyword) {
    return KeywordDetail(text.substr(problem.begin, problem.end - problem.begin));
  }
  const std::string_view detail = Detail(problem.kind);
  return detail.empty() ? problem.message + "." : std::string(detail);
}

bool MayHoldTemplate(std::string_view text) {
  return text.find("${") != std::string_view::npos || text.find("%{") != std::string_view::npos ||
         text.starts_with("\xEF\xBB\xBF");
}

/// The range of one byte inside a malformed string. The reference counts columns in bytes from the
/// string's start, and may report the end of the line or file. No offset of the file gives such
/// columns, so the byte gets a source of its own.
SourceRange RangeInString(const SourceFile* source, const JsonProblem& problem, SyntaxTree& tree) {
  Position start = source->PositionAt(problem.context_begin);
  const uint32_t offset = problem.begin - problem.context_begin;
  start.column += offset;
  start.byte += offset;
  return {tree.KeepSource(SourceFile::Make(source->name(), " ", start, source)), 0, 1};
}

/// Offsets at which a grapheme cluster starts after a quote or backslash, because the reference
/// counts those one by one even if a combining character follows.
std::vector<uint32_t> ClusterBreaks(std::string_view text) {
  std::vector<uint32_t> breaks;
  if (text::IsAscii(text)) {
    return breaks;
  }
  for (size_t i = 1; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) >= 0x80 &&
        (text[i - 1] == '"' || text[i - 1] == '\\')) {
      breaks.push_back(static_cast<uint32_t>(i));
    }
  }
  return breaks;
}

void ReportNumber(const SourceRange& number, Diagnostics& diags) {
  diags.Error("Invalid JSON number", "There is a syntax error in the given JSON number.", number);
}

class JsonBuilder {
 public:
  JsonBuilder(const SourceFile* source, ParseMode mode, SyntaxTree& tree, Diagnostics& diags)
      : source_(source), mode_(mode), tree_(tree), diags_(diags) {}

  const Expr* Build(const JsonNode& node);

 private:
  template <typename T, typename... Args>
  const T* New(ExprKind kind, uint32_t begin, uint32_t end, Args&&... rest) {
    return tree_.New<T>(kind, {source_, begin, end}, std::forward<Args>(rest)...);
  }
  const Expr* Literal(const JsonNode& node, const Value* value) {
    return New<LiteralExpr>(ExprKind::kLiteral, node.begin(), node.end(), value);
  }
  const Expr* String(std::string_view text, uint32_t begin, uint32_t end);
  const Expr* Template(std::string_view text, uint32_t begin, uint32_t end);
  const Expr* Array(const JsonNode& node);
  const Expr* Object(const JsonNode& node);

  const SourceFile* source_;
  ParseMode mode_;
  SyntaxTree& tree_;
  Diagnostics& diags_;
};

const Expr* JsonBuilder::Build(const JsonNode& node) {
  switch (node.kind()) {
    case JsonNode::Kind::kNull:
      return Literal(node, tree_.Keep(Value()));
    case JsonNode::Kind::kBool:
      return Literal(node, tree_.Keep(Value::Bool(node.boolean())));
    case JsonNode::Kind::kNumber:
      if (std::optional<Number> number = Number::Parse(node.text())) {
        return Literal(node, tree_.Keep(Value::Of(*std::move(number))));
      }
      ReportNumber({source_, node.begin(), node.end()}, diags_);
      break;
    case JsonNode::Kind::kString:
      return String(node.text(), node.begin(), node.end());
    case JsonNode::Kind::kArray:
      return Array(node);
    case JsonNode::Kind::kObject:
      return Object(node);
    case JsonNode::Kind::kInvalid:
      if (mode_ == ParseMode::kIncomplete) {
        return New<MissingExpr>(ExprKind::kMissing, node.begin(), node.end());
      }
      break;
  }
  return Literal(node, tree_.Keep(Value::DynamicUnknown()));
}

const Expr* JsonBuilder::String(std::string_view text, uint32_t begin, uint32_t end) {
  const std::string_view whole = source_->text();
  if (text.data() < whole.data() || text.data() >= whole.data() + whole.size()) {
    text = tree_.arena.CopyString(text);  // the reader's decoded copy of a string with escapes
  }
  const Expr* content = nullptr;
  if (MayHoldTemplate(text)) {
    content = Template(text, begin, end);
  } else {
    const Value* value =
        tree_.Keep(text::IsAscii(text) ? Value::NormalizedString(text) : Value::String(text));
    content = New<LiteralExpr>(ExprKind::kLiteral, begin, end, value);
  }
  return New<JsonStringExpr>(ExprKind::kTemplateWrap, begin, end, content, text);
}

const Expr* JsonBuilder::Template(std::string_view text, uint32_t begin, uint32_t end) {
  const SourceFile* inner = tree_.KeepSource(SourceFile::MakeTemplate(source_, begin, text));
  Diagnostics problems;
  const Expr* parsed = ParseTemplate(inner, tree_, problems, mode_);
  if (mode_ == ParseMode::kIncomplete || !problems.has_errors()) {
    return parsed;
  }
  return New<InvalidExpr>(ExprKind::kInvalid, begin, end,
                          tree_.KeepDiagnostics(std::move(problems)));
}

const Expr* JsonBuilder::Array(const JsonNode& node) {
  std::vector<const Expr*> elements;
  elements.reserve(node.elements().size());
  for (const JsonNode& element : node.elements()) {
    elements.push_back(Build(element));
  }
  return New<TupleExpr>(ExprKind::kTuple, node.begin(), node.end(), tree_.arena.CopySpan(elements),
                        node.begin() + 1);
}

const Expr* JsonBuilder::Object(const JsonNode& node) {
  std::vector<ObjectItem> items;
  items.reserve(node.members().size());
  for (const JsonMember& member : node.members()) {
    items.push_back({String(member.name, member.name_begin, member.name_end), Build(member.value)});
  }
  return New<ObjectExpr>(ExprKind::kJsonObject, node.begin(), node.end(),
                         tree_.arena.CopySpan(items), node.begin() + 1);
}

JsonDocument Read(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags) {
  source->SetColumns(SourceFile::Columns::kJson, ClusterBreaks(source->text()));
  JsonDocument document = kinu::ParseJson(source->text(), {.recover = true});
  for (const JsonProblem& problem : document.problems()) {
    SourceRange subject{source, problem.begin, problem.end};
    SourceRange context;
    if (problem.context_end > 0) {
      context = {source, problem.context_begin, problem.context_end};
      subject = RangeInString(source, problem, tree);
    }
    diags.Error(std::string(Summary(problem.kind)), Detail(problem, source->text()), subject,
                context);
  }
  return document;
}

/// Reports numbers out of range, as building their expressions would. Needs no expressions, which
/// are built on demand.
void ReportNumbers(const JsonNode& root, const SourceFile& source, Diagnostics& diags) {
  std::vector<const JsonNode*> todo = {&root};  // the next one last
  while (!todo.empty()) {
    const JsonNode& node = *todo.back();
    todo.pop_back();
    switch (node.kind()) {
      case JsonNode::Kind::kNumber:
        if (node.text().find_first_of("eE") != std::string_view::npos &&
            !Number::Parse(node.text())) {
          ReportNumber({&source, node.begin(), node.end()}, diags);
        }
        break;
      case JsonNode::Kind::kArray:
        for (size_t i = node.elements().size(); i > 0; --i) {
          todo.push_back(&node.elements()[i - 1]);
        }
        break;
      case JsonNode::Kind::kObject:
        for (size_t i = node.members().size(); i > 0; --i) {
          todo.push_back(&node.members()[i - 1].value);
        }
        break;
      default:
        break;
    }
  }
}

}  // namespace

const Expr* JsonText::Expression(const JsonNode& node) const {
  const Expr* expr = nullptr;
  tree_->WithLockedArena([&](Arena&) {
    const Expr*& built = built_[reinterpret_cast<uintptr_t>(&node)];
    if (built == nullptr) {
      Diagnostics reported;  // ParseJson() has reported the same problems
      built = JsonBuilder(source_, mode_, built_tree_, reported).Build(node);
    }
    expr = built;
  });
  return expr;
}

const Expr* ParseJsonExpression(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags) {
  const JsonDocument document = Read(source, tree, diags);
  return JsonBuilder(source, ParseMode::kStrict, tree, diags).Build(document.root());
}

const Body* ParseJson(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags) {
  return ParseJson(source, tree, diags, ParseMode::kStrict);
}

const Body* ParseJson(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags,
                      ParseMode mode) {
  JsonDocument document = Read(source, tree, diags);
  ReportNumbers(document.root(), *source, diags);
  const auto is_body = [](const JsonNode& value) { return value.is_object() || value.is_array(); };
  if (const JsonNode& root = document.root(); !is_body(root)) {
    diags.Error("Root value must be object",
                "The root value in a JSON-based configuration must be either a JSON object or a "
                "JSON array of objects.",
                {source, root.begin(), root.end()});
  }
  if (mode == ParseMode::kIncomplete && !document.ok()) {
    document = ParseIncompleteJson(source->text());
  }
  const JsonText* text =
      tree.Own(std::make_unique<JsonText>(source, std::move(document), mode, &tree));
  // An empty body causes no further errors.
  return tree.arena.New<JsonBody>(is_body(text->root()) ? &text->root() : nullptr, text);
}

}  // namespace kinu::hcl
