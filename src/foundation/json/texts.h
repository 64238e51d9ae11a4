// A list of texts as a member of a JSON object.
#pragma once

#include <string_view>

#include "json/writer.h"

namespace kinu {

/// `"key":["text",…]`. `texts`: strings or views.
template <typename Texts>
void WriteTexts(JsonWriter& json, std::string_view key, const Texts& texts) {
  json.Key(key);
  json.BeginArray();
  for (const std::string_view text : texts) {
    json.String(text);
  }
  json.EndArray();
}

}  // namespace kinu
