#include "session/word_lines.h"

#include <optional>

namespace kinu::session {
namespace {

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Reads the words of one line.
class LineReader {
 public:
  LineReader(const SourceFile* file, size_t begin, size_t end, Diagnostics& diags)
      : file_(file), text_(file->text().substr(0, end)), at_(begin), diags_(diags) {}

  /// Returns nothing at the end of the line and after an error.
  std::optional<LineWord> Next() {
    while (at_ < text_.size() && IsSpace(text_[at_])) {
      ++at_;
    }
    if (at_ == text_.size() || text_[at_] == '#') {
      return std::nullopt;
    }
    return text_[at_] == '\'' || text_[at_] == '"' ? Quoted() : Bare();
  }

 private:
  SourceRange Range(size_t begin, size_t end) const {
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }
  bool Escape() const {
    return text_[at_] == '\\' && at_ + 1 < text_.size() &&
           (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
  }
  std::nullopt_t Unclosed(size_t quote) {
    diags_.Error("Unclosed quote",
                 "The word begins with a quote that the line does not close. Put a word that has a "
                 "quote at its beginning into quotes of the other kind.",
                 Range(quote, text_.size()));
    return std::nullopt;
  }
  std::optional<LineWord> Quoted() {
    const size_t quote = at_++;
    const size_t begin = at_;
    std::string word;
    while (at_ < text_.size() && text_[at_] != text_[quote]) {
      at_ += text_[quote] == '"' && Escape() ? 1 : 0;
      word += text_[at_++];
    }
    if (at_ == text_.size()) {
      return Unclosed(quote);
    }
    const SourceRange range = Range(begin, at_++);
    if (at_ < text_.size() && !IsSpace(text_[at_])) {
      diags_.Error("Text after a quoted word",
                   "A quoted word ends with its second quote: a space must follow.",
                   Range(quote, at_ + 1));
      return std::nullopt;
    }
    const bool verbatim = range.text() == word;
    return LineWord{.text = std::move(word), .range = range, .verbatim = verbatim};
  }
  std::optional<LineWord> Bare() {
    const size_t begin = at_;
    for (; at_ < text_.size() && !IsSpace(text_[at_]); ++at_) {
      if (text_[at_] == '[' && at_ + 1 < text_.size() && text_[at_ + 1] == '"' && !SkipKey()) {
        return Unclosed(at_ + 1);
      }
    }
    return LineWord{.text = std::string(text_.substr(begin, at_ - begin)),
                    .range = Range(begin, at_),
                    .verbatim = true};
  }
  /// Goes from a bracket to the second quote of the string behind it.
  bool SkipKey() {
    const size_t bracket = at_;
    for (at_ += 2; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        return true;
      }
      at_ += Escape() ? 1 : 0;
    }
    at_ = bracket;
    return false;
  }

  const SourceFile* file_;
  std::string_view text_;
  size_t at_;
  Diagnostics& diags_;
};

}  // namespace

std::vector<WordLine> ReadWordLines(const SourceFile* file, Diagnostics& diags) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::vector<WordLine> lines;
  const std::string_view text = file->text();
  size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    LineReader reader(file, begin, end, diags);
    WordLine line;
    while (auto word = reader.Next()) {
      line.words.push_back(*std::move(word));
    }
    if (!line.words.empty()) {
      line.range = SourceRange::Between(line.words.front().range, line.words.back().range);
      lines.push_back(std::move(line));
    }
    begin = end + 1;
  }
  return lines;
}

}  // namespace kinu::session
