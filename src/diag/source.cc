#include "diag/source.h"

#include <algorithm>
#include <utility>

#include "text/unicode.h"

namespace kinu {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Ref<const SourceFile> SourceFile::Make(std::string name, std::string text, Position start,
                                       const SourceFile* parent) {
  auto* file = new SourceFile();
  file->name_ = std::move(name);
  file->text_ = std::move(text);
  file->start_ = start;
  file->parent_ = parent;
  return Ref<const SourceFile>::Adopt(file);
}

void SourceFile::SetColumns(Columns columns, std::vector<uint32_t> breaks) const {
  const std::scoped_lock lock(index_mutex_);
  columns_ = columns;
  breaks_ = std::move(breaks);
  is_indexed_ = false;  // anchors hold columns
}

void SourceFile::Index() const {
  const std::scoped_lock lock(index_mutex_);
  if (is_indexed_) {
    return;
  }
  anchors_.clear();
  line_begins_.clear();
  const auto size = static_cast<uint32_t>(text_.size());
  uint32_t begin = 0;
  for (uint32_t line = 0; begin <= size; ++line) {
    const size_t newline = text_.find('\n', begin);
    const uint32_t end = newline == std::string::npos ? size : static_cast<uint32_t>(newline);
    line_begins_.push_back(begin);
    const bool has_mark = line == 0 && columns_ == Columns::kNative &&
                          std::string_view(text_).starts_with(kByteOrderMark);
    if (has_mark) {
      anchors_.push_back({0, 0, 0});
      begin += static_cast<uint32_t>(kByteOrderMark.size());
    }
    AddAnchorsInLine(begin, end, line);
    begin = end + 1;
  }
  is_indexed_ = true;
}

void SourceFile::AddAnchorsInLine(uint32_t begin, uint32_t end, uint32_t line) const {
  constexpr uint32_t kDistance = 512;
  uint32_t columns = 0;
  anchors_.push_back({begin, line, columns});
  uint32_t at = begin + kDistance;
  while (at < end) {
    // Between two ASCII characters (of one line) a grapheme cluster surely ends.
    if (!text::IsAscii(std::string_view(text_).substr(at - 1, 2))) {
      ++at;
      continue;
    }
    columns += CountColumns(begin, at);
    anchors_.push_back({at, line, columns});
    begin = at;
    at += kDistance;
  }
}

const SourceFile::Anchor& SourceFile::AnchorBefore(uint32_t offset) const {
  if (!is_indexed_) {
    Index();
  }
  const auto after =
      std::upper_bound(anchors_.begin(), anchors_.end(), offset,
                       [](uint32_t value, const Anchor& anchor) { return value < anchor.offset; });
  return *(after - 1);
}

uint32_t SourceFile::CountColumns(uint32_t begin, uint32_t end) const {
  const std::string_view text = std::string_view(text_).substr(begin, end - begin);
  uint32_t columns = 0;
  if (columns_ == Columns::kJson) {
    // A JSON file has tabs and carriage returns only between tokens.
    columns += static_cast<uint32_t>(std::count(text.begin(), text.end(), '\t'));
    columns -= static_cast<uint32_t>(std::count(text.begin(), text.end(), '\r'));
  }
  if (text::IsAscii(text)) {
    return columns + static_cast<uint32_t>(text.size());
  }
  auto next_break = std::upper_bound(breaks_.begin(), breaks_.end(), begin);
  while (begin < end) {
    const uint32_t until = next_break != breaks_.end() && *next_break < end ? *next_break : end;
    columns += static_cast<uint32_t>(
        text::GraphemeCount(std::string_view(text_).substr(begin, until - begin)));
    begin = until;
    if (next_break != breaks_.end()) {
      ++next_break;
    }
  }
  return columns;
}

Position SourceFile::PositionAt(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(text_.size()));
  const Anchor& anchor = AnchorBefore(offset);
  uint32_t columns = anchor.columns;
  const bool inside_mark = anchor.offset == 0 && columns_ == Columns::kNative &&
                           std::string_view(text_).starts_with(kByteOrderMark);
  if (!inside_mark) {
    columns += CountColumns(anchor.offset, offset);
  }
  const uint32_t first_column = anchor.line == 0 ? start_.column : 1;
  return {start_.line + anchor.line, first_column + columns, start_.byte + offset};
}

std::string_view SourceFile::LineText(uint32_t line) const {
  AnchorBefore(0);
  if (line < start_.line || line - start_.line >= line_begins_.size()) {
    return {};
  }
  std::string_view text = std::string_view(text_).substr(line_begins_[line - start_.line]);
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  return text;
}

uint32_t SourceFile::LineBegin(uint32_t offset) const {
  return line_begins_[AnchorBefore(std::min(offset, static_cast<uint32_t>(text_.size()))).line];
}

SourceRange SourceRange::Between(const SourceRange& a, const SourceRange& b) {
  if (a.file != b.file) {
    return a;
  }
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

}  // namespace kinu
