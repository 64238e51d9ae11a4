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
  columns_ = columns;
  breaks_ = std::move(breaks);
}

void SourceFile::IndexLines() const {
  line_begins_.push_back(0);
  for (size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    line_begins_.push_back(static_cast<uint32_t>(at + 1));
  }
}

size_t SourceFile::LineAt(uint32_t offset) const {
  std::call_once(indexed_, [this] { IndexLines(); });
  const auto after = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  return static_cast<size_t>(after - line_begins_.begin()) - 1;
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
  const size_t line = LineAt(offset);
  uint32_t begin = line_begins_[line];
  uint32_t column = 1;
  if (line == 0) {
    column = start_.column;
    if (columns_ == Columns::kNative && std::string_view(text_).starts_with(kByteOrderMark)) {
      begin = std::min(offset, static_cast<uint32_t>(kByteOrderMark.size()));
    }
  }
  return {start_.line + static_cast<uint32_t>(line), column + CountColumns(begin, offset),
          start_.byte + offset};
}

std::string_view SourceFile::LineText(uint32_t line) const {
  std::call_once(indexed_, [this] { IndexLines(); });
  if (line < start_.line || line - start_.line >= line_begins_.size()) {
    return {};
  }
  const size_t begin = line_begins_[line - start_.line];
  std::string_view text = std::string_view(text_).substr(begin);
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  return text;
}

uint32_t SourceFile::LineBegin(uint32_t offset) const {
  return line_begins_[LineAt(std::min(offset, static_cast<uint32_t>(text_.size())))];
}

SourceRange SourceRange::Between(const SourceRange& a, const SourceRange& b) {
  if (a.file != b.file) {
    return a;
  }
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

}  // namespace kinu
