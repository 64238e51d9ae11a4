#include "hcl/writer/editor.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "hcl/parse.h"
#include "hcl/writer/tokens.h"

namespace kinu::hcl::writer {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t";

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// End of the blanks and comments from `at` on, including the newline after them; at most `end`.
size_t LineRestEnd(std::string_view text, size_t at, size_t end) {
  text = text.substr(0, end);
  for (;;) {
    at = text.find_first_not_of(kBlanks, at);
    if (at == std::string_view::npos) {
      return end;
    }
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("/*")) {
      const size_t close = rest.find("*/", 2);
      if (close == std::string_view::npos) {
        return end;
      }
      at += close + 2;
    } else if (rest.starts_with('#') || rest.starts_with("//") || rest.starts_with('\n') ||
               rest.starts_with("\r\n")) {
      const size_t newline = rest.find('\n');
      return newline == std::string_view::npos ? end : at + newline + 1;
    } else {
      return at;
    }
  }
}

/// Start of the comments directly above the item that follows `text`: after the last blank line.
size_t LeadCommentsBegin(std::string_view text) {
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t line_end = LineRestEnd(text, at, text.size());
    if (line_end == at) {  // unreachable if `text` has only comments and blanks
      break;
    }
    const std::string_view line = text.substr(at, line_end - at);
    if (line.ends_with('\n') && IsBlank(line)) {
      begin = line_end;
    }
    at = line_end;
  }
  return begin;
}

/// The text after the last newline.
std::string_view LastLine(std::string_view text) {
  const size_t newline = text.rfind('\n');
  return newline == std::string_view::npos ? text : text.substr(newline + 1);
}

/// The leading blanks of a line.
std::string_view IndentOf(std::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(kBlanks), line.size()));
}

std::string LabelText(std::span<const std::string> labels) {
  std::string text;
  for (const std::string& label : labels) {
    text += ' ' + StringText(label);
  }
  return text;
}

}  // namespace

// --- Blocks ---

EditableBlock::EditableBlock() = default;
EditableBlock::~EditableBlock() = default;

void EditableBlock::SetType(std::string_view type) {
  type_ = document_->Keep(type);
}

void EditableBlock::SetLabels(std::span<const std::string> labels) {
  labels_.assign(labels.begin(), labels.end());
  label_text_ = document_->Keep(LabelText(labels));
}

// --- Reading and writing ---

void EditableBody::ReadAttribute(const NativeAttribute& attribute, std::string_view text,
                                 Item& item) {
  item.name = text.substr(attribute.begin, attribute.name_end() - attribute.begin);
  item.gap = text.substr(attribute.name_end(), attribute.expr->begin - attribute.name_end());
  item.expression = text.substr(attribute.expr->begin, attribute.expr->end - attribute.expr->begin);
}

void EditableBody::ReadBlock(const NativeBlock& block, std::string_view text, Item& item) {
  item.block.reset(new EditableBlock);
  EditableBlock& out = *item.block;
  const uint32_t labels_end = block.header_end();
  out.document_ = document_;
  out.type_ = text.substr(block.type_begin, block.type_end() - block.type_begin);
  out.label_text_ = text.substr(block.type_end(), labels_end - block.type_end());
  out.open_gap_ = text.substr(labels_end, block.open_brace - labels_end);
  out.labels_.assign(block.labels.begin(), block.labels.end());
  out.body_.reset(new EditableBody(document_, &item));
  out.body_->Read(*block.body, text, block.open_brace + 1, block.close_brace);
}

void EditableBody::Read(const NativeBody& body, std::string_view text, uint32_t begin,
                        uint32_t end) {
  size_t at = begin;
  if (owner_ != nullptr) {
    at = LineRestEnd(text, begin, end);
  } else if (text.starts_with(kByteOrderMark)) {
    at = kByteOrderMark.size();
  }
  head_ = text.substr(begin, at - begin);
  auto attribute = body.attributes.begin();
  auto block = body.blocks.begin();
  while (attribute != body.attributes.end() || block != body.blocks.end()) {
    Item& item = items_.emplace_back();
    size_t item_begin = 0;
    size_t item_end = 0;
    if (block == body.blocks.end() ||
        (attribute != body.attributes.end() && attribute->begin < block->type_begin)) {
      ReadAttribute(*attribute, text, item);
      item_begin = attribute->begin;
      item_end = attribute->expr->end;
      attributes_.emplace(std::string(attribute->name), std::prev(items_.end()));
      ++attribute;
    } else {
      ReadBlock(*block, text, item);
      item_begin = block->type_begin;
      item_end = block->close_brace + 1;
      ++block;
    }
    item.before = text.substr(at, item_begin - at);
    at = LineRestEnd(text, item_end, end);
    item.after = text.substr(item_end, at - item_end);
  }
  tail_ = text.substr(at, end - at);
  if (head_.ends_with('\n') && !items_.empty()) {
    indent_ = IndentOf(LastLine(items_.back().before));
  }
}

void EditableBody::Write(std::string& out) const {
  out += head_;
  for (const Item& item : items_) {
    out += item.before;
    if (item.block == nullptr) {
      out += item.name;
      out += item.gap;
      out += item.expression;
    } else {
      const EditableBlock& block = *item.block;
      out += block.type_;
      out += block.label_text_;
      out += block.open_gap_;
      out += '{';
      block.body_->Write(out);
      out += '}';
    }
    out += item.after;
  }
  out += tail_;
}

Document::Document() : body_(new EditableBody(this, nullptr)) {
}
Document::~Document() = default;

std::unique_ptr<Document> Document::Parse(const SourceFile* source, Diagnostics& diags) {
  SyntaxTree tree;
  const size_t errors = diags.error_count();
  const NativeBody* body = ParseNative(source, tree, diags);
  if (diags.error_count() > errors) {
    return nullptr;
  }
  auto document = std::make_unique<Document>();
  const std::string_view text = document->Keep(source->text());
  if (const size_t newline = text.find('\n'); newline != std::string_view::npos) {
    document->newline_ = newline > 0 && text[newline - 1] == '\r' ? "\r\n" : "\n";
  }
  document->body_->Read(*body, text, 0, static_cast<uint32_t>(text.size()));
  return document;
}

std::string Document::Text() const {
  std::string out;
  body_->Write(out);
  return out;
}

// --- Positions of new items ---

std::string_view EditableBody::EndIndent() const {
  return owner_ == nullptr ? std::string_view() : IndentOf(LastLine(owner_->before));
}

std::string_view EditableBody::ItemIndent() {
  if (owner_ != nullptr && indent_.empty()) {
    indent_ = document_->Keep(std::string(EndIndent()) + "  ");
  }
  return indent_;
}

void EditableBody::OpenLine() {
  const std::string_view newline = document_->newline_;
  const auto ended = [&](std::string_view line_rest) {
    return document_->Keep((IsBlank(line_rest) ? "" : std::string(line_rest)) +
                           std::string(newline));
  };
  if (owner_ == nullptr) {
    // The file may lack its last newline.
    if (const std::string_view line = LastLine(tail_); !line.empty()) {
      const std::string_view lines = tail_.substr(0, tail_.size() - line.size());
      tail_ = IsBlank(line) ? lines : document_->Keep(std::string(tail_) + std::string(newline));
    } else if (tail_.empty() && !items_.empty() && !items_.back().after.ends_with('\n')) {
      items_.back().after = ended(items_.back().after);
    }
  } else if (!head_.ends_with('\n')) {
    // Splits a single-line block, `a { b = 1 }`, into lines.
    head_ = ended(head_);
    for (Item& item : items_) {
      item.before = ItemIndent();
      item.after = ended(item.after);
    }
    tail_ = EndIndent();
  }
}

EditableBody::Item& EditableBody::Append(std::string_view indent) {
  OpenLine();
  const std::string_view end_line = LastLine(tail_);
  const std::string_view detached = tail_.substr(0, tail_.size() - end_line.size());
  Item& item = items_.emplace_back();
  item.before =
      detached.empty() ? indent : document_->Keep(std::string(detached) + std::string(indent));
  item.after = document_->newline_;
  tail_ = end_line;
  return item;
}

void EditableBody::AppendBlankLine() {
  Append({});
}

void EditableBody::AppendComment(std::string_view text) {
  const std::string_view indent = ItemIndent();
  Item& item = Append(indent);
  std::string out(item.before);
  for (;;) {
    const size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    out += '#';
    if (!line.empty()) {
      (out += ' ') += line;
    }
    if (newline == std::string_view::npos) {
      break;
    }
    (out += document_->newline_) += indent;
    text.remove_prefix(newline + 1);
  }
  item.before = document_->Keep(out);
}

void EditableBody::Remove(Items::iterator item) {
  const auto next = std::next(item);
  std::string_view& following = next == items_.end() ? tail_ : next->before;
  if (owner_ != nullptr && !item->after.ends_with('\n')) {
    // `a { b = 1 }` becomes `a {}`.
    head_ = IsBlank(head_) ? std::string_view() : head_;
    items_.erase(item);
    return;
  }
  const std::string_view detached = item->before.substr(0, LeadCommentsBegin(item->before));
  const size_t newline = following.find('\n');
  const bool blank_follows =
      newline != std::string_view::npos && IsBlank(following.substr(0, newline));
  if (!IsBlank(detached)) {
    // Comments that a blank line separates from the item stay.
    *item = Item{.before = detached};
    return;
  }
  // Leaves blank lines above or below the removed item, not both, and none at the start of the
  // body.
  if (item == items_.begin()) {
    while (following.starts_with('\n') || following.starts_with("\r\n")) {
      following.remove_prefix(following.find('\n') + 1);
    }
  } else if (!blank_follows && next != items_.end()) {
    *item = Item{.before = detached};
    return;
  }
  items_.erase(item);
}

// --- Attributes ---

std::vector<std::string_view> EditableBody::AttributeNames() const {
  std::vector<std::string_view> names;
  for (const Item& item : items_) {
    if (!item.name.empty()) {
      names.push_back(item.name);
    }
  }
  return names;
}

std::optional<std::string_view> EditableBody::AttributeText(std::string_view name) const {
  const auto found = attributes_.find(name);
  if (found == attributes_.end()) {
    return std::nullopt;
  }
  return found->second->expression;
}

void EditableBody::SetExpression(std::string_view name, std::string_view expression,
                                 bool indent_lines) {
  const auto found = attributes_.find(name);
  Item* item = nullptr;
  if (found != attributes_.end()) {
    item = &*found->second;
  } else {
    item = &Append(ItemIndent());
    item->name = document_->Keep(name);
    item->gap = " = ";
    attributes_.emplace(std::string(name), std::prev(items_.end()));
  }
  std::string text;
  const std::string_view indent = IndentOf(LastLine(item->before));
  for (const char c : expression) {
    if (c == '\n' && indent_lines) {
      text += document_->newline_;
      text += indent;
    } else {
      text += c;
    }
  }
  item->expression = document_->Keep(text);
}

void EditableBody::SetAttribute(std::string_view name, std::string_view expression) {
  SetExpression(name, expression, false);
}

Result<void> EditableBody::SetAttributeValue(std::string_view name, const Value& value) {
  KINU_TRY(const std::string text, ValueText(value));
  SetExpression(name, text, true);  // safe, because no token of `text` contains a newline
  return {};
}

Result<void> EditableBody::SetAttributeTraversal(std::string_view name, std::string_view root,
                                                 std::span<const TraversalStep> steps) {
  KINU_TRY(const std::string text, TraversalText(root, steps));
  SetExpression(name, text, true);
  return {};
}

bool EditableBody::RenameAttribute(std::string_view from, std::string_view to) {
  const auto found = attributes_.find(from);
  if (found == attributes_.end() || attributes_.contains(to)) {
    return false;
  }
  const Items::iterator item = found->second;
  attributes_.erase(found);
  item->name = document_->Keep(to);
  attributes_.emplace(std::string(to), item);
  return true;
}

bool EditableBody::RemoveAttribute(std::string_view name) {
  const auto found = attributes_.find(name);
  if (found == attributes_.end()) {
    return false;
  }
  const Items::iterator item = found->second;
  attributes_.erase(found);
  Remove(item);
  return true;
}

// --- Blocks ---

std::vector<EditableBlock*> EditableBody::Blocks() {
  std::vector<EditableBlock*> blocks;
  for (const Item& item : items_) {
    if (item.block != nullptr) {
      blocks.push_back(item.block.get());
    }
  }
  return blocks;
}

EditableBlock* EditableBody::FindBlock(std::string_view type, std::span<const std::string> labels) {
  for (const Item& item : items_) {
    if (item.block != nullptr && item.block->type_ == type &&
        std::equal(labels.begin(), labels.end(), item.block->labels_.begin(),
                   item.block->labels_.end())) {
      return item.block.get();
    }
  }
  return nullptr;
}

EditableBlock& EditableBody::AppendBlock(std::string_view type,
                                         std::span<const std::string> labels) {
  Item& item = Append(ItemIndent());
  item.block.reset(new EditableBlock);
  EditableBlock& block = *item.block;
  block.document_ = document_;
  block.type_ = document_->Keep(type);
  block.open_gap_ = " ";
  block.SetLabels(labels);
  block.body_.reset(new EditableBody(document_, &item));
  block.body_->head_ = document_->newline_;
  block.body_->tail_ = ItemIndent();
  return block;
}

bool EditableBody::RemoveBlock(const EditableBlock* block) {
  for (auto item = items_.begin(); item != items_.end(); ++item) {
    if (item->block.get() == block) {
      Remove(item);
      return true;
    }
  }
  return false;
}

}  // namespace kinu::hcl::writer
