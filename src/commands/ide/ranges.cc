// Folds of a file, from its brackets, heredocs and comments: an unfinished file has them too.
#include <algorithm>
#include <array>

#include "hcl/lexer.h"
#include "ide/answers.h"
#include "ide/snapshot_parts.h"

namespace kinu::ide {
namespace {

using hcl::Token;
using hcl::TokenKind;

/// Collects folds, and pairs the brackets of a text.
class Folder {
 public:
  explicit Folder(std::string_view text) : text_(text) {
    for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
      newlines_.push_back(static_cast<uint32_t>(at));
    }
  }

  /// `closing` is what will close the bracket.
  void Open(uint32_t at, char closing);
  void Close(uint32_t at, char closing);
  void Comment(Span comment);
  std::vector<Fold> Take();

 private:
  struct Bracket {
    uint32_t at;
    char closing;
  };
  /// Hides what is behind the line of `begin`, up to the line of `end`, which stays if it closes.
  void Add(uint32_t begin, uint32_t end, Fold::Kind kind, bool closes);
  void FinishComments();
  /// The end of the line of an offset, without its newline.
  uint32_t LineEnd(uint32_t at) const {
    const auto next = std::ranges::lower_bound(newlines_, at);
    return next == newlines_.end() ? static_cast<uint32_t>(text_.size()) : *next;
  }
  /// The end of the line before that of an offset; 0 for the first line.
  uint32_t LastLineEnd(uint32_t at) const {
    const auto next = std::ranges::lower_bound(newlines_, at);
    return next == newlines_.begin() ? 0 : *std::prev(next);
  }
  /// Whether nothing but spaces precedes the offset in its line.
  bool BeginsLine(uint32_t at) const {
    const size_t last = text_.substr(0, at).find_last_not_of(" \t");
    return last == std::string_view::npos || text_[last] == '\n';
  }
  /// Whether only spaces are between the offsets, and no blank line.
  bool Follows(uint32_t end, uint32_t begin) const {
    const std::string_view gap = text_.substr(end, begin - end);
    return gap.find_first_not_of(" \t\r\n") == std::string_view::npos &&
           std::ranges::count(gap, '\n') <= 1;
  }

  std::string_view text_;
  std::vector<uint32_t> newlines_;
  std::vector<Bracket> open_;
  std::array<size_t, 128> open_by_closing_{};
  Span comments_;  // the run of comment lines; empty: none
  std::vector<Fold> folds_;
};

void Folder::Open(uint32_t at, char closing) {
  open_.push_back({at, closing});
  ++open_by_closing_.at(static_cast<size_t>(closing));
}

void Folder::Close(uint32_t at, char closing) {
  if (open_by_closing_.at(static_cast<size_t>(closing)) == 0) {
    return;
  }
  for (;;) {  // brackets that nothing closes are dropped
    const Bracket last = open_.back();
    open_.pop_back();
    --open_by_closing_.at(static_cast<size_t>(last.closing));
    if (last.closing == closing) {
      return Add(last.at, at, Fold::Kind::kBlock, true);
    }
  }
}

void Folder::Add(uint32_t begin, uint32_t end, Fold::Kind kind, bool closes) {
  const uint32_t from = LineEnd(begin);
  const uint32_t to = closes ? LastLineEnd(end) : end;
  if (from < to) {
    folds_.push_back({{from, to}, kind});
  }
}

void Folder::Comment(Span comment) {
  while (comment.end > comment.begin &&
         (text_[comment.end - 1] == '\n' || text_[comment.end - 1] == '\r')) {
    --comment.end;
  }
  if (!BeginsLine(comment.begin)) {
    return;
  }
  if (comments_.end != 0 && Follows(comments_.end, comment.begin)) {
    comments_.end = comment.end;
  } else {
    FinishComments();
    comments_ = comment;
  }
}

void Folder::FinishComments() {
  Add(comments_.begin, comments_.end, Fold::Kind::kComment, false);
  comments_ = {};
}

std::vector<Fold> Folder::Take() {
  FinishComments();
  // Of folds that begin in one line, the largest stays.
  std::ranges::sort(folds_, [](const Fold& a, const Fold& b) {
    return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end > b.span.end;
  });
  const auto same = std::ranges::unique(
      folds_, [](const Fold& a, const Fold& b) { return a.span.begin == b.span.begin; });
  folds_.erase(same.begin(), same.end());
  return std::move(folds_);
}

std::vector<Fold> NativeFolds(std::string_view text) {
  Folder folder(text);
  for (const Token& token : hcl::Lex(text, hcl::LexMode::kNormal, hcl::Comments::kKeep)) {
    switch (token.kind) {
      case TokenKind::kOpenBrace:
      case TokenKind::kTemplateInterpolation:
      case TokenKind::kTemplateDirective:
        folder.Open(token.begin, '}');
        break;
      case TokenKind::kOpenBracket:
        folder.Open(token.begin, ']');
        break;
      case TokenKind::kOpenParen:
        folder.Open(token.begin, ')');
        break;
      case TokenKind::kCloseBrace:
      case TokenKind::kTemplateEnd:
        folder.Close(token.begin, '}');
        break;
      case TokenKind::kCloseBracket:
        folder.Close(token.begin, ']');
        break;
      case TokenKind::kCloseParen:
        folder.Close(token.begin, ')');
        break;
      case TokenKind::kOpenHeredoc:
        folder.Open(token.begin, '<');
        break;
      case TokenKind::kCloseHeredoc:
        folder.Close(token.begin, '<');
        break;
      case TokenKind::kComment:
        folder.Comment({token.begin, token.end});
        break;
      default:
        break;
    }
  }
  return folder.Take();
}

std::vector<Fold> JsonFolds(std::string_view text) {
  Folder folder(text);
  for (uint32_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '{':
        folder.Open(at, '}');
        break;
      case '[':
        folder.Open(at, ']');
        break;
      case '}':
      case ']':
        folder.Close(at, text[at]);
        break;
      case '"':
        for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
          at += text[at] == '\\' ? 1 : 0;
        }
        break;
      default:
        break;
    }
  }
  return folder.Take();
}

}  // namespace

std::vector<Fold> Folds(const Snapshot& snapshot, const std::string& path) {
  const ParsedFile* file = snapshot.parts().Find(path);
  if (file == nullptr) {
    return {};
  }
  return IsJsonName(path) ? JsonFolds(file->text()) : NativeFolds(file->text());
}

}  // namespace kinu::ide
