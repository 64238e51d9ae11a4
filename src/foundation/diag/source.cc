#include "diag/source.h"

#include <algorithm>
#include <span>
#include <utility>

#include "text/unicode.h"

namespace kinu {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Ref<const SourceFile> SourceFile::Make(std::string name, std::string text, Position start,
                                       const SourceFile* parent) {
  auto* file = new SourceFile();
  file->owned_ = std::make_unique<const Owned>(Owned{std::move(name), std::move(text)});
  file->text_ = file->owned_->text;
  file->start_ = start;
  file->parent_ = parent;
  return Ref<const SourceFile>::Adopt(file);
}

Ref<const SourceFile> SourceFile::MakeTemplate(const SourceFile* parent, uint32_t quote,
                                               std::string_view text) {
  auto* file = new SourceFile();
  file->text_ = text;
  file->parent_ = parent;
  file->quote_ = quote;
  return Ref<const SourceFile>::Adopt(file);
}

SourceFile::~SourceFile() {
  delete index_.load();
}

Position SourceFile::start() const {
  if (quote_ == kNoQuote) {
    return start_;
  }
  Position start = parent_->PositionAt(quote_);
  ++start.column;
  ++start.byte;
  return start;
}

void SourceFile::SetColumns(Columns columns, std::vector<uint32_t> breaks) const {
  columns_ = columns;
  breaks_ =
      breaks.empty() ? nullptr : std::make_unique<const std::vector<uint32_t>>(std::move(breaks));
  delete index_.exchange(nullptr);  // its anchors were computed with the old column rules
}

const SourceFile::Index& SourceFile::index() const {
  if (const Index* made = index_.load(std::memory_order_acquire)) {
    return *made;
  }
  auto mine = std::make_unique<const Index>(MakeIndex());
  const Index* first = nullptr;
  if (index_.compare_exchange_strong(first, mine.get(), std::memory_order_acq_rel)) {
    return *mine.release();
  }
  return *first;  // another thread has stored its index
}

SourceFile::Index SourceFile::MakeIndex() const {
  Index index;
  const auto size = static_cast<uint32_t>(text_.size());
  uint32_t begin = 0;
  for (uint32_t line = 0; begin <= size; ++line) {
    const size_t newline = text_.find('\n', begin);
    const uint32_t end = newline == std::string_view::npos ? size : static_cast<uint32_t>(newline);
    index.line_begins.push_back(begin);
    const bool has_mark =
        line == 0 && columns_ == Columns::kNative && text_.starts_with(kByteOrderMark);
    if (has_mark) {
      index.anchors.push_back({0, 0, 0});
      begin += static_cast<uint32_t>(kByteOrderMark.size());
    }
    AddAnchorsInLine(begin, end, line, index.anchors);
    begin = end + 1;
  }
  return index;
}

void SourceFile::AddAnchorsInLine(uint32_t begin, uint32_t end, uint32_t line,
                                  std::vector<Anchor>& anchors) const {
  constexpr uint32_t kDistance = 512;
  uint32_t columns = 0;
  anchors.push_back({begin, line, columns});
  uint32_t at = begin + kDistance;
  while (at < end) {
    // A grapheme cluster always ends between two ASCII characters of one line.
    if (!text::IsAscii(text_.substr(at - 1, 2))) {
      ++at;
      continue;
    }
    columns += CountColumns(begin, at);
    anchors.push_back({at, line, columns});
    begin = at;
    at += kDistance;
  }
}

const SourceFile::Anchor& SourceFile::Index::Before(uint32_t offset) const {
  const auto after =
      std::upper_bound(anchors.begin(), anchors.end(), offset,
                       [](uint32_t value, const Anchor& anchor) { return value < anchor.offset; });
  return *(after - 1);
}

uint32_t SourceFile::CountColumns(uint32_t begin, uint32_t end) const {
  const std::string_view text = text_.substr(begin, end - begin);
  uint32_t columns = 0;
  if (columns_ == Columns::kJson) {
    // A JSON file has tabs and carriage returns only between tokens.
    columns += static_cast<uint32_t>(std::count(text.begin(), text.end(), '\t'));
    columns -= static_cast<uint32_t>(std::count(text.begin(), text.end(), '\r'));
  }
  if (text::IsAscii(text)) {
    return columns + static_cast<uint32_t>(text.size());
  }
  const std::span<const uint32_t> breaks =
      breaks_ == nullptr ? std::span<const uint32_t>() : std::span<const uint32_t>(*breaks_);
  auto next_break = std::upper_bound(breaks.begin(), breaks.end(), begin);
  while (begin < end) {
    const uint32_t until = next_break != breaks.end() && *next_break < end ? *next_break : end;
    columns += static_cast<uint32_t>(text::GraphemeCount(text_.substr(begin, until - begin)));
    begin = until;
    if (next_break != breaks.end()) {
      ++next_break;
    }
  }
  return columns;
}

Position SourceFile::PositionAt(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(text_.size()));
  const Anchor& anchor = index().Before(offset);
  uint32_t columns = anchor.columns;
  const bool inside_mark =
      anchor.offset == 0 && columns_ == Columns::kNative && text_.starts_with(kByteOrderMark);
  if (!inside_mark) {
    columns += CountColumns(anchor.offset, offset);
  }
  const Position first = start();
  return {first.line + anchor.line, (anchor.line == 0 ? first.column : 1) + columns,
          first.byte + offset};
}

uint32_t SourceFile::LineBegin(uint32_t offset) const {
  const Index& index = this->index();
  return index
      .line_begins[index.Before(std::min(offset, static_cast<uint32_t>(text_.size()))).line];
}

SourceRange SourceRange::Nowhere() {
  static const Ref<const SourceFile> kNowhere = SourceFile::Make("", "");
  return {kNowhere.get(), 0, 0};
}

SourceRange SourceRange::Between(const SourceRange& a, const SourceRange& b) {
  if (a.file != b.file) {
    return a;
  }
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

std::string ToText(const SourceRange& range) {
  if (!range.valid()) {
    return ":0,0-0";
  }
  const Position begin = range.start_position();
  const Position end = range.end_position();
  std::string out = range.file->name() + ":" + std::to_string(begin.line) + "," +
                    std::to_string(begin.column) + "-";
  if (end.line != begin.line) {
    out += std::to_string(end.line) + ",";
  }
  return out + std::to_string(end.column);
}

}  // namespace kinu
