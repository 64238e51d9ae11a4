// Tokens with their meanings: those of the lexer, which an unfinished file has too, with what the
// syntax tree says about words.
#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "hcl/lexer.h"
#include "ide/answers.h"
#include "ide/snapshot_parts.h"
#include "ide/word_meanings.h"

namespace kinu::ide {
namespace {

using hcl::TokenKind;

/// What a token is without its place; nothing for punctuation.
std::optional<TokenType> PlainType(TokenKind kind) {
  switch (kind) {
    case TokenKind::kNumber:
      return TokenType::kNumber;
    case TokenKind::kComment:
      return TokenType::kComment;
    case TokenKind::kOpenQuote:
    case TokenKind::kCloseQuote:
    case TokenKind::kOpenHeredoc:
    case TokenKind::kCloseHeredoc:
    case TokenKind::kQuotedText:
    case TokenKind::kPlainText:
      return TokenType::kString;
    case TokenKind::kTemplateInterpolation:
    case TokenKind::kTemplateDirective:
    case TokenKind::kTemplateEnd:
    case TokenKind::kStar:
    case TokenKind::kSlash:
    case TokenKind::kPercent:
    case TokenKind::kPlus:
    case TokenKind::kMinus:
    case TokenKind::kEqual:
    case TokenKind::kEqualOperator:
    case TokenKind::kNotEqual:
    case TokenKind::kLess:
    case TokenKind::kLessEqual:
    case TokenKind::kGreater:
    case TokenKind::kGreaterEqual:
    case TokenKind::kAnd:
    case TokenKind::kOr:
    case TokenKind::kBang:
    case TokenKind::kEllipsis:
    case TokenKind::kFatArrow:
    case TokenKind::kQuestion:
    case TokenKind::kColon:
      return TokenType::kOperator;
    default:
      return std::nullopt;
  }
}

/// Writes tokens of a source into the answer.
class Writer {
 public:
  /// Offsets of the source plus `shift` are those of the file.
  Writer(std::string_view text, uint32_t shift, std::span<const WordMeaning> words,
         std::vector<SemanticToken>& out)
      : text_(text), shift_(shift), words_(words), out_(out), first_(out.size()) {}

  void Write(hcl::LexMode mode);

 private:
  void Word(const hcl::Token& token);
  /// Adds a token, one for each line that it has letters in. Strings join what precedes them.
  void Add(Span span, TokenType type, uint8_t modifiers = 0);
  void AddInLine(Span span, TokenType type, uint8_t modifiers);

  std::string_view text_;
  uint32_t shift_;
  std::span<const WordMeaning> words_;
  std::vector<SemanticToken>& out_;
  size_t first_;                // of this source in `out_`
  bool in_loop_names_ = false;  // between `for` and `in`
};

void Writer::Write(hcl::LexMode mode) {
  size_t next = 0;
  for (const hcl::Token& token : hcl::Lex(text_, mode, hcl::Comments::kKeep)) {
    while (next < words_.size() && words_[next].span.end <= token.begin) {
      ++next;
    }
    if (next < words_.size() && words_[next].span.begin <= token.begin) {
      const WordMeaning& word = words_[next];
      if (token.begin == word.span.begin) {
        Add(word.span, word.type, word.modifiers);
      }
    } else if (token.kind == TokenKind::kIdent) {
      Word(token);
    } else if (const auto type = PlainType(token.kind)) {
      Add({token.begin, token.end}, *type);
    }
  }
}

/// A word that the tree does not explain.
void Writer::Word(const hcl::Token& token) {
  constexpr std::string_view kKeywords[] = {"for",    "in",   "if",    "else", "endif",
                                            "endfor", "true", "false", "null"};
  const std::string_view text = text_.substr(token.begin, token.end - token.begin);
  const bool is_keyword = std::ranges::find(kKeywords, text) != std::end(kKeywords);
  TokenType type = in_loop_names_ ? TokenType::kParameter : TokenType::kVariable;
  if (is_keyword) {
    in_loop_names_ = text == "for";
    type = TokenType::kKeyword;
  }
  Add({token.begin, token.end}, type);
}

void Writer::Add(Span span, TokenType type, uint8_t modifiers) {
  for (uint32_t begin = span.begin; begin < span.end;) {
    const auto newline = static_cast<uint32_t>(
        std::min<size_t>(text_.substr(0, span.end).find('\n', begin), span.end));
    uint32_t end = newline;
    while (end > begin && text_[end - 1] == '\r') {
      --end;
    }
    if (begin < end) {
      AddInLine({begin + shift_, end + shift_}, type, modifiers);
    }
    begin = newline + 1;
  }
}

void Writer::AddInLine(Span span, TokenType type, uint8_t modifiers) {
  if (type == TokenType::kString && out_.size() > first_ && out_.back().type == type &&
      out_.back().modifiers == modifiers && out_.back().span.end == span.begin) {
    out_.back().span.end = span.end;
    return;
  }
  out_.push_back({span, type, modifiers});
}

std::span<const WordMeaning> WordsOf(const WordMeanings& found, const SourceFile* file) {
  const auto range = std::ranges::equal_range(found.words, file, std::less<>(), &WordMeaning::file);
  return {range.begin(), range.end()};
}

/// Names, texts and templates of a JSON file.
class JsonWriter {
 public:
  JsonWriter(const ParsedFile& file, const WordMeanings& found, std::vector<SemanticToken>& out)
      : text_(file.text()), found_(found), words_(WordsOf(found, file.source.get())), out_(out) {}
  void Write();

 private:
  void String(Span span);
  /// The end of what is no string, bracket or space.
  uint32_t WordEnd(uint32_t at) const {
    return static_cast<uint32_t>(
        std::min(text_.find_first_of("{}[],: \t\r\n\"", at), text_.size()));
  }
  uint32_t StringEnd(uint32_t quote) const;

  std::string_view text_;
  const WordMeanings& found_;
  std::span<const WordMeaning> words_;
  std::vector<SemanticToken>& out_;
  size_t word_ = 0;
  size_t template_ = 0;
};

uint32_t JsonWriter::StringEnd(uint32_t quote) const {
  uint32_t at = quote + 1;
  while (at < text_.size() && text_[at] != '"' && text_[at] != '\n') {
    at += text_[at] == '\\' ? 2 : 1;
  }
  return static_cast<uint32_t>(std::min<size_t>(at + 1, text_.size()));
}

void JsonWriter::Write() {
  for (uint32_t at = 0; at < text_.size();) {
    if (text_[at] == '"') {
      const uint32_t end = StringEnd(at);
      String({at, end});
      at = end;
    } else if (const uint32_t end = WordEnd(at); end > at) {
      const bool is_number = text_[at] == '-' || (text_[at] >= '0' && text_[at] <= '9');
      out_.push_back({{at, end}, is_number ? TokenType::kNumber : TokenType::kKeyword});
      at = end;
    } else {
      ++at;
    }
  }
}

void JsonWriter::String(Span span) {
  while (word_ < words_.size() && words_[word_].span.begin < span.begin) {
    ++word_;
  }
  while (template_ < found_.templates.size() && found_.templates[template_].begin <= span.begin) {
    ++template_;
  }
  if (word_ < words_.size() && words_[word_].span == span) {
    out_.push_back({span, words_[word_].type, words_[word_].modifiers});
    return;
  }
  if (template_ == found_.templates.size() || found_.templates[template_].begin != span.begin + 1) {
    out_.push_back({span, TokenType::kString});
    return;
  }
  const JsonTemplate& inner = found_.templates[template_];
  out_.push_back({{span.begin, span.begin + 1}, TokenType::kString});
  Writer(inner.file->text(), inner.begin, WordsOf(found_, inner.file), out_)
      .Write(hcl::LexMode::kTemplate);
  out_.push_back({{span.end - 1, span.end}, TokenType::kString});
}

}  // namespace

std::vector<SemanticToken> SemanticTokens(const Snapshot& snapshot, const std::string& path,
                                          Span span) {
  const ParsedFile* file = snapshot.parts().Find(path);
  if (file == nullptr) {
    return {};
  }
  const WordMeanings found = FindWordMeanings(*file);
  std::vector<SemanticToken> tokens;
  if (IsJsonName(path)) {
    JsonWriter(*file, found, tokens).Write();
  } else {
    Writer(file->text(), 0, WordsOf(found, file->source.get()), tokens)
        .Write(hcl::LexMode::kNormal);
  }
  std::erase_if(tokens, [&](const SemanticToken& token) {
    return token.span.end < span.begin || span.end < token.span.begin;
  });
  return tokens;
}

}  // namespace kinu::ide
