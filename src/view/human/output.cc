#include "view/human/output.h"

#include <vector>

#include "text/quote.h"
#include "text/unicode.h"

namespace kinu::view {
namespace {

void Append(std::string& out, const Value& value, size_t indent);

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

/// A string of several lines as a heredoc whose delimiter occurs in none of them.
void AppendHeredoc(std::string& out, std::string_view text, size_t indent) {
  std::vector<std::string_view> lines;
  size_t begin = 0;
  for (size_t end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
  }
  std::string delimiter = "EOT";
  for (bool free = false; !free;) {
    free = true;
    for (const std::string_view line : lines) {
      if (text::TrimSpace(line) == delimiter) {
        delimiter += '_';
        free = false;
        break;
      }
    }
  }
  out += indent > 0 ? "<<-" : "<<";
  out += delimiter;
  for (const std::string_view line : lines) {
    out += '\n';
    out.append(indent, ' ');
    out += line;
  }
  out += '\n';
  out.append(indent, ' ');
  out += delimiter;
}

void AppendSequence(std::string& out, const Value& value, size_t indent) {
  out += '[';
  for (const Value& element : value.elements()) {
    out += '\n';
    out.append(indent + 2, ' ');
    Append(out, element, indent + 2);
    out += ',';
  }
  if (value.size() > 0) {
    out += '\n';
    out.append(indent, ' ');
  }
  out += ']';
}

void AppendMapping(std::string& out, const Value& value, size_t indent) {
  out += '{';
  for (size_t i = 0; i < value.size(); ++i) {
    out += '\n';
    out.append(indent + 2, ' ');
    const std::string_view key = value.key(i);
    if (key.find('\n') != std::string_view::npos) {
      AppendHeredoc(out, key, indent + 2);
    } else {
      text::AppendGoQuoted(out, key);
    }
    out += " = ";
    Append(out, value.elements()[i], indent + 2);
  }
  if (value.size() > 0) {
    out += '\n';
    out.append(indent, ' ');
  }
  out += '}';
}

void Append(std::string& out, const Value& value, size_t indent) {
  if (!value.IsNull() && !value.IsKnown()) {
    out += "(known after apply)";
    return;
  }
  if (value.IsMarked()) {
    const MarkSet marks = value.marks();
    if (marks.sensitive() || marks.ephemeral()) {
      out += marks.sensitive() ? "(sensitive value)" : "(ephemeral value)";
      return;
    }
  }
  if (value.IsNull()) {
    out += NullText(value.type());
    return;
  }
  switch (value.type().kind()) {
    case TypeKind::kString:
      if (value.AsString().find('\n') != std::string_view::npos) {
        AppendHeredoc(out, value.AsString(), indent);
      } else {
        text::AppendGoQuoted(out, value.AsString());
      }
      return;
    case TypeKind::kNumber:
      out += value.AsNumber().ToText();
      return;
    case TypeKind::kBool:
      out += value.AsBool() ? "true" : "false";
      return;
    case TypeKind::kObject:
      AppendMapping(out, value, indent);
      return;
    case TypeKind::kTuple:
      AppendSequence(out, value, indent);
      return;
    case TypeKind::kList:
    case TypeKind::kSet:
      out += value.type().is_list() ? "tolist(" : "toset(";
      AppendSequence(out, value, indent);
      out += ')';
      return;
    case TypeKind::kMap:
      out += "tomap(";
      AppendMapping(out, value, indent);
      out += ')';
      return;
    case TypeKind::kDynamic:
    case TypeKind::kCapsule:
      out += value.type().FriendlyName();
      return;
  }
}

}  // namespace

std::string FormatValue(const Value& value, int indent) {
  std::string out;
  Append(out, value, static_cast<size_t>(indent));
  return out;
}

std::string RenderOutputs(std::span<const state::OutputValue> outputs, bool show_sensitive) {
  std::string out;
  for (const state::OutputValue& output : outputs) {
    out += output.name;
    out += " = ";
    if (output.sensitive && !show_sensitive) {
      out += "<sensitive>";
    } else {
      // The output itself says whether it is sensitive; marks at its top would hide it again.
      Append(out, output.value, 0);
    }
    out += '\n';
  }
  return std::string(text::TrimSpace(out)) + "\n";
}

}  // namespace kinu::view
