#include "plan_json/snippet.h"

#include <algorithm>
#include <cstring>

#include "hcl/parse.h"
#include "json/reader.h"
#include "text/quote.h"

namespace kinu::view {

struct SourceIndex::Block {
  int64_t begin;
  int64_t end;
  std::string header;
};

/// The top-level blocks of a file (native syntax) or its document (JSON).
struct SourceIndex::Entry {
  std::vector<Block> blocks;
  std::optional<JsonDocument> json;
};

SourceIndex::SourceIndex() = default;
SourceIndex::~SourceIndex() = default;

namespace {

constexpr std::string_view kEncryptionVariable = "TF_ENCRYPTION";

/// The names of the members that lead to an offset in a JSON file: `resource.t.n`.
std::string JsonPathTo(const JsonNode* node, int64_t offset) {
  const auto holds = [offset](const JsonNode& child) {
    return (child.is_object() || child.is_array()) && offset >= child.begin() &&
           offset < child.end();
  };
  std::string path;
  while (node != nullptr) {
    const JsonNode* next = nullptr;
    if (node->is_object()) {
      const std::span<const JsonMember> members = node->members();
      const auto after = std::ranges::upper_bound(
          members, offset, {}, [](const JsonMember& member) { return member.value.begin(); });
      if (after != members.begin() && holds(std::prev(after)->value)) {
        next = &std::prev(after)->value;
        path += '.';
        path += std::prev(after)->name;
      }
    } else {
      const std::span<const JsonNode> elements = node->elements();
      const auto after = std::ranges::upper_bound(elements, offset, {}, &JsonNode::begin);
      if (after != elements.begin() && holds(*std::prev(after))) {
        next = &*std::prev(after);
        path += '[';
        path += std::to_string(next - elements.data());
        path += ']';
      }
    }
    node = next;
  }
  return path.starts_with('.') ? path.substr(1) : path;
}

/// Whether diagnostics show lines of this source: of configuration files, standard input and words
/// of some commands, but not of console input, command-line values, the lock file, or
/// TF_ENCRYPTION, which may have keys.
bool HasShownText(const SourceFile& file) {
  for (const std::string_view shown :
       {"<stdin>", "<import-address>", "<address>", "<expression>"}) {
    if (file.name() == shown) {
      return true;
    }
  }
  return !file.name().empty() && !file.name().starts_with('<') &&
         !file.name().starts_with("-backend-config=") && file.name() != kEncryptionVariable &&
         !file.name().ends_with(" with no configuration") &&
         !file.name().ends_with(".terraform.lock.hcl");
}

struct Span {
  Position start;
  Position end;

  bool empty() const { return start.byte == end.byte; }
  bool Contains(uint32_t offset) const { return offset >= start.byte && offset < end.byte; }
  void WidenIfEmpty() {
    if (empty()) {
      ++end.byte;
      ++end.column;
    }
  }
};

Span UnionOf(const Span& a, const Span& b) {
  return {a.start.byte <= b.start.byte ? a.start : b.start,
          a.end.byte >= b.end.byte ? a.end : b.end};
}

/// Longer lines are shown in part: `kAround` bytes on each side of the start of a span.
constexpr size_t kLongLine = size_t{1} << 14;
constexpr size_t kAround = 512;

/// The offset, or the next one that begins a character.
size_t AtCharacter(std::string_view text, size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) {
    ++at;
  }
  return at;
}

/// The start of the line at an offset, or of the part of it that is shown.
size_t LineBegin(std::string_view text, size_t at) {
  const size_t searched = std::min(at, kLongLine);
  const auto* const newline =
      static_cast<const char*>(::memrchr(text.data() + at - searched, '\n', searched));
  const size_t begin =
      newline != nullptr ? static_cast<size_t>(newline + 1 - text.data()) : at - searched;
  const bool is_whole =
      (newline != nullptr || begin == 0) &&
      (text.size() - begin <= kLongLine || text.substr(begin, kLongLine).contains('\n'));
  return is_whole ? begin : AtCharacter(text, std::max(begin + kAround, at) - kAround);
}

/// Collects the whole lines that a span touches.
void CollectLines(std::string_view text, const Span& span, Snippet& snippet, size_t& code_begin) {
  bool found = false;
  const size_t start = std::min<size_t>(span.start.byte, text.size());
  // If the span starts at a line break, the line before it is shown too.
  for (size_t begin = LineBegin(text, start); begin < text.size();) {
    const size_t newline = text.substr(begin, kLongLine).find('\n');
    const bool ends_late = newline == std::string_view::npos && text.size() - begin > kLongLine;
    const bool begins_late = begin > 0 && text[begin - 1] != '\n';
    size_t end = newline == std::string_view::npos ? text.size() : begin + newline;
    const size_t next = end + 1;
    if (begins_late || ends_late) {
      end = std::min(end, AtCharacter(text, std::max(begin, start) + kAround));
    }
    if (end > begin && text[end - 1] == '\r') {
      --end;
    }
    const bool before = begin > span.end.byte;
    const bool empty = begin == end;
    const bool touches = !empty && ((span.start.byte >= begin && span.start.byte < end) ||
                                    (span.end.byte >= begin && span.end.byte < end) ||
                                    span.Contains(static_cast<uint32_t>(begin)) ||
                                    span.Contains(static_cast<uint32_t>(end)));
    if (touches) {
      if (!found) {
        code_begin = begin;
        found = true;
      }
      snippet.code += text.substr(begin, end - begin);
      snippet.code += '\n';
    }
    if (before || ends_late) {
      break;
    }
    begin = next;
  }
  if (!snippet.code.empty()) {
    snippet.code.pop_back();
  }
}

/// The span of the subject, which must be valid, as it is in the text.
Span SubjectOf(const Diagnostic& diagnostic) {
  const SourceFile& root = diagnostic.subject.file->root();
  if (&root == SourceRange::Nowhere().file ||
      (root.text().empty() && root.name() == kEncryptionVariable)) {
    return Span{{0, 0, 0}, {0, 0, 0}};  // a range without a source
  }
  return Span{diagnostic.subject.start_position(), diagnostic.subject.end_position()};
}

}  // namespace

std::optional<std::string> SourceIndex::ContextAt(const SourceFile& file, int64_t offset) {
  std::unique_ptr<Entry>& entry = files_[reinterpret_cast<uintptr_t>(&file)];
  if (entry == nullptr) {
    entry = std::make_unique<Entry>();
    if (file.name().ends_with(".json")) {
      entry->json = ParseJson(file.text(), {.recover = true});
    } else {
      hcl::SyntaxTree tree;
      Diagnostics ignored;
      const hcl::NativeBody* body = hcl::ParseNative(&file, tree, ignored);
      for (const hcl::NativeBlock& block : body->blocks) {
        std::string header(block.type);
        for (const std::string_view label : block.labels) {
          header += ' ';
          header += text::GoQuote(label);
        }
        entry->blocks.push_back({block.type_begin, int64_t{block.close_brace} + 1, header});
      }
    }
  }
  if (entry->json) {
    std::string path = JsonPathTo(&entry->json->root(), offset);
    return path.empty() ? std::nullopt : std::optional(std::move(path));
  }
  const auto after = std::ranges::upper_bound(entry->blocks, offset, {}, &Block::begin);
  if (after == entry->blocks.begin() || offset >= std::prev(after)->end) {
    return std::nullopt;
  }
  return std::prev(after)->header;
}

std::optional<Place> PlaceWithoutSnippet(const Diagnostic& diagnostic) {
  if (!diagnostic.subject.valid()) {
    return std::nullopt;
  }
  Span highlight = SubjectOf(diagnostic);
  highlight.WidenIfEmpty();
  return Place{.file = diagnostic.subject.file->root().name(),
               .start = highlight.start,
               .end = highlight.end};
}

std::optional<Place> PlaceOf(const Diagnostic& diagnostic, SourceIndex& sources) {
  std::optional<Place> place = PlaceWithoutSnippet(diagnostic);
  if (!place || !HasShownText(diagnostic.subject.file->root())) {
    return place;
  }
  const SourceFile& root = diagnostic.subject.file->root();
  Span shown = SubjectOf(diagnostic);
  if (diagnostic.context.valid()) {
    shown =
        UnionOf({diagnostic.context.start_position(), diagnostic.context.end_position()}, shown);
  }
  shown.WidenIfEmpty();
  Snippet& snippet = place->snippet.emplace();
  snippet.start_line = shown.start.line;
  snippet.context = sources.ContextAt(root, int64_t{place->start.byte} - 1);
  size_t code_begin = 0;
  CollectLines(root.text(), shown, snippet, code_begin);
  // The highlight may begin at a line break before the first line that is shown.
  const auto limit = static_cast<int64_t>(snippet.code.size());
  const auto begin = int64_t{place->start.byte} - static_cast<int64_t>(code_begin);
  const int64_t end = begin + (place->end.byte - place->start.byte);
  snippet.highlight_begin = static_cast<size_t>(std::clamp<int64_t>(begin, 0, limit));
  snippet.highlight_end = static_cast<size_t>(std::clamp<int64_t>(end, 0, limit));
  return place;
}

std::vector<ExpressionValue> SortedValues(const Diagnostic& diagnostic) {
  std::vector<ExpressionValue> values = diagnostic.values;
  std::ranges::stable_sort(values, {}, &ExpressionValue::traversal);
  const auto repeated = std::ranges::unique(values, {}, &ExpressionValue::traversal);
  values.erase(repeated.begin(), repeated.end());
  return values;
}

}  // namespace kinu::view
