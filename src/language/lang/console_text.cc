#include "lang/console_text.h"

#include <utility>
#include <vector>

#include "cty/collections.h"
#include "text/quote.h"
#include "text/unicode.h"

namespace kinu::lang {
namespace {

constexpr int kValueIndent = 2;
constexpr int kTypeIndent = 4;
constexpr std::string_view kTypeMark = "console type";

Type TypeCapsule() {
  return Type::Capsule("type");
}

void AppendSpaces(std::string& out, int count) {
  out.append(static_cast<size_t>(count), ' ');
}

std::string NullText(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kDynamic:
      return "null";
    case TypeKind::kString:
      return "tostring(null)";
    case TypeKind::kNumber:
      return "tonumber(null)";
    case TypeKind::kBool:
      return "tobool(null)";
    case TypeKind::kList:
      return "tolist(null) /* of " + type.element().FriendlyName() + " */";
    case TypeKind::kSet:
      return "toset(null) /* of " + type.element().FriendlyName() + " */";
    case TypeKind::kMap:
      return "tomap(null) /* of " + type.element().FriendlyName() + " */";
    default:
      return "null /* " + type.FriendlyName() + " */";
  }
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t start = 0;;) {
    const size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) {
      return lines;
    }
    start = end + 1;
  }
}

// A text of several lines becomes a heredoc whose delimiter is none of the lines.
void AppendString(std::string& out, std::string_view text, int indent) {
  const std::vector<std::string_view> lines = Lines(text);
  if (lines.size() < 2) {
    text::AppendGoQuoted(out, text);
    return;
  }
  // Appends underscores to EOT until no line equals the delimiter.
  FlatSet<std::string> taken;
  for (const std::string_view line : lines) {
    const std::string_view word = text::TrimSpace(line);
    if (word.starts_with("EOT")) {
      taken.insert(std::string(word));
    }
  }
  std::string delimiter = "EOT";
  while (taken.contains(delimiter)) {
    delimiter += '_';
  }
  out += indent > 0 ? "<<-" : "<<";
  out += delimiter;
  for (const std::string_view line : lines) {
    out += '\n';
    AppendSpaces(out, indent);
    out += line;
  }
  out += '\n';
  AppendSpaces(out, indent);
  out += delimiter;
}

void AppendValue(std::string& out, const Value& value, int indent);

void AppendMapping(std::string& out, const Value& value, int indent) {
  out += '{';
  const std::span<const Value> elements = value.elements();
  for (size_t i = 0; i < elements.size(); ++i) {
    out += '\n';
    AppendSpaces(out, indent + kValueIndent);
    AppendString(out, value.key(i), indent + kValueIndent);
    out += " = ";
    AppendValue(out, elements[i], indent + kValueIndent);
  }
  if (!elements.empty()) {
    out += '\n';
    AppendSpaces(out, indent);
  }
  out += '}';
}

void AppendSequence(std::string& out, const Value& value, int indent) {
  out += '[';
  for (const Value& element : value.elements()) {
    out += '\n';
    AppendSpaces(out, indent + kValueIndent);
    AppendValue(out, element, indent + kValueIndent);
    out += ',';
  }
  if (value.size() > 0) {
    out += '\n';
    AppendSpaces(out, indent);
  }
  out += ']';
}

void AppendValue(std::string& out, const Value& value, int indent) {
  if (!value.IsKnown()) {
    out += "(known after apply)";
    return;
  }
  const MarkSet marks = value.marks();
  if (marks.sensitive() || marks.ephemeral()) {
    out += marks.sensitive() ? "(sensitive value)" : "(ephemeral value)";
    return;
  }
  const Type type = value.type();
  if (value.IsNull()) {
    out += NullText(type);
    return;
  }
  switch (type.kind()) {
    case TypeKind::kString:
      AppendString(out, value.AsString(), indent);
      break;
    case TypeKind::kNumber:
      out += value.AsNumber().ToText();
      break;
    case TypeKind::kBool:
      out += value.AsBool() ? "true" : "false";
      break;
    case TypeKind::kObject:
      AppendMapping(out, value, indent);
      break;
    case TypeKind::kTuple:
      AppendSequence(out, value, indent);
      break;
    case TypeKind::kList:
    case TypeKind::kSet:
      out += type.is_list() ? "tolist(" : "toset(";
      AppendSequence(out, value, indent);
      out += ')';
      break;
    case TypeKind::kMap:
      out += "tomap(";
      AppendMapping(out, value, indent);
      out += ')';
      break;
    default:
      out += type.FriendlyName();
      break;
  }
}

void AppendType(std::string& out, const Type& type, int level) {
  const auto new_line = [&out](int at) { AppendSpaces(out, at * kTypeIndent); };
  switch (type.kind()) {
    case TypeKind::kObject:
      if (type.attributes().empty()) {
        out += "object({})";
        return;
      }
      out += "object({\n";
      for (const ObjectAttribute& attribute : type.attributes()) {
        new_line(level + 1);
        out.append(attribute.name).append(": ");
        AppendType(out, attribute.type, level + 1);
        out += ",\n";
      }
      new_line(level);
      out += "})";
      return;
    case TypeKind::kTuple:
      if (type.elements().empty()) {
        out += "tuple([])";
        return;
      }
      out += "tuple([\n";
      for (const Type& element : type.elements()) {
        new_line(level + 1);
        AppendType(out, element, level + 1);
        out += ",\n";
      }
      new_line(level);
      out += "])";
      return;
    case TypeKind::kList:
    case TypeKind::kSet:
    case TypeKind::kMap: {
      out.append(CollectionName(type.kind())) += '(';
      const bool on_lines = type.element().is_structural();
      if (on_lines) {
        out += '\n';
        new_line(level + 1);
      }
      AppendType(out, type.element(), on_lines ? level + 1 : level);
      if (on_lines) {
        out += ",\n";
        new_line(level);
      }
      out += ')';
      return;
    }
    default:
      out += type.FriendlyName();
      return;
  }
}

}  // namespace

std::string ConsoleText(const Value& value, int indent) {
  std::string out;
  AppendValue(out, value, indent);
  return out;
}

std::string ConsoleTypeText(const Type& type) {
  std::string out;
  AppendType(out, type, 0);
  return out;
}

ConsoleScope::TypeFunction::TypeFunction() {
  parameter_.name = "value";
  parameter_.allow_null = true;
  parameter_.allow_unknown = true;
  parameter_.allow_dynamic = true;
}

functions::CallResult ConsoleScope::TypeFunction::Call(functions::Arguments args,
                                                       const functions::CallContext&) const {
  MarkSet marks;
  const Value value = args[0].UnmarkDeep(&marks);
  types_.push_back(value.type());
  return Value::Capsule(TypeCapsule(), types_.size() - 1)
      .WithMarks(marks.Union(MarkSet::Named(kTypeMark)));
}

ConsoleScope::ConsoleScope(const Scope& inner) : inner_(inner) {
}

const functions::Callable* ConsoleScope::FindFunction(std::string_view name) const {
  const std::string_view base = name.starts_with("core::") ? name.substr(6) : name;
  if (base == "type") {
    return &type_;
  }
  return base == "plantimestamp" ? nullptr : inner_.FindFunction(name);
}

std::vector<std::string_view> ConsoleScope::FunctionNames() const {
  std::vector<std::string_view> names = inner_.FunctionNames();
  std::erase(names, "plantimestamp");
  names.push_back("type");
  return names;
}

std::string ConsoleScope::Print(const Value& result, Diagnostics& diags) const {
  if (!result.HasMarkDeep(MarkSet::Named(kTypeMark))) {
    return ConsoleText(result);
  }
  const Value bare = result.UnmarkDeep();
  if (bare.type() == TypeCapsule() && bare.IsKnown() && !bare.IsNull()) {
    return ConsoleTypeText(type_.TypeAt(bare.AsCapsule()));
  }
  diags.Error("Invalid use of type function",
              "The console-only \"type\" function cannot be used as part of an expression.");
  return {};
}

}  // namespace kinu::lang
