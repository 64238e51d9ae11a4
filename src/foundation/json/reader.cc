#include "json/reader.h"

#include <array>
#include <utility>

#include "json/lex.h"
#include "text/quote.h"
#include "text/suggest.h"
#include "text/unicode.h"

namespace kinu {
namespace {

enum class TokenKind : uint8_t {
  kBraceOpen,
  kBraceClose,
  kBracketOpen,
  kBracketClose,
  kComma,
  kColon,
  kEquals,
  kKeyword,
  kString,
  kNumber,
  kInvalid,
  kEnd,
};

enum class StringForm : uint8_t {
  kPlain,    // closed, ASCII, without escapes
  kEncoded,  // closed and well formed
  kBroken,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t begin = 0;
  uint32_t end = 0;
  StringForm form = StringForm::kBroken;  ///< of a string
};

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool StartsNumber(char c) {
  return json::IsDigit(c) || c == '-' || c == '+' || c == '.';
}
bool ContinuesNumber(char c) {
  return StartsNumber(c) || c == 'e' || c == 'E';
}

// Cuts the text into tokens, generously: what a token holds is checked by the parser. After a byte
// that starts no token there is only the end.
// Ref: hcl json/scanner.go.
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
    if (!stopped_) {
      MoveTo(json::SkipSpace(here(), end()));
    }
    next_.begin = static_cast<uint32_t>(pos_);
    next_.kind = Scan();
    next_.end = static_cast<uint32_t>(pos_);
  }

  TokenKind Scan() {
    if (stopped_ || pos_ >= text_.size()) {
      return TokenKind::kEnd;
    }
    const char c = text_[pos_];
    if (c == '"') {
      ScanString();
      return TokenKind::kString;
    }
    if (StartsNumber(c)) {
      SkipWhile(ContinuesNumber);
      return TokenKind::kNumber;
    }
    if (IsLetter(c)) {
      SkipWhile([](char each) { return IsLetter(each) || each == '_'; });
      return TokenKind::kKeyword;
    }
    ++pos_;
    switch (c) {
      case '{':
        return TokenKind::kBraceOpen;
      case '}':
        return TokenKind::kBraceClose;
      case '[':
        return TokenKind::kBracketOpen;
      case ']':
        return TokenKind::kBracketClose;
      case ',':
        return TokenKind::kComma;
      case ':':
        return TokenKind::kColon;
      case '=':
        return TokenKind::kEquals;
      default:
        stopped_ = true;
        return TokenKind::kInvalid;
    }
  }

  template <typename F>
  void SkipWhile(F&& wanted) {
    while (pos_ < text_.size() && wanted(text_[pos_])) {
      ++pos_;
    }
  }

  void ScanString() {
    ++pos_;
    constexpr uint8_t kStops = json::kStringStops | json::kNonAscii;
    const char* const stop = json::FindByte<kStops>(here(), end());
    if (stop < end() && *stop == '"') {
      next_.form = StringForm::kPlain;
      MoveTo(stop + 1);
      return;
    }
    const json::Passed string = json::PassString(stop, end());
    if (string.ok) {
      next_.form = StringForm::kEncoded;
      MoveTo(string.at);
      return;
    }
    next_.form = StringForm::kBroken;
    ScanBrokenString();
  }

  // Such a string ends behind the first quote that has no backslash before it, or before a control
  // character.
  void ScanBrokenString() {
    bool escaping = false;
    while (pos_ < text_.size()) {
      const char c = text_[pos_];
      if (static_cast<unsigned char>(c) < 0x20) {
        return;
      }
      ++pos_;
      if (c == '"' && !escaping) {
        return;
      }
      escaping = c == '\\' && !escaping;
    }
  }

  const char* here() const { return text_.data() + pos_; }
  const char* end() const { return text_.data() + text_.size(); }
  void MoveTo(const char* at) { pos_ = static_cast<size_t>(at - text_.data()); }

  std::string_view text_;
  size_t pos_ = 0;
  bool stopped_ = false;
  Token next_;
};

std::string_view PlainMessage(JsonProblemKind kind) {
  using enum JsonProblemKind;
  switch (kind) {
    case kMissingValue:
    case kMissingElement:
    case kInvalidStart:
      return "expected a value: an object, an array, a string, a number, true, false or null";
    case kUnexpectedEnd:
      return "the JSON text ends where a value is expected";
    case kInvalidName:
      return "the name of an object member must be a string in double quotes";
    case kMissingObjectValue:
      return "this name has no value; a colon and a value must follow a member's name";
    case kEqualsSign:
      return "JSON separates a member's name from its value by a colon, not by an equals sign";
    case kMissingColon:
      return "expected a colon between a member's name and its value";
    case kTrailingCommaInObject:
      return "JSON allows no comma after the last member of an object";
    case kUnclosedObject:
      return "this object has no closing brace";
    case kObjectClosedByBracket:
      return "an object must be closed by a brace, not by a bracket";
    case kMissingCommaInObject:
      return "expected a comma between two members of an object";
    case kTrailingCommaInArray:
      return "JSON allows no comma after the last element of an array";
    case kColonInArray:
      return "an array has no names: a colon is not allowed between its elements";
    case kUnclosedArray:
      return "this array has no closing bracket";
    case kArrayClosedByBrace:
      return "an array must be closed by a bracket, not by a brace";
    case kMissingCommaInArray:
      return "expected a comma between two elements of an array";
    case kInvalidNumber:
      return "this is not a number that JSON allows";
    case kInvalidString:
      return "this string is not closed or has an escape that JSON does not have";
    case kInvalidKeyword:
      return "not a JSON keyword";
    case kExtraneousData:
      return "there is more text after the end of the JSON value";
    case kTooDeep:
      return "arrays and objects are nested too deeply";
    case kTooLarge:
      return "the JSON text is too large";
  }
  return {};
}

std::string KeywordMessage(std::string_view word) {
  constexpr std::array<std::string_view, 3> kKeywords = {"false", "true", "null"};
  std::string message = text::GoQuote(word);
  if (word == "undefined" || word == "NaN" || word == "Infinity") {
    message += " exists in JavaScript but not in JSON";
    return message;
  }
  message += " is not a JSON keyword";
  const std::string_view suggestion = text::SuggestName(word, kKeywords);
  if (!suggestion.empty()) {
    message += "; did you mean ";
    message += suggestion;
    message += '?';
  }
  return message;
}

}  // namespace

// Parses without recursion: open brackets are frames, finished children wait in two stacks until
// their container closes.
//
// Recovery is the reference's: a value that cannot be read becomes an invalid node and its
// container goes on behind it; a broken container skips to what looks like its end.
class JsonParser {
 public:
  JsonParser(std::string_view text, JsonOptions options, JsonDocument& document)
      : text_(text), options_(options), document_(document), lexer_(text) {}

  void Parse() {
    Value();
    while (!frames_.empty() && !stopped_) {
      if (have_done_) {
        Deliver();
      } else {
        Next();
      }
    }
    if (stopped_) {
      document_.root_ = JsonNode();
      return;
    }
    document_.root_ = done_;
    if (document_.problems_.empty() && lexer_.Peek().kind != TokenKind::kEnd) {
      Problem(JsonProblemKind::kExtraneousData, lexer_.Peek());
    }
  }

 private:
  struct Frame {
    Token open;
    bool is_object = false;
    bool want_name = false;  // the child being parsed is a member's name
    size_t first_child = 0;  // in elements_ or members_
    JsonMember member;       // whose value is being parsed
  };

  void Problem(JsonProblemKind kind, const Token& token, std::string message = {}) {
    if (message.empty()) {
      message = PlainMessage(kind);
    }
    document_.problems_.push_back({kind, token.begin, token.end, 0, 0, std::move(message)});
    stopped_ = stopped_ || !options_.recover;
  }

  static JsonNode Node(JsonNode::Kind kind, const Token& token) {
    JsonNode node;
    node.kind_ = kind;
    node.begin_ = token.begin;
    node.end_ = token.end;
    return node;
  }

  void Finish(const JsonNode& node) {
    done_ = node;
    have_done_ = true;
  }
  void FinishInvalid(const Token& token) { Finish(Node(JsonNode::Kind::kInvalid, token)); }

  void Fail(JsonProblemKind kind, const Token& token, std::string message = {}) {
    Problem(kind, token, std::move(message));
    FinishInvalid(token);
  }

  // Starts a value: scalars are done at once, brackets open a frame.
  void Value() {
    const Token token = lexer_.Peek();
    switch (token.kind) {
      case TokenKind::kBraceOpen:
      case TokenKind::kBracketOpen:
        Open(lexer_.Read());
        return;
      case TokenKind::kNumber:
        Number(lexer_.Read());
        return;
      case TokenKind::kString:
        String(lexer_.Read());
        return;
      case TokenKind::kKeyword:
        Keyword(lexer_.Read());
        return;
      case TokenKind::kBraceClose:
        Fail(JsonProblemKind::kMissingValue, token);
        return;
      case TokenKind::kBracketClose:
        Fail(JsonProblemKind::kMissingElement, token);
        return;
      case TokenKind::kEnd:
        Fail(JsonProblemKind::kUnexpectedEnd, token);
        return;
      default:
        Fail(JsonProblemKind::kInvalidStart, token);
        return;
    }
  }

  std::string_view TextOf(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }

  void SetText(JsonNode& node, std::string_view text) {
    node.data_ = text.data();
    node.count_ = static_cast<uint32_t>(text.size());
  }

  void Number(const Token& token) {
    if (!json::IsNumber(TextOf(token))) {
      Fail(JsonProblemKind::kInvalidNumber, token);
      return;
    }
    JsonNode node = Node(JsonNode::Kind::kNumber, token);
    SetText(node, TextOf(token));
    Finish(node);
  }

  void String(const Token& token) {
    const std::string_view raw = TextOf(token);
    if (token.form == StringForm::kBroken) {
      BrokenString(token);
      return;
    }
    const std::string_view content = raw.substr(1, raw.size() - 2);
    const bool as_is = token.form == StringForm::kPlain ||
                       (content.find('\\') == std::string_view::npos && text::IsUtf8(content));
    JsonNode node = Node(JsonNode::Kind::kString, token);
    SetText(node, as_is ? content
                        : document_.arena_.CopyString(
                              json::DecodeString<json::Encoding::kUnchecked>(content)));
    Finish(node);
  }

  // The problem is one behind the wrong byte, as Go's scanner counts, or behind the token when it
  // ends too early. Ref: hcl json/parser.go.
  void BrokenString(const Token& token) {
    const std::string_view raw = TextOf(token);
    const char* const end = raw.data() + raw.size();
    const json::Passed string = json::PassString(raw.data() + 1, end);
    const auto begin =
        static_cast<uint32_t>(token.begin + json::ErrorOffset(raw.data(), string.at, end));
    Problem(JsonProblemKind::kInvalidString, {TokenKind::kString, begin, begin + 1});
    document_.problems_.back().context_begin = token.begin;
    document_.problems_.back().context_end = token.end;
    FinishInvalid(token);
  }

  void Keyword(const Token& token) {
    const std::string_view word = TextOf(token);
    if (word == "null") {
      Finish(Node(JsonNode::Kind::kNull, token));
      return;
    }
    if (word == "true" || word == "false") {
      JsonNode node = Node(JsonNode::Kind::kBool, token);
      node.boolean_ = word == "true";
      Finish(node);
      return;
    }
    Fail(JsonProblemKind::kInvalidKeyword, token, KeywordMessage(word));
  }

  void Open(const Token& open) {
    if (frames_.size() >= options_.max_depth) {
      // No recovery: whatever follows is nested as deeply.
      Problem(JsonProblemKind::kTooDeep, open);
      stopped_ = true;
      return;
    }
    Frame frame;
    frame.open = open;
    frame.is_object = open.kind == TokenKind::kBraceOpen;
    frame.first_child = frame.is_object ? members_.size() : elements_.size();
    frames_.push_back(frame);
  }

  // The next child of the innermost container, or its end.
  void Next() {
    Frame& frame = frames_.back();
    const TokenKind close = frame.is_object ? TokenKind::kBraceClose : TokenKind::kBracketClose;
    if (lexer_.Peek().kind == close) {
      Close(lexer_.Read());
      return;
    }
    if (frame.is_object && lexer_.Peek().kind == TokenKind::kString &&
        lexer_.Peek().form == StringForm::kPlain) {
      const Token name = lexer_.Read();
      MemberNamed(frame, TextOf(name).substr(1, name.end - name.begin - 2), name.begin, name.end);
      return;
    }
    frame.want_name = frame.is_object;
    Value();
  }

  // Adds a finished child to the innermost container.
  void Deliver() {
    have_done_ = false;
    Frame& frame = frames_.back();
    if (!frame.is_object) {
      elements_.push_back(done_);
      AfterElement();
      return;
    }
    if (frame.want_name) {
      frame.want_name = false;
      AfterName();
      return;
    }
    frame.member.value = done_;
    members_.push_back(frame.member);
    AfterMember();
  }

  void AfterName() {
    Frame& frame = frames_.back();
    if (!done_.is_string()) {
      const bool container = done_.is_array() || done_.is_object();
      Token start = {TokenKind::kInvalid, done_.begin(), done_.end()};
      start.end = container ? start.begin + 1 : start.end;
      Abandon(JsonProblemKind::kInvalidName, start);
      return;
    }
    MemberNamed(frame, done_.text(), done_.begin(), done_.end());
  }

  // Behind the name of a member: its colon and value.
  void MemberNamed(Frame& frame, std::string_view name, uint32_t begin, uint32_t end) {
    frame.member = {name, begin, end, {}};
    const Token colon = lexer_.Read();
    if (colon.kind == TokenKind::kColon) {
      Value();
      return;
    }
    SkipToEnd(colon, TokenKind::kBraceOpen, TokenKind::kBraceClose);
    if (colon.kind == TokenKind::kBraceClose || colon.kind == TokenKind::kComma) {
      Abandon(JsonProblemKind::kMissingObjectValue, colon);
    } else if (colon.kind == TokenKind::kEquals) {
      Abandon(JsonProblemKind::kEqualsSign, colon);
    } else {
      Abandon(JsonProblemKind::kMissingColon, colon);
    }
  }

  void AfterMember() {
    switch (lexer_.Peek().kind) {
      case TokenKind::kComma: {
        const Token comma = lexer_.Read();
        if (lexer_.Peek().kind == TokenKind::kBraceClose) {
          Abandon(JsonProblemKind::kTrailingCommaInObject, comma);
        }
        return;
      }
      case TokenKind::kBraceClose:
        return;
      case TokenKind::kEnd:
        Abandon(JsonProblemKind::kUnclosedObject, frames_.back().open);
        return;
      case TokenKind::kBracketClose:
        AbandonBehind(JsonProblemKind::kObjectClosedByBracket, lexer_.Read());
        return;
      default: {
        const Token wrong = lexer_.Read();
        SkipToEnd(wrong, TokenKind::kBraceOpen, TokenKind::kBraceClose);
        AbandonBehind(JsonProblemKind::kMissingCommaInObject, wrong);
        return;
      }
    }
  }

  void AfterElement() {
    JsonProblemKind kind = JsonProblemKind::kMissingCommaInArray;
    switch (lexer_.Peek().kind) {
      case TokenKind::kComma: {
        const Token comma = lexer_.Read();
        if (lexer_.Peek().kind == TokenKind::kBracketClose) {
          Abandon(JsonProblemKind::kTrailingCommaInArray, comma);
        }
        return;
      }
      case TokenKind::kBracketClose:
        return;
      case TokenKind::kEnd:
        Abandon(JsonProblemKind::kUnclosedArray, frames_.back().open);
        return;
      case TokenKind::kColon:
        kind = JsonProblemKind::kColonInArray;
        break;
      case TokenKind::kBraceClose:
        kind = JsonProblemKind::kArrayClosedByBrace;
        break;
      default:
        break;
    }
    const Token wrong = lexer_.Read();
    SkipToEnd(wrong, TokenKind::kBracketOpen, TokenKind::kBracketClose);
    AbandonBehind(kind, wrong);
  }

  // From `token` on, skips to the bracket that closes the innermost container, and past it.
  void SkipToEnd(Token token, TokenKind open, TokenKind close) {
    if (!options_.recover) {
      return;
    }
    for (int depth = 1;; token = lexer_.Read()) {
      if (token.kind == open) {
        ++depth;
      } else if (token.kind == close && --depth <= 1) {
        return;
      } else if (token.kind == TokenKind::kEnd) {
        return;
      }
    }
  }

  // Reports a problem of the innermost container and puts an invalid value in its place.
  void Abandon(JsonProblemKind kind, const Token& token) {
    Problem(kind, token);
    const Frame frame = frames_.back();
    DropChildren(frame);
    frames_.pop_back();
    FinishInvalid(frame.open);
  }

  // As Abandon. When recovering, the reference points behind what it has skipped.
  void AbandonBehind(JsonProblemKind kind, const Token& wrong) {
    Abandon(kind, options_.recover ? lexer_.Peek() : wrong);
  }

  void DropChildren(const Frame& frame) {
    if (frame.is_object) {
      members_.resize(frame.first_child);
    } else {
      elements_.resize(frame.first_child);
    }
  }

  void Close(const Token& close) {
    const Frame& frame = frames_.back();
    const Token whole = {frame.open.kind, frame.open.begin, close.end};
    JsonNode node;
    if (frame.is_object) {
      node = Node(JsonNode::Kind::kObject, whole);
      SetChildren(node, std::span<const JsonMember>(members_).subspan(frame.first_child));
    } else {
      node = Node(JsonNode::Kind::kArray, whole);
      SetChildren(node, std::span<const JsonNode>(elements_).subspan(frame.first_child));
    }
    DropChildren(frame);
    frames_.pop_back();
    Finish(node);
  }

  template <typename T>
  void SetChildren(JsonNode& node, std::span<const T> children) {
    node.data_ = document_.arena_.CopySpan(children).data();
    node.count_ = static_cast<uint32_t>(children.size());
  }

  std::string_view text_;
  JsonOptions options_;
  JsonDocument& document_;
  Lexer lexer_;
  std::vector<Frame> frames_;
  std::vector<JsonNode> elements_;
  std::vector<JsonMember> members_;
  JsonNode done_;           // the value that was finished last
  bool have_done_ = false;  // and not yet delivered
  bool stopped_ = false;

  friend JsonDocument ParseJson(std::string_view text, JsonOptions options);
  static JsonDocument TooLarge() {
    JsonDocument document;
    document.problems_.push_back({JsonProblemKind::kTooLarge, 0, 0, 0, 0,
                                  std::string(PlainMessage(JsonProblemKind::kTooLarge))});
    return document;
  }
};

const JsonNode* JsonNode::Find(std::string_view name) const {
  const JsonNode* found = nullptr;
  for (const JsonMember& member : members()) {
    if (member.name == name) {
      found = &member.value;
    }
  }
  return found;
}

std::string JsonNode::TextOf(std::string_view name) const {
  const JsonNode* found = is_object() ? Find(name) : nullptr;
  return found != nullptr && found->is_string() ? std::string(found->text()) : std::string();
}

std::string JsonNode::ScalarOf(std::string_view name) const {
  const JsonNode* found = is_object() ? Find(name) : nullptr;
  return found != nullptr && (found->is_string() || found->is_number()) ? std::string(found->text())
                                                                        : std::string();
}

JsonDocument ParseJson(std::string_view text, JsonOptions options) {
  if (text.size() >= UINT32_MAX) {
    return JsonParser::TooLarge();
  }
  JsonDocument document;
  JsonParser(text, options, document).Parse();
  return document;
}

}  // namespace kinu
