// Members that are left out of the JSON texts of the C interface when there is nothing to say.
#pragma once

#include <string_view>

#include "json/texts.h"

namespace kinu::c {

inline void WriteUnlessEmpty(JsonWriter& json, std::string_view key, std::string_view text) {
  if (!text.empty()) {
    json.Member(key, text);
  }
}

}  // namespace kinu::c
