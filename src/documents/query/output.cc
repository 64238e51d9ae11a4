#include "query/output.h"

#include <algorithm>

#include "base/flat_map.h"
#include "codec/csv.h"
#include "json/writer.h"
#include "tfjson/path.h"

namespace kinu::query {

using json::Member;
using json::Node;
using tfjson::MaskCursor;

namespace {

constexpr size_t kFlushBytes = size_t{64} << 10;
constexpr std::string_view kRedactedText = "(sensitive value)";

/// The text on one line: control characters become spaces.
std::string OneLine(std::string_view cell) {
  std::string line(cell);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return line;
}

size_t Width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// The first characters of a text, as Width() counts them.
std::string FirstCharacters(std::string_view text, size_t count) {
  size_t end = 0;
  while (end < text.size() && ((text[end] & 0xC0) == 0x80 || count-- > 0)) {
    ++end;
  }
  return std::string(text.substr(0, end));
}

/// A longer text in `width` characters: its beginning and its end, because instances differ at the
/// ends of their addresses.
std::string Shortened(std::string_view text, size_t width) {
  const size_t last = (width - 1) / 2;
  const size_t omitted = FirstCharacters(text, Width(text) - last).size();
  return FirstCharacters(text, width - 1 - last) + "…" + std::string(text.substr(omitted));
}

}  // namespace

std::string ResultWriter::PathOf(const Found& found, size_t depth) const {
  std::string path = "$";
  for (const tfjson::PathStep& step : found.passed) {
    if (const auto* name = std::get_if<std::string>(&step)) {
      tfjson::AppendNormalizedName(path, *name);
    } else {
      tfjson::AppendNormalizedIndex(path, std::get<uint64_t>(step));
    }
  }
  path += NormalizedPath(found.trail.first(depth)).substr(1);
  return path;
}

void ResultWriter::AppendValue(std::string& out, const Node& node, const MaskCursor& cursor) const {
  if (options_.show_sensitive) {
    json::AppendCompact(out, node.text());
  } else {
    tfjson::AppendRedacted(out, node, cursor, secrets_);
  }
}

std::string ResultWriter::TextOf(const Node& node, const MaskCursor& cursor) const {
  const bool hidden = cursor.whole() || (node.is_string() && secrets_.AreIn(node));
  if (hidden && !options_.show_sensitive) {
    return std::string(kRedactedText);
  }
  if (node.is_string()) {
    return node.String();
  }
  std::string cell;
  AppendValue(cell, node, cursor);
  return cell;
}

void ResultWriter::Add(const Found& found) {
  ++count_;
  if (options_.format == Format::kCount) {
    return;
  }
  MaskCursor cursor(MaskCursor::Sort::kSensitive);
  size_t depth = found.trail.size();
  if (!options_.show_sensitive) {
    // The path ends at a value that is sensitive as a whole, because names inside it are sensitive
    // too.
    FindSecrets(found.node.tree());
    depth = 0;
    while (depth < found.trail.size() && !cursor.whole()) {
      cursor = cursor.Into(found.trail[depth]);
      ++depth;
    }
  }
  if (!options_.group_by.empty()) {
    AddToGroup(found, cursor);
    return;
  }
  const std::string path = options_.paths ? PathOf(found, depth) : std::string();
  if (projects() || options_.format == Format::kCsv || options_.format == Format::kTable) {
    Row row = RowOf(found, cursor, path);
    if (options_.format == Format::kCsv || options_.format == Format::kTable) {
      rows_.push_back(std::move(row));
    } else {
      WriteRow(row);
      Flush(kFlushBytes);
    }
    return;
  }
  switch (options_.format) {
    case Format::kJson:
      out_ += count_ == 1 ? "[" : ",";
      [[fallthrough]];
    case Format::kLines:
      if (options_.paths) {
        out_ += "{\"path\":";
        JsonWriter::AppendQuoted(out_, path, JsonEscape::kPlain);
        out_ += ",\"value\":";
      }
      AppendValue(out_, found.node, cursor);
      out_ += options_.paths ? "}" : "";
      out_ += options_.format == Format::kLines ? "\n" : "";
      break;
    case Format::kRaw:
      if (options_.paths) {
        out_ += path + "\t";
      }
      out_ += TextOf(found.node, cursor);
      out_ += '\n';
      break;
    default:
      break;  // handled above
  }
  Flush(kFlushBytes);
}

void ResultWriter::FindSecrets(const json::Tree& tree) {
  const std::pair<const json::Tree*, uint64_t> place(&tree, tree.offset());
  if (secrets_of_ != place) {
    secrets_ = tfjson::Secrets(tree.root());
    secrets_of_ = place;
  }
}

ResultWriter::Cell ResultWriter::CellFor(std::string column, const Node& node,
                                         const MaskCursor& cursor) const {
  Cell cell{.column = std::move(column), .text = node ? TextOf(node, cursor) : std::string()};
  if (writes_json() && projects()) {
    if (node) {
      AppendValue(cell.json, node, cursor);
    } else {
      cell.json = "null";
    }
  }
  return cell;
}

ResultWriter::Cell ResultWriter::CellFor(const Column& column, const Found& found,
                                         const MaskCursor& cursor) const {
  const ColumnValue value = ValueOf(column, found, cursor);
  if (value.json.empty()) {
    return CellFor(column.name, value.node, value.masks);
  }
  // A function of a sensitive value says something about it, unless it only answers yes or no.
  const bool hidden =
      cursor.whole() && !options_.show_sensitive && column.function->result != ValueKind::kLogical;
  const std::string json = hidden ? std::string(tfjson::kRedacted) : value.json;
  return {.column = column.name,
          .text = json.starts_with('"') ? json::DecodeString(json) : json,
          .json = json};
}

ResultWriter::Row ResultWriter::RowOf(const Found& found, const MaskCursor& cursor,
                                      const std::string& path) const {
  const Node& node = found.node;
  Row row;
  if (options_.paths) {
    row.push_back({.column = "path", .text = path});
    JsonWriter::AppendQuoted(row.back().json, path, JsonEscape::kPlain);
  }
  if (!options_.columns.empty()) {
    for (const Column& column : options_.columns) {
      row.push_back(CellFor(column, found, cursor));
    }
    return row;
  }
  if (options_.flatten) {
    AddFlat(row, "", node, cursor);
    return row;
  }
  const bool hidden = cursor.whole() && !options_.show_sensitive;
  if (node.is_object() && !hidden) {
    for (const Member member : node.members()) {
      row.push_back(CellFor(member.name.String(), member.value,
                            cursor.Into({.container = node, .name = member.name})));
    }
  } else if (node.is_array() && !hidden) {
    uint64_t index = 0;
    for (const Node element : node.elements()) {
      row.push_back(CellFor(std::to_string(index), element,
                            cursor.Into({.container = node, .index = index})));
      ++index;
    }
  } else {
    row.push_back(CellFor("value", node, cursor));
  }
  return row;
}

void ResultWriter::AddFlat(Row& row, std::string name, const Node& node,
                           const MaskCursor& cursor) const {
  const bool hidden = cursor.whole() && !options_.show_sensitive;
  if (!node.is_container() || node.size() == 0 || hidden) {
    row.push_back(CellFor(name.empty() ? "value" : std::move(name), node, cursor));
    return;
  }
  for (const Member member : node.members()) {
    AddFlat(row, name + (name.empty() ? "" : ".") + member.name.String(), member.value,
            cursor.Into({.container = node, .name = member.name}));
  }
  uint64_t index = 0;
  for (const Node element : node.elements()) {
    AddFlat(row, name + "[" + std::to_string(index) + "]", element,
            cursor.Into({.container = node, .index = index}));
    ++index;
  }
}

void ResultWriter::WriteRow(const Row& row) {
  ++written_;
  if (options_.format == Format::kRaw) {
    for (size_t i = 0; i < row.size(); ++i) {
      out_ += (i > 0 ? "\t" : "") + OneLine(row[i].text);
    }
    out_ += '\n';
    return;
  }
  if (options_.format == Format::kJson) {
    out_ += written_ == 1 ? "[" : ",";
  }
  out_ += '{';
  for (size_t i = 0; i < row.size(); ++i) {
    out_ += i > 0 ? "," : "";
    JsonWriter::AppendQuoted(out_, row[i].column, JsonEscape::kPlain);
    out_ += ':' + row[i].json;
  }
  out_ += options_.format == Format::kLines ? "}\n" : "}";
}

void ResultWriter::AddToGroup(const Found& found, const MaskCursor& cursor) {
  Row row;
  std::string key;
  for (const Column& column : options_.group_by) {
    row.push_back(CellFor(column, found, cursor));
    key += std::to_string(row.back().text.size()) + ":" + row.back().text;
  }
  const auto [at, added] = group_index_.emplace(std::move(key), groups_.size());
  if (added) {
    groups_.push_back({.cells = std::move(row)});
  }
  ++groups_[at->second].count;
}

/// The largest groups come first; equal ones in the order of their first results.
void ResultWriter::WriteGroups() {
  std::stable_sort(groups_.begin(), groups_.end(),
                   [](const Group& a, const Group& b) { return a.count > b.count; });
  for (Group& group : groups_) {
    const std::string count = std::to_string(group.count);
    group.cells.push_back({.column = "count", .text = count, .json = count});
    if (options_.format == Format::kCsv || options_.format == Format::kTable) {
      rows_.push_back(std::move(group.cells));
    } else {
      WriteRow(group.cells);
    }
  }
}

/// Shortens the widest columns until the lines fit.
void ResultWriter::CutToWidth(std::vector<std::vector<std::string>>& lines,
                              std::vector<size_t>& widths) const {
  constexpr size_t kNarrowest = 4;
  constexpr size_t kGap = 2;
  size_t total = 0;
  for (const size_t width : widths) {
    total += width + kGap;
  }
  total -= total > 0 ? kGap : 0;
  while (options_.width > 0 && total > options_.width) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kNarrowest) {
      break;
    }
    --*widest;
    --total;
  }
  for (auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      if (Width(line[i]) > widths[i]) {
        line[i] = Shortened(line[i], widths[i]);
      }
    }
  }
}

void ResultWriter::WriteRows() {
  // Columns are in the order of their first occurrence.
  std::vector<std::string> columns;
  FlatMap<std::string, size_t> index;
  for (const Row& row : rows_) {
    for (const Cell& cell : row) {
      if (index.emplace(cell.column, columns.size()).second) {
        columns.push_back(cell.column);
      }
    }
  }
  std::vector<std::vector<std::string>> lines{columns};
  for (Row& row : rows_) {
    std::vector<std::string>& line = lines.emplace_back(columns.size());
    for (Cell& cell : row) {
      line[index.find(cell.column)->second] = std::move(cell.text);
    }
  }
  if (options_.format == Format::kCsv) {
    for (const auto& line : lines) {
      for (size_t i = 0; i < line.size(); ++i) {
        out_ += i > 0 ? "," : "";
        AppendCsvField(out_, line[i]);
      }
      out_ += '\n';
    }
    return;
  }
  std::vector<size_t> widths(columns.size(), 0);
  for (auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      line[i] = OneLine(line[i]);
      widths[i] = std::max(widths[i], Width(line[i]));
    }
  }
  CutToWidth(lines, widths);
  for (const auto& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      text += line[i];
      text.append(widths[i] - Width(line[i]) + 2, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out_ += text + "\n";
  }
}

void ResultWriter::Flush(size_t at_least) {
  if (out_.size() >= at_least && !out_.empty()) {
    print_(out_);
    out_.clear();
  }
}

void ResultWriter::Finish() {
  if (options_.format != Format::kCount && !options_.group_by.empty()) {
    WriteGroups();
  }
  switch (options_.format) {
    case Format::kJson:
      out_ += count_ == 0 ? "[]\n" : "]\n";
      break;
    case Format::kCsv:
    case Format::kTable:
      if (!rows_.empty()) {
        WriteRows();
      }
      break;
    case Format::kCount:
      out_ += std::to_string(count_) + "\n";
      break;
    case Format::kLines:
    case Format::kRaw:
      break;
  }
  Flush(0);
}

}  // namespace kinu::query
