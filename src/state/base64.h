// Standard base64 with padding, as JSON documents hold bytes. Ref: encoding/json, encoding/base64.
#pragma once

#include <string>
#include <string_view>

namespace kinu::state {

void AppendBase64(std::string& out, std::string_view bytes);
/// False when `text` is not base64 (line breaks are allowed, missing padding is not).
bool DecodeBase64(std::string_view text, std::string* bytes);

}  // namespace kinu::state
