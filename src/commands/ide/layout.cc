// Formatting as edits: what `fmt` writes, compared with the text line by line.
#include <algorithm>

#include "hcl/writer/format.h"
#include "ide/answers.h"

namespace kinu::ide {
namespace {

/// How far lines that only one of both texts has are looked for.
constexpr size_t kMostSkipped = 16;

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

size_t SpacesEnd(std::string_view text, size_t at) {
  while (at < text.size() && IsSpace(text[at])) {
    ++at;
  }
  return at;
}

/// A text as lines, each with its end.
std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// Whether two lines differ in nothing but spaces.
bool SameWords(std::string_view a, std::string_view b) {
  size_t i = SpacesEnd(a, 0);
  size_t j = SpacesEnd(b, 0);
  while (i < a.size() && j < b.size()) {
    if (a[i] != b[j]) {
      return false;
    }
    i = SpacesEnd(a, i + 1);
    j = SpacesEnd(b, j + 1);
  }
  return i == a.size() && j == b.size();
}

/// Makes the edits that lead from one text to another.
class LineEdits {
 public:
  LineEdits(std::string_view before, std::string_view after)
      : text_(before), before_(Lines(before)), after_(Lines(after)) {}
  std::vector<TextEdit> Run();

 private:
  struct Skip {
    size_t before, after;
  };
  /// How many lines to leave in each text until both have a line with the same words.
  Skip NextCommonLine() const;
  bool IsCommon(size_t i, size_t j) const {
    return i < before_.size() && j < after_.size() && SameWords(before_[i], after_[j]);
  }
  void Replace(Skip lines);
  /// Edits the spaces of a line that has the same words in both texts.
  void Respace();
  uint32_t OffsetOf(size_t line) const {
    return static_cast<uint32_t>(line < before_.size() ? before_[line].data() - text_.data()
                                                       : text_.size());
  }

  std::string_view text_;
  std::vector<std::string_view> before_, after_;
  size_t i_ = 0;  // in `before_`
  size_t j_ = 0;  // in `after_`
  std::vector<TextEdit> edits_;
};

LineEdits::Skip LineEdits::NextCommonLine() const {
  for (size_t distance = 1; distance <= kMostSkipped; ++distance) {
    for (size_t i = 0; i <= distance; ++i) {
      const size_t j = distance - i;
      if (IsCommon(i_ + i, j_ + j) && SpacesEnd(before_[i_ + i], 0) < before_[i_ + i].size()) {
        return {i, j};
      }
    }
  }
  return {std::min<size_t>(1, before_.size() - i_), std::min<size_t>(1, after_.size() - j_)};
}

void LineEdits::Replace(Skip lines) {
  std::string text;
  for (size_t j = 0; j < lines.after; ++j) {
    text += after_[j_ + j];
  }
  const Span span{OffsetOf(i_), OffsetOf(i_ + lines.before)};
  i_ += lines.before;
  j_ += lines.after;
  if (!edits_.empty() && edits_.back().span.end == span.begin) {
    edits_.back().span.end = span.end;
    edits_.back().text += text;
  } else {
    edits_.push_back({span, std::move(text)});
  }
}

void LineEdits::Respace() {
  const std::string_view a = before_[i_];
  const std::string_view b = after_[j_];
  const uint32_t begin = OffsetOf(i_);
  size_t i = 0;
  size_t j = 0;
  for (;;) {
    const size_t a_end = SpacesEnd(a, i);
    const size_t b_end = SpacesEnd(b, j);
    if (a.substr(i, a_end - i) != b.substr(j, b_end - j)) {
      edits_.push_back({{begin + static_cast<uint32_t>(i), begin + static_cast<uint32_t>(a_end)},
                        std::string(b.substr(j, b_end - j))});
    }
    if (a_end == a.size()) {
      break;
    }
    i = a_end + 1;
    j = b_end + 1;
  }
  ++i_;
  ++j_;
}

std::vector<TextEdit> LineEdits::Run() {
  while (i_ < before_.size() || j_ < after_.size()) {
    if (i_ < before_.size() && j_ < after_.size() && before_[i_] == after_[j_]) {
      ++i_;
      ++j_;
    } else if (IsCommon(i_, j_)) {
      Respace();
    } else {
      Replace(NextCommonLine());
    }
  }
  return std::move(edits_);
}

}  // namespace

std::optional<std::vector<TextEdit>> FormatText(std::string_view text, bool is_json) {
  if (is_json) {
    return std::nullopt;  // `fmt` leaves these files alone
  }
  Diagnostics problems;
  const Ref<const SourceFile> source = SourceFile::Make("", std::string(text));
  const std::optional<std::string> formatted = hcl::writer::FormatFile(source.get(), problems);
  if (!formatted) {
    return std::nullopt;
  }
  if (*formatted == text) {
    return std::vector<TextEdit>();
  }
  return LineEdits(text, *formatted).Run();
}

std::optional<std::vector<TextEdit>> FormatRange(std::string_view text, bool is_json, Span span) {
  auto edits = FormatText(text, is_json);
  if (edits) {
    std::erase_if(*edits, [&](const TextEdit& edit) {
      return edit.span.end < span.begin || span.end < edit.span.begin;
    });
  }
  return edits;
}

}  // namespace kinu::ide
