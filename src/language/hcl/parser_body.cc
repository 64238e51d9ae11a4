#include <algorithm>
#include <utility>

#include "base/flat_map.h"
#include "hcl/parser.h"

namespace kinu::hcl {

using enum TokenKind;

namespace {

constexpr std::string_view kDefinitionRequired = "Argument or block definition required";
constexpr std::string_view kSetWithEquals =
    "An argument or block definition is required here. The value of an argument follows an equals "
    "sign.";

}  // namespace

NativeBody* Parser::NewBody(Span source, uint32_t end) {
  auto* body = tree_.arena.New<NativeBody>();
  body->file = source_;
  body->begin = source.begin;
  body->end = end;
  return body;
}

const NativeAttribute* Parser::FindAttribute(size_t first, size_t end,
                                             std::string_view name) const {
  for (size_t i = first; i < end; ++i) {
    if (attributes_[i].name == name) {
      return &attributes_[i];
    }
  }
  return nullptr;
}

const NativeBody* Parser::ParseBody(TokenKind end) {
  constexpr size_t kScanLimit = 16;  // above this number of names, a hash table finds duplicates
  const Span start = SpanOf(Previous());
  const DepthScope depth(*this);
  const size_t first_attribute = attributes_.size();
  const size_t first_block = blocks_.size();
  FlatMap<std::string_view, size_t> names;
  Span end_span{};

  for (;;) {
    const Token next = Peek();
    if (next.kind == end) {
      end_span = SpanOf(next);
      Read();
      break;
    }
    if (next.kind == kNewline) {
      Read();
      continue;
    }
    if (next.kind == kIdent) {
      const size_t count = attributes_.size();
      ParseBodyItem();
      if (attributes_.size() == count || incomplete_) {
        continue;
      }
      const NativeAttribute& added = attributes_.back();
      const NativeAttribute* existing = nullptr;
      if (count - first_attribute < kScanLimit) {
        existing = FindAttribute(first_attribute, count, added.name);
      } else {
        if (names.empty()) {
          for (size_t i = first_attribute; i < count; ++i) {
            names.emplace(attributes_[i].name, i);
          }
        }
        const auto [at, is_new] = names.emplace(added.name, count);
        existing = is_new ? nullptr : &attributes_[at->second];
      }
      if (existing != nullptr) {
        Error("Attribute redefined",
              "The argument \"" + std::string(added.name) + "\" was already set at " +
                  ToText(SourceRange{source_, existing->begin, existing->name_end()}) +
                  ". Each argument may be set only once.",
              {added.begin, added.name_end()});
        attributes_.pop_back();
      }
      continue;
    }

    if (incomplete_ && next.kind != kEof) {
      SkipNoItem();
      continue;
    }
    const Token bad = Read();
    if (!recovery_) {
      if (bad.kind == kOpenQuote) {
        Error("Invalid argument name", "Argument names must not be quoted.", SpanOf(bad));
      } else if (bad.kind == kEof) {
        Error("Unclosed configuration block",
              "There is no closing brace for this block before the end of the file. A brace may be "
              "missing here, or somewhere inside.",
              start);
      } else {
        Error(std::string(kDefinitionRequired), "An argument or block definition is required here.",
              SpanOf(bad));
      }
    }
    end_span = SpanOf(Previous());
    Recover(end);
    break;
  }

  NativeBody* body = NewBody(start, end_span.end);
  body->attributes =
      tree_.arena.CopySpan(std::span<const NativeAttribute>(attributes_).subspan(first_attribute));
  attributes_.resize(first_attribute);
  if (end == kEof && blocks_of_file_ != nullptr) {
    *blocks_of_file_ = std::move(blocks_);
    return body;
  }
  body->blocks = tree_.arena.CopySpan(std::span<const NativeBlock>(blocks_).subspan(first_block));
  blocks_.resize(first_block);
  return body;
}

/// Reads one item and appends it to attributes_ or blocks_; appends nothing after an error.
void Parser::ParseBodyItem() {
  const Token name = Read();
  switch (PeekKind()) {
    case kEqual: {
      FinishAttribute(name, false, attributes_.emplace_back());
      return;
    }
    case kOpenQuote:
    case kOpenBrace:
    case kIdent:
      FinishBlock(name);
      return;
    default:
      if (incomplete_) {
        AddNameAlone(name);
        return;
      }
      RecoverAfterBodyItem();
      Error(std::string(kDefinitionRequired), std::string(kSetWithEquals), SpanOf(name));
      return;
  }
}

void Parser::FinishAttribute(const Token& name, bool single_line, NativeAttribute& out) {
  const Token equals = Read();
  const size_t errors_before = errors();
  const Expr* expr = ParseExpression();
  Span end = SpanOf(Previous());
  if (incomplete_) {
    end.end = std::max(end.end, expr->end);
    SkipItemRest();
  } else if (FailedSince(errors_before)) {
    RecoverAfterBodyItem();
  } else if (!single_line) {
    const Token after = Peek();
    if (after.kind == kNewline || after.kind == kEof) {
      Read();
    } else {
      if (!recovery_) {
        const bool comma = after.kind == kComma;
        Error(comma ? "Unexpected comma after argument" : "Missing newline after argument",
              comma ? "Argument definitions must be separated by newlines, not commas. An argument "
                      "definition must end with a newline."
                    : "An argument definition must end with a newline.",
              SpanOf(after), Between(SpanOf(name), SpanOf(after)));
      }
      RecoverAfterBodyItem();
    }
  }
  out = {.name = Text(name),
         .expr = expr,
         .begin = name.begin,
         .end = end.end,
         .equals_begin = equals.begin};
}

void Parser::FinishBlock(const Token& type) {
  labels_.clear();
  Token open_brace{};
  for (bool header = true; header;) {
    const Token next = Peek();
    switch (next.kind) {
      case kOpenBrace:
        open_brace = Read();
        header = false;
        break;
      case kOpenQuote:
        labels_.push_back(ParseLabel());
        break;
      case kIdent:
        Read();
        labels_.push_back({Text(next), next.begin, next.end});
        break;
      default: {
        if (incomplete_ && next.kind == kNewline && tokens_[next_ + 1].kind == kOpenBrace) {
          Read();  // the brace stands on a line of its own
          continue;
        }
        std::string detail;
        if (next.kind == kEqual) {
          detail =
              "The equals sign \"=\" indicates an argument definition, and must not be used when "
              "defining a block.";
        } else if (next.kind == kNewline) {
          detail =
              "A block definition must have block content delimited by \"{\" and \"}\", starting "
              "on the same line as the block header.";
        } else {
          detail =
              "Either a quoted string block label or an opening brace (\"{\") is expected here.";
        }
        if (next.kind == kEqual || next.kind == kNewline || !recovery_) {
          Error("Invalid block definition", detail, SpanOf(next),
                Between(SpanOf(type), SpanOf(next)));
        }
        RecoverAfterBodyItem();
        blocks_.push_back({.type = Text(type),
                           .labels = tree_.arena.CopySpan(labels_),
                           .body = NewBody(SpanOf(type), type.end),
                           .type_begin = type.begin,
                           .open_brace = type.begin,
                           .close_brace = type.begin});
        return;
      }
    }
  }

  const std::span<const Label> labels = tree_.arena.CopySpan(labels_);
  const NativeBody* body = ParseBlockBody(type, open_brace);
  const Token close_brace = Previous();
  const Token after = Peek();
  if (incomplete_) {
    if (after.kind != kIdent) {
      SkipItemRest();
    }
  } else if (after.kind == kNewline || after.kind == kEof) {
    Read();
  } else {
    if (!recovery_) {
      Error("Missing newline after block definition", "A block definition must end with a newline.",
            SpanOf(after), Between(SpanOf(type), SpanOf(after)));
    }
    RecoverAfterBodyItem();
  }
  if (body == nullptr) {
    body = NewBody(SpanOf(open_brace), close_brace.end);
  }
  blocks_.push_back({.type = Text(type),
                     .labels = labels,
                     .body = body,
                     .type_begin = type.begin,
                     .open_brace = open_brace.begin,
                     .close_brace = close_brace.begin});
}

/// Reads the body and its closing brace; null if a single-line body has a syntax error.
const NativeBody* Parser::ParseBlockBody(const Token& type, const Token& open_brace) {
  const TokenKind first = PeekKind();
  if (first == kNewline || first == kEof || first == kCloseBrace || incomplete_) {
    return ParseBody(kCloseBrace);
  }
  const NativeBody* body = ParseSingleAttributeBody();
  const Token after = Peek();
  switch (after.kind) {
    case kCloseBrace:
      Read();
      return body;
    case kComma:
      Error("Invalid single-argument block definition",
            "Single-line block syntax can include only one argument definition. Put each argument "
            "on a line of its own.",
            SpanOf(after));
      break;
    case kNewline:
      Error("Invalid single-argument block definition",
            "An argument definition on the same line as its containing block creates a single-line "
            "block definition, which must also be closed on the same line. Place the closing brace "
            "behind the argument.",
            SpanOf(after));
      break;
    case kEof:
      if (!recovery_) {
        Error("Unclosed configuration block",
              "There is no closing brace for this block before the end of the file. A brace may be "
              "missing here, or somewhere inside.",
              SpanOf(open_brace), Between(SpanOf(type), SpanOf(open_brace)));
      }
      break;
    default:
      if (!recovery_) {
        Error("Invalid single-argument block definition",
              "A single-line block definition must end with a closing brace immediately after its "
              "single argument definition.",
              SpanOf(after));
      }
      break;
  }
  Recover(kCloseBrace);
  return body;
}

const NativeBody* Parser::ParseSingleAttributeBody() {
  const Token name = Read();
  if (name.kind != kIdent) {
    RecoverAfterBodyItem();
    Error(std::string(kDefinitionRequired), "An argument or block definition is required here.",
          SpanOf(name));
    return nullptr;
  }
  const Token next = Peek();
  switch (next.kind) {
    case kEqual: {
      NativeAttribute attribute{};
      FinishAttribute(name, true, attribute);
      NativeBody* body = NewBody({attribute.begin, attribute.end}, attribute.end);
      body->attributes = tree_.arena.CopySpan(std::span<const NativeAttribute>(&attribute, 1));
      return body;
    }
    case kOpenQuote:
    case kOpenBrace:
    case kIdent:
      RecoverAfterBodyItem();
      Error("Argument definition required",
            "A single-line block definition can contain only a single argument. An argument is set "
            "with an equals sign; a nested block stands on a line of its own.",
            Between(SpanOf(name), SpanOf(next)));
      return nullptr;
    default:
      RecoverAfterBodyItem();
      Error(std::string(kDefinitionRequired), std::string(kSetWithEquals), SpanOf(name));
      return nullptr;
  }
}

Label Parser::ParseLabel() {
  const Token open = Read();
  std::string_view text;
  std::string joined;
  bool is_joined = false;
  const auto append = [&](std::string_view more) {
    if (!is_joined && text.empty()) {
      text = more;
      return;
    }
    if (!is_joined) {
      joined = text;
      is_joined = true;
    }
    joined += more;
  };
  Span end{};
  for (bool inside = true; inside;) {
    const Token token = Read();
    end = SpanOf(token);
    switch (token.kind) {
      case kCloseQuote:
        inside = false;
        break;
      case kQuotedText:
        append(TokenText(token));
        break;
      case kTemplateInterpolation:
      case kTemplateDirective: {
        const std::string symbol = token.kind == kTemplateInterpolation ? "$" : "%";
        Error("Invalid string literal",
              "Template sequences are not allowed in this string. To include a literal \"" +
                  symbol + "\", double it (as \"" + symbol + symbol + "\") to escape it.",
              SpanOf(token), Between(SpanOf(open), SpanOf(token)));
        append(symbol);
        append("{ ... }");
        Recover(kTemplateEnd);
        break;
      }
      case kEof:
        Error("Unterminated string literal",
              "Unable to find the closing quote mark before the end of the file.", SpanOf(token),
              Between(SpanOf(open), SpanOf(token)));
        inside = false;
        break;
      default:
        Error("Invalid string literal", "This item is not valid in a string literal.",
              SpanOf(token), Between(SpanOf(open), SpanOf(token)));
        Recover(kCloseQuote);
        inside = false;
        break;
    }
  }
  const SourceRange range = Range(Between(SpanOf(open), end));
  return {is_joined ? tree_.arena.CopyString(joined) : text, range.begin, range.end};
}

}  // namespace kinu::hcl
