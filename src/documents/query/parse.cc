// A recursive-descent parser. Ref: RFC 9535, appendix A; well-typedness: section 2.4.3.
#include <charconv>
#include <utility>

#include "query/functions.h"
#include "query/selector.h"
#include "text/unicode.h"

namespace kinu::query {
namespace {

/// Limit of the nesting of parentheses, filters and arguments.
constexpr int kMostNesting = 200;
/// Limit of integers, which must be exact in I-JSON. Ref: RFC 9535, section 2.1.
constexpr int64_t kMostInteger = (int64_t{1} << 53) - 1;

using ExpressionPtr = std::unique_ptr<Expression>;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsNameStart(unsigned char c) {
  return c >= 0x80 || c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}
bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::expected<Query, SelectorError> Parse() {
    Query query;
    const size_t invalid = text::FindInvalidUtf8(text_);
    if (invalid < text_.size()) {
      return std::unexpected(SelectorError{invalid, "the selector is not UTF-8"});
    }
    if (!Accept('$')) {
      Fail("a selector begins with $");
    } else if (ParseSegments(query) && at_ < text_.size()) {
      Fail(IsSpace(text_[at_]) ? "white space behind the selector"
                               : "a segment begins with ., .. or [");
    }
    if (error_) {
      return std::unexpected(*std::move(error_));
    }
    return query;
  }

 private:
  static bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  bool Fail(std::string message) { return FailAt(at_, std::move(message)); }
  bool FailAt(size_t offset, std::string message) {
    if (!error_) {
      error_ = SelectorError{offset, std::move(message)};
    }
    return false;
  }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Accept(char c) {
    if (Peek() != c || at_ >= text_.size()) {
      return false;
    }
    ++at_;
    return true;
  }
  bool Accept(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) {
      return false;
    }
    at_ += word.size();
    return true;
  }
  void SkipSpace() {
    while (at_ < text_.size() && IsSpace(text_[at_])) {
      ++at_;
    }
  }

  bool ParseSegments(Query& query) {
    for (;;) {
      const size_t before = at_;
      SkipSpace();
      if (Peek() != '.' && Peek() != '[') {
        at_ = before;
        return true;
      }
      Segment segment;
      if (Accept("..")) {
        segment.descendant = true;
        if (Peek() != '[' && !ParseShorthand(segment)) {
          return false;
        }
      } else if (Accept('.') && !ParseShorthand(segment)) {
        return false;
      }
      if (segment.selectors.empty() && !ParseBracketed(segment)) {
        return false;
      }
      query.segments.push_back(std::move(segment));
    }
  }

  /// Reads `*` or a name without quotes.
  bool ParseShorthand(Segment& segment) {
    Selector selector;
    if (!Accept('*')) {
      const size_t begin = at_;
      while (at_ < text_.size() && (IsNameStart(static_cast<unsigned char>(text_[at_])) ||
                                    (at_ > begin && IsDigit(text_[at_])))) {
        ++at_;
      }
      if (at_ == begin) {
        return Fail("a name or * is expected");
      }
      selector.kind = Selector::Kind::kName;
      selector.name = text_.substr(begin, at_ - begin);
    }
    segment.selectors.push_back(std::move(selector));
    return true;
  }

  bool ParseBracketed(Segment& segment) {
    if (!Accept('[')) {
      return Fail("[ is expected");
    }
    do {
      SkipSpace();
      Selector selector;
      if (!ParseOneSelector(selector)) {
        return false;
      }
      segment.selectors.push_back(std::move(selector));
      SkipSpace();
    } while (Accept(','));
    return Accept(']') || Fail("] or , is expected");
  }

  bool ParseOneSelector(Selector& selector) {
    const char c = Peek();
    if (c == '\'' || c == '"') {
      selector.kind = Selector::Kind::kName;
      return ParseQuotedText(selector.name);
    }
    if (Accept('*')) {
      return true;
    }
    if (Accept('?')) {
      selector.kind = Selector::Kind::kFilter;
      SkipSpace();
      if (!EnterNesting()) {
        return false;
      }
      selector.filter = ParseOr();
      --nesting_;
      return selector.filter != nullptr && CheckLogical(*selector.filter);
    }
    if (c == ':' || c == '-' || IsDigit(c)) {
      return ParseIndexOrSlice(selector);
    }
    return Fail("a name in quotes, an index, a slice, * or a filter is expected");
  }

  bool ParseIndexOrSlice(Selector& selector) {
    std::optional<int64_t> start;
    if (Peek() != ':' && !ParseInteger(start)) {
      return false;
    }
    const size_t before = at_;
    SkipSpace();
    if (!Accept(':')) {
      at_ = before;
      selector.kind = Selector::Kind::kIndex;
      selector.index = *start;
      return true;
    }
    selector.kind = Selector::Kind::kSlice;
    selector.start = start;
    SkipSpace();
    if ((Peek() == '-' || IsDigit(Peek())) && !ParseInteger(selector.end)) {
      return false;
    }
    const size_t after_end = at_;
    SkipSpace();
    if (!Accept(':')) {
      at_ = after_end;
      return true;
    }
    const size_t after_colon = at_;
    SkipSpace();
    std::optional<int64_t> step;
    if (Peek() != '-' && !IsDigit(Peek())) {
      at_ = after_colon;
      return true;
    }
    if (!ParseInteger(step)) {
      return false;
    }
    selector.step = *step;
    return true;
  }

  bool ParseInteger(std::optional<int64_t>& out) {
    const size_t begin = at_;
    Accept('-');
    const size_t digits = at_;
    while (IsDigit(Peek())) {
      ++at_;
    }
    const std::string_view text = text_.substr(begin, at_ - begin);
    if (digits == at_) {
      return Fail("a digit is expected");
    }
    if (text_[digits] == '0' && (at_ > digits + 1 || digits > begin)) {
      return FailAt(begin, "an integer is written without leading zeros, and zero without sign");
    }
    int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{} || value > kMostInteger || value < -kMostInteger) {
      return FailAt(begin, "an integer lies between -(2^53-1) and 2^53-1");
    }
    out = value;
    return true;
  }

  /// Reads four hexadecimal digits.
  bool ParseHexUnit(uint32_t& unit) {
    const std::string_view digits = text_.substr(at_, 4);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
    if (digits.size() < 4 || result.ptr != digits.data() + 4) {
      return Fail("four hexadecimal digits are expected");
    }
    at_ += 4;
    return true;
  }

  bool ParseEscape(char quote, std::string& out) {
    const size_t begin = at_ - 1;
    const char c = Peek();
    ++at_;
    switch (c) {
      case 'b':
        out += '\b';
        return true;
      case 'f':
        out += '\f';
        return true;
      case 'n':
        out += '\n';
        return true;
      case 'r':
        out += '\r';
        return true;
      case 't':
        out += '\t';
        return true;
      case '/':
      case '\\':
        out += c;
        return true;
      case 'u':
        break;
      default:
        if (c == quote) {
          out += c;
          return true;
        }
        return FailAt(begin, "invalid escape");
    }
    uint32_t unit = 0;
    if (!ParseHexUnit(unit)) {
      return false;
    }
    if (text::IsHighSurrogate(unit)) {
      uint32_t low = 0;
      if (!Accept("\\u") || !ParseHexUnit(low) || !text::IsLowSurrogate(low)) {
        error_.reset();
        return FailAt(begin, "a high surrogate must be followed by a low one");
      }
      unit = text::JoinSurrogates(unit, low);
    } else if (text::IsLowSurrogate(unit)) {
      return FailAt(begin, "a low surrogate must follow a high one");
    }
    text::AppendUtf8(out, unit);
    return true;
  }

  bool ParseQuotedText(std::string& out) {
    const size_t begin = at_;
    const char quote = text_[at_++];
    for (;;) {
      if (at_ >= text_.size()) {
        return FailAt(begin, "the closing quote is missing");
      }
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) {
        return Fail("control characters must be escaped");
      }
      ++at_;
      if (c == quote) {
        return true;
      }
      if (c != '\\') {
        out += c;
      } else if (!ParseEscape(quote, out)) {
        return false;
      }
    }
  }

  // --- Filters ---

  bool EnterNesting() {
    return ++nesting_ <= kMostNesting || Fail("the selector is nested too deep");
  }

  ExpressionPtr NewExpression(Expression::Kind kind, size_t offset) {
    auto expression = std::make_unique<Expression>();
    expression->kind = kind;
    expression->offset = offset;
    return expression;
  }

  ExpressionPtr ParseChain(Expression::Kind kind, std::string_view word,
                           ExpressionPtr (Parser::*part)()) {
    const size_t begin = at_;
    ExpressionPtr first = (this->*part)();
    ExpressionPtr joined;
    for (;;) {
      if (error_) {
        return nullptr;
      }
      const size_t before = at_;
      SkipSpace();
      if (!Accept(word)) {
        at_ = before;
        return joined ? std::move(joined) : std::move(first);
      }
      SkipSpace();
      if (!joined) {
        if (!CheckLogical(*first)) {  // NOLINT(bugprone-use-after-move): moved into `joined`
          return nullptr;
        }
        joined = NewExpression(kind, begin);
        joined->operands.push_back(std::move(first));
      }
      ExpressionPtr next = (this->*part)();
      if (next == nullptr || !CheckLogical(*next)) {
        return nullptr;
      }
      joined->operands.push_back(std::move(next));
    }
  }

  ExpressionPtr ParseOr() { return ParseChain(Expression::Kind::kOr, "||", &Parser::ParseAnd); }
  ExpressionPtr ParseAnd() { return ParseChain(Expression::Kind::kAnd, "&&", &Parser::ParseBasic); }

  ExpressionPtr ParseBasic() {
    const size_t begin = at_;
    if (Peek() == '!' && text_.substr(at_, 2) != "!=") {
      ++at_;
      SkipSpace();
      ExpressionPtr operand = Peek() == '(' ? ParseParenthesized() : ParseOperand();
      if (operand == nullptr || !CheckLogical(*operand)) {
        return nullptr;
      }
      ExpressionPtr negated = NewExpression(Expression::Kind::kNot, begin);
      negated->operands.push_back(std::move(operand));
      return negated;
    }
    if (Peek() == '(') {
      return ParseParenthesized();
    }
    ExpressionPtr left = ParseOperand();
    if (left == nullptr) {
      return nullptr;
    }
    const size_t after_left = at_;
    SkipSpace();
    Comparison comparison;
    if (Accept("==")) {
      comparison = Comparison::kEqual;
    } else if (Accept("!=")) {
      comparison = Comparison::kNotEqual;
    } else if (Accept("<=")) {
      comparison = Comparison::kLessEqual;
    } else if (Accept(">=")) {
      comparison = Comparison::kGreaterEqual;
    } else if (Accept("<")) {
      comparison = Comparison::kLess;
    } else if (Accept(">")) {
      comparison = Comparison::kGreater;
    } else {
      at_ = after_left;
      return left;
    }
    SkipSpace();
    ExpressionPtr right = ParseOperand();
    if (right == nullptr || !CheckValue(*left) || !CheckValue(*right)) {
      return nullptr;
    }
    ExpressionPtr compared = NewExpression(Expression::Kind::kCompare, begin);
    compared->comparison = comparison;
    compared->operands.push_back(std::move(left));
    compared->operands.push_back(std::move(right));
    return compared;
  }

  ExpressionPtr ParseParenthesized() {
    ++at_;
    SkipSpace();
    if (!EnterNesting()) {
      return nullptr;
    }
    ExpressionPtr inner = ParseOr();
    --nesting_;
    if (inner == nullptr || !CheckLogical(*inner)) {
      return nullptr;
    }
    SkipSpace();
    if (!Accept(')')) {
      Fail(") is expected");
      return nullptr;
    }
    return inner;
  }

  /// Reads a literal, a query or a call.
  ExpressionPtr ParseOperand() {
    const size_t begin = at_;
    const char c = Peek();
    if (c == '@' || c == '$') {
      ++at_;
      ExpressionPtr expression = NewExpression(Expression::Kind::kQuery, begin);
      expression->query.absolute = c == '$';
      return ParseSegments(expression->query) ? std::move(expression) : nullptr;
    }
    if (c == '\'' || c == '"') {
      ExpressionPtr expression = NewExpression(Expression::Kind::kString, begin);
      return ParseQuotedText(expression->text) ? std::move(expression) : nullptr;
    }
    if (c == '-' || IsDigit(c)) {
      return ParseNumber();
    }
    if (IsLower(c)) {
      while (IsLower(Peek()) || IsDigit(Peek()) || Peek() == '_') {
        ++at_;
      }
      const std::string_view word = text_.substr(begin, at_ - begin);
      if (Peek() == '(') {
        return ParseCall(begin, word);
      }
      if (word == "true") {
        return NewExpression(Expression::Kind::kTrue, begin);
      }
      if (word == "false") {
        return NewExpression(Expression::Kind::kFalse, begin);
      }
      if (word == "null") {
        return NewExpression(Expression::Kind::kNull, begin);
      }
      FailAt(begin, "\"" + std::string(word) + "\" is no literal; text stands in quotes");
      return nullptr;
    }
    Fail("a value, a query beginning with @ or $, or a function is expected");
    return nullptr;
  }

  ExpressionPtr ParseNumber() {
    const size_t begin = at_;
    Accept('-');
    const size_t integer = at_;
    while (IsDigit(Peek())) {
      ++at_;
    }
    bool good = at_ > integer && (text_[integer] != '0' || at_ == integer + 1);
    if (good && Accept('.')) {
      const size_t fraction = at_;
      while (IsDigit(Peek())) {
        ++at_;
      }
      good = at_ > fraction;
    }
    if (good && (Accept('e') || Accept('E'))) {
      if (!Accept('+')) {
        Accept('-');
      }
      const size_t exponent = at_;
      while (IsDigit(Peek())) {
        ++at_;
      }
      good = at_ > exponent;
    }
    if (!good) {
      FailAt(begin, "a number is misspelt");
      return nullptr;
    }
    ExpressionPtr expression = NewExpression(Expression::Kind::kNumber, begin);
    expression->text = text_.substr(begin, at_ - begin);
    return expression;
  }

  ExpressionPtr ParseCall(size_t begin, std::string_view name) {
    ExpressionPtr call = NewExpression(Expression::Kind::kCall, begin);
    call->function = FindFunction(name);
    if (call->function == nullptr) {
      FailAt(begin, "there is no function \"" + std::string(name) + "\"");
      return nullptr;
    }
    if (!EnterNesting()) {
      return nullptr;
    }
    ++at_;
    SkipSpace();
    if (Peek() != ')') {
      do {
        SkipSpace();
        ExpressionPtr argument = ParseOr();
        if (argument == nullptr) {
          return nullptr;
        }
        call->operands.push_back(std::move(argument));
        SkipSpace();
      } while (Accept(','));
    }
    --nesting_;
    if (!Accept(')')) {
      Fail(") or , is expected");
      return nullptr;
    }
    return CheckCall(*call) ? std::move(call) : nullptr;
  }

  // --- Types. Ref: RFC 9535, section 2.4.3. ---

  bool CheckCall(Expression& call) {
    const FunctionSpec& function = *call.function;
    if (call.operands.size() != function.parameter_count) {
      return FailAt(call.offset, std::string(function.name) + "() takes " +
                                     std::to_string(function.parameter_count) + " argument" +
                                     (function.parameter_count == 1 ? "" : "s"));
    }
    for (size_t i = 0; i < call.operands.size(); ++i) {
      const Expression& argument = *call.operands[i];
      switch (function.parameters[i]) {
        case ValueKind::kValue:
          if (!CheckValue(argument)) {
            return false;
          }
          break;
        case ValueKind::kNodes:
          if (argument.kind != Expression::Kind::kQuery) {
            return FailAt(argument.offset, "this argument must be a query");
          }
          break;
        case ValueKind::kLogical:
          if (!CheckLogical(argument)) {
            return false;
          }
          break;
      }
    }
    if (function.has_pattern && call.operands[1]->kind == Expression::Kind::kString) {
      call.pattern = Regexp::Compile(call.operands[1]->text);
    }
    return true;
  }

  /// Reports an error unless the expression can be compared.
  bool CheckValue(const Expression& expression) {
    switch (expression.kind) {
      case Expression::Kind::kQuery:
        return expression.query.IsSingular() ||
               FailAt(expression.offset,
                      "a query that may find several nodes cannot stand for a value");
      case Expression::Kind::kCall:
        return expression.function->result == ValueKind::kValue ||
               FailAt(expression.offset, "the result of " + std::string(expression.function->name) +
                                             "() is true or false and cannot be compared");
      case Expression::Kind::kNull:
      case Expression::Kind::kTrue:
      case Expression::Kind::kFalse:
      case Expression::Kind::kNumber:
      case Expression::Kind::kString:
        return true;
      default:
        return FailAt(expression.offset, "a condition cannot stand for a value");
    }
  }

  /// Reports an error unless the expression can be a condition.
  bool CheckLogical(const Expression& expression) {
    switch (expression.kind) {
      case Expression::Kind::kCall:
        return expression.function->result != ValueKind::kValue ||
               FailAt(expression.offset, "the result of " + std::string(expression.function->name) +
                                             "() is a value: it must be compared with something");
      case Expression::Kind::kNull:
      case Expression::Kind::kTrue:
      case Expression::Kind::kFalse:
      case Expression::Kind::kNumber:
      case Expression::Kind::kString:
        return FailAt(expression.offset, "a literal alone is no condition");
      default:
        return true;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  int nesting_ = 0;
  std::optional<SelectorError> error_;
};

void AddNeeds(const Query& query, QueryNeeds& needs);

void AddNeeds(const Expression& expression, QueryNeeds& needs) {
  if (expression.kind == Expression::Kind::kQuery) {
    needs.root = needs.root || expression.query.absolute;
    AddNeeds(expression.query, needs);
  }
  if (expression.function != nullptr && expression.function->needs_trail) {
    needs.trail = true;
  }
  for (const auto& operand : expression.operands) {
    AddNeeds(*operand, needs);
  }
}

void AddNeeds(const Query& query, QueryNeeds& needs) {
  for (const Segment& segment : query.segments) {
    for (const Selector& selector : segment.selectors) {
      if (selector.filter) {
        AddNeeds(*selector.filter, needs);
      }
    }
  }
}

}  // namespace

Selector::Selector() = default;
Selector::Selector(Selector&&) noexcept = default;
Selector& Selector::operator=(Selector&&) noexcept = default;
Selector::~Selector() = default;

bool Query::IsSingular() const {
  for (const Segment& segment : segments) {
    if (segment.descendant || segment.selectors.size() != 1 ||
        (segment.selectors[0].kind != Selector::Kind::kName &&
         segment.selectors[0].kind != Selector::Kind::kIndex)) {
      return false;
    }
  }
  return true;
}

std::expected<Query, SelectorError> ParseSelector(std::string_view text) {
  return Parser(text).Parse();
}

QueryNeeds NeedsOf(const Query& query) {
  QueryNeeds needs;
  AddNeeds(query, needs);
  return needs;
}

}  // namespace kinu::query
