#include "install/hcl1.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "cty/json.h"
#include "text/quote.h"
#include "text/unicode.h"

namespace kinu::install {
namespace {

constexpr int kMaxNesting = 100;

bool IsIdentifierStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsIdentifierPart(char c) {
  return IsIdentifierStart(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}
bool IsNumberPart(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E' ||
         c == 'x' || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

Hcl1Value::Kind NumberKind(std::string_view text) {
  const bool is_hex = text.contains('x');
  return is_hex || text.find_first_of(".eE") == text.npos ? Hcl1Value::Kind::kNumber
                                                          : Hcl1Value::Kind::kFloat;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Hcl1Value> Parse() {
    Hcl1Value root;
    if (text_.starts_with("\xEF\xBB\xBF")) {
      ReportError("illegal char");
    }
    ParseItems(root, '\0', 0);
    if (!error_.empty()) {
      return Fail(ErrorCode::kInvalid, error_);
    }
    return root;
  }

 private:
  bool failed() const { return !error_.empty(); }
  /// The next character. `beyond` is what the reference adds at the end of a text.
  Hcl1Place Here(int beyond = 0) const {
    const std::string_view before = text_.substr(line_begin_, at_ - line_begin_);
    const auto columns = std::ranges::count_if(before, [](char c) { return (c & 0xC0) != 0x80; });
    return {line_, static_cast<int>(columns) + 1 + beyond};
  }
  void ReportError(std::string what, int beyond = 0) {
    if (error_.empty()) {
      error_ = "At " + Here(beyond).ToText() + ": " + std::move(what);
    }
    at_ = text_.size();
  }

  struct Token {
    std::string_view type;  ///< as in messages
    std::string_view text;
  };
  /// What begins at the next character.
  Token NextToken() const {
    const std::string_view rest = text_.substr(at_);
    if (rest.empty()) {
      return {"EOF", rest};
    }
    const auto first_of = [&](bool (*is_part)(char)) {
      const auto end = std::ranges::find_if_not(rest, is_part);
      return rest.substr(0, static_cast<size_t>(end - rest.begin()));
    };
    if (IsIdentifierStart(rest[0])) {
      const std::string_view word = first_of(IsIdentifierPart);
      return {word == "true" || word == "false" ? "BOOL" : "IDENT", word};
    }
    if ((rest[0] >= '0' && rest[0] <= '9')) {
      const std::string_view number = first_of(IsNumberPart);
      return {number.find_first_of(".eE") == number.npos ? "NUMBER" : "FLOAT", number};
    }
    constexpr std::pair<char, std::string_view> kTypes[] = {
        {'"', "STRING"}, {'<', "HEREDOC"}, {'[', "LBRACK"}, {']', "RBRACK"},
        {'{', "LBRACE"}, {'}', "RBRACE"},  {',', "COMMA"},  {'=', "ASSIGN"},
        {'+', "ADD"},    {'-', "SUB"},     {'.', "PERIOD"}};
    const auto* type =
        std::ranges::find(kTypes, rest[0], &std::pair<char, std::string_view>::first);
    return {type != std::end(kTypes) ? type->second : "ILLEGAL", rest.substr(0, 1)};
  }

  /// Reports an object that is not closed. The reference's scanner counts a column each time that
  /// it reads the end of a text: twice for the object, and where the last token has no end of its
  /// own.
  void ReportUnclosed() {
    const std::string_view line = text_.substr(line_begin_);
    int reads = 1;
    if (ends_in_comment_) {
      ++reads;
    } else if (!line.empty() && IsIdentifierPart(line.back())) {
      size_t begin = line.size();
      while (begin > 0 && IsIdentifierPart(line[begin - 1])) {
        --begin;
      }
      const std::string_view word = line.substr(begin);
      const bool is_whole = word != "0" && word.find_first_not_of("0123456789") == word.npos;
      reads += is_whole ? 2 : 1;
    }
    ReportError("object expected closing RBRACE got: EOF", reads);
  }

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void Advance() {
    if (text_[at_] == '\n') {
      ++line_;
      line_begin_ = at_ + 1;
    }
    ++at_;
  }

  void SkipSpace() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        Advance();
      } else if (c == '#' || text_.substr(at_).starts_with("//")) {
        while (at_ < text_.size() && text_[at_] != '\n') {
          ++at_;
        }
        ends_in_comment_ = at_ == text_.size();
      } else if (text_.substr(at_).starts_with("/*")) {
        size_t end = text_.find("*/", at_ + 2);
        if (end == text_.npos) {
          while (at_ < text_.size()) {
            Advance();
          }
          ReportError("comment not terminated");
          return;
        }
        while (at_ < end + 2) {
          Advance();
        }
      } else {
        return;
      }
    }
  }

  /// Reports an argument whose name another argument of the object has.
  void CheckNames(const Hcl1Item& item, std::set<std::string>& seen) {
    for (const Hcl1Key& key : item.keys) {
      if (item.assigned && !seen.insert(key.written).second && !failed()) {
        error_ = "The argument " + text::GoQuote(key.written) + " at " + key.place.ToText() +
                 " was already set. Each argument can only be defined once";
        at_ = text_.size();
      }
    }
  }

  void ParseItems(Hcl1Value& object, char close, int depth) {
    if (depth > kMaxNesting) {
      ReportError("objects are nested too deeply");
      return;
    }
    object.kind = Hcl1Value::Kind::kObject;
    std::set<std::string> seen;
    while (true) {
      SkipSpace();
      if (failed()) {
        return;
      }
      if (at_ >= text_.size()) {
        if (close != '\0') {
          ReportUnclosed();
        }
        return;
      }
      if (close != '\0' && Peek() == close) {
        Advance();
        return;
      }
      ParseItem(object.items.emplace_back(), depth);
      CheckNames(object.items.back(), seen);
      SkipSpace();
      if (Peek() == ',') {
        Advance();
      }
    }
  }

  void ParseItem(Hcl1Item& item, int depth) {
    while (!failed()) {
      SkipSpace();
      const bool first = item.keys.empty();
      const char c = Peek();
      if (c == '"' || IsIdentifierStart(c)) {
        item.keys.push_back(ParseKey());
      } else if (first && (c == '=' || c == '{')) {
        ReportError(c == '=' ? "no object keys found!" : "expected: IDENT | STRING got: LBRACE");
        return;
      } else if (first || (c != '=' && c != '{' && c != '}' && at_ < text_.size())) {
        ReportError("expected: IDENT | STRING | ASSIGN | LBRACE got: " +
                    std::string(NextToken().type));
        return;
      } else if (c == '=' && item.keys.size() > 1) {
        ReportError("nested object expected: LBRACE got: ASSIGN");
        return;
      } else if (c == '=') {
        Advance();
        SkipSpace();
        item.assigned = true;
        if (at_ < text_.size()) {  // an argument without a value ends the text
          ParseValue(item.value, depth);
        }
        return;
      } else if (c == '{') {
        item.value.place = Here();
        Advance();
        ParseItems(item.value, '}', depth + 1);
        return;
      } else {
        ReportKeysAlone(item);
        return;
      }
    }
  }

  /// Reports keys without a value. As above, a word or comment that ends the text ends a column
  /// later.
  void ReportKeysAlone(const Hcl1Item& item) {
    std::string keys;
    for (const Hcl1Key& key : item.keys) {
      keys += (keys.empty() ? "" : " ") + key.written;
    }
    const bool ends_late =
        at_ == text_.size() && (ends_in_comment_ || IsIdentifierPart(text_.back()));
    ReportError("key '" + keys + "' expected start of object ('{') or assignment ('=')",
                ends_late ? 1 : 0);
  }

  Hcl1Key ParseKey() {
    Hcl1Key key{.text = "", .written = "", .place = Here()};
    const size_t begin = at_;
    if (Peek() == '"') {
      key.text = ParseString();
    } else {
      while (IsIdentifierPart(Peek())) {
        key.text += Peek();
        Advance();
      }
    }
    key.written = text_.substr(begin, at_ - begin);
    return key;
  }

  void ParseValue(Hcl1Value& value, int depth) {
    if (depth > kMaxNesting) {
      ReportError("values are nested too deeply");
      return;
    }
    value.place = Here();
    const char c = Peek();
    if (c == '"') {
      value.kind = Hcl1Value::Kind::kString;
      value.text = ParseString();
    } else if (c == '{') {
      Advance();
      ParseItems(value, '}', depth + 1);
    } else if (c == '[') {
      Advance();
      ParseList(value, depth);
    } else if (text_.substr(at_).starts_with("<<")) {
      value.kind = Hcl1Value::Kind::kString;
      value.is_heredoc = true;
      value.text = ParseHeredoc();
    } else if ((c >= '0' && c <= '9') || c == '-' || c == '.') {
      while (IsNumberPart(Peek())) {
        value.text += Peek();
        Advance();
      }
      value.kind = NumberKind(value.text);
    } else if (const Token token = NextToken(); token.type == "BOOL") {
      value.kind = Hcl1Value::Kind::kBool;
      value.text = token.text;
      at_ += token.text.size();
    } else {
      ReportError("Unknown token: " + Here().ToText() + ' ' + std::string(token.type) + ' ' +
                  std::string(token.text));
    }
  }

  void ParseList(Hcl1Value& value, int depth) {
    value.kind = Hcl1Value::Kind::kList;
    while (true) {
      SkipSpace();
      const Token token = NextToken();
      if (token.type == "RBRACK") {
        Advance();
        return;
      }
      if (token.type == "EOF" || token.type == "IDENT" || token.type == "RBRACE" ||
          token.type == "ASSIGN") {
        ReportError("unexpected token while parsing list: " + std::string(token.type));
        return;
      }
      if (token.type == "COMMA") {
        Advance();
        continue;
      }
      ParseValue(value.list.emplace_back(), depth + 1);
      SkipSpace();
      if (failed()) {
        return;
      }
      if (Peek() == ',') {
        Advance();
      } else if (Peek() != ']' && token.type != "LBRACK") {
        ReportError("error parsing list, expected comma or list end, got: " +
                    std::string(NextToken().type));
        return;
      }
    }
  }

  /// Between "${" and its closing brace, quotes and line ends do not end a string, and escapes stay
  /// as they are.
  std::string ParseString() {
    std::string out;
    int braces = 0;
    Advance();
    while (true) {
      char c = Peek();
      if (at_ >= text_.size() || (c == '\n' && braces == 0)) {
        ReportError("literal not terminated");
        return out;
      }
      Advance();
      if (braces > 0 || (c == '$' && Peek() == '{')) {
        if (c == '{') {
          ++braces;
        } else if (c == '}') {
          --braces;
        }
        out += c;
        if (braces == 0 && c == '$') {
          braces = 1;
          out += Peek();
          Advance();
        }
        continue;
      }
      if (c == '"') {
        return out;
      }
      if (c != '\\') {
        out += c;
        continue;
      }
      ParseEscape(out);
    }
  }

  /// Reads what follows a backslash.
  void ParseEscape(std::string& out) {
    struct Digits {
      char letter;
      size_t count;
    };
    constexpr Digits kHex[] = {{'x', 2}, {'u', 4}, {'U', 8}};
    constexpr std::string_view kLetters = "abfnrtv\\\"";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\\"";
    const char letter = Peek();
    if (const size_t at = kLetters.find(letter); letter != '\0' && at != kLetters.npos) {
      Advance();
      out += kMeanings[at];
      return;
    }
    const auto* hex = std::ranges::find(kHex, letter, &Digits::letter);
    const bool is_hex = hex != std::end(kHex);
    const std::string_view digits =
        text_.substr(at_ + (is_hex ? 1 : 0)).substr(0, is_hex ? hex->count : 3);
    uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hex ? 16 : 8);
    if (error != std::errc() || end != digits.data() + digits.size() ||
        digits.size() != (is_hex ? hex->count : 3)) {
      ReportError("illegal char escape");
      return;
    }
    at_ += digits.size() + (is_hex ? 1 : 0);
    if (letter == 'u' || letter == 'U') {
      text::AppendUtf8(out, code);
    } else {
      out += static_cast<char>(code);
    }
  }

  std::string ParseHeredoc() {
    at_ += 2;
    bool indented = Peek() == '-';
    if (indented) {
      Advance();
    }
    size_t line_end = text_.find('\n', at_);
    if (line_end == text_.npos) {
      ReportError("heredoc not terminated");
      return {};
    }
    std::string_view mark = text_.substr(at_, line_end - at_);
    if (mark.ends_with('\r')) {
      mark.remove_suffix(1);
    }
    at_ = line_end;
    Advance();
    std::string out;
    while (at_ < text_.size()) {
      size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      std::string_view trimmed = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
      at_ = end;
      if (at_ < text_.size()) {
        Advance();
      }
      if (trimmed == mark || trimmed == std::string(mark) + '\r') {
        return out;
      }
      out.append(indented ? trimmed : line).push_back('\n');
    }
    ReportError("heredoc not terminated");
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t line_begin_ = 0;
  int line_ = 1;
  bool ends_in_comment_ = false;
  std::string error_;
};

/// Adds a member of a JSON object. A list of objects stands for repeated blocks.
void AddItems(std::string_view key, Hcl1Value value, Hcl1Value& out) {
  const bool is_repeated = value.kind == Hcl1Value::Kind::kList && !value.list.empty() &&
                           std::ranges::all_of(value.list, &Hcl1Value::is_object);
  std::vector<Hcl1Value> single;
  if (!is_repeated) {
    single.push_back(std::move(value));
  }
  // NOLINTNEXTLINE(bugprone-use-after-move): it was not moved if it is repeated
  for (Hcl1Value& each : is_repeated ? value.list : single) {
    Hcl1Item item;
    item.keys.push_back({.text = std::string(key), .written = "", .place = {}});
    item.assigned = true;
    item.value = std::move(each);
    out.items.push_back(std::move(item));
  }
}

/// The JSON reader has limited the depth.
Hcl1Value FromJson(const Value& json) {
  Hcl1Value out;
  if (json.IsNull()) {
    out.kind = Hcl1Value::Kind::kString;
    return out;
  }
  switch (json.kind()) {
    case TypeKind::kObject:
    case TypeKind::kMap:
      for (size_t i = 0; i < json.size(); ++i) {
        AddItems(json.key(i), FromJson(json.elements()[i]), out);
      }
      break;
    case TypeKind::kTuple:
    case TypeKind::kList:
    case TypeKind::kSet:
      out.kind = Hcl1Value::Kind::kList;
      for (const Value& element : json.elements()) {
        out.list.push_back(FromJson(element));
      }
      break;
    case TypeKind::kBool:
      out.kind = Hcl1Value::Kind::kBool;
      out.text = json.AsBool() ? "true" : "false";
      break;
    case TypeKind::kNumber:
      out.text = json.AsNumber().ToText();
      out.kind = NumberKind(out.text);
      break;
    default:
      out.kind = Hcl1Value::Kind::kString;
      out.text = json.AsString();
      break;
  }
  return out;
}

}  // namespace

const Hcl1Value* Hcl1Value::Find(std::string_view key) const {
  const Hcl1Value* found = nullptr;
  for (const Hcl1Item& item : items) {
    if (item.keys.size() == 1 && item.key() == key) {
      found = &item.value;
    }
  }
  return found;
}

Result<Hcl1Value> ParseHcl1(std::string_view text) {
  return Parser(text).Parse();
}

Result<Hcl1Value> ParseHcl1Json(std::string_view text) {
  auto type = ImpliedTypeOfJson(text);
  if (!type) {
    return Fail(ErrorCode::kInvalid, type.error().ToText());
  }
  auto value = ValueFromJson(text, *type);
  if (!value) {
    return Fail(ErrorCode::kInvalid, value.error().ToText());
  }
  if (!type->is_object()) {
    return Fail(ErrorCode::kInvalid, "an object is expected at the top");
  }
  return FromJson(*value);
}

namespace {

/// Adds an item, or what it stands for: one item for each member of an object of objects.
void AddFlattened(Hcl1Item item, std::vector<Hcl1Item>& out) {
  std::vector<Hcl1Item>& members = item.value.items;
  const bool stands_for_members =
      item.value.is_object() && !members.empty() &&
      std::ranges::all_of(members, [](const Hcl1Item& member) { return member.value.is_object(); });
  if (!stands_for_members) {
    item.value = FlattenedHcl1(std::move(item.value));
    out.push_back(std::move(item));
    return;
  }
  for (Hcl1Item& member : members) {
    member.keys.insert(member.keys.begin(), item.keys.begin(), item.keys.end());
    AddFlattened(std::move(member), out);
  }
}

}  // namespace

Hcl1Value FlattenedHcl1(Hcl1Value root) {
  std::vector<Hcl1Item> items;
  for (Hcl1Item& item : root.items) {
    AddFlattened(std::move(item), items);
  }
  root.items = std::move(items);
  return root;
}

std::string Hcl1Place::ToText() const {
  return line == 0 ? "-" : std::to_string(line) + ':' + std::to_string(column);
}

}  // namespace kinu::install
