// Text rules that cty needs from text/: NFC, safe prefixes and Go quoting.
#pragma once

#include <string>
#include <string_view>

#include "cty/text_port.h"

namespace kinu {

/// True when every byte is ASCII, which implies NFC.
inline bool IsAscii(std::string_view text) {
  unsigned char all = 0;
  for (char c : text) {
    all |= static_cast<unsigned char>(c);
  }
  return all < 0x80;
}

/// Normalised text: a view of `text` when it needs no change, else of `storage`.
inline std::string_view Normalized(std::string_view text, std::string& storage) {
  if (IsAscii(text) || text_port::IsNfc(text)) {
    return text;
  }
  storage = text_port::ToNfc(text);
  return storage;
}

}  // namespace kinu
