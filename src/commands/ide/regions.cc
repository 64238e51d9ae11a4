#include "ide/regions.h"

#include <algorithm>

namespace kinu::ide {
namespace {

/// Types of blocks that begin a region.
constexpr std::string_view kRegionTypes[] = {
    "terraform",
    "provider",
    "variable",
    "locals",
    "output",
    "module",
    "resource",
    "data",
    "ephemeral",
    "moved",
    "import",
    "check",
    "removed",
    "language",
    "run",
    "variables",
    "mock_provider",
    "override_module",
    "override_resource",
    "override_data",
};

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/// The type of the block whose header is the line at the offset; empty if it is none.
std::string_view RegionTypeAt(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && IsWordByte(text[end])) {
    ++end;
  }
  const std::string_view word = text.substr(at, end - at);
  if (word.empty() || std::ranges::find(kRegionTypes, word) == std::end(kRegionTypes)) {
    return {};
  }
  const std::string_view rest = text.substr(end, text.find('\n', end) - end);
  const size_t first = rest.find_first_not_of(" \t");
  const bool has_header = first != std::string_view::npos &&
                          (rest[first] == '"' || rest[first] == '{' || IsWordByte(rest[first]));
  return has_header ? word : std::string_view();
}

}  // namespace

size_t RegionBegin(std::string_view text, size_t offset) {
  size_t line = std::min(offset, text.size());
  while (true) {
    const size_t newline = line == 0 ? std::string_view::npos : text.rfind('\n', line - 1);
    const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    if (begin == 0 || !RegionTypeAt(text, begin).empty()) {
      return begin;
    }
    line = begin - 1;
  }
}

size_t RegionEnd(std::string_view text, size_t offset) {
  for (size_t at = text.find('\n', offset); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    if (!RegionTypeAt(text, at + 1).empty()) {
      return at + 1;
    }
  }
  return text.size();
}

std::vector<Region> RegionsOf(std::string_view text) {
  std::vector<Region> regions;
  for (size_t at = RegionTypeAt(text, 0).empty() ? RegionEnd(text, 0) : 0; at < text.size();) {
    const size_t end = RegionEnd(text, at);
    Region region{.span = {static_cast<uint32_t>(at), static_cast<uint32_t>(end)},
                  .type = RegionTypeAt(text, at)};
    std::string_view header = text.substr(at, text.find('\n', at) - at);
    header = header.substr(0, header.find('{'));
    for (size_t quote = header.find('"'); quote != std::string_view::npos;) {
      const size_t close = header.find('"', quote + 1);
      if (close == std::string_view::npos) {
        break;
      }
      region.labels.push_back(header.substr(quote + 1, close - quote - 1));
      quote = header.find('"', close + 1);
    }
    regions.push_back(std::move(region));
    at = end;
  }
  return regions;
}

}  // namespace kinu::ide
