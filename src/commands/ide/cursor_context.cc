#include "ide/cursor_context.h"

#include <algorithm>
#include <deque>

#include "hcl/lexer.h"
#include "ide/regions.h"

namespace kinu::ide {
namespace {

using hcl::Token;
using hcl::TokenKind;

/// What the scan has open: a body, or something inside the value of an argument.
struct Frame {
  enum class Kind : uint8_t { kBody, kBracket };
  enum class State : uint8_t { kStart, kName, kValue };
  enum class Loop : uint8_t { kNone, kNames, kCollection, kResult };

  Kind kind = Kind::kBody;
  State state = State::kStart;
  bool is_label = false;  // a text that is a label of a block
  OpenBlock block;
  OpenBracket bracket;
  std::string_view name;  // kBody: of the item that is read
  uint32_t name_begin = 0;
  std::vector<std::string_view> labels;
  uint32_t value_begin = 0;
  Loop loop = Loop::kNone;
  std::vector<std::string_view> loop_names;
  uint32_t collection_begin = 0;
  std::vector<BoundName> bound;
};

/// Reads the tokens of a region. Frames that the cursor is in get the names behind it, too.
class Scan {
 public:
  Scan(std::string_view text, uint32_t begin, uint32_t end, uint32_t offset)
      : text_(text.substr(0, end)), offset_(offset) {
    hcl::Lexer lexer(text_, hcl::LexMode::kNormal, hcl::Comments::kKeep, begin);
    do {
      lexer.Append(512, tokens_);
    } while (tokens_.back().kind != TokenKind::kEof);
    frames_.emplace_back();
    stack_.push_back(0);
  }

  CursorContext Run();

 private:
  Frame& Top() { return frames_[stack_.back()]; }
  std::string_view Text(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }
  bool IsNewline(const Token& token) const {
    return token.kind == TokenKind::kNewline ||
           (token.kind == TokenKind::kComment && !Text(token).starts_with("/*"));
  }
  void Push(Frame frame) {
    frames_.push_back(std::move(frame));
    stack_.push_back(frames_.size() - 1);
  }
  void Pop() {
    if (stack_.size() > 1) {
      stack_.pop_back();
    }
  }
  void PushBracket(OpenBracket::Kind kind) {
    Frame frame{.kind = Frame::Kind::kBracket};
    frame.bracket.kind = kind;
    Push(std::move(frame));
  }
  bool InText() {
    return Top().kind == Frame::Kind::kBracket && Top().bracket.kind == OpenBracket::Kind::kText;
  }

  size_t WordAtCursor() const;
  bool CursorInComment() const;
  void Read(size_t index);
  void ReadInBody(size_t index);
  void ReadInBracket(size_t index);
  void ReadInText(size_t index);
  void ReadInValue(size_t index);
  void ReadOpenParen(size_t index);
  void ReadLoop(Frame& frame, size_t index);
  void AddName(Frame& frame);
  void EndItem(Frame& frame, uint32_t end);
  void LeaveBrackets(size_t index);
  bool BeginsArgument(size_t index) const;
  void Capture(size_t index, bool has_word);
  void CaptureItem();
  size_t CloseOf(size_t open) const;
  PathStep IndexStep(size_t open, size_t close) const;
  void CapturePath(size_t index);
  void CaptureRest(size_t index);
  bool BehindOperand(size_t index) const;
  void Describe();

  std::string_view text_;
  uint32_t offset_;
  std::vector<Token> tokens_;
  std::deque<Frame> frames_;
  std::vector<size_t> stack_;
  std::vector<size_t> at_cursor_;   // the stack there
  std::vector<Frame> frames_then_;  // and what its frames were
  OpenBlock header_;                // that the cursor is in, if it is in one
  CursorContext context_;
};

/// The word that the cursor is in or behind; the number of tokens if there is none.
size_t Scan::WordAtCursor() const {
  for (size_t i = 0; i < tokens_.size() && tokens_[i].begin < offset_; ++i) {
    if (tokens_[i].kind == TokenKind::kIdent && offset_ <= tokens_[i].end) {
      return i;
    }
  }
  return tokens_.size();
}

bool Scan::CursorInComment() const {
  return std::ranges::any_of(tokens_, [&](const Token& token) {
    if (token.kind != TokenKind::kComment || token.begin >= offset_) {
      return false;
    }
    const bool has_newline = Text(token).ends_with('\n');
    return offset_ < token.end ||
           (offset_ == token.end && !has_newline && !Text(token).starts_with("/*"));
  });
}

CursorContext Scan::Run() {
  const size_t word = WordAtCursor();
  const bool has_word = word < tokens_.size();
  size_t index = 0;
  for (; index < tokens_.size(); ++index) {
    const Token& token = tokens_[index];
    if (has_word ? index == word : token.kind == TokenKind::kEof || token.end > offset_) {
      break;
    }
    Read(index);
  }
  const bool in_comment = CursorInComment();
  if (!in_comment) {
    Capture(index, has_word);
  }
  at_cursor_ = stack_;
  for (const size_t number : stack_) {
    frames_then_.push_back(frames_[number]);
  }
  const size_t open = stack_.size();
  for (; index < tokens_.size() && !stack_.empty(); ++index) {
    if (open > 1 && stack_.size() == 1) {
      break;  // the outermost block has ended
    }
    Read(index);
  }
  if (in_comment) {
    return {};
  }
  Describe();
  return std::move(context_);
}

/// Whether a line begins with `name =`.
bool Scan::BeginsArgument(size_t index) const {
  return tokens_[index].kind == TokenKind::kIdent && index + 1 < tokens_.size() &&
         tokens_[index + 1].kind == TokenKind::kEqual && index > 0 &&
         (IsNewline(tokens_[index - 1]));
}

/// Something in parentheses or brackets that was not closed ends at the next argument.
void Scan::LeaveBrackets(size_t index) {
  if (!BeginsArgument(index)) {
    return;
  }
  for (size_t i = stack_.size(); i-- > 0;) {
    const Frame& frame = frames_[stack_[i]];
    if (frame.kind == Frame::Kind::kBody) {
      stack_.resize(i + 1);
      EndItem(Top(), tokens_[index].begin);
      return;
    }
    if (frame.bracket.kind == OpenBracket::Kind::kObject ||
        frame.bracket.kind == OpenBracket::Kind::kText) {
      return;
    }
  }
}

void Scan::Read(size_t index) {
  if (InText()) {
    return ReadInText(index);
  }
  if (Top().kind == Frame::Kind::kBracket) {
    LeaveBrackets(index);
  }
  if (Top().kind == Frame::Kind::kBody) {
    return ReadInBody(index);
  }
  ReadInBracket(index);
}

/// The item at the cursor does not count: it is what is being written.
void Scan::AddName(Frame& frame) {
  if (frame.name_begin != context_.word.begin || context_.place != CursorContext::Place::kItem) {
    frame.block.names.push_back(frame.name);
  }
}

void Scan::EndItem(Frame& frame, uint32_t end) {
  if (frame.state == Frame::State::kValue && frame.block.type == "dynamic") {
    if (frame.name == "for_each") {
      frame.block.for_each = {frame.value_begin, end};
    } else if (frame.name == "iterator") {
      std::string_view word = text_.substr(frame.value_begin, end - frame.value_begin);
      word.remove_prefix(std::min(word.find_first_not_of(" \t"), word.size()));
      frame.block.iterator = word.substr(0, word.find_first_of(" \t\r\n"));
    }
  }
  frame.state = Frame::State::kStart;
  frame.name = {};
}

void Scan::ReadInBody(size_t index) {
  Frame& frame = Top();
  const Token& token = tokens_[index];
  if (IsNewline(token)) {
    return EndItem(frame, token.begin);
  }
  if (token.kind == TokenKind::kCloseBrace) {
    EndItem(frame, token.begin);
    return Pop();
  }
  switch (frame.state) {
    case Frame::State::kStart:
      if (token.kind == TokenKind::kIdent) {
        frame.name = Text(token);
        frame.name_begin = token.begin;
        frame.labels.clear();
        frame.state = Frame::State::kName;
      }
      return;
    case Frame::State::kName:
      if (token.kind == TokenKind::kEqual) {
        AddName(frame);
        frame.value_begin = token.end;
        frame.state = Frame::State::kValue;
      } else if (token.kind == TokenKind::kIdent) {
        frame.labels.push_back(Text(token));
      } else if (token.kind == TokenKind::kOpenQuote) {
        Frame label{.kind = Frame::Kind::kBracket, .is_label = true};
        label.bracket.kind = OpenBracket::Kind::kText;
        Push(std::move(label));
      } else if (token.kind == TokenKind::kOpenBrace) {
        AddName(frame);
        Frame body;
        body.block.type = frame.name;
        body.block.labels = frame.labels;
        body.block.begin = frame.name_begin;
        frame.state = Frame::State::kStart;
        Push(std::move(body));
      }
      return;
    case Frame::State::kValue:
      return ReadInValue(index);
  }
}

void Scan::ReadInText(size_t index) {
  const Token& token = tokens_[index];
  switch (token.kind) {
    case TokenKind::kQuotedText:
      if (Top().is_label && stack_.size() > 1) {
        frames_[stack_[stack_.size() - 2]].labels.push_back(Text(token));
      }
      return;
    case TokenKind::kTemplateInterpolation:
    case TokenKind::kTemplateDirective:
      return PushBracket(OpenBracket::Kind::kSequence);
    case TokenKind::kQuotedNewline:
    case TokenKind::kNewline: {
      Pop();  // a text that was not closed ends with its line
      if (Top().kind == Frame::Kind::kBody) {
        EndItem(Top(), token.begin);
      }
      return;
    }
    case TokenKind::kCloseQuote:
      if (Top().is_label && index > 0 && tokens_[index - 1].kind == TokenKind::kOpenQuote &&
          stack_.size() > 1) {
        frames_[stack_[stack_.size() - 2]].labels.emplace_back();
      }
      return Pop();
    case TokenKind::kCloseHeredoc:
      return Pop();
    default:
      return;
  }
}

void Scan::ReadOpenParen(size_t index) {
  PushBracket(OpenBracket::Kind::kParentheses);
  if (index == 0 || tokens_[index - 1].kind != TokenKind::kIdent) {
    return;
  }
  size_t first = index - 1;
  while (first >= 2 && tokens_[first - 1].kind == TokenKind::kDoubleColon &&
         tokens_[first - 2].kind == TokenKind::kIdent) {
    first -= 2;
  }
  Frame& frame = Top();
  frame.bracket.kind = OpenBracket::Kind::kCall;
  frame.bracket.name_span = {tokens_[first].begin, tokens_[index - 1].end};
  frame.bracket.name =
      text_.substr(tokens_[first].begin, tokens_[index - 1].end - tokens_[first].begin);
}

void Scan::ReadInValue(size_t index) {
  switch (tokens_[index].kind) {
    case TokenKind::kOpenBrace:
      return PushBracket(OpenBracket::Kind::kObject);
    case TokenKind::kOpenBracket:
      return PushBracket(OpenBracket::Kind::kTuple);
    case TokenKind::kOpenParen:
      return ReadOpenParen(index);
    case TokenKind::kOpenQuote:
    case TokenKind::kOpenHeredoc:
      return PushBracket(OpenBracket::Kind::kText);
    default:
      return;
  }
}

/// Follows `for k, v in collection :` and `%{ for v in collection }`.
void Scan::ReadLoop(Frame& frame, size_t index) {
  const Token& token = tokens_[index];
  if (frame.loop == Frame::Loop::kNames && token.kind == TokenKind::kIdent) {
    if (Text(token) == "in") {
      frame.loop = Frame::Loop::kCollection;
      frame.collection_begin = token.end;
    } else {
      frame.loop_names.push_back(Text(token));
    }
    return;
  }
  if (frame.loop == Frame::Loop::kCollection && token.kind == TokenKind::kColon) {
    frame.loop = Frame::Loop::kResult;
    for (size_t i = 0; i < frame.loop_names.size(); ++i) {
      frame.bound.push_back({.name = frame.loop_names[i],
                             .is_key = i == 0 && frame.loop_names.size() > 1,
                             .collection = {frame.collection_begin, token.begin}});
    }
  }
}

void Scan::ReadInBracket(size_t index) {
  const Token& token = tokens_[index];
  Frame& frame = Top();
  using Kind = OpenBracket::Kind;
  const bool is_first = frame.state == Frame::State::kStart && frame.loop == Frame::Loop::kNone;
  if (is_first && token.kind == TokenKind::kIdent && Text(token) == "for" &&
      frame.bracket.keys.empty() && index + 1 < tokens_.size() &&
      tokens_[index + 1].kind == TokenKind::kIdent) {
    frame.loop = Frame::Loop::kNames;
    frame.state = Frame::State::kValue;
    return;
  }
  if (frame.loop != Frame::Loop::kNone) {
    ReadLoop(frame, index);
  }
  switch (token.kind) {
    case TokenKind::kCloseBrace:
    case TokenKind::kCloseBracket:
    case TokenKind::kCloseParen:
      return Pop();
    case TokenKind::kTemplateEnd: {
      std::vector<BoundName> bound;
      if (frame.loop == Frame::Loop::kCollection) {
        for (size_t i = 0; i < frame.loop_names.size(); ++i) {
          bound.push_back({.name = frame.loop_names[i],
                           .is_key = i == 0 && frame.loop_names.size() > 1,
                           .collection = {frame.collection_begin, token.begin}});
        }
      }
      const bool ends = index > 0 && Text(tokens_[index - 1]) == "endfor";
      Pop();
      if (ends) {
        Top().bound.clear();
      }
      Top().bound.insert(Top().bound.end(), bound.begin(), bound.end());
      return;
    }
    case TokenKind::kComma:
      ++frame.bracket.commas;
      [[fallthrough]];
    case TokenKind::kNewline:
    case TokenKind::kComment:
      if (frame.bracket.kind == Kind::kObject && frame.loop == Frame::Loop::kNone &&
          (token.kind != TokenKind::kComment || IsNewline(token))) {
        frame.state = Frame::State::kStart;
        frame.bracket.key = {};
      }
      return;
    case TokenKind::kEqual:
    case TokenKind::kColon:
      if (frame.bracket.kind == Kind::kObject && frame.loop == Frame::Loop::kNone &&
          frame.state != Frame::State::kValue) {
        frame.state = Frame::State::kValue;
        if (index > 0 && tokens_[index - 1].kind == TokenKind::kIdent) {
          frame.bracket.key = Text(tokens_[index - 1]);
        } else if (index > 1 && tokens_[index - 1].kind == TokenKind::kCloseQuote) {
          frame.bracket.key = Text(tokens_[index - 2]);
        }
        if (context_.place != CursorContext::Place::kKey ||
            frame.bracket.key.data() != text_.data() + context_.word.begin) {
          frame.bracket.keys.push_back(frame.bracket.key);
        }
      }
      return;
    default:
      if (frame.state == Frame::State::kStart) {
        frame.state =
            frame.bracket.kind == Kind::kObject ? Frame::State::kName : Frame::State::kValue;
      }
      return ReadInValue(index);
  }
}

/// Whether the token before the index ends an operand, so that none can follow.
bool Scan::BehindOperand(size_t index) const {
  if (index == 0) {
    return false;
  }
  const Token& before = tokens_[index - 1];
  switch (before.kind) {
    case TokenKind::kIdent: {
      constexpr std::string_view kWords[] = {"in", "if", "else"};
      return std::ranges::find(kWords, Text(before)) == std::end(kWords);
    }
    case TokenKind::kNumber:
    case TokenKind::kCloseBrace:
    case TokenKind::kCloseBracket:
    case TokenKind::kCloseParen:
    case TokenKind::kCloseQuote:
    case TokenKind::kCloseHeredoc:
    case TokenKind::kStar:
      return before.kind != TokenKind::kStar;
    default:
      return false;
  }
}

/// The step that two brackets and what stands between them are.
PathStep Scan::IndexStep(size_t open, size_t close) const {
  PathStep step{.span = {tokens_[open].begin, tokens_[close].end}, .is_index = true};
  if (close - open == 4 && tokens_[open + 2].kind == TokenKind::kQuotedText) {
    step.name = Text(tokens_[open + 2]);
  } else if (close - open == 2 && tokens_[open + 1].kind == TokenKind::kNumber) {
    step.number = Text(tokens_[open + 1]);
  }
  return step;
}

/// The index of the bracket that closes the one at the index; the number of tokens if none does.
size_t Scan::CloseOf(size_t open) const {
  size_t depth = 0;
  for (size_t at = open; at < tokens_.size(); ++at) {
    depth += tokens_[at].kind == TokenKind::kOpenBracket ? 1 : 0;
    depth -= tokens_[at].kind == TokenKind::kCloseBracket ? 1 : 0;
    if (depth == 0) {
      return at;
    }
  }
  return tokens_.size();
}

/// Reads what stands behind the word, from the token at the index: `.a["b"]`.
void Scan::CaptureRest(size_t index) {
  std::vector<PathStep>& rest = context_.rest;
  for (size_t at = index; at + 1 < tokens_.size();) {
    const Token& next = tokens_[at + 1];
    if (tokens_[at].kind == TokenKind::kDot && next.kind == TokenKind::kIdent) {
      rest.push_back({.name = Text(next), .span = {next.begin, next.end}});
      at += 2;
    } else if (tokens_[at].kind == TokenKind::kDot && next.kind == TokenKind::kStar) {
      rest.push_back({.span = {next.begin, next.end}, .is_splat = true});
      at += 2;
    } else if (tokens_[at].kind == TokenKind::kOpenBracket) {
      const size_t close = CloseOf(at);
      if (close == tokens_.size()) {
        return;
      }
      PathStep step = IndexStep(at, close);
      step.is_splat = close == at + 2 && next.kind == TokenKind::kStar;
      rest.push_back(step);
      at = close + 1;
    } else {
      return;
    }
  }
}

/// Reads backwards what stands before the word at the index: `a.b["c"].`.
void Scan::CapturePath(size_t index) {
  std::vector<PathStep> steps;
  size_t at = index;
  while (at >= 2 && tokens_[at - 1].kind == TokenKind::kDoubleColon &&
         tokens_[at - 2].kind == TokenKind::kIdent) {
    context_.namespaces.insert(0, std::string(Text(tokens_[at - 2])) + "::");
    at -= 2;
  }
  if (at == 0 || tokens_[at - 1].kind != TokenKind::kDot) {
    return;
  }
  --at;
  bool behind_dot = true;
  while (at > 0) {
    const Token& token = tokens_[at - 1];
    if (token.kind == TokenKind::kCloseBracket) {
      size_t depth = 0;
      size_t open = at - 1;
      for (;; --open) {
        depth += tokens_[open].kind == TokenKind::kCloseBracket ? 1 : 0;
        depth -= tokens_[open].kind == TokenKind::kOpenBracket ? 1 : 0;
        if (depth == 0 || open == 0) {
          break;
        }
      }
      steps.push_back(IndexStep(open, at - 1));
      at = open;
      behind_dot = true;  // an index needs no dot
      continue;
    }
    if (!behind_dot) {
      break;
    }
    if (token.kind == TokenKind::kNumber || token.kind == TokenKind::kStar) {
      steps.push_back({.span = {token.begin, token.end}, .is_index = true});
    } else if (token.kind == TokenKind::kIdent) {
      steps.push_back({.name = Text(token), .span = {token.begin, token.end}});
    } else {
      steps.emplace_back();  // the result of a call or of parentheses
      break;
    }
    --at;
    if (at == 0 || tokens_[at - 1].kind != TokenKind::kDot) {
      break;
    }
    --at;
  }
  if (steps.empty() || steps.back().is_index) {
    steps.emplace_back();
  }
  std::ranges::reverse(steps);
  context_.path = std::move(steps);
}

/// Sets the argument or the header that the cursor is in.
void Scan::CaptureItem() {
  for (size_t i = stack_.size(); i-- > 0;) {
    const Frame& frame = frames_[stack_[i]];
    if (frame.kind != Frame::Kind::kBody) {
      continue;
    }
    if (frame.state == Frame::State::kValue) {
      context_.argument = frame.name;
    } else if (frame.state == Frame::State::kName) {
      header_ = {.type = frame.name, .labels = frame.labels, .begin = frame.name_begin};
      context_.label = frame.labels.size();
    }
    return;
  }
}

/// Sets what depends on the token at the cursor: `index` is that of the word, or of the first token
/// behind the cursor.
void Scan::Capture(size_t index, bool has_word) {
  using Place = CursorContext::Place;
  context_.word =
      has_word ? Span{tokens_[index].begin, tokens_[index].end} : Span{offset_, offset_};
  const size_t next = has_word ? index + 1 : index;
  context_.at_line_end =
      next >= tokens_.size() || IsNewline(tokens_[next]) || tokens_[next].kind == TokenKind::kEof;
  Frame& frame = Top();
  CaptureItem();
  if (InText()) {
    context_.in_quotes = true;
    context_.place = frame.is_label ? Place::kLabel : Place::kText;
    // The text from its quote to the cursor, and to its end.
    const Token& token = tokens_[index];
    const bool is_text =
        token.kind == TokenKind::kQuotedText && token.begin <= offset_ && offset_ <= token.end;
    context_.word = is_text ? Span{token.begin, token.end} : Span{offset_, offset_};
    if (index > 0 && tokens_[index - 1].kind == TokenKind::kQuotedText &&
        tokens_[index - 1].end == offset_) {
      context_.word = {tokens_[index - 1].begin, tokens_[index - 1].end};
      if (frame.is_label && !header_.labels.empty()) {
        header_.labels.pop_back();
        context_.label = header_.labels.size();
      }
    }
    return;
  }
  if (frame.kind == Frame::Kind::kBody && frame.state != Frame::State::kValue) {
    context_.place = frame.state == Frame::State::kStart ? Place::kItem : Place::kLabel;
    return;
  }
  CapturePath(index);
  const bool begins_value = !has_word && context_.path.empty() && next < tokens_.size() &&
                            tokens_[next].kind == TokenKind::kOpenBracket &&
                            tokens_[next].begin > offset_;
  if (!begins_value) {
    CaptureRest(next);
  }
  if (!context_.path.empty() || !context_.namespaces.empty()) {
    context_.place = Place::kExpression;
    return;
  }
  if (frame.kind == Frame::Kind::kBracket && frame.bracket.kind == OpenBracket::Kind::kObject &&
      frame.loop == Frame::Loop::kNone && frame.state != Frame::State::kValue) {
    context_.place = frame.state == Frame::State::kStart ? Place::kKey : Place::kNothing;
    return;
  }
  if (frame.loop == Frame::Loop::kNames || BehindOperand(index)) {
    return;
  }
  context_.place = Place::kExpression;
}

/// Sets what is around the cursor.
void Scan::Describe() {
  for (size_t i = 0; i < at_cursor_.size(); ++i) {
    const size_t number = at_cursor_[i];
    const Frame& frame = frames_[number];
    const Frame& then = frames_then_[i];
    if (frame.kind == Frame::Kind::kBody) {
      if (number != 0) {
        context_.blocks.push_back(frame.block);
      } else {
        context_.blocks.clear();
      }
      if (frame.block.type == "content" && context_.blocks.size() >= 2) {
        const OpenBlock& dynamic = context_.blocks[context_.blocks.size() - 2];
        if (dynamic.type == "dynamic" && !dynamic.labels.empty()) {
          context_.bound.push_back(
              {.name = dynamic.iterator.empty() ? dynamic.labels[0] : dynamic.iterator,
               .is_iterator = true,
               .collection = dynamic.for_each});
        }
      }
    } else if (!frame.is_label) {
      context_.brackets.push_back(then.bracket);
      context_.brackets.back().keys = frame.bracket.keys;
    }
    context_.bound.insert(context_.bound.end(), then.bound.begin(), then.bound.end());
  }
  if (context_.place == CursorContext::Place::kLabel) {
    context_.blocks.push_back(header_);
  }
}

}  // namespace

CursorContext ContextAt(std::string_view text, uint32_t offset) {
  offset = std::min(offset, static_cast<uint32_t>(text.size()));
  // A word at the begin of a line may be the header itself that is being typed.
  const auto begin = static_cast<uint32_t>(RegionBegin(text, offset));
  const auto end = static_cast<uint32_t>(RegionEnd(text, offset));
  return Scan(text, begin, end, offset).Run();
}

}  // namespace kinu::ide
