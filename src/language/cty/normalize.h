// Normalisation of the strings and names that enter values and types.
#pragma once

#include <string>
#include <string_view>

#include "text/quote.h"
#include "text/unicode.h"

namespace kinu {

/// Normalised text: a view of `text` when it needs no change, else of `storage`.
inline std::string_view Normalized(std::string_view text, std::string& storage) {
  if (text::IsAscii(text) || text::IsNfc(text)) {
    return text;
  }
  storage = text::ToNfc(text);
  return storage;
}

}  // namespace kinu
