// Ref: gitformat-index(5).
#include "install/git_index.h"

#include <cstddef>
#include <cstdint>

namespace kinu::install {
namespace {

constexpr size_t kHeader = 12;
constexpr size_t kDigest = 20;  // SHA-1
constexpr size_t kModeAt = 24;
constexpr size_t kFlagsAt = 60;
constexpr size_t kNameAt = 62;
constexpr uint32_t kSubmodule = 0160000;

uint32_t Get16(std::string_view bytes, size_t at) {
  return static_cast<uint32_t>(static_cast<uint8_t>(bytes[at])) << 8 |
         static_cast<uint8_t>(bytes[at + 1]);
}
uint32_t Get32(std::string_view bytes, size_t at) {
  return Get16(bytes, at) << 16 | Get16(bytes, at + 2);
}

/// The size of the entry at the beginning of `bytes`; 0 if there is none.
size_t EntrySize(std::string_view bytes, uint32_t version) {
  constexpr uint32_t kExtended = 0x4000;
  constexpr uint32_t kLongName = 0xFFF;
  constexpr size_t kAlignment = 8;
  if (bytes.size() < kNameAt) {
    return 0;
  }
  const uint32_t flags = Get16(bytes, kFlagsAt);
  const size_t name = kNameAt + (version >= 3 && (flags & kExtended) != 0 ? 2 : 0);
  const size_t end = bytes.find('\0', name);
  const uint32_t length = flags & kLongName;
  if (end == std::string_view::npos || (length < kLongName && end != name + length)) {
    return 0;
  }
  const size_t size = (end + kAlignment) / kAlignment * kAlignment;
  return size <= bytes.size() ? size : 0;
}

}  // namespace

std::optional<bool> ListsSubmodules(std::string_view index) {
  if (index.size() < kHeader + kDigest || !index.starts_with("DIRC")) {
    return std::nullopt;
  }
  const uint32_t version = Get32(index, 4);
  if (version != 2 && version != 3) {
    return std::nullopt;
  }
  std::string_view rest = index.substr(kHeader, index.size() - kHeader - kDigest);
  bool found = false;
  for (uint32_t left = Get32(index, 8); left > 0; --left) {
    const size_t size = EntrySize(rest, version);
    if (size == 0) {
      return std::nullopt;
    }
    found = found || Get32(rest, kModeAt) == kSubmodule;
    rest.remove_prefix(size);
  }
  // Extensions with a name in small letters change what the entries mean.
  while (!rest.empty()) {
    constexpr size_t kExtensionHeader = 8;
    if (rest.size() < kExtensionHeader || rest[0] < 'A' || rest[0] > 'Z' ||
        Get32(rest, 4) > rest.size() - kExtensionHeader) {
      return std::nullopt;
    }
    rest.remove_prefix(kExtensionHeader + Get32(rest, 4));
  }
  return found;
}

}  // namespace kinu::install
