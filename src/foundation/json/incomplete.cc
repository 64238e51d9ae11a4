// Reads a text with problems for editors: all that can be read, in source order.
//
// Brackets that do not match are judged by lines: a name that begins a line belongs to the object
// whose other names begin lines with the same indentation, if objects further inside are indented
// more. The outermost value ends with the text.

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "json/lex.h"
#include "json/reader.h"
#include "text/unicode.h"

namespace kinu {
namespace {

enum class TokenKind : uint8_t { kOpen, kClose, kColon, kComma, kString, kWord, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  bool is_brace = false;       ///< of an opening or closing bracket
  bool is_first = false;       ///< on its line
  bool is_closed = true;       ///< of a string
  bool is_well_formed = true;  ///< of a string: as JSON allows
  uint32_t indentation = 0;    ///< of its line
  uint32_t begin = 0;
  uint32_t end = 0;
};

bool ContinuesWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || json::IsDigit(c) || c == '_' ||
         c == '-' || c == '+' || c == '.';
}

bool IsLineEnd(char c) {
  return c == '\n' || c == '\r';
}

/// Cuts the text into tokens, without bytes that begin none. A string ends with its line.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { Advance(); }

  const Token& Peek() const { return next_; }
  Token Read() {
    const Token token = next_;
    Advance();
    return token;
  }

 private:
  void Advance() {
    next_ = Token();
    next_.is_first = at_ == 0;
    for (;; ++at_) {
      SkipSpace();
      next_.begin = at_;
      if (at_ == text_.size() || Scan()) {
        break;
      }
    }
    next_.end = at_;
    next_.indentation = indentation_;
  }

  void SkipSpace() {
    const char* const begin = text_.data() + at_;
    const char* const end = json::SkipSpace(begin, text_.data() + text_.size());
    const std::string_view space(begin, static_cast<size_t>(end - begin));
    at_ += static_cast<uint32_t>(space.size());
    if (const size_t newline = space.rfind('\n'); newline != std::string_view::npos) {
      next_.is_first = true;
      indentation_ = static_cast<uint32_t>(space.size() - newline - 1);
    } else if (begin == text_.data()) {
      indentation_ = at_;
    }
  }

  /// Reads the token at the place. False: none begins there.
  bool Scan() {
    const char c = text_[at_];
    if (c == '"') {
      // A name whose opening quote is missing has a closing one.
      const bool is_closing = at_ == name_end_ && text_.substr(at_ + 1).starts_with(':');
      return !is_closing && ScanString();
    }
    if (ContinuesWord(c)) {
      next_.kind = TokenKind::kWord;
      while (at_ < text_.size() && ContinuesWord(text_[at_])) {
        ++at_;
      }
      name_end_ = at_;
      return true;
    }
    if (!SetMark(c)) {
      return false;
    }
    ++at_;
    return true;
  }

  bool SetMark(char c) {
    switch (c) {
      case '{':
      case '[':
        next_.kind = TokenKind::kOpen;
        break;
      case '}':
      case ']':
        next_.kind = TokenKind::kClose;
        break;
      case ':':
      case '=':
        next_.kind = TokenKind::kColon;
        break;
      case ',':
        next_.kind = TokenKind::kComma;
        break;
      default:
        return false;
    }
    next_.is_brace = c == '{' || c == '}';
    return true;
  }

  bool ScanString() {
    next_.kind = TokenKind::kString;
    const char* const begin = text_.data() + at_ + 1;
    const json::Passed passed = json::PassString(begin, text_.data() + text_.size());
    if (passed.ok) {
      at_ = static_cast<uint32_t>(passed.at - text_.data());
      return true;
    }
    next_.is_well_formed = false;
    next_.is_closed = false;
    for (++at_; at_ < text_.size() && !IsLineEnd(text_[at_]); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        next_.is_closed = true;
        return true;
      }
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && !IsLineEnd(text_[at_ + 1]) ? 1 : 0;
    }
    at_ = EndOfOpenName(at_);
    return true;
  }

  /// Where a string ends that is open to the end of the line: before a colon and a bracket, if it
  /// is a name whose closing quote is missing.
  uint32_t EndOfOpenName(uint32_t line_end) const {
    const std::string_view inside = text_.substr(next_.begin + 1, line_end - next_.begin - 1);
    const size_t colon = inside.find(':');
    if (colon == std::string_view::npos ||
        !std::ranges::all_of(inside.substr(0, colon), ContinuesWord)) {
      return line_end;
    }
    const size_t value = inside.find_first_not_of(" \t", colon + 1);
    const bool is_container = value != std::string_view::npos &&
                              (inside[value] == '{' || inside[value] == '[') &&
                              inside.find_first_not_of(" \t", value + 1) == std::string_view::npos;
    return is_container ? next_.begin + 1 + static_cast<uint32_t>(colon) : line_end;
  }

  std::string_view text_;
  uint32_t at_ = 0;
  uint32_t indentation_ = 0;        // of the line that is read
  uint32_t name_end_ = UINT32_MAX;  // of the last word
  Token next_;
};

}  // namespace

/// Parses without recursion, as JsonParser does.
class IncompleteJsonParser {
 public:
  IncompleteJsonParser(std::string_view text, JsonDocument& document)
      : text_(text), document_(document), lexer_(text) {}

  void Parse() {
    if (lexer_.Peek().kind == TokenKind::kEnd) {
      return;
    }
    OpenRoot();
    while (lexer_.Peek().kind != TokenKind::kEnd && !is_too_deep_) {
      Take(lexer_.Read());
    }
    while (frames_.size() > 1) {
      Close();
    }
    document_.root_ = Finished();
  }

 private:
  static constexpr uint32_t kMaxDepth = 10000;
  static constexpr uint32_t kNoColumn = UINT32_MAX;
  enum class Want : uint8_t { kName, kColon, kValue, kComma };
  struct Frame {
    bool is_object = false;
    bool is_dropped = false;  // it stands where no value may
    Want want = Want::kValue;
    uint32_t begin = 0;
    uint32_t opening_indentation = 0;  // of the line that it begins on
    uint32_t column = kNoColumn;       // of names that begin lines
    size_t first_child = 0;            // in elements_ or members_
    JsonMember member;                 // whose value is read
  };

  void OpenRoot() {
    const Token first = lexer_.Peek();
    if (first.kind == TokenKind::kOpen) {
      return Open(lexer_.Read());
    }
    // The opening brace is missing.
    Open({.is_brace = true, .begin = first.begin, .end = first.begin + 1});
  }

  void Open(const Token& token) {
    if (frames_.size() >= kMaxDepth) {
      is_too_deep_ = true;
      return;
    }
    Frame frame{.is_object = token.is_brace,
                .want = token.is_brace ? Want::kName : Want::kValue,
                .begin = token.begin,
                .opening_indentation = token.indentation};
    if (!frames_.empty()) {
      Frame& around = frames_.back();
      frame.is_dropped =
          around.is_object && around.want != Want::kColon && around.want != Want::kValue;
      ++(token.is_brace ? objects_ : arrays_);
    }
    frame.first_child = frame.is_object ? members_.size() : elements_.size();
    frames_.push_back(frame);
    end_ = token.end;
  }

  void Take(const Token& token) {
    const bool is_name = token.kind == TokenKind::kString || token.kind == TokenKind::kWord;
    const bool has_colon = is_name && lexer_.Peek().kind == TokenKind::kColon;
    if (has_colon && token.is_first) {
      Align(token.indentation);
    }
    switch (token.kind) {
      case TokenKind::kOpen:
        return Open(token);
      case TokenKind::kClose:
        return CloseBy(token);
      case TokenKind::kColon:
        frames_.back().want =
            frames_.back().want == Want::kColon ? Want::kValue : frames_.back().want;
        break;
      case TokenKind::kComma:
        EndMember();
        break;
      case TokenKind::kString:
      case TokenKind::kWord:
        Scalar(token, has_colon);
        break;
      case TokenKind::kEnd:
        break;
    }
    end_ = token.end;
  }

  /// A name that begins a line at the indentation belongs to the object whose names do so.
  void Align(uint32_t indentation) {
    constexpr size_t kMostLevels = 64;  // so that the cost is linear
    bool is_inside = false;             // of an object with names that are indented more
    const size_t outermost = frames_.size() - std::min(frames_.size(), kMostLevels);
    for (size_t at = frames_.size(); at-- > outermost;) {
      const Frame& frame = frames_[at];
      if (!frame.is_object || frame.column == kNoColumn) {
        continue;
      }
      if (frame.column == indentation && (is_inside || frame.opening_indentation < indentation)) {
        while (frames_.size() > at + 1) {
          Close();
        }
      }
      if (frame.column <= indentation) {
        break;
      }
      is_inside = true;
    }
    if (frames_.back().is_object) {
      frames_.back().column = std::min(frames_.back().column, indentation);
    }
  }

  void Scalar(const Token& token, bool has_colon) {
    Frame& frame = frames_.back();
    if (!frame.is_object) {
      elements_.push_back(Node(token));
      return;
    }
    const bool is_value = (frame.want == Want::kColon && !has_colon && !token.is_first) ||
                          (frame.want == Want::kValue && !has_colon);
    if (is_value) {
      return Deliver(Node(token));
    }
    EndMember();
    const std::string_view name = token.kind == TokenKind::kString ? StringOf(token) : Raw(token);
    frame.member = {name, token.begin, token.end, {}};
    frame.want = Want::kColon;
  }

  /// A member without value has an invalid one behind its name.
  void EndMember() {
    Frame& frame = frames_.back();
    if (!frame.is_object) {
      return;
    }
    if (frame.want == Want::kColon || frame.want == Want::kValue) {
      JsonNode nothing;
      nothing.begin_ = nothing.end_ = std::max(end_, frame.member.name_end);
      Deliver(nothing);
    }
    frame.want = Want::kName;
  }

  /// The innermost container has one more child.
  void Deliver(const JsonNode& child) {
    Frame& frame = frames_.back();
    if (!frame.is_object) {
      elements_.push_back(child);
      return;
    }
    frame.member.value = child;
    members_.push_back(frame.member);
    frame.want = Want::kComma;
  }

  void CloseBy(const Token& token) {
    if ((token.is_brace ? objects_ : arrays_) > 0) {
      while (frames_.back().is_object != token.is_brace) {
        Close();
      }
      EndMember();
      end_ = token.end;
      return Close();
    }
    end_ = token.end;
  }

  void Close() {
    const bool is_object = frames_.back().is_object;
    const bool is_dropped = frames_.back().is_dropped;
    const JsonNode node = Finished();
    --(is_object ? objects_ : arrays_);
    if (!is_dropped) {
      Deliver(node);
    }
  }

  /// Takes the innermost container, which goes up to the place.
  JsonNode Finished() {
    EndMember();
    const Frame frame = frames_.back();
    frames_.pop_back();
    JsonNode node;
    node.begin_ = frame.begin;
    node.end_ = std::max(end_, frame.begin + 1);
    if (frame.is_object) {
      node.kind_ = JsonNode::Kind::kObject;
      SetChildren(node, members_, frame.first_child);
    } else {
      node.kind_ = JsonNode::Kind::kArray;
      SetChildren(node, elements_, frame.first_child);
    }
    return node;
  }

  template <typename T>
  void SetChildren(JsonNode& node, std::vector<T>& all, size_t first) {
    const std::span<const T> children = std::span<const T>(all).subspan(first);
    node.count_ = static_cast<uint32_t>(children.size());
    node.data_ = document_.arena_.CopySpan(children).data();
    all.resize(first);
  }

  std::string_view Raw(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }

  JsonNode Node(const Token& token) {
    JsonNode node;
    node.begin_ = token.begin;
    node.end_ = token.end;
    const std::string_view raw = Raw(token);
    if (token.kind == TokenKind::kString) {
      node.kind_ = JsonNode::Kind::kString;
      SetText(node, StringOf(token));
    } else if (raw == "null") {
      node.kind_ = JsonNode::Kind::kNull;
    } else if (raw == "true" || raw == "false") {
      node.kind_ = JsonNode::Kind::kBool;
      node.boolean_ = raw == "true";
    } else if (json::IsNumber(raw)) {
      node.kind_ = JsonNode::Kind::kNumber;
      SetText(node, raw);
    }
    return node;
  }

  static void SetText(JsonNode& node, std::string_view text) {
    node.data_ = text.data();
    node.count_ = static_cast<uint32_t>(text.size());
  }

  static std::string_view WithGoodEscapes(std::string_view content) {
    const char* const end = content.data() + content.size();
    size_t at = content.find('\\');
    while (at != std::string_view::npos) {
      const json::Passed escape = json::PassEscape(content.data() + at + 1, end);
      if (!escape.ok) {
        return content.substr(0, at);
      }
      at = content.find('\\', static_cast<size_t>(escape.at - content.data()));
    }
    return content;
  }

  /// What a string says, up to an escape that JSON does not have.
  std::string_view StringOf(const Token& token) {
    std::string_view content = Raw(token).substr(1);
    if (token.is_closed) {
      content.remove_suffix(1);
    }
    if (!token.is_well_formed) {
      content = WithGoodEscapes(content);
    }
    if (content.find('\\') == std::string_view::npos && text::IsUtf8(content)) {
      return content;
    }
    return document_.arena_.CopyString(json::DecodeString<json::Encoding::kUnchecked>(content));
  }

  std::string_view text_;
  JsonDocument& document_;
  Lexer lexer_;
  uint32_t end_ = 0;    // of the last token
  size_t objects_ = 0;  // that are open, without the outermost value
  size_t arrays_ = 0;
  bool is_too_deep_ = false;
  std::vector<Frame> frames_;
  std::vector<JsonNode> elements_;
  std::vector<JsonMember> members_;
};

JsonDocument ParseIncompleteJson(std::string_view text) {
  JsonDocument document;
  if (text.size() < UINT32_MAX) {
    IncompleteJsonParser(text, document).Parse();
  }
  return document;
}

}  // namespace kinu
