#include "lsp/params.h"

#include <algorithm>
#include <charconv>

#include "base/result.h"
#include "lsp/uri.h"

namespace kinu::lsp {
namespace {

template <typename Number>
std::optional<Number> NumberOf(const JsonNode* node) {
  if (node == nullptr || !node->is_number()) {
    return std::nullopt;
  }
  Number number = 0;
  const std::string_view text = node->text();
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  return error == std::errc() && end == text.end() ? std::optional(number) : std::nullopt;
}

}  // namespace

const JsonNode* FindIn(const JsonNode* node, std::string_view path) {
  while (node != nullptr && !path.empty()) {
    const std::string_view name = path.substr(0, path.find('.'));
    node = node->Find(name);
    path.remove_prefix(std::min(path.size(), name.size() + 1));
  }
  return node;
}

bool IsTrue(const JsonNode* node, std::string_view path) {
  node = FindIn(node, path);
  return node != nullptr && node->is_bool() && node->boolean();
}

std::vector<std::string> StringsIn(const JsonNode* node, std::string_view path) {
  std::vector<std::string> texts;
  node = FindIn(node, path);
  if (node != nullptr) {
    for (const JsonNode& element : node->elements()) {
      if (element.is_string()) {
        texts.emplace_back(element.text());
      }
    }
  }
  return texts;
}

bool Lists(const JsonNode* node, std::string_view path, std::string_view text) {
  return std::ranges::count(StringsIn(node, path), text) > 0;
}

std::optional<uint32_t> UnsignedOf(const JsonNode* node) {
  const auto number = NumberOf<uint32_t>(node);
  return number && *number <= INT32_MAX ? number : std::nullopt;
}

std::optional<int32_t> IntegerOf(const JsonNode* node) {
  return NumberOf<int32_t>(node);
}

Outcome<std::string> StringOf(const JsonNode& params, std::string_view name) {
  const JsonNode* node = params.Find(name);
  if (node == nullptr || !node->is_string()) {
    return Refuse(ErrorCode::kInvalidParams, std::string(name) + " is missing or no string.");
  }
  return std::string(node->text());
}

std::string KeyOfUri(std::string_view uri) {
  auto path = PathOfUri(uri);
  return path ? *std::move(path) : std::string(uri);
}

Outcome<std::string> DocumentOf(const JsonNode& params) {
  const JsonNode* uri = FindIn(&params, "textDocument.uri");
  if (uri == nullptr || !uri->is_string()) {
    return Refuse(ErrorCode::kInvalidParams, "textDocument.uri is missing or no string.");
  }
  return KeyOfUri(uri->text());
}

Outcome<LinePosition> PositionOf(const JsonNode* node) {
  const auto line = UnsignedOf(FindIn(node, "line"));
  const auto character = UnsignedOf(FindIn(node, "character"));
  if (!line || !character) {
    return Refuse(ErrorCode::kInvalidParams, "A position is missing or has no line or character.");
  }
  return LinePosition{.line = *line, .character = *character};
}

Outcome<LineRange> RangeOf(const JsonNode* node) {
  KINU_TRY(const LinePosition start, PositionOf(FindIn(node, "start")));
  KINU_TRY(const LinePosition end, PositionOf(FindIn(node, "end")));
  return LineRange{.start = start, .end = end};
}

}  // namespace kinu::lsp
