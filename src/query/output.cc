#include "query/output.h"

#include <algorithm>

#include "base/flat_map.h"
#include "codec/json_writer.h"
#include "tfjson/path.h"

namespace kinu::query {

using tfjson::MaskCursor;
using tfjson::Member;
using tfjson::Node;

namespace {

constexpr size_t kFlushBytes = size_t{64} << 10;
constexpr std::string_view kRedactedText = "(sensitive value)";

void AppendCsvCell(std::string& out, std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos && !cell.starts_with(' ')) {
    out += cell;
    return;
  }
  out += '"';
  for (const char c : cell) {
    out += c;
    if (c == '"') {
      out += c;
    }
  }
  out += '"';
}

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

void ResultWriter::AppendValue(const Node& node, const MaskCursor& cursor) {
  if (options_.show_sensitive) {
    tfjson::AppendCompact(out_, node.text());
  } else {
    tfjson::AppendRedacted(out_, node, cursor, secrets_);
  }
}

std::string ResultWriter::CellOf(const Node& node, const MaskCursor& cursor) const {
  const bool hidden = cursor.whole() || (node.is_string() && secrets_.AreIn(node));
  if (hidden && !options_.show_sensitive) {
    return std::string(kRedactedText);
  }
  if (node.is_string()) {
    return node.String();
  }
  std::string cell;
  if (options_.show_sensitive) {
    tfjson::AppendCompact(cell, node.text());
  } else {
    tfjson::AppendRedacted(cell, node, cursor, secrets_);
  }
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
  const std::string path = options_.paths ? PathOf(found, depth) : std::string();
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
      AppendValue(found.node, cursor);
      out_ += options_.paths ? "}" : "";
      out_ += options_.format == Format::kLines ? "\n" : "";
      break;
    case Format::kRaw:
      if (options_.paths) {
        out_ += path + "\t";
      }
      out_ += CellOf(found.node, cursor);
      out_ += '\n';
      break;
    case Format::kCsv:
    case Format::kTable:
      AddRow(found.node, cursor, path);
      break;
    case Format::kCount:
      break;
  }
  Flush(kFlushBytes);
}

void ResultWriter::FindSecrets(const tfjson::Tree& tree) {
  const std::pair<const tfjson::Tree*, uint64_t> place(&tree, tree.offset());
  if (secrets_of_ != place) {
    secrets_ = tfjson::Secrets(tree.root());
    secrets_of_ = place;
  }
}

void ResultWriter::AddRow(const Node& node, const MaskCursor& cursor, const std::string& path) {
  Row row;
  if (options_.paths) {
    row.cells.emplace_back("path", path);
  }
  const bool hidden = cursor.whole() && !options_.show_sensitive;
  if (node.is_object() && !hidden) {
    for (const Member member : node.members()) {
      row.cells.emplace_back(
          member.name.String(),
          CellOf(member.value, cursor.Into({.container = node, .name = member.name})));
    }
  } else if (node.is_array() && !hidden) {
    uint64_t index = 0;
    for (const Node element : node.elements()) {
      row.cells.emplace_back(std::to_string(index),
                             CellOf(element, cursor.Into({.container = node, .index = index})));
      ++index;
    }
  } else {
    row.cells.emplace_back("value", CellOf(node, cursor));
  }
  rows_.push_back(std::move(row));
}

void ResultWriter::WriteRows() {
  // Columns are in the order of their first occurrence.
  std::vector<std::string> columns;
  FlatMap<std::string, size_t> index;
  for (const Row& row : rows_) {
    for (const auto& [name, text] : row.cells) {
      if (index.emplace(name, columns.size()).second) {
        columns.push_back(name);
      }
    }
  }
  std::vector<std::vector<std::string>> lines{columns};
  for (Row& row : rows_) {
    std::vector<std::string>& line = lines.emplace_back(columns.size());
    for (auto& [name, text] : row.cells) {
      line[index.find(name)->second] = std::move(text);
    }
  }
  if (options_.format == Format::kCsv) {
    for (const auto& line : lines) {
      for (size_t i = 0; i < line.size(); ++i) {
        out_ += i > 0 ? "," : "";
        AppendCsvCell(out_, line[i]);
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
