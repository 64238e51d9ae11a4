#include "hcl/writer/tokens.h"

#include "hcl/parse.h"
#include "text/unicode.h"

namespace kinu::hcl::writer {
namespace {

using enum TokenKind;

void AppendEscapedPoint(std::string& out, char32_t point) {
  static constexpr char kHex[] = "0123456789abcdef";
  const int digits = point < 0x10000 ? 4 : 8;
  out += digits == 4 ? "\\u" : "\\U";
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    out += kHex[(point >> shift) & 0xF];
  }
}

Result<void> AppendSequence(TokenList& out, const Value& value) {
  out.AddView(kOpenBracket, "[");
  bool first = true;
  for (const Value& element : value.elements()) {
    if (!first) {
      out.AddView(kComma, ",");
    }
    first = false;
    if (Result<void> done = AppendValue(out, element); !done) {
      return done;
    }
  }
  out.AddView(kCloseBracket, "]");
  return {};
}

Result<void> AppendMembers(TokenList& out, const Value& value) {
  out.AddView(kOpenBrace, "{");
  if (value.size() > 0) {
    out.AddView(kNewline, "\n");
  }
  for (size_t i = 0; i < value.size(); ++i) {
    if (const std::string_view key = value.key(i); IsIdentifier(key)) {
      out.Add(kIdent, key);
    } else {
      AppendString(out, key);
    }
    out.AddView(kEqual, "=");
    if (Result<void> done = AppendValue(out, value.elements()[i]); !done) {
      return done;
    }
    out.AddView(kNewline, "\n");
  }
  out.AddView(kCloseBrace, "}");
  return {};
}

}  // namespace

std::string EscapeQuoted(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const text::Decoded decoded = text::DecodeUtf8(text, at);
    at += decoded.size;
    switch (decoded.point) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '$':
      case '%':
        // "${" would begin a template sequence; "$${" is its escape.
        out.append(at < text.size() && text[at] == '{' ? 2 : 1, static_cast<char>(decoded.point));
        break;
      default:
        if (text::IsPrintable(decoded.point)) {
          text::AppendUtf8(out, decoded.point);
        } else {
          AppendEscapedPoint(out, decoded.point);
        }
    }
  }
  return out;
}

void AppendString(TokenList& out, std::string_view text) {
  out.AddView(kOpenQuote, "\"");
  if (!text.empty()) {
    out.Add(kQuotedText, EscapeQuoted(text));
  }
  out.AddView(kCloseQuote, "\"");
}

Result<void> AppendValue(TokenList& out, const Value& value) {
  if (value.IsMarked()) {
    return Fail(ErrorCode::kInvalid, "a marked value cannot be written as source");
  }
  if (!value.IsKnown()) {
    return Fail(ErrorCode::kInvalid, "an unknown value cannot be written as source");
  }
  if (value.IsNull()) {
    out.AddView(kIdent, "null");
    return {};
  }
  const Type type = value.type();
  if (type == Type::Bool()) {
    out.AddView(kIdent, value.AsBool() ? "true" : "false");
  } else if (type == Type::Number()) {
    out.Add(kNumber, value.AsNumber().ToText());
  } else if (type == Type::String()) {
    AppendString(out, value.AsString());
  } else if (type.is_list() || type.is_set() || type.is_tuple()) {
    return AppendSequence(out, value);
  } else if (type.is_map() || type.is_object()) {
    return AppendMembers(out, value);
  } else {
    return Fail(ErrorCode::kUnsupported, "a capsule cannot be written as source");
  }
  return {};
}

Result<void> AppendTraversal(TokenList& out, std::string_view root,
                             std::span<const TraversalStep> steps) {
  out.Add(kIdent, root);
  for (const TraversalStep& step : steps) {
    switch (step.kind) {
      case TraversalStep::Kind::kAttribute:
        out.AddView(kDot, ".");
        out.Add(kIdent, step.name());
        break;
      case TraversalStep::Kind::kIndex:
        out.AddView(kOpenBracket, "[");
        if (Result<void> done = AppendValue(out, *step.key()); !done) {
          return done;
        }
        out.AddView(kCloseBracket, "]");
        break;
      case TraversalStep::Kind::kSplat:
        return Fail(ErrorCode::kUnsupported, "a splat cannot be written as a reference");
    }
  }
  return {};
}

std::string TokenList::Text() const {
  std::string out;
  Layout layout(out);
  layout.Add(tokens_);
  layout.Finish();
  return out;
}

Result<std::string> ValueText(const Value& value) {
  TokenList tokens;
  if (Result<void> done = AppendValue(tokens, value); !done) {
    return std::unexpected(done.error());
  }
  return tokens.Text();
}

std::string StringText(std::string_view text) {
  return '"' + EscapeQuoted(text) + '"';
}

Result<std::string> TraversalText(std::string_view root, std::span<const TraversalStep> steps) {
  TokenList tokens;
  if (Result<void> done = AppendTraversal(tokens, root, steps); !done) {
    return std::unexpected(done.error());
  }
  return tokens.Text();
}

}  // namespace kinu::hcl::writer
